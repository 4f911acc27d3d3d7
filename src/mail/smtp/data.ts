/** The data of an email as it is written after DATA: dot-stuffed, with the final dot (RFC 5321, 4.5.2). */

const [LF, CR, DOT] = [10, 13, 46];

/**
 * Doubles the dots at the starts of lines. Also after a bare LF, so that a server that accepts it as a line end cannot
 * find the end of the data within the content.
 */
export function stuffDots(content: Buffer): Buffer {
  const first = content[0] === DOT ? 0 : findDot(content, 0);
  if (first === -1) return content;
  const pieces: Buffer[] = [];
  let start = 0;
  for (let dot = first; dot !== -1; dot = findDot(content, dot)) {
    pieces.push(content.subarray(start, dot + 1));
    start = dot;
  }
  pieces.push(content.subarray(start));
  return Buffer.concat(pieces);
}

/** Returns the position of the next dot at the start of a line, or -1. */
function findDot(content: Buffer, from: number): number {
  const lineEnd = content.indexOf('\n.', from, 'latin1');
  return lineEnd === -1 ? -1 : lineEnd + 1;
}

/** Returns what ends the data after this content: the final dot, on a line of its own. */
export function finalDotAfter(content: Buffer): string {
  const { length } = content;
  return content[length - 1] === LF && content[length - 2] === CR ? '.\r\n' : '\r\n.\r\n';
}

const MIN_JOINED_BYTES = 8 * 1024;

/** Joins content and text into one buffer, so that one system call sends them. The buffer is used again. */
export class DataJoiner {
  #bytes = Buffer.alloc(0);

  /** Returns bytes that are valid until the next call. */
  join(content: Buffer, text: string): Buffer {
    // A UTF-16 unit takes at most three bytes.
    const needed = content.length + 3 * text.length;
    if (needed > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(Math.max(2 * needed, MIN_JOINED_BYTES));
    content.copy(this.#bytes);
    const textBytes = this.#bytes.write(text, content.length);
    return this.#bytes.subarray(0, content.length + textBytes);
  }
}
