import { createWords } from '../../words/create.js';

const en = {
  title: 'Your account',
  email: {
    title: 'Change the email address',
    about:
      'The new address must be confirmed. The former address gets a notice, and links in earlier emails stop working.',
    done: 'Your email address is changed.',
  },
  newPassword: {
    title: 'Change the password',
    about: 'A new password ends all your other sessions.',
    done: 'Your password is changed.',
  },
  newEmail: 'New email address',
  currentPassword: 'Current password',
  sendLink: 'No password yet? Send me a link',
  preferences: 'Language and appearance',
  sessions: 'Sessions',
  unknownDevice: 'Unknown device',
  lastUsed: 'last used',
  thisOne: 'This one',
  end: 'End',
  endOf: (device: string) => `End the session of ${device}`,
  endAll: 'Sign out everywhere',
  endAllAbout: 'This ends all sessions on all devices, also this one. Then sign in again with your password.',
};

const de: typeof en = {
  title: 'Ihr Konto',
  email: {
    title: 'E-Mail-Adresse ändern',
    about:
      'Die neue Adresse muss bestätigt werden. Die bisherige Adresse wird benachrichtigt, und Links in früheren E-Mails werden ungültig.',
    done: 'Ihre E-Mail-Adresse ist geändert.',
  },
  newPassword: {
    title: 'Passwort ändern',
    about: 'Ein neues Passwort beendet alle Ihre anderen Sitzungen.',
    done: 'Ihr Passwort ist geändert.',
  },
  newEmail: 'Neue E-Mail-Adresse',
  currentPassword: 'Aktuelles Passwort',
  sendLink: 'Noch kein Passwort? Link senden',
  preferences: 'Sprache und Darstellung',
  sessions: 'Sitzungen',
  unknownDevice: 'Unbekanntes Gerät',
  lastUsed: 'zuletzt benutzt',
  thisOne: 'Diese Sitzung',
  end: 'Beenden',
  endOf: (device: string) => `Sitzung von ${device} beenden`,
  endAll: 'Überall abmelden',
  endAllAbout:
    'Das beendet alle Sitzungen auf allen Geräten, auch diese. Danach melden Sie sich mit Ihrem Passwort neu an.',
};

export const useAccountWords = createWords({ en, de });
