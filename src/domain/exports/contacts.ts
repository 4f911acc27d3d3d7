/** Contacts as CSV, with the mapping that imports the file without a change. Pure. */
import { csvLine, guardFormula } from '../csv.js';
import type { ImportMapping } from '../imports/options.js';
import type { DataColumn } from './params.js';
import type { ExportedContact } from './sql.js';

/** The columns of every file. `data` is a JSON object with the values that have no column. */
export const STANDARD_COLUMNS = [
  'id',
  'email',
  'subscribed',
  'snoozedUntil',
  'createdAt',
  'updatedAt',
  'data',
] as const;

export const contactsHeader = (columns: DataColumn[]): string =>
  csvLine([...STANDARD_COLUMNS.slice(0, -1), ...columns.map(({ key }) => key), 'data']);

/** Returns the mapping with which an import of the file restores every contact. */
export function contactsMapping(columns: DataColumn[]): ImportMapping {
  return {
    id: { to: null },
    email: { to: 'email' },
    subscribed: { to: 'subscribed' },
    snoozedUntil: { to: 'snoozedUntil' },
    createdAt: { to: null },
    updatedAt: { to: null },
    ...Object.fromEntries(columns.map(({ key, type }) => [key, { to: `data.${key}`, type }])),
    data: { to: 'data' },
  };
}

export function contactLine(contact: ExportedContact, columns: DataColumn[]): string {
  const { id, email, subscribed, snoozedUntil, createdAt, updatedAt } = contact;
  const data: unknown = JSON.parse(contact.data);
  const rest = new Map<string, unknown>(typeof data === 'object' && data !== null ? Object.entries(data) : []);
  const cells = columns.map(({ key, type }) => {
    const value = rest.get(key);
    if (value === undefined || (type !== 'json' && (typeof value !== type || value === ''))) return '';
    rest.delete(key);
    // A number needs no apostrophe: spreadsheets read it as a number.
    if (type === 'number') return JSON.stringify(value);
    return guardFormula(typeof value === 'string' && type === 'string' ? value : JSON.stringify(value));
  });
  return csvLine([
    id,
    guardFormula(email),
    String(subscribed),
    snoozedUntil?.toISOString() ?? '',
    createdAt.toISOString(),
    updatedAt.toISOString(),
    ...cells,
    rest.size === 0 ? '' : JSON.stringify(Object.fromEntries(rest)),
  ]);
}

/** Returns a contact as in `GET /contacts`. Its data is inserted as it is stored. */
export const contactJson = ({ data, ...contact }: ExportedContact): string => {
  const { id, email, subscribed, snoozedUntil, timezone, createdAt, updatedAt } = contact;
  const head = JSON.stringify({ id, email, subscribed, snoozedUntil, timezone });
  return `${head.slice(0, -1)},"data":${data},${JSON.stringify({ createdAt, updatedAt }).slice(1)}`;
};
