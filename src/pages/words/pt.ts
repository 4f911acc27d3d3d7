import type { Words } from './words.js';

export const pt: Words = {
  unsubscribe: {
    title: 'Cancelar inscrição',
    question: (email, sender) => `Você não quer mais receber e-mails de ${sender} em ${email}?`,
    button: 'Cancelar inscrição',
    doneTitle: 'Inscrição cancelada',
    done: (email, sender) => `${sender} não envia mais newsletters e ofertas para ${email}.`,
  },
  subscribe: {
    title: 'Inscrever-se',
    question: (email, sender) => `Você quer receber e-mails de ${sender} em ${email}?`,
    button: 'Inscrever-se',
    doneTitle: 'Inscrição ativa',
    done: (email, sender) => `${sender} envia os seus e-mails para ${email}.`,
  },
  manage: {
    title: 'Preferências de e-mail',
    about: (email, sender) => `E-mails de ${sender} para ${email}`,
    subscribed: 'Sua inscrição está ativa.',
    unsubscribed: 'Sua inscrição está cancelada.',
    snoozed: (until) => `Você está em pausa até ${until}. Depois disso, sua inscrição volta a ficar ativa.`,
    snooze: 'Fazer uma pausa de',
    days: (count) => `${count} dias`,
    link: 'Preferências de e-mail',
  },
  changedMind: 'Mudou de ideia?',
  gone: {
    title: 'Este endereço não está mais na lista',
    text: 'Ele foi removido e não recebe mais newsletters. Você não precisa fazer mais nada.',
  },
  invalid: { title: 'Este link não funciona', text: 'Abra-o novamente a partir do e-mail ou copie o link inteiro.' },
  failed: { title: 'Não deu certo', text: 'Nada foi alterado. Tente novamente em instantes.' },
};
