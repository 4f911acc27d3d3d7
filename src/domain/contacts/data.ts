/**
 * The rules of contact data (specification, "Rules for `data`"; contract, section 3), as a pure function.
 */
import { validationError } from '../../errors.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type DataInput = Record<string, unknown>;

/** The effect of a request's `data` on a contact. */
export interface DataChange {
  /** Stored on the contact. */
  set: Record<string, unknown>;
  /** Removed from the contact. */
  unset: string[];
  /** Values of this send or event, including one-time values; they override the contact's data. */
  variables: Record<string, unknown>;
}

/** Reserved keys are silently removed. The last three could change an object's prototype. */
const RESERVED = new Set([
  'id',
  'svc_id',
  'svc_email',
  'email',
  'unsubscribeUrl',
  'subscribeUrl',
  'manageUrl',
  '__proto__',
  'constructor',
  'prototype',
]);

/** Whether a key is silently removed from data. */
export const isReserved = (key: string): boolean => RESERVED.has(key);

export const MAX_KEYS = 100;
export const MAX_BYTES = 64 * 1024;

interface Wrapped {
  value: unknown;
  persistent: boolean;
}

/** An object with exactly the keys `value` and `persistent`. Any other object is a plain value. */
const isWrapped = (value: unknown): value is Wrapped =>
  typeof value === 'object' &&
  value !== null &&
  'value' in value &&
  'persistent' in value &&
  typeof value.persistent === 'boolean' &&
  Object.keys(value).length === 2;

/**
 * Splits a request's `data` into stored values, removed keys, and one-time values.
 *
 * - A primitive, a list, or a plain object is stored. `{ value, persistent: true }` stores its value.
 * - `null` removes the field. An empty string is ignored.
 * - `{ value, persistent: false }` is a variable and never changes the stored field.
 *
 * @throws VALIDATION_ERROR (422, field `data`) above 100 keys or 64 KiB, and for a number out of range
 */
export function readContactData(data: DataInput | undefined): DataChange {
  const change: DataChange = { set: {}, unset: [], variables: {} };
  for (const [key, given] of Object.entries(data ?? {})) {
    if (isReserved(key)) continue;
    const wrapped = isWrapped(given);
    const value = wrapped ? given.value : given;
    if (value === '' || value === undefined) continue;
    // JavaScript parses numbers from 1.8e308 as infinity, which would be stored as null.
    if (typeof value === 'number' && !Number.isFinite(value))
      throw validationError([{ field: `data.${key}`, message: 'must be a number below 1.8e308', code: 'too_big' }]);
    if (wrapped && !given.persistent) {
      change.variables[key] = value;
    } else if (value === null) {
      change.unset.push(key);
    } else {
      change.set[key] = value;
      change.variables[key] = value;
    }
  }
  if (Object.keys(change.variables).length > MAX_KEYS) throw dataTooLarge();
  if (Buffer.byteLength(JSON.stringify(change.variables)) > MAX_BYTES) throw dataTooLarge();
  return change;
}

/** Whether stored data, as PostgreSQL prints it, is within the limits. */
export const fitsContact = (keys: number, bytes: number): boolean => keys <= MAX_KEYS && bytes <= MAX_BYTES;

/** The error (422) for a contact whose data would exceed the limits. */
export const dataTooLarge = () =>
  validationError([
    {
      field: 'data',
      message: `A contact's data has at most ${MAX_KEYS} keys and ${MAX_BYTES / 1024} KiB.`,
      code: 'too_big',
    },
  ]);
