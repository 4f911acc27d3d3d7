/** Reads cells by the type of their column. Pure. */
import { readInstant } from '../conditions/dates.js';
import type { DataColumn } from './header.js';

/** A value that cannot be read; the message follows the name of the column. */
export class CellError extends Error {}

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

/**
 * Converts `true`, `false`, and plain decimal numbers. Text that a number cannot represent exactly, such as a leading
 * zero or 17 digits, stays a string.
 */
function readAuto(cell: string): string | number | boolean {
  if (cell === 'true') return true;
  if (cell === 'false') return false;
  return DECIMAL.test(cell) && cell.replace(/\D/g, '').length <= 15 ? Number(cell) : cell;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** @returns undefined for any other text */
export const readBoolean = (cell: string): boolean | undefined => BOOLEANS.get(cell.toLowerCase());

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

function readNumber(cell: string): number {
  const value = NUMBER.test(cell) ? Number(cell) : NaN;
  if (!Number.isFinite(value)) throw new CellError('must contain a number');
  return value;
}

/** The maximum nesting of JSON, as in requests. */
const MAX_DEPTH = 64;

/** @throws CellError for text that is not JSON, or that the database cannot store */
export function readJson(cell: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    throw new CellError('must contain JSON');
  }
  if (!isStorable(value, 0)) throw new CellError('must contain JSON that can be stored');
  return value;
}

/** Whether PostgreSQL can store a value: no NUL, no lone surrogates, no infinite numbers, and not too deep. */
function isStorable(value: unknown, depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).every(([key, item]) => isStorableText(key) && isStorable(item, depth + 1));
  return true;
}

const isStorableText = (text: string): boolean =>
  !text.includes('\0') && !/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/.test(text);

/**
 * Reads a cell that is not empty. A `string` keeps the spaces of a cell in quotes.
 *
 * @returns undefined if the cell counts as not given: JSON null and the empty JSON string
 * @throws CellError if the cell does not have the type of the column
 */
export function readCell(cell: string, type: DataColumn['type']): unknown {
  switch (type) {
    case 'auto':
      return readAuto(cell.trim());
    case 'string':
      return cell;
    case 'number':
      return readNumber(cell.trim());
    case 'boolean': {
      const value = readBoolean(cell.trim());
      if (value === undefined) throw new CellError('must be true, 1, yes, false, 0, or no');
      return value;
    }
    case 'date':
      if (readInstant(cell.trim()) === null)
        throw new CellError('must contain a date in ISO 8601, such as 2030-01-31 or 2030-01-31T09:00:00Z');
      return cell.trim();
    case 'timezone':
      return cell.trim();
    case 'json': {
      const value = readJson(cell);
      return value === null || value === '' ? undefined : value;
    }
  }
}
