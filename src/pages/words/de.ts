import type { Words } from './words.js';

export const de: Words = {
  unsubscribe: {
    title: 'Abmelden',
    question: (email, sender) => `Möchten Sie unter ${email} keine E-Mails von ${sender} mehr erhalten?`,
    button: 'Abmelden',
    doneTitle: 'Sie sind abgemeldet',
    done: (email, sender) => `${sender} sendet keine Newsletter und Angebote mehr an ${email}.`,
  },
  subscribe: {
    title: 'Anmelden',
    question: (email, sender) => `Möchten Sie unter ${email} E-Mails von ${sender} erhalten?`,
    button: 'Anmelden',
    doneTitle: 'Sie sind angemeldet',
    done: (email, sender) => `${sender} sendet seine E-Mails an ${email}.`,
  },
  manage: {
    title: 'E-Mail-Einstellungen',
    about: (email, sender) => `E-Mails von ${sender} an ${email}`,
    subscribed: 'Sie sind angemeldet.',
    unsubscribed: 'Sie sind abgemeldet.',
    snoozed: (until) => `Sie machen Pause bis zum ${until}. Danach sind Sie wieder angemeldet.`,
    snooze: 'Pause von diesen E-Mails für',
    days: (count) => `${count} Tage`,
    link: 'E-Mail-Einstellungen',
  },
  changedMind: 'Doch anders überlegt?',
  gone: {
    title: 'Diese Adresse ist nicht mehr auf der Liste',
    text: 'Sie wurde entfernt, es gehen keine Newsletter mehr an sie. Sie brauchen nichts weiter zu tun.',
  },
  invalid: {
    title: 'Dieser Link funktioniert nicht',
    text: 'Bitte öffnen Sie ihn noch einmal aus der E-Mail oder kopieren Sie den ganzen Link.',
  },
  failed: {
    title: 'Das hat nicht geklappt',
    text: 'Es wurde nichts geändert. Bitte versuchen Sie es gleich noch einmal.',
  },
};
