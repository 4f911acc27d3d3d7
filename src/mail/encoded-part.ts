/**
 * A text part of an email, transfer-encoded for each recipient at the lowest cost.
 *
 * In quoted-printable, a part is static bytes with places for values and for the email's tracking token. A value has
 * lines of its own between soft line breaks, so its length does not change other lines. The token has a fixed length and
 * is never divided. In base64, every byte depends on the length of the values before it, so each email is encoded.
 */
import { randomBytes } from 'node:crypto';
import {
  encodeBase64,
  encodeQuotedPrintable,
  isShorterInBase64,
  MAX_ENCODED_LINE,
  normalizeLineEnds,
  SOFT_BREAK,
  type EncodedBody,
} from './mime-encode.js';
import { assertPrintable } from './render.js';
import { TRACKING_TOKEN_LENGTH } from './tracking-links.js';

/** Stands for the email's tracking token in the texts of a part. */
export const TOKEN_MARK = `\uE000${randomBytes(8).toString('hex')}\uE002`;

/** A text, or a function that prints the value for one email. */
export type PartSegment<Email> = string | ((email: Email) => string);

export interface PartEmail {
  /** The email's tracking token; empty if it is not tracked. */
  token: string;
}

/** The encoded part of one email. */
export interface EncodedPart {
  byteLength: number;
  /** Writes the part to `target` at `begin`, and returns the position after it. */
  write: (target: Buffer, begin: number) => number;
}

export interface CompiledPart<Email extends PartEmail> {
  encoding: EncodedBody['encoding'];
  /** @throws TemplateError of kind `render` for too many characters */
  encode: (email: Email) => EncodedPart;
}

/**
 * Compiles a part.
 *
 * @param options.needsFinish whether `finish` changes a text with these values, so that static bytes cannot be used
 */
export function compilePart<Email extends PartEmail>(
  segments: ReadonlyArray<PartSegment<Email>>,
  options: { needsFinish: (values: readonly string[]) => boolean; finish: (text: string) => string },
): CompiledPart<Email> {
  const texts = segments.filter((segment) => typeof segment === 'string');
  const prints = segments.filter((segment) => typeof segment !== 'string');
  const characters = texts.reduce((sum, text) => sum + text.length, 0);
  const printValues = (email: Email): string[] => {
    const values = prints.map((print) => print(email));
    assertPrintable(values.reduce((sum, value) => sum + value.length, characters));
    return values;
  };
  const join = (values: readonly string[], { token }: Email): string => {
    let index = 0;
    const joined = segments.map((segment) =>
      typeof segment === 'string' ? segment.replaceAll(TOKEN_MARK, token) : values[index++],
    );
    return options.finish(joined.join(''));
  };
  if (isShorterInBase64(texts.join('')))
    return {
      encoding: 'base64',
      encode: (email) => toPart(encodeBase64(Buffer.from(normalizeLineEnds(join(printValues(email), email))))),
    };
  const chunks = compileChunks(segments);
  const fixedLength = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const tokenBytes = Buffer.alloc(TRACKING_TOKEN_LENGTH);
  return {
    encoding: 'quoted-printable',
    encode(email) {
      const values = printValues(email);
      if (options.needsFinish(values)) return toPart(encodeQuotedPrintable(join(values, email)));
      let byteLength = fixedLength;
      for (let index = 0; index < values.length; index += 1) {
        const encoded = encodeQuotedPrintable(values[index] ?? '');
        values[index] = encoded;
        byteLength += encoded.length;
      }
      return {
        byteLength,
        write(target, begin) {
          tokenBytes.write(email.token, 'latin1');
          return writeChunks(target, begin, { chunks, values, tokenBytes });
        },
      };
    },
  };
}

const toPart = (encoded: string): EncodedPart => ({
  byteLength: encoded.length,
  write: (target, begin) => begin + target.write(encoded, begin, 'latin1'),
});

/** Static bytes before, between, or after values. */
interface Chunk {
  bytes: Uint8Array;
  /** The offsets of the tracking token in `bytes`. */
  tokens: number[];
}

function writeChunks(
  target: Buffer,
  begin: number,
  { chunks, values, tokenBytes }: { chunks: readonly Chunk[]; values: readonly string[]; tokenBytes: Uint8Array },
): number {
  let at = begin;
  for (let index = 0; index < chunks.length; index += 1) {
    const chunk = chunks[index];
    if (!chunk) break;
    target.set(chunk.bytes, at);
    for (const offset of chunk.tokens) target.set(tokenBytes, at + offset);
    at += chunk.bytes.length;
    const value = values[index];
    if (value !== undefined) at += target.write(value, at, 'latin1');
  }
  return at;
}

/** Returns one chunk more than there are values. */
function compileChunks<Email>(segments: ReadonlyArray<PartSegment<Email>>): Chunk[] {
  const builder = new ChunkBuilder();
  for (const segment of segments) {
    if (typeof segment === 'string') builder.addText(segment);
    else builder.addPlace();
  }
  return builder.build();
}

class ChunkBuilder {
  readonly #chunks: Chunk[] = [];
  #text = '';
  #tokens: number[] = [];
  /** The number of characters on the current line. */
  #column = 0;
  #isAfterValue = false;

  addText(text: string): void {
    if (text === '') return;
    // After a value, a line break of the text ends the line.
    if (this.#isAfterValue && !/^[\r\n]/.test(text)) this.#breakLine();
    this.#isAfterValue = false;
    const [first = '', ...rest] = text.split(TOKEN_MARK);
    this.#encode(first);
    for (const part of rest) {
      this.#addToken();
      this.#encode(part);
    }
  }

  addPlace(): void {
    if (this.#column > 0 || this.#isAfterValue) this.#breakLine();
    this.#endChunk();
    this.#isAfterValue = true;
  }

  build(): Chunk[] {
    this.#endChunk();
    return this.#chunks;
  }

  #encode(text: string): void {
    const encoded = encodeQuotedPrintable(text, this.#column);
    const lineEnd = encoded.lastIndexOf('\n');
    this.#column = lineEnd === -1 ? this.#column + encoded.length : encoded.length - lineEnd - 1;
    this.#text += encoded;
  }

  #addToken(): void {
    if (this.#column + TRACKING_TOKEN_LENGTH > MAX_ENCODED_LINE) this.#breakLine();
    this.#tokens.push(this.#text.length);
    this.#text += ' '.repeat(TRACKING_TOKEN_LENGTH);
    this.#column += TRACKING_TOKEN_LENGTH;
  }

  #breakLine(): void {
    this.#text += SOFT_BREAK;
    this.#column = 0;
  }

  #endChunk(): void {
    this.#chunks.push({ bytes: Buffer.from(this.#text, 'latin1'), tokens: this.#tokens });
    this.#text = '';
    this.#tokens = [];
  }
}
