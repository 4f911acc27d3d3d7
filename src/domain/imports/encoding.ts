/** Checks a file for UTF-8 while it arrives in chunks. */
import { isUtf8 } from 'node:buffer';

const LF = 0x0a;

/** Returns the number of bytes at the end of a chunk that are the beginning of a character (at most 3). */
function incompleteBytes(chunk: Buffer): number {
  for (let back = 1; back <= Math.min(3, chunk.length); back++) {
    const byte = chunk[chunk.length - back] ?? 0;
    if (byte >= 0xc0) return (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) > back ? back : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

/** Finds the reason why a file is not a text in UTF-8. Chunks can end within a character. */
export class EncodingCheck {
  #first = Buffer.alloc(0);
  #rest = Buffer.alloc(0);
  #hasNul = false;
  #line = 1;
  #badLine: number | null = null;

  add(chunk: Buffer): void {
    if (this.#first.length < 2) this.#first = Buffer.concat([this.#first, chunk.subarray(0, 2)]).subarray(0, 2);
    this.#hasNul ||= chunk.includes(0);
    if (this.#badLine !== null) return;
    const text = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const end = text.length - incompleteBytes(text);
    this.#check(text.subarray(0, end));
    this.#rest = Buffer.from(text.subarray(end));
  }

  /** @returns the problem as sentences, or null if there is none; call it at the end of the file */
  problem(): string | null {
    const [first, second] = this.#first;
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff))
      return 'The file is in UTF-16. Save it as CSV in UTF-8.';
    if (this.#hasNul) return 'The file is not a CSV file: it is binary.';
    if (this.#rest.length > 0) this.#badLine ??= this.#line;
    return this.#badLine === null
      ? null
      : `The file is not in UTF-8: see line ${this.#badLine}. Save it as CSV in UTF-8.`;
  }

  #check(text: Buffer): void {
    const isValid = isUtf8(text);
    for (let start = 0; ;) {
      const end = text.indexOf(LF, start);
      if (!isValid && !isUtf8(text.subarray(start, end < 0 ? text.length : end))) {
        this.#badLine = this.#line;
        return;
      }
      if (end < 0) return;
      this.#line++;
      start = end + 1;
    }
  }
}
