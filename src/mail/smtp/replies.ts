/** Splits the input of an SMTP connection into replies (RFC 5321, 4.2). */

/**
 * Receives a reply: its code, and its lines without the last line end, `bytes[start..end)`. The bytes are valid only
 * during the call. Returns false to discard the rest of the input.
 */
export type OnReply = (code: number, bytes: Buffer, start: number, end: number) => boolean;

/** A reply has at most this size. A longer one is not SMTP. */
export const MAX_REPLY_BYTES = 16 * 1024;

const [LF, CR, SPACE, HYPHEN, ZERO] = [10, 13, 32, 45, 48];

export class ReplyReader {
  readonly #onReply: OnReply;
  /** A copy of the incomplete reply at the end of the input. */
  #rest: Buffer | null = null;

  constructor(onReply: OnReply) {
    this.#onReply = onReply;
  }

  /** Reads input, which may contain parts of replies. Returns false if it is not SMTP. */
  read(input: Buffer): boolean {
    const bytes = this.#rest ? Buffer.concat([this.#rest, input]) : input;
    this.#rest = null;
    let start = 0;
    let line = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, line)) {
      const code = codeOfLine(bytes, line, end);
      if (code === 0) return false;
      const isLastLine = bytes[line + 3] !== HYPHEN;
      line = end + 1;
      if (!isLastLine) continue;
      if (!this.#onReply(code, bytes, start, end)) return true;
      start = line;
    }
    if (bytes.length - start > MAX_REPLY_BYTES) return false;
    // A copy, because connections can share the buffer of the input.
    if (start < bytes.length) this.#rest = Buffer.from(bytes.subarray(start));
    return true;
  }

  /** Discards an incomplete reply. */
  reset(): void {
    this.#rest = null;
  }
}

/** Returns the code at the start of a line, or 0 if there is none. */
function codeOfLine(bytes: Buffer, start: number, end: number): number {
  if (end - start < 3) return 0;
  const hundreds = (bytes[start] ?? 0) - ZERO;
  const tens = (bytes[start + 1] ?? 0) - ZERO;
  const ones = (bytes[start + 2] ?? 0) - ZERO;
  if (hundreds < 1 || hundreds > 5 || tens < 0 || tens > 9 || ones < 0 || ones > 9) return 0;
  const separator = bytes[start + 3];
  if (separator !== SPACE && separator !== HYPHEN && separator !== CR && separator !== LF) return 0;
  return hundreds * 100 + tens * 10 + ones;
}

/** Returns the text of a reply with its codes; the lines are separated by `\n`. */
export function readReplyText(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('utf8', start, end).replaceAll('\r\n', '\n').trimEnd();
}
