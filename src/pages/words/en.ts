import type { Words } from './words.js';

export const en: Words = {
  unsubscribe: {
    title: 'Unsubscribe',
    question: (email, sender) => `Do you no longer want to receive emails from ${sender} at ${email}?`,
    button: 'Unsubscribe',
    doneTitle: 'You are unsubscribed',
    done: (email, sender) => `${sender} no longer sends newsletters and offers to ${email}.`,
  },
  subscribe: {
    title: 'Subscribe',
    question: (email, sender) => `Do you want to receive emails from ${sender} at ${email}?`,
    button: 'Subscribe',
    doneTitle: 'You are subscribed',
    done: (email, sender) => `${sender} sends its emails to ${email}.`,
  },
  manage: {
    title: 'Email preferences',
    about: (email, sender) => `Emails from ${sender} to ${email}`,
    subscribed: 'You are subscribed.',
    unsubscribed: 'You are unsubscribed.',
    snoozed: (until) => `You are taking a break until ${until}. After that you are subscribed again.`,
    snooze: 'Take a break from these emails for',
    days: (count) => `${count} days`,
    link: 'Email preferences',
  },
  changedMind: 'Changed your mind?',
  gone: {
    title: 'This address is no longer on the list',
    text: 'It was removed, so no more newsletters are sent to it. There is nothing left for you to do.',
  },
  invalid: {
    title: 'This link does not work',
    text: 'Please open it once more from the email, or copy the whole link.',
  },
  failed: { title: 'That did not work', text: 'Nothing was changed. Please try again in a moment.' },
};
