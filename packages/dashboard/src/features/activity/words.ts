import { createWords } from '../../words/create.js';

const en = {
  title: 'Activity',
  about: 'Everything that happens in this project, while it happens.',
  firstTitle: 'Nothing has happened yet',
  firstAbout: 'Emails, events, workflow starts, and sent campaigns appear here within a second.',
  kind: 'Kind',
  all: 'Everything',
  kinds: { email: 'Emails', event: 'Events', contact: 'Contacts', campaign: 'Campaigns', workflow: 'Workflows' },
  total: (number: string, count: number) => (count === 1 ? '1 entry' : `${number} entries`),
  zone: (zone: string) => `Days in the project’s time zone, ${zone}`,
  since: 'From',
  until: 'Until',
  what: 'What',
  who: 'Contact',
  detail: 'Detail',
  when: 'When',
  upcoming: 'Coming up',
  nothingUpcoming: 'No scheduled campaign and no waiting workflow in the next 7 days.',
  newOnes: (count: number) => (count === 1 ? 'Show 1 new entry' : `Show ${count} new entries`),
  oneContact: 'The list shows only the activity of one contact.',
  opened: 'Entry',
  showEmail: 'Show the email',
  showContact: 'Show the contact',
};

const de: typeof en = {
  title: 'Aktivität',
  about: 'Alles, was in diesem Projekt geschieht, während es geschieht.',
  firstTitle: 'Noch ist nichts geschehen',
  firstAbout:
    'E-Mails, Ereignisse, gestartete Workflows und gesendete Kampagnen erscheinen hier innerhalb einer Sekunde.',
  kind: 'Art',
  all: 'Alles',
  kinds: { email: 'E-Mails', event: 'Ereignisse', contact: 'Kontakte', campaign: 'Kampagnen', workflow: 'Workflows' },
  total: (number, count) => (count === 1 ? '1 Eintrag' : `${number} Einträge`),
  zone: (zone) => `Tage in der Zeitzone des Projekts, ${zone}`,
  since: 'Von',
  until: 'Bis',
  what: 'Was',
  who: 'Kontakt',
  detail: 'Einzelheit',
  when: 'Wann',
  upcoming: 'Demnächst',
  nothingUpcoming: 'Keine geplante Kampagne und kein wartender Workflow in den nächsten 7 Tagen.',
  newOnes: (count) => (count === 1 ? '1 neuen Eintrag zeigen' : `${count} neue Einträge zeigen`),
  oneContact: 'Die Liste zeigt nur die Aktivität eines Kontakts.',
  opened: 'Eintrag',
  showEmail: 'E-Mail zeigen',
  showContact: 'Kontakt zeigen',
};

export const useActivityWords = createWords({ en, de });
