import { createWords } from '../words/create.js';

const en = {
  title: 'Help',
  calls: 'The same through the API',
  reference: 'Open the API reference',
  secretHint: 'Set SENDLOOM_SECRET_KEY to the secret key of the project. Never use it in browsers or apps.',
  topics: {
    home: {
      about:
        'First steps until the first email, then the figures of a period next to those of the period before. Opens by machines are counted separately from opens by people.',
      calls: ['Read the figures of 30 days'],
    },
    activity: {
      about:
        'Everything that happens in the project, while it happens, and what comes next. A row opens the email, the contact, or the execution.',
      calls: ['List the latest activity'],
    },
    campaigns: {
      about:
        'One content to one audience, now or at a time. A campaign stays a draft until the checks before sending pass; its report shows deliveries, opens, and clicks.',
      calls: ['Send a campaign', 'Read its figures'],
    },
    templates: {
      about:
        'Reusable contents of emails with variables such as {{ name }}. Campaigns, workflows, and the API send them. Every save keeps the version before.',
      calls: ['Send an email from a template', 'Find templates'],
    },
    workflows: {
      about:
        'Steps that contacts pass one after the other: emails, waits, conditions, and requests. An event or the API starts an execution.',
      calls: ['Start an execution for a contact', 'Read the figures of the steps'],
    },
    contacts: {
      about:
        'The people of the project with their data. Marketing email goes only to subscribed contacts. Filters, bulk changes, and exports work with all contacts that match.',
      calls: ['Create or update a contact', 'List contacts that match'],
    },
    segments: {
      about:
        'Groups of contacts: dynamic ones follow a condition, static ones are lists. Campaigns go to segments, and workflows can start at their entry.',
      calls: ['Create a segment', 'List its contacts'],
    },
    fields: {
      about:
        'The keys in the data of contacts, with their types and values. Conditions and templates use them. A field disappears with its last value.',
      calls: ['List the fields', 'List the values of a field'],
    },
    events: {
      about:
        'What contacts do in your product. Events start workflows and feed segments. Tracking an event for a new address creates the contact.',
      calls: ['Track an event, also from a browser', 'List events of a name'],
    },
    jobs: {
      about:
        'Imports, exports, and changes of many contacts. They continue when you leave the page, and can be canceled.',
      calls: ['Export contacts', 'Follow a job'],
    },
    emails: {
      about:
        'The log of all emails: content, attempts with the response of the mail server, and opens and clicks with the reason when a machine caused them.',
      calls: ['Send an email', 'List bounced emails'],
    },
    domains: {
      about:
        'The domains that you send from. Emails need DNS records that prove that the domain is yours; the page shows what is still missing.',
      calls: ['Add a domain', 'Check its DNS records again'],
    },
    deliverability: {
      about:
        'Bounces and complaints with the limits at which sending is paused, and which campaigns and domains cause them.',
      calls: [],
    },
    suppressions: {
      about:
        'Addresses that get no marketing email, because they bounced, complained, or were added by hand. An address can be lifted again.',
      calls: ['Suppress an address'],
    },
    webhooks: {
      about:
        'Endpoints of yours to which events are posted, signed. What does not arrive is repeated for 76 hours, and can be replayed later.',
      calls: ['Add an endpoint', 'Send a test'],
    },
    settings: {
      about: 'The name, sender, brand, tracking, members, and keys of the project, and its limits.',
      calls: [],
    },
    account: { about: 'Your address, password, preferences, and sessions.', calls: [] },
  } satisfies Record<string, { about: string; calls: string[] }> as Record<
    HelpTopic,
    { about: string; calls: string[] }
  >,
};

export type HelpTopic =
  | 'home'
  | 'activity'
  | 'campaigns'
  | 'templates'
  | 'workflows'
  | 'contacts'
  | 'segments'
  | 'fields'
  | 'events'
  | 'jobs'
  | 'emails'
  | 'domains'
  | 'deliverability'
  | 'suppressions'
  | 'webhooks'
  | 'settings'
  | 'account';

