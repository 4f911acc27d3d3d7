/** Transfer encodings (RFC 2045): the cheapest encoding that no server changes. */

export interface EncodedBody {
  encoding: '7bit' | 'quoted-printable' | 'base64';
  /** ASCII, with CRLF line ends, without a final one. */
  content: string;
}

const SEVEN_BIT = /^[\t\r\n\u0020-\u007e]*$/;
// RFC 5322, 2.1.1, without the CRLF.
const MAX_LINE = 998;
const BARE_LINE_END = /\r(?!\n)|(?<!\r)\n/;

/** Encodes a text: 7bit for ASCII in short lines, otherwise the shorter of quoted-printable and base64. */
export function encodeText(source: string): EncodedBody {
  const text = normalizeLineEnds(source);
  if (SEVEN_BIT.test(text) && !hasLongLine(text)) return { encoding: '7bit', content: text };
  if (isShorterInBase64(text)) return { encoding: 'base64', content: encodeBase64(Buffer.from(text)) };
  return { encoding: 'quoted-printable', content: encodeQuotedPrintable(text) };
}

/** Converts every kind of line end to CRLF. */
export const normalizeLineEnds = (text: string): string =>
  BARE_LINE_END.test(text) ? text.replace(/\r\n|\r|\n/g, '\r\n') : text;

/** Quoted-printable adds two characters per special byte, base64 one third to every byte. */
export function isShorterInBase64(text: string): boolean {
  let bytes = text.length;
  let special = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < DELETE) continue;
    // The number of UTF-8 bytes; half a surrogate pair has two.
    const size = code < 0x80 ? 1 : code < 0x800 || (code & 0xf800) === 0xd800 ? 2 : 3;
    special += size;
    bytes += size - 1;
  }
  return special * 6 > bytes;
}

/** A loop, because a regular expression with `{999}` takes quadratic time. */
function hasLongLine(text: string): boolean {
  let begin = 0;
  while (text.length - begin > MAX_LINE) {
    const end = text.indexOf('\r\n', begin);
    if (end === -1 || end - begin > MAX_LINE) return true;
    begin = end + 2;
  }
  return false;
}

/** Encodes bytes as base64 in lines of 76 characters. */
export function encodeBase64(bytes: Buffer): string {
  const encoded = bytes.toString('base64');
  if (encoded.length <= 76) return encoded;
  const lines: string[] = [];
  for (let at = 0; at < encoded.length; at += 76) lines.push(encoded.slice(at, at + 76));
  return lines.join('\r\n');
}

const [LF, CR, SPACE, DOT, EQUALS, DELETE] = [10, 13, 32, 46, 61, 127];
/** A line has 76 characters, including the "=" of a soft break. */
export const MAX_ENCODED_LINE = 75;
export const SOFT_BREAK = '=\r\n';
const ESCAPED_BYTES = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`);

/**
 * Encodes a text as quoted-printable. A soft break never divides a character.
 *
 * The result is the same for every server and signer: no line begins with a dot (RFC 5321, section 4.5.2) or ends with
 * white space, and it has neither tabs nor two spaces in a row, so DKIM's relaxed form of it is itself (RFC 6376, 3.4.4).
 *
 * @param column the number of characters before the text on its line
 */
export function encodeQuotedPrintable(text: string, column = 0): string {
  if (column === 0 && WORD.test(text)) return breakWord(text);
  let out = '';
  // The first character that is not in `out` yet.
  let begin = 0;
  let at = 0;
  while (at < text.length) {
    if (column > 0 || text.charCodeAt(at) !== DOT) {
      const end = endOfLiterals(text, at, at + MAX_ENCODED_LINE - column);
      column += end - at;
      at = end;
      if (at === text.length) break;
    }
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) {
      out += `${text.slice(begin, at)}\r\n`;
      at += code === CR && text.charCodeAt(at + 1) === LF ? 2 : 1;
      begin = at;
      column = 0;
      continue;
    }
    if (column >= MAX_ENCODED_LINE) {
      out += text.slice(begin, at) + SOFT_BREAK;
      begin = at;
      column = 0;
      continue;
    }
    const escaped = escapeCharacter(text, at);
    out += text.slice(begin, at);
    if (column + escaped.length > MAX_ENCODED_LINE) {
      out += SOFT_BREAK;
      column = 0;
    }
    out += escaped;
    column += escaped.length;
    at += escaped.length === 12 ? 2 : 1;
    begin = at;
  }
  return out === '' ? text : out + text.slice(begin);
}

/**
 * Returns the position of the first character from `at` on that is not literal, at most `limit`. White space is literal
 * only between other characters.
 */
function endOfLiterals(text: string, at: number, limit: number): number {
  const end = Math.min(limit, text.length);
  while (at < end) {
    const code = text.charCodeAt(at);
    if (code > SPACE ? code >= DELETE || code === EQUALS : code !== SPACE || !(text.charCodeAt(at + 1) > SPACE)) break;
    at += 1;
  }
  return at;
}

/** A text without escaped characters, except for dots at the start of a line. Most values are one. */
const WORD = /^[!-<>-~]*$/;

function breakWord(word: string): string {
  let out = '';
  let rest = word;
  for (;;) {
    const line = rest.startsWith('.') ? `=2E${rest.slice(1, MAX_ENCODED_LINE - 2)}` : rest.slice(0, MAX_ENCODED_LINE);
    const length = rest.startsWith('.') ? line.length - 2 : line.length;
    if (length === rest.length) return out + line;
    out += line + SOFT_BREAK;
    rest = rest.slice(length);
  }
}

/** Returns the escaped UTF-8 bytes of the character at a position: twelve characters if it is a surrogate pair. */
function escapeCharacter(text: string, at: number): string {
  const code = text.charCodeAt(at);
  if (code < 0x80) return ESCAPED_BYTES[code] ?? '';
  // Most letters of European languages.
  if (code < 0x800) return `${ESCAPED_BYTES[0xc0 | (code >> 6)]}${ESCAPED_BYTES[0x80 | (code & 0x3f)]}`;
  let escaped = '';
  for (const byte of Buffer.from(String.fromCodePoint(text.codePointAt(at) ?? code)))
    escaped += ESCAPED_BYTES[byte] ?? '';
  return escaped;
}
