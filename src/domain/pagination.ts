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

/** Creates a page of a page-paginated list. `totalPages` is at least 1. */
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
 * The sort value and the id of the last row of a page, opaque to clients. A cursor is a position in the order, so it
 * stays valid when that row is deleted.
 */
export interface Cursor {
  value: string;
  id: string;
}

/** A position in an order by two texts: the content of a cursor. */
export type Place = readonly [value: string, then: string];

export const encodePlace = (place: Place): string => Buffer.from(JSON.stringify(place)).toString('base64url');

/** @throws VALIDATION_ERROR (422, field `cursor`) for a malformed cursor */
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
    // Falls through to the error for every malformed cursor.
  }
  throw invalidCursor();
}

export const encodeCursor = ({ value, id }: Cursor): string => encodePlace([value, id]);

/** @throws VALIDATION_ERROR (422, field `cursor`) for a cursor that no list created */
export function decodeCursor(cursor: string): Cursor {
  const [value, id] = decodePlace(cursor);
  if (!isId(id)) throw invalidCursor();
  return { value, id };
}

/** Creates the 422 for a cursor that no list, or another list, created. */
export const invalidCursor = (): ApiError =>
  validationError([{ field: 'cursor', message: 'is not a cursor of this list', code: 'invalid_string' }]);

/**
 * Whether a text is in the format of toISOString(), with a year that PostgreSQL accepts: the value of a time cursor.
 */
export const isTimestamp = (text: string): boolean =>
  /^[12]\d{3}-/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString() === text;

/** A text as a LIKE pattern that finds it as a substring. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
