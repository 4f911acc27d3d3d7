import type { Words } from './words.js';

export const fr: Words = {
  unsubscribe: {
    title: 'Se désabonner',
    question: (email, sender) => `Ne souhaitez-vous plus recevoir les e-mails de ${sender} à l’adresse ${email} ?`,
    button: 'Se désabonner',
    doneTitle: 'Vous êtes désabonné',
    done: (email, sender) => `${sender} n’envoie plus de newsletters ni d’offres à ${email}.`,
  },
  subscribe: {
    title: 'S’abonner',
    question: (email, sender) => `Souhaitez-vous recevoir les e-mails de ${sender} à l’adresse ${email} ?`,
    button: 'S’abonner',
    doneTitle: 'Vous êtes abonné',
    done: (email, sender) => `${sender} envoie ses e-mails à ${email}.`,
  },
  manage: {
    title: 'Préférences d’e-mail',
    about: (email, sender) => `E-mails de ${sender} à ${email}`,
    subscribed: 'Vous êtes abonné.',
    unsubscribed: 'Vous êtes désabonné.',
    snoozed: (until) => `Vous faites une pause jusqu’au ${until}. Ensuite, vous serez de nouveau abonné.`,
    snooze: 'Faire une pause de',
    days: (count) => `${count} jours`,
    link: 'Préférences d’e-mail',
  },
  changedMind: 'Vous avez changé d’avis ?',
  gone: {
    title: 'Cette adresse n’est plus sur la liste',
    text: 'Elle a été supprimée et ne reçoit plus de newsletters. Vous n’avez rien d’autre à faire.',
  },
  invalid: {
    title: 'Ce lien ne fonctionne pas',
    text: 'Veuillez l’ouvrir à nouveau depuis l’e-mail, ou copier le lien en entier.',
  },
  failed: { title: 'Une erreur est survenue', text: 'Rien n’a été modifié. Veuillez réessayer dans un instant.' },
};
