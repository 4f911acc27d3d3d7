/** Writes CSV (RFC 4180). */

/** Returns a cell, in quotes if it contains a separator or begins or ends with a space. */
export const csvCell = (text: string): string =>
  /[",;\t\r\n|]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** Returns a line with its line break. */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`;
