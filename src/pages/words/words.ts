/** What each language says. Addresses, names and dates are put in as plain text. */
export interface Words {
  unsubscribe: {
    title: string;
    question: (email: string, sender: string) => string;
    button: string;
    doneTitle: string;
    done: (email: string, sender: string) => string;
  };
  subscribe: {
    title: string;
    question: (email: string, sender: string) => string;
    button: string;
    doneTitle: string;
    done: (email: string, sender: string) => string;
  };
  manage: {
    title: string;
    /** Whose emails these are. */
    about: (email: string, sender: string) => string;
    subscribed: string;
    unsubscribed: string;
    snoozed: (until: string) => string;
    snooze: string;
    days: (count: number) => string;
    link: string;
  };
  /** Before the button that takes it back. */
  changedMind: string;
  gone: { title: string; text: string };
  invalid: { title: string; text: string };
  failed: { title: string; text: string };
}
