/** Cleans text from outside: limits its length and removes characters that PostgreSQL cannot store. */

/** In characters; enough for a mail server's reason. */
export const MAX_REASON_LENGTH = 500;

/**
 * Returns one trimmed line without control characters and unpaired surrogates, at most `maxLength` characters long;
 * null if nothing is left.
 */
export function cleanLine(text: string, maxLength = MAX_REASON_LENGTH): string | null {
  const line = storable(text.slice(0, 4 * maxLength))
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? null : cut(line, maxLength);
}

/** Cleans text of several lines and any length. */
export const cleanText = (text: string): string => storable(text).replace(/\r\n?/g, '\n');

/** Removes control characters except line ends and tabs, and replaces unpaired surrogates. */
function storable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- removes control characters
  return Buffer.from(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')).toString();
}

/** Cuts between two characters, never within a surrogate pair. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1)) ? maxLength - 1 : maxLength;
  return text.slice(0, end);
}
