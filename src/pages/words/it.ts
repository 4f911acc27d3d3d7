import type { Words } from './words.js';

export const it: Words = {
  unsubscribe: {
    title: 'Annulla iscrizione',
    question: (email, sender) => `Non vuoi più ricevere le e-mail di ${sender} all’indirizzo ${email}?`,
    button: 'Annulla iscrizione',
    doneTitle: 'Iscrizione annullata',
    done: (email, sender) => `${sender} non invia più newsletter e offerte a ${email}.`,
  },
  subscribe: {
    title: 'Iscriviti',
    question: (email, sender) => `Vuoi ricevere le e-mail di ${sender} all’indirizzo ${email}?`,
    button: 'Iscriviti',
    doneTitle: 'Iscrizione attiva',
    done: (email, sender) => `${sender} invia le sue e-mail a ${email}.`,
  },
  manage: {
    title: 'Preferenze e-mail',
    about: (email, sender) => `E-mail di ${sender} a ${email}`,
    subscribed: 'La tua iscrizione è attiva.',
    unsubscribed: 'La tua iscrizione è annullata.',
    snoozed: (until) => `Sei in pausa fino al ${until}. Poi la tua iscrizione sarà di nuovo attiva.`,
    snooze: 'Fai una pausa di',
    days: (count) => `${count} giorni`,
    link: 'Preferenze e-mail',
  },
  changedMind: 'Hai cambiato idea?',
  gone: {
    title: 'Questo indirizzo non è più nella lista',
    text: 'È stato rimosso e non riceve più newsletter. Non devi fare altro.',
  },
  invalid: { title: 'Questo link non funziona', text: 'Aprilo di nuovo dall’e-mail o copia il link per intero.' },
  failed: { title: 'Qualcosa non ha funzionato', text: 'Non è stato cambiato nulla. Riprova tra un momento.' },
};
