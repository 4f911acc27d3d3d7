import { createWords } from '../../words/create.js';

const en = {
  types: {
    TRIGGER: 'Trigger',
    SEND_EMAIL: 'Send an email',
    DELAY: 'Wait for a time',
    WAIT_FOR_EVENT: 'Wait for an event',
    CONDITION: 'Condition',
    WEBHOOK: 'Call a webhook',
    UPDATE_CONTACT: 'Update the contact',
    EXIT: 'Exit',
  },
  branches: {
    yes: 'yes',
    no: 'no',
    default: 'otherwise',
    event: 'event',
    timeout: 'time is up',
    error: 'on an error',
  },
  waiting: (count: string) => `${count} here now`,
  passed: (count: string) => `${count} passed`,
  failed: (count: string) => `${count} failed`,
  skipped: (count: string) => `${count} skipped`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}:`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Show the whole graph',
  insert: (from: string, to: string) => `Add a step between ${from} and ${to}`,
  removeTransition: (from: string, to: string) => `Remove the transition from ${from} to ${to}`,
  connectFrom: (branch: string) => `Connect: ${branch}`,
  connect: 'Connect with another step',
  about: {
    event: (name: string) => `Event: ${name}`,
    atMost: (duration: string) => `at most ${duration}`,
    to: (address: string) => `to ${address}`,
    sets: (fields: string) => `sets ${fields}`,
    subscribe: 'subscribes',
    unsubscribe: 'unsubscribes',
    by: (field: string) => `by ${field}`,
  },
};

export type GraphWords = typeof en;

const de: GraphWords = {
  types: {
    TRIGGER: 'Auslöser',
    SEND_EMAIL: 'E-Mail senden',
    DELAY: 'Eine Zeit warten',
    WAIT_FOR_EVENT: 'Auf ein Ereignis warten',
    CONDITION: 'Bedingung',
    WEBHOOK: 'Webhook aufrufen',
    UPDATE_CONTACT: 'Kontakt ändern',
    EXIT: 'Ende',
  },
  branches: {
    yes: 'ja',
    no: 'nein',
    default: 'sonst',
    event: 'Ereignis',
    timeout: 'Zeit abgelaufen',
    error: 'bei einem Fehler',
  },
  waiting: (count) => `${count} gerade hier`,
  passed: (count) => `${count} durchlaufen`,
  failed: (count) => `${count} fehlgeschlagen`,
  skipped: (count) => `${count} übersprungen`,
  fromTo: (from, to) => `Von ${from} nach ${to}:`,
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  fit: 'Ganzen Graphen zeigen',
  insert: (from, to) => `Schritt zwischen ${from} und ${to} einfügen`,
  removeTransition: (from, to) => `Übergang von ${from} nach ${to} entfernen`,
  connectFrom: (branch) => `Verbinden: ${branch}`,
  connect: 'Mit einem anderen Schritt verbinden',
  about: {
    event: (name) => `Ereignis: ${name}`,
    atMost: (duration) => `höchstens ${duration}`,
    to: (address) => `an ${address}`,
    sets: (fields) => `setzt ${fields}`,
    subscribe: 'abonniert',
    unsubscribe: 'meldet ab',
    by: (field) => `nach ${field}`,
  },
};

export const useGraphWords = createWords({ en, de });
