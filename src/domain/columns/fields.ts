/** What of a contact is a field of the columns: everything that a condition can ask of the contact itself. Pure. */
import type { ColumnContact } from './sql/build.js';

/** A value in a column; lists and objects are only known to be there. */
export type FieldValue = null | boolean | number | string | typeof COMPOSITE;
export const COMPOSITE = Symbol('a list or an object');

/** The column of a path of the data, as a condition names it: `plan`, `address.city`. */
export const dataField = (path: string): string => `data.${path}`;

/** Deeper values, and the values of longer paths, are in no column. */
const MAX_DEPTH = 6;
const MAX_PATH = 256;
/** UTF-16 units; a longer text fits into no column. */
const MAX_TEXT = 1000;

/** The columns of what is not data. */
export const OWN_FIELDS = ['email', 'subscribed', 'createdAt', 'updatedAt'] as const;

/**
 * Names every path of a contact's data with its value. Of a key that is a whole path (`a.b`) and of nested objects with
 * that path, the key counts, as for conditions (evaluate.ts).
 *
 * @param leaveOut gets each path whose value fits into no column; of an object that lies too deep this stands for
 * everything in it
 */
export function eachValue(data: ColumnContact['data'], tell: Tell, leaveOut: (path: string) => void): void {
  visit({ whole: data, tell, leaveOut }, data, '', 1);
}

/** `depth` is 1 for the keys of the data itself. */
export type Tell = (path: string, value: FieldValue, depth: number) => void;

interface Visit {
  whole: ColumnContact['data'];
  tell: Tell;
  leaveOut: (path: string) => void;
}

function visit(all: Visit, object: ColumnContact['data'], prefix: string, depth: number): void {
  for (const key in object) {
    const value = object[key];
    // Only at the top a key with a dot can be reached by a path.
    if (value === undefined || (depth > 1 && key.includes('.'))) continue;
    const path = depth === 1 ? key : prefix + key;
    if (depth > 1 && Object.hasOwn(all.whole, path)) continue;
    if (path.length > MAX_PATH || depth > MAX_DEPTH || (typeof value === 'string' && value.length > MAX_TEXT)) {
      all.leaveOut(path);
      continue;
    }
    if (typeof value !== 'object' || value === null) {
      all.tell(path, value, depth);
      continue;
    }
    all.tell(path, COMPOSITE, depth);
    if (!Array.isArray(value) && (depth > 1 || !key.includes('.'))) visit(all, value, `${path}.`, depth + 1);
  }
}
