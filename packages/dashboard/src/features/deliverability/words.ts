import { createWords } from '../../words/create.js';

const en = {
  title: 'Deliverability',
  about: 'Mail servers judge you by bounces and complaints. Sendloom stops a project before they do.',
  levels: { healthy: 'Healthy', warning: 'Warning', critical: 'Critical' },
  meaning: {
    healthy: 'Your rates are below all limits.',
    warning:
      'A rate is above the first limit. Send only to people who expect your emails, and remove addresses that bounce.',
    critical:
      'A rate is above the second limit. A critical project is disabled within seconds, unless this installation does not do so.',
  },
  willDisable: 'This installation disables critical projects.',
  willNotDisable: 'This installation does not disable critical projects.',
  disabled: 'This project is disabled. Nothing is sent.',
  enable: 'Enable the project again',
  enableTitle: 'Enable the project again?',
  enableAbout:
    'Its levels stay as they are, and only figures from now on can disable it again. Campaigns and workflow executions that were canceled stay canceled.',
  enabled: 'The project is enabled',
  forbidden: 'Only owners and admins can enable the project.',
  last7Days: 'Last 7 days',
  allTime: 'All time',
  last24Hours: 'Last 24 hours',
  bounces: 'Bounces',
  complaints: 'Complaints',
  of: (count: string, sent: string) => `${count} of ${sent} emails`,
  limit: (warning: string, critical: string) => `Warning from ${warning}, critical from ${critical}`,
  needs: 'A level needs at least 100 emails. Only permanent bounces count.',
  transient: (count: string) => `In addition, ${count} transient bounces, which do not count.`,
  history: 'Bounces and complaints per day',
  byDomain: 'By domain of the recipients, last 30 days',
  byCampaign: 'By campaign, last 30 days',
  name: 'Name',
  others: 'All others',
  sent: 'Sent',
  nothing: 'Nothing was sent in the last 30 days.',
};

const de: typeof en = {
  title: 'Zustellbarkeit',
  about: 'Mailserver beurteilen Sie nach Rückläufern und Beschwerden. Sendloom hält ein Projekt an, bevor sie es tun.',
  levels: { healthy: 'Gut', warning: 'Warnung', critical: 'Kritisch' },
  meaning: {
    healthy: 'Ihre Quoten liegen unter allen Grenzen.',
    warning:
      'Eine Quote liegt über der ersten Grenze. Senden Sie nur an Menschen, die Ihre E-Mails erwarten, und entfernen Sie unzustellbare Adressen.',
    critical:
      'Eine Quote liegt über der zweiten Grenze. Ein kritisches Projekt wird innerhalb von Sekunden gesperrt, sofern diese Installation das tut.',
  },
  willDisable: 'Diese Installation sperrt kritische Projekte.',
  willNotDisable: 'Diese Installation sperrt kritische Projekte nicht.',
  disabled: 'Dieses Projekt ist gesperrt. Es wird nichts gesendet.',
  enable: 'Projekt wieder freigeben',
  enableTitle: 'Projekt wieder freigeben?',
  enableAbout:
    'Die Stufen bleiben, wie sie sind; nur Zahlen ab jetzt können es erneut sperren. Abgebrochene Kampagnen und Workflow-Läufe bleiben abgebrochen.',
  enabled: 'Das Projekt ist freigegeben',
  forbidden: 'Nur Inhaber und Admins geben das Projekt frei.',
  last7Days: 'Letzte 7 Tage',
  allTime: 'Insgesamt',
  last24Hours: 'Letzte 24 Stunden',
  bounces: 'Rückläufer',
  complaints: 'Beschwerden',
  of: (count, sent) => `${count} von ${sent} E-Mails`,
  limit: (warning, critical) => `Warnung ab ${warning}, kritisch ab ${critical}`,
  needs: 'Eine Stufe gibt es ab 100 E-Mails. Nur dauerhafte Rückläufer zählen.',
  transient: (count) => `Dazu kommen ${count} vorübergehende Rückläufer, die nicht zählen.`,
  history: 'Rückläufer und Beschwerden pro Tag',
  byDomain: 'Nach Domain der Empfänger, letzte 30 Tage',
  byCampaign: 'Nach Kampagne, letzte 30 Tage',
  name: 'Name',
  others: 'Alle anderen',
  sent: 'Gesendet',
  nothing: 'In den letzten 30 Tagen wurde nichts gesendet.',
};

export const useDeliverabilityWords = createWords({ en, de });
