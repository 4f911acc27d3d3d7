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
  const bytes = Buffer.from(text);
  let special = 0;
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] ?? 0) > 126) special += 1;
  return special * 6 > bytes.length;
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
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || code === CR) {
      out += `${text.slice(begin, at)}\r\n`;
      if (code === CR && text.charCodeAt(at + 1) === LF) at += 1;
      begin = at + 1;
      column = 0;
      continue;
    }
    if (isLiteral(code, text, at) && !(code === DOT && (column === 0 || column >= MAX_ENCODED_LINE))) {
      if (column >= MAX_ENCODED_LINE) {
        out += text.slice(begin, at) + SOFT_BREAK;
        begin = at;
        column = 0;
      }
      column += 1;
      continue;
    }
    const character = code < 0x80 ? text.charAt(at) : String.fromCodePoint(text.codePointAt(at) ?? code);
    const escaped = code < 0x80 ? (ESCAPED_BYTES[code] ?? '') : escapeCharacter(character);
    out += text.slice(begin, at);
    if (column + escaped.length > MAX_ENCODED_LINE) {
      out += SOFT_BREAK;
      column = 0;
    }
    out += escaped;
    column += escaped.length;
    at += character.length - 1;
    begin = at + 1;
  }
  return out === '' ? text : out + text.slice(begin);
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

/** White space is literal only between other characters. */
const isLiteral = (code: number, text: string, at: number): boolean =>
  code === SPACE ? text.charCodeAt(at + 1) > SPACE : code > SPACE && code < DELETE && code !== EQUALS;

function escapeCharacter(character: string): string {
  let escaped = '';
  for (const byte of Buffer.from(character)) escaped += ESCAPED_BYTES[byte] ?? '';
  return escaped;
}
