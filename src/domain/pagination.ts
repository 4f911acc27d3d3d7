/** Pages and cursors. */
import { validationError, type ApiError } from '../errors.js';
import { isId } from '../ids.js';

export interface PageRequest {
  page: number;
  pageSize: number;
}

export interface Page<T> extends PageRequest {
  data: T[];
  total: number;
  totalPages: number;
}

/** A page-paginated list; `totalPages` is at least 1. */
export const toPage = <T>(data: T[], total: number, { page, pageSize }: PageRequest): Page<T> => ({
  data,
  page,
  pageSize,
  total,
  totalPages: Math.max(1, Math.ceil(total / pageSize)),
});

export interface CursorPage<T> {
  data: T[];
  cursor: string | null;
  hasMore: boolean;
  total: number;
}

/**
 * A cursor: the sort value and the id of the last row of a page, opaque to clients. It names a place in the order and
 * not a row, so it stays valid when that row is deleted.
 */
export interface Cursor {
  value: string;
  id: string;
}

/** A place in an order by two texts: what a cursor holds. */
export type Place = readonly [value: string, then: string];

export const encodePlace = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** @throws VALIDATION_ERROR (422, field `cursor`) for what is no place in any list */
export function decodePlace(cursor: string): Place {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (
      Array.isArray(parsed) &&
      parsed.length === 2 &&
      typeof parsed[0] === 'string' &&
      typeof parsed[1] === 'string' &&
      !`${parsed[0]}${parsed[1]}`.includes('\0')
    )
      return [parsed[0], parsed[1]];
  } catch {
    // Falls through to the one answer for everything that is no cursor of ours.
  }
  throw invalidCursor();
}

export const encodeCursor = ({ value, id }: Cursor): string => encodePlace([value, id]);

/** @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that no list gave out */
export function decodeCursor(cursor: string): Cursor {
  const [value, id] = decodePlace(cursor);
  if (!isId(id)) throw invalidCursor();
  return { value, id };
}

/** 422 for a cursor that no list gave out, or another one. */
export const invalidCursor = (): ApiError =>
  validationError([{ field: 'cursor', message: 'is not a cursor of this list', code: 'invalid_string' }]);

/**
 * Exactly as toISOString() writes it, in a year that PostgreSQL reads likewise: what a cursor by time has for its
 * value.
 */
export const isTimestamp = (text: string): boolean =>
  /^[12]\d{3}-/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** A text as a LIKE pattern that finds it as a substring. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