const de: typeof en = {
  title: 'Hilfe',
  calls: 'Dasselbe über die API',
  reference: 'API-Referenz öffnen',
  secretHint:
    'Setzen Sie SENDLOOM_SECRET_KEY auf den geheimen Schlüssel des Projekts. Er gehört weder in Browser noch in Apps.',
  topics: {
    home: {
      about:
        'Erste Schritte bis zur ersten E-Mail, danach die Zahlen eines Zeitraums neben denen des Zeitraums davor. Öffnungen durch Maschinen werden getrennt von denen durch Menschen gezählt.',
      calls: ['Zahlen der letzten 30 Tage lesen'],
    },
    activity: {
      about:
        'Alles, was im Projekt geschieht, sobald es geschieht, und was als Nächstes kommt. Eine Zeile öffnet die E-Mail, den Kontakt oder den Durchlauf.',
      calls: ['Neueste Aktivitäten auflisten'],
    },
    campaigns: {
      about:
        'Ein Inhalt an eine Zielgruppe, jetzt oder zu einem Zeitpunkt. Bis alle Prüfungen bestanden sind, bleibt eine Kampagne ein Entwurf; ihr Bericht zeigt Zustellungen, Öffnungen und Klicks.',
      calls: ['Kampagne senden', 'Ihre Zahlen lesen'],
    },
    templates: {
      about:
        'Wiederverwendbare Inhalte von E-Mails mit Variablen wie {{ name }}. Kampagnen, Workflows und die API senden sie. Jedes Speichern bewahrt die vorige Version.',
      calls: ['E-Mail aus einer Vorlage senden', 'Vorlagen suchen'],
    },
    workflows: {
      about:
        'Schritte, die Kontakte nacheinander durchlaufen: E-Mails, Pausen, Bedingungen und Anfragen. Ein Ereignis oder die API startet einen Durchlauf.',
      calls: ['Durchlauf für einen Kontakt starten', 'Zahlen der Schritte lesen'],
    },
    contacts: {
      about:
        'Die Menschen des Projekts mit ihren Daten. Marketing-E-Mails gehen nur an angemeldete Kontakte. Filter, Massenänderungen und Exporte gelten für alle passenden Kontakte.',
      calls: ['Kontakt anlegen oder ändern', 'Passende Kontakte auflisten'],
    },
    segments: {
      about:
        'Gruppen von Kontakten: Dynamische folgen einer Bedingung, statische sind Listen. Kampagnen gehen an Segmente, und der Eintritt in ein Segment kann Workflows starten.',
      calls: ['Segment anlegen', 'Seine Kontakte auflisten'],
    },
    fields: {
      about:
        'Die Schlüssel in den Daten der Kontakte mit ihren Typen und Werten. Bedingungen und Vorlagen verwenden sie. Ein Feld verschwindet mit seinem letzten Wert.',
      calls: ['Felder auflisten', 'Werte eines Feldes auflisten'],
    },
    events: {
      about:
        'Was Kontakte in Ihrem Produkt tun. Ereignisse starten Workflows und bestimmen Segmente. Ein Ereignis für eine neue Adresse legt den Kontakt an.',
      calls: ['Ereignis melden, auch aus dem Browser', 'Ereignisse eines Namens auflisten'],
    },
    jobs: {
      about:
        'Importe, Exporte und Änderungen vieler Kontakte. Sie laufen weiter, wenn Sie die Seite verlassen, und lassen sich abbrechen.',
      calls: ['Kontakte exportieren', 'Aufgabe verfolgen'],
    },
    emails: {
      about:
        'Das Protokoll aller E-Mails: Inhalt, Versuche mit der Antwort des Mailservers, Öffnungen und Klicks, jeweils mit dem Grund, falls eine Maschine sie ausgelöst hat.',
      calls: ['E-Mail senden', 'Unzustellbare E-Mails auflisten'],
    },
    domains: {
      about:
        'Die Domains, von denen Sie senden. E-Mails brauchen DNS-Einträge, die belegen, dass die Domain Ihnen gehört; die Seite zeigt, was noch fehlt.',
      calls: ['Domain hinzufügen', 'DNS-Einträge erneut prüfen'],
    },
    deliverability: {
      about:
        'Bounces und Beschwerden mit den Grenzen, bei denen der Versand pausiert, und den Kampagnen und Domains, die sie verursachen.',
      calls: [],
    },
    suppressions: {
      about:
        'Adressen, die keine Marketing-E-Mails erhalten: nach einem Bounce, einer Beschwerde oder von Hand gesperrt. Eine Sperre lässt sich wieder aufheben.',
      calls: ['Adresse sperren'],
    },
    webhooks: {
      about:
        'Ihre Endpunkte, an die Ereignisse signiert geschickt werden. Was nicht ankommt, wird 76 Stunden lang wiederholt und lässt sich später erneut zustellen.',
      calls: ['Endpunkt hinzufügen', 'Test senden'],
    },
    settings: {
      about: 'Name, Absender, Marke, Tracking, Mitglieder und Schlüssel des Projekts sowie seine Grenzen.',
      calls: [],
    },
    account: { about: 'Ihre Adresse, Ihr Passwort, Ihre Einstellungen und Ihre Sitzungen.', calls: [] },
  },
};

export const useHelpWords = createWords({ en, de });
