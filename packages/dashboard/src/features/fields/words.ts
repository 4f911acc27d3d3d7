import { createWords } from '../../words/create.js';

const en = {
  title: 'Fields',
  about: 'What is known about contacts. A field exists as soon as one contact has it.',
  contacts: 'Contacts',
  firstTitle: 'No fields of your own yet',
  firstAbout: 'An import, the API, and events add data to contacts. Each key becomes a field with its type and values.',
  firstAction: 'Import contacts',
  own: 'Your fields',
  standard: 'Fields of every contact',
  field: 'Field',
  type: 'Type',
  coverage: 'Filled',
  types: { string: 'Text', number: 'Number', boolean: 'Yes or no', date: 'Date' },
  values: 'Frequent values',
  valuesAbout: 'A value leads to its contacts.',
  noValues: 'No contact has a value.',
  isOnContacts: (count: number, shown: string) => (count === 1 ? '1 contact has it.' : `${shown} contacts have it.`),
  usage: 'Where it is used',
  usedInSegments: 'Segments',
  usedInCampaigns: 'Campaigns that are not sent yet',
  usedInWorkflows: 'Workflows',
  unused: 'No segment, open campaign, or workflow uses it.',
  usageAbout: 'Templates are not searched: check their variables yourself.',
  rename: 'Rename the field',
  renameAbout:
    'Contacts keep their values under the new name. Templates are not changed: check their variables yourself.',
  newName: 'New name',
  renamed: (count: string, rest: number, shownRest: string) =>
    rest === 0 ? `Renamed for ${count} contacts` : `Renamed for ${count} contacts. ${shownRest} have both and stay.`,
  delete: 'Delete the field',
  cannotDelete: 'It cannot be renamed or deleted while it is in use.',
  deleteTitle: (field: string) => `Delete the field “${field}”?`,
  deleteAbout: (count: string) =>
    `The field and its value disappear from ${count} contacts. This cannot be undone. Templates that show it show nothing there.`,
  deleted: 'Field deleted',
};

const de: typeof en = {
  title: 'Felder',
  about: 'Was über Kontakte bekannt ist. Ein Feld entsteht, sobald ein Kontakt es hat.',
  contacts: 'Kontakte',
  firstTitle: 'Noch keine eigenen Felder',
  firstAbout:
    'Importe, die API und Ereignisse fügen Kontakten Daten hinzu. Jeder Schlüssel wird ein Feld mit Typ und Werten.',
  firstAction: 'Kontakte importieren',
  own: 'Ihre Felder',
  standard: 'Felder aller Kontakte',
  field: 'Feld',
  type: 'Typ',
  coverage: 'Ausgefüllt',
  types: { string: 'Text', number: 'Zahl', boolean: 'Ja oder nein', date: 'Datum' },
  values: 'Häufige Werte',
  valuesAbout: 'Ein Wert führt zu seinen Kontakten.',
  noValues: 'Kein Kontakt hat einen Wert.',
  isOnContacts: (count, shown) => (count === 1 ? '1 Kontakt hat es.' : `${shown} Kontakte haben es.`),
  usage: 'Wo es verwendet wird',
  usedInSegments: 'Segmente',
  usedInCampaigns: 'Kampagnen, die noch nicht gesendet sind',
  usedInWorkflows: 'Workflows',
  unused: 'Kein Segment, keine offene Kampagne und kein Workflow verwendet es.',
  usageAbout: 'Vorlagen werden nicht durchsucht: Prüfen Sie deren Variablen selbst.',
  rename: 'Feld umbenennen',
  renameAbout:
    'Kontakte behalten ihre Werte unter dem neuen Namen. Vorlagen ändern sich nicht: Prüfen Sie deren Variablen selbst.',
  newName: 'Neuer Name',
  renamed: (count, rest, shownRest) =>
    rest === 0
      ? `Bei ${count} Kontakten umbenannt`
      : `Bei ${count} Kontakten umbenannt. ${shownRest} haben beide und bleiben.`,
  delete: 'Feld löschen',
  cannotDelete: 'Solange es verwendet wird, lässt es sich nicht umbenennen oder löschen.',
  deleteTitle: (field) => `Feld „${field}“ löschen?`,
  deleteAbout: (count) =>
    `Das Feld und sein Wert verschwinden bei ${count} Kontakten. Das lässt sich nicht rückgängig machen. Vorlagen, die es zeigen, zeigen dort nichts mehr.`,
  deleted: 'Feld gelöscht',
};

export const useFieldWords = createWords({ en, de });
