import type { Words } from './words.js';

export const nl: Words = {
  unsubscribe: {
    title: 'Afmelden',
    question: (email, sender) => `Wilt u op ${email} geen e-mails van ${sender} meer ontvangen?`,
    button: 'Afmelden',
    doneTitle: 'U bent afgemeld',
    done: (email, sender) => `${sender} stuurt geen nieuwsbrieven en aanbiedingen meer naar ${email}.`,
  },
  subscribe: {
    title: 'Aanmelden',
    question: (email, sender) => `Wilt u op ${email} e-mails van ${sender} ontvangen?`,
    button: 'Aanmelden',
    doneTitle: 'U bent aangemeld',
    done: (email, sender) => `${sender} stuurt e-mails naar ${email}.`,
  },
  manage: {
    title: 'E-mailvoorkeuren',
    about: (email, sender) => `E-mails van ${sender} aan ${email}`,
    subscribed: 'U bent aangemeld.',
    unsubscribed: 'U bent afgemeld.',
    snoozed: (until) => `U neemt een pauze tot ${until}. Daarna bent u weer aangemeld.`,
    snooze: 'Neem een pauze van',
    days: (count) => `${count} dagen`,
    link: 'E-mailvoorkeuren',
  },
  changedMind: 'Toch van gedachten veranderd?',
  gone: {
    title: 'Dit adres staat niet meer op de lijst',
    text: 'Het is verwijderd en krijgt geen nieuwsbrieven meer. U hoeft niets meer te doen.',
  },
  invalid: { title: 'Deze link werkt niet', text: 'Open de link nog eens vanuit de e-mail of kopieer de hele link.' },
  failed: { title: 'Dat is niet gelukt', text: 'Er is niets gewijzigd. Probeer het zo nog eens.' },
};
