import { createWords } from '../../words/create.js';

const en = {
  title: 'Suppressions',
  about:
    'These addresses get no marketing email, even if their contact is subscribed. Transactional email is still sent to them.',
  firstTitle: 'No address is suppressed',
  firstAbout: 'Addresses that bounce permanently or complain are added here by themselves.',
  email: 'Address',
  reason: 'Reason',
  detail: 'Explanation',
  detailHint: 'Optional, for your colleagues.',
  since: 'Since',
  cause: 'Email',
  causeLink: 'Show the email',
  all: 'All reasons',
  reasons: { bounce: 'Bounced', complaint: 'Complained', manual: 'Added by hand' },
  search: 'Part of the address',
  add: 'Suppress an address',
  addTitle: 'Suppress an address',
  added: (email: string) => `${email} is suppressed`,
  lift: 'Lift',
  liftTitle: (email: string) => `Send marketing email to ${email} again?`,
  liftAbout: {
    bounce: 'The address bounced permanently. If it still does not exist, it bounces again and harms your reputation.',
    complaint: 'The recipient reported an email as spam. Lift this only if the person asked you to.',
    manual: 'Someone of your team suppressed this address.',
  },
  liftAction: 'Lift the suppression',
  lifted: (email: string) => `${email} can get marketing email again`,
  contactStays: 'A contact that is unsubscribed stays unsubscribed.',
  export: 'Export',
  exported: 'The export has begun. You find the file under Jobs.',
};

const de: typeof en = {
  title: 'Sperrliste',
  about:
    'Diese Adressen erhalten keine Marketing-E-Mails, auch wenn ihr Kontakt angemeldet ist. Transaktionale E-Mails gehen weiter an sie.',
  firstTitle: 'Keine Adresse ist gesperrt',
  firstAbout: 'Adressen, die dauerhaft unzustellbar sind oder sich beschweren, kommen von selbst hierher.',
  email: 'Adresse',
  reason: 'Grund',
  detail: 'Erklärung',
  detailHint: 'Freiwillig, für Ihr Team.',
  since: 'Seit',
  cause: 'E-Mail',
  causeLink: 'E-Mail zeigen',
  all: 'Alle Gründe',
  reasons: { bounce: 'Unzustellbar', complaint: 'Als Spam gemeldet', manual: 'Von Hand' },
  search: 'Teil der Adresse',
  add: 'Adresse sperren',
  addTitle: 'Adresse sperren',
  added: (email) => `${email} ist gesperrt`,
  lift: 'Freigeben',
  liftTitle: (email) => `Wieder Marketing-E-Mails an ${email} senden?`,
  liftAbout: {
    bounce:
      'Die Adresse war dauerhaft unzustellbar. Gibt es sie noch immer nicht, kommt die E-Mail wieder zurück und schadet Ihrem Ruf.',
    complaint: 'Die Person hat eine E-Mail als Spam gemeldet. Geben Sie sie nur frei, wenn sie darum gebeten hat.',
    manual: 'Jemand aus Ihrem Team hat diese Adresse gesperrt.',
  },
  liftAction: 'Adresse freigeben',
  lifted: (email) => `${email} kann wieder Marketing-E-Mails erhalten`,
  contactStays: 'Ein abgemeldeter Kontakt bleibt abgemeldet.',
  export: 'Exportieren',
  exported: 'Der Export läuft. Sie finden die Datei unter Aufgaben.',
};

export const useSuppressionWords = createWords({ en, de });
