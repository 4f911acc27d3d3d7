import type { Words } from './words.js';

export const es: Words = {
  unsubscribe: {
    title: 'Darse de baja',
    question: (email, sender) => `¿Ya no desea recibir correos de ${sender} en ${email}?`,
    button: 'Darse de baja',
    doneTitle: 'Se ha dado de baja',
    done: (email, sender) => `${sender} ya no envía boletines ni ofertas a ${email}.`,
  },
  subscribe: {
    title: 'Suscribirse',
    question: (email, sender) => `¿Desea recibir correos de ${sender} en ${email}?`,
    button: 'Suscribirse',
    doneTitle: 'Se ha suscrito',
    done: (email, sender) => `${sender} envía sus correos a ${email}.`,
  },
  manage: {
    title: 'Preferencias de correo',
    about: (email, sender) => `Correos de ${sender} a ${email}`,
    subscribed: 'Está suscrito.',
    unsubscribed: 'Se ha dado de baja.',
    snoozed: (until) => `Ha hecho una pausa hasta el ${until}. Después volverá a estar suscrito.`,
    snooze: 'Hacer una pausa de',
    days: (count) => `${count} días`,
    link: 'Preferencias de correo',
  },
  changedMind: '¿Ha cambiado de opinión?',
  gone: {
    title: 'Esta dirección ya no está en la lista',
    text: 'Se ha eliminado y ya no recibe boletines. No tiene que hacer nada más.',
  },
  invalid: { title: 'Este enlace no funciona', text: 'Ábralo de nuevo desde el correo o copie el enlace completo.' },
  failed: { title: 'No ha funcionado', text: 'No se ha cambiado nada. Inténtelo de nuevo en un momento.' },
};
