import { createWords } from '../../words/create.js';

const en = {
  title: 'Hours',
  only: 'Only send in certain hours',
  projectHint:
    'MARKETING and HEADLESS email of campaigns and workflows waits outside of them. Transactional email does not.',
  days: 'Days',
  zone: 'In the time zone',
  ofRecipient: 'Of each recipient',
  from: 'From',
  until: 'Until',
  nextDay: 'On the next day',
  except: 'Except on',
  addDate: 'Add the date',
  removeDate: (date: string) => `Remove ${date}`,
  noDays: 'Choose at least one day.',
  incomplete: 'Enter both times.',
};

type SendWindowWords = typeof en;

const de: SendWindowWords = {
  title: 'Uhrzeiten',
  only: 'Nur zu bestimmten Uhrzeiten senden',
  projectHint:
    'MARKETING- und HEADLESS-E-Mails von Kampagnen und Workflows warten außerhalb davon. Transaktionale E-Mails nicht.',
  days: 'Tage',
  zone: 'In der Zeitzone',
  ofRecipient: 'Des jeweiligen Empfängers',
  from: 'Von',
  until: 'Bis',
  nextDay: 'Am nächsten Tag',
  except: 'Außer am',
  addDate: 'Datum hinzufügen',
  removeDate: (date) => `${date} entfernen`,
  noDays: 'Wählen Sie mindestens einen Tag.',
  incomplete: 'Geben Sie beide Uhrzeiten an.',
};

export const useSendWindowWords = createWords({ en, de });
