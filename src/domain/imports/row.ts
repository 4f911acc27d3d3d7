/** Converts CSV records to contacts (contract, section 3, "Import"). Pure. */
import { isAddress, normalizeAddress } from '../../address.js';
import { fitsContact, readContactData } from '../contacts/data.js';

export interface Columns {
  email: number;
  subscribed: number | null;
  /** Data columns with their index. */
  data: Array<{ index: number; key: string }>;
  count: number;
}

export interface ImportRow {
  email: string;
  /** null: not given. */
  subscribed: boolean | null;
  data: Record<string, string | number | boolean>;
}

export interface RefusedRow {
  /** The cell in the file; '' if it is missing. */
  email: string;
  problem: string;
}

/**
 * Parses the header. `email` and `subscribed` are case-insensitive. Columns without a name or with a reserved name are
 * ignored.
 *
 * @returns the problem, as a sentence, if the header is invalid
 */
export function readHeader(cells: string[]): Columns | { problem: string } {
  const names = cells.map((name) => (['email', 'subscribed'].includes(name.toLowerCase()) ? name.toLowerCase() : name));
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) return { problem: `The header has the column "${shorten(twice)}" twice.` };
  const email = names.indexOf('email');
  if (email < 0)
    return { problem: 'The header has no column "email". The first line must name the columns, separated by commas.' };
  const subscribed = names.indexOf('subscribed');
  const data = names.flatMap((key, index) =>
    index !== email && index !== subscribed && isDataKey(key) ? [{ index, key }] : [],
  );
  return { email, subscribed: subscribed < 0 ? null : subscribed, data, count: cells.length };
}

/** Whether contact data can have the key. */
const isDataKey = (key: string): boolean => key !== '' && Object.hasOwn(readContactData({ [key]: true }).set, key);

const SUBSCRIBED: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** Parses one record. Empty and missing cells count as not given. */
export function readRow(columns: Columns, cells: string[]): ImportRow | RefusedRow {
  const written = cells[columns.email] ?? '';
  const refuse = (problem: string): RefusedRow => ({ email: shorten(written), problem });
  if (written === '') return refuse('The email is missing');
  const email = normalizeAddress(written);
  if (!isAddress(email)) return refuse('This is not an email address');
  if (cells.length > columns.count && cells.slice(columns.count).some((cell) => cell !== ''))
    return refuse(`The row has ${cells.length} cells, the header ${columns.count}`);

  const state = columns.subscribed === null ? '' : (cells[columns.subscribed] ?? '');
  const subscribed = state === '' ? null : SUBSCRIBED.get(state.toLowerCase());
  if (subscribed === undefined) return refuse('"subscribed" must be true, 1, yes, false, 0, or no');

  const data: ImportRow['data'] = {};
  let keys = 0;
  let characters = 0;
  for (const { index, key } of columns.data) {
    const cell = cells[index];
    if (cell === undefined || cell === '') continue;
    data[key] = readValue(cell);
    keys++;
    characters += key.length + cell.length;
  }
  // An escaped character has at most six bytes. PostgreSQL prints a space after each colon and comma.
  const bytes = 6 * (characters + keys) < UNCHECKED_BYTES ? 0 : Buffer.byteLength(JSON.stringify(data)) + 2 * keys;
  if (!fitsContact(keys, bytes)) return refuse(TOO_MUCH_DATA);
  return { email, subscribed, data };
}

/** Data below this size is within the limit, so its exact size is not computed. */
const UNCHECKED_BYTES = 32 * 1024;

export const TOO_MUCH_DATA = "A contact's data has at most 100 keys and 64 KiB";

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Converts `true`, `false`, and plain decimal numbers. Text that a number cannot represent exactly, such as a leading
 * zero or 17 digits, stays a string.
 */
function readValue(cell: string): string | number | boolean {
  if (cell === 'true') return true;
  if (cell === 'false') return false;
  return DECIMAL.test(cell) && cell.replace(/\D/g, '').length <= 15 ? Number(cell) : cell;
}

const shorten = (text: string): string => (text.length <= 254 ? text : `${text.slice(0, 253)}…`);
