/**
 * The rules of contact data (specification, "Rules for `data`"; contract, section 3), as a pure function.
 */
import { validationError } from '../../errors.js';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type DataInput = Record<string, unknown>;

/** What a request's `data` means for a contact. */
export interface DataChange {
  /** Stored on the contact. */
  set: Record<string, unknown>;
  /** Removed from the contact. */
  unset: string[];
  /** Values of this send or event, one-time ones included: over the contact's own data. */
  variables: Record<string, unknown>;
}

/** Reserved keys are silently removed; those of an object's prototype too, so that no reader can be fooled by them. */
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

const MAX_KEYS = 100;
const MAX_BYTES = 64 * 1024;

interface Wrapped {
  value: unknown;
  persistent: boolean;
}

/** `{ value, persistent }`, and nothing else in it: any other object is a plain value. */
const isWrapped = (value: unknown): value is Wrapped =>
  typeof value === 'object' &&
  value !== null &&
  'value' in value &&
  'persistent' in value &&
  typeof value.persistent === 'boolean' &&
  Object.keys(value).length === 2;

/**
 * Sorts a request's `data` into what is stored, what is removed and what is only for this once.
 *
 * - a primitive, a list or a plain object is stored; `{ value, persistent: true }` stores its value
 * - `null` removes the field; an empty string is ignored
 * - `{ value, persistent: false }` is a variable and never touches the stored field
 *
 * @throws VALIDATION_ERROR (422, field `data`) above 100 keys or 64 KiB, and for a number that is none
 */
export function readContactData(data: DataInput | undefined): DataChange {
  const change: DataChange = { set: {}, unset: [], variables: {} };
  for (const [key, given] of Object.entries(data ?? {})) {
    if (RESERVED.has(key)) continue;
    const wrapped = isWrapped(given);
    const value = wrapped ? given.value : given;
    if (value === '' || value === undefined) continue;
    // JSON has no infinity, but numbers that JavaScript reads as one, and would be stored as null.
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

/** Whether data that is stored, as PostgreSQL prints it, is within the limits. */
export const fitsContact = (keys: number, bytes: number): boolean => keys <= MAX_KEYS && bytes <= MAX_BYTES;

/** 422 for a contact whose data would grow past the limits. */
export const dataTooLarge = () =>
  validationError([
    {
      field: 'data',
      message: `A contact's data has at most ${MAX_KEYS} keys and ${MAX_BYTES / 1024} KiB`,
      code: 'too_big',
    },
  ]);
