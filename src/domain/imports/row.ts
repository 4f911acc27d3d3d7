/** Converts CSV records to contacts (contract, section 3, "Import"). Pure. */
import { isAddress, normalizeAddress } from '../../address.js';
import { fitsContact } from '../contacts/data.js';
import { unguardFormula } from '../csv.js';
import { isTimezone } from '../timezone.js';
import { CellError, readBoolean, readCell, readJson } from './cell.js';
import { isDataKey, shortenText, type Columns } from './header.js';

export interface ImportRow {
  email: string;
  /** null: not given. */
  subscribed: boolean | null;
  /** null: not given. The contact is then unsubscribed until this time. */
  snoozedUntil: Date | null;
  data: Record<string, unknown>;
  /** A time zone that is not known; null without any. The row is imported without it. */
  unknownTimezone: string | null;
}

export interface RefusedRow {
  /** The cell in the file; '' if it is missing. */
  email: string;
  problem: string;
}

/**
 * Parses one record. Empty and missing cells count as not given. With a mapping, one apostrophe before a formula is
 * removed from each cell, as exports have it.
 */
export function readRow(columns: Columns, cells: string[]): ImportRow | RefusedRow {
  const cellAt = (index: number | null): string => {
    const cell = index === null ? '' : (cells[index] ?? '');
    return columns.isMapped ? unguardFormula(cell) : cell;
  };
  const written = cellAt(columns.email).trim();
  const refuse = (problem: string): RefusedRow => ({ email: shortenText(written), problem });
  if (written === '') return refuse('The email is missing');
  const email = normalizeAddress(written);
  if (!isAddress(email)) return refuse('This is not an email address');
  if (cells.length > columns.count && cells.slice(columns.count).some((cell) => cell !== ''))
    return refuse(`The row has ${cells.length} cells, the header ${columns.count}`);

  const state = cellAt(columns.subscribed).trim();
  const subscribed = state === '' ? null : readBoolean(state);
  if (subscribed === undefined) return refuse('"subscribed" must be true, 1, yes, false, 0, or no');
  const snooze = cellAt(columns.snoozedUntil).trim();
  const snoozedUntil = snooze === '' ? null : new Date(snooze);
  if (snoozedUntil && !isInstant(snoozedUntil)) return refuse('"snoozedUntil" must be a time in ISO 8601');

  const data: ImportRow['data'] = {};
  let unknownTimezone: ImportRow['unknownTimezone'] = null;
  let keys = 0;
  let characters = 0;
  try {
    if (columns.rest !== null) {
      const cell = cellAt(columns.rest);
      const rest = cell === '' ? {} : readRest(cell);
      characters += cell.length;
      for (const [key, value] of Object.entries(rest)) {
        data[key] = value;
        keys++;
      }
    }
    for (const { index, key, type, name } of columns.data) {
      const cell = cellAt(index);
      if (cell === '') continue;
      if (type === 'timezone' && !isTimezone(cell.trim())) {
        unknownTimezone = shortenText(cell.trim());
        continue;
      }
      const value = readNamedCell(cell, type, name);
      if (value === undefined) continue;
      data[key] = value;
      keys++;
      characters += key.length + cell.length;
    }
  } catch (error) {
    if (error instanceof CellError) return refuse(error.message);
    throw error;
  }
  // An escaped character has at most six bytes. PostgreSQL prints a space after each colon and comma.
  const bytes = 6 * (characters + keys) < UNCHECKED_BYTES ? 0 : Buffer.byteLength(JSON.stringify(data)) + 2 * keys;
  if (!fitsContact(keys, bytes)) return refuse(TOO_MUCH_DATA);
  return { email, ...stateOf(subscribed, snoozedUntil), data, unknownTimezone };
}

/** Data below this size is within the limit, so its exact size is not computed. */
const UNCHECKED_BYTES = 32 * 1024;

export const TOO_MUCH_DATA = "A contact's data has at most 100 keys and 64 KiB";

const isInstant = (date: Date): boolean => !Number.isNaN(date.getTime()) && date.getUTCFullYear() <= 9999;

/**
 * A snooze implies that the contact is not subscribed. If it has expired since the file was written, the row gives no
 * subscription, because its contact is subscribed again or has decided otherwise.
 */
function stateOf(
  subscribed: boolean | null,
  snoozedUntil: Date | null,
): Pick<ImportRow, 'subscribed' | 'snoozedUntil'> {
  if (snoozedUntil === null) return { subscribed, snoozedUntil };
  return snoozedUntil.getTime() > Date.now()
    ? { subscribed: false, snoozedUntil }
    : { subscribed: null, snoozedUntil: null };
}

function readNamedCell(cell: string, type: Columns['data'][number]['type'], name: string): unknown {
  try {
    return readCell(cell, type);
  } catch (error) {
    if (error instanceof CellError) throw new CellError(`The column "${shortenText(name)}" ${error.message}`);
    throw error;
  }
}

/** Reads the cell of the column `rest`, without keys that contacts cannot have. */
function readRest(cell: string): Record<string, unknown> {
  const value = readJson(cell);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CellError('The column for "data" must contain a JSON object');
  return Object.fromEntries(
    Object.entries(value).filter(([key, item]) => isDataKey(key) && item !== null && item !== ''),
  );
}
