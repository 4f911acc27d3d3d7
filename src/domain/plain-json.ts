/** JSON from outside that is kept as it came. Pure. */

/**
 * Names that lead to the prototypes of JavaScript's objects: no reader can be fooled by what isn't there (contract,
 * section 3, drops them from data).
 */
const PROTOTYPE_NAMES = new Set(['__proto__', 'constructor', 'prototype']);

/** A JSON value without these names, at any depth. */
export function withoutPrototypeNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutPrototypeNames);
  return withoutPrototypeNamesIn(value);
}

/** The same of an object. */
export const withoutPrototypeNamesIn = (object: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(object).flatMap(([name, item]) =>
      PROTOTYPE_NAMES.has(name) ? [] : [[name, withoutPrototypeNames(item)]],
    ),
  );
