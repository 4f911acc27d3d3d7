/** The texts of a language. Addresses, names, and dates are inserted as plain text. */
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
    /** The sender and the address of the emails. */
    about: (email: string, sender: string) => string;
    subscribed: string;
    unsubscribed: string;
    snoozed: (until: string) => string;
    snooze: string;
    days: (count: number) => string;
    link: string;
  };
  /** Precedes the button that undoes the change. */
  changedMind: string;
  gone: { title: string; text: string };
  invalid: { title: string; text: string };
  failed: { title: string; text: string };
}
