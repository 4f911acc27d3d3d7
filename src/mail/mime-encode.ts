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
  const text = BARE_LINE_END.test(source) ? source.replace(/\r\n|\r|\n/g, '\r\n') : source;
  if (SEVEN_BIT.test(text) && !hasLongLine(text)) return { encoding: '7bit', content: text };
  const bytes = Buffer.from(text);
  let special = 0;
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] ?? 0) > 126) special += 1;
  // Quoted-printable adds two characters per special byte, base64 one third to every byte.
  if (special * 6 > bytes.length) return { encoding: 'base64', content: encodeBase64(bytes) };
  return { encoding: 'quoted-printable', content: encodeQuotedPrintable(bytes) };
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

const HEX = Buffer.from('0123456789ABCDEF');
const [CR, LF, SPACE, TAB, EQUALS] = [13, 10, 32, 9, 61];
// A line has 76 characters, including the "=" of a soft break.
const QP_LINE = 75;

/** Encodes bytes with CRLF line ends as quoted-printable. A soft break never divides a UTF-8 character. */
export function encodeQuotedPrintable(bytes: Buffer): string {
  // In the worst case, every byte becomes three, and every 73 of these need a soft break of three.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil(bytes.length / 8) * 3 + 8);
  let to = 0;
  let column = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === CR && bytes[at + 1] === LF) {
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
      at += 1;
      continue;
    }
    const literal =
      byte > SPACE
        ? byte < 127 && byte !== EQUALS
        : (byte === SPACE || byte === TAB) && at + 1 < bytes.length && bytes[at + 1] !== CR;
    const need = literal ? 1 : characterLength(byte) * 3;
    if (column + need > QP_LINE && !(byte >= 0x80 && byte < 0xc0)) {
      out[to++] = EQUALS;
      out[to++] = CR;
      out[to++] = LF;
      column = 0;
    }
    if (literal) {
      out[to++] = byte;
      column += 1;
      continue;
    }
    out[to++] = EQUALS;
    out[to++] = HEX[byte >> 4] ?? 0;
    out[to++] = HEX[byte & 15] ?? 0;
    column += 3;
  }
  return out.toString('latin1', 0, to);
}

/** Returns the number of bytes of the UTF-8 character that begins with this byte. */
function characterLength(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
