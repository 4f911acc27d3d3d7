/** Base32 (RFC 4648, section 6) in lower case, without padding: mail servers may change the case of an address. */

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

const CODES = Buffer.from(ALPHABET);
const MAX_BYTES = 40;
// Reused for every text. This is safe because the function is synchronous.
const characters = Buffer.alloc((MAX_BYTES / 5) * 8);

/** Writes five bytes as two numbers of 20 bits: 0.2 µs for a token of 38 bytes, and 1.5 µs one character at a time. */
export function encodeBase32(bytes: Uint8Array): string {
  if (bytes.length > MAX_BYTES) throw new RangeError(`A text in base32 is made of at most ${MAX_BYTES} bytes.`);
  for (let from = 0, to = 0; from < bytes.length; from += 5, to += 8) {
    const middle = bytes[from + 2] ?? 0;
    writeBits(((bytes[from] ?? 0) << 12) | ((bytes[from + 1] ?? 0) << 4) | (middle >> 4), to);
    writeBits(((middle & 15) << 16) | ((bytes[from + 3] ?? 0) << 8) | (bytes[from + 4] ?? 0), to + 4);
  }
  return characters.toString('latin1', 0, Math.ceil((bytes.length * 8) / 5));
}

function writeBits(bits: number, to: number): void {
  characters[to] = CODES[bits >> 15] ?? 0;
  characters[to + 1] = CODES[(bits >> 10) & 31] ?? 0;
  characters[to + 2] = CODES[(bits >> 5) & 31] ?? 0;
  characters[to + 3] = CODES[bits & 31] ?? 0;
}

/** @param text only characters of the alphabet */
export function decodeBase32(text: string): Buffer {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    held = ((held << 5) | ALPHABET.indexOf(character)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 255);
  }
  return Buffer.from(bytes);
}
