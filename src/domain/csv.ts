/**
 * CSV cells (RFC 4180) that spreadsheets do not execute.
 *
 * A spreadsheet evaluates a cell that begins with `=`, `+`, `-`, or `@` as a formula, even in quotes. Contact data can
 * come from anyone through `POST /v1/track`, so exports put an apostrophe before such text, which spreadsheets treat as
 * "this is text" (OWASP, CSV injection). An import with a mapping removes it. Text that already has apostrophes
 * before such a character gets one more, so that both directions are exact.
 */

const NEEDS_GUARD = /^'*[=+\-@\t\r]/;
const HAS_GUARD = /^'+[=+\-@\t\r]/;

/** Puts an apostrophe before text that a spreadsheet would evaluate. */
export const guardFormula = (text: string): string => (NEEDS_GUARD.test(text) ? `'${text}` : text);

/** Reverses guardFormula. */
export const unguardFormula = (text: string): string => (HAS_GUARD.test(text) ? text.slice(1) : text);

/** Returns a cell, in quotes if it contains a separator or begins or ends with a space. */
export const csvCell = (text: string): string =>
  /[",;\t\r\n|]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Returns a line with its line break. */
export const csvLine = (cells: readonly string[], delimiter = ','): string =>
  `${cells.map(csvCell).join(delimiter)}\r\n`;
