/** Words of others that we keep: never more than we can store, and never what PostgreSQL can't. */

/** Enough for a mail server's reason. */
export const MAX_REASON = 500;

/**
 * One line without control characters, halves of surrogate pairs and spaces around, cut to `longest` characters; null
 * when nothing is left.
 */
export function cleanLine(text: string, longest = MAX_REASON): string | null {
  const line = storable(text.slice(0, 4 * longest))
    .replace(/\s+/g, ' ')
    .trim();
  return line === '' ? null : cut(line, longest);
}

/** Text of several lines, likewise, of any length. */
export const cleanText = (text: string): string => storable(text).replace(/\r\n?/g, '\n');

/**
 * The same text as PostgreSQL can keep it: without NUL and other control characters but line ends and tabs, and
 * well-formed.
 */
function storable(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to go
  return Buffer.from(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '')).toString();
}

/** Between two characters, and not in the middle of one that takes two units. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(longest - 1)) ? longest - 1 : longest;
  return text.slice(0, end);
}
