/** Readers of search parameters, for `validateSearch`: filters are in the URL, and unknown values are left out. */

export const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** The text of an input, which may be empty. */
export const inputOf = (value: unknown): string | undefined => (value === '' ? '' : textOf(value));

/** Returns the value if it is one of the allowed ones. */
export const oneOf = <Value extends string>(allowed: readonly Value[], value: unknown): Value | undefined =>
  allowed.find((one) => one === value);

/** A path of this application. Another origin (`//host`) would make the sign-in page an open redirect. */
export const pathOf = (value: unknown): string | undefined =>
  /^\/(?![/\\])/.test(String(value)) ? textOf(value) : undefined;

/** A calendar day: `2026-11-23`. */
export const dayOf = (value: unknown): string | undefined => {
  const text = textOf(value);
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
};
