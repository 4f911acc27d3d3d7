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

/** Joins content and text into one buffer, so that one system call sends them. */
export function joinData(content: Buffer, text: string): Buffer {
  const data = Buffer.allocUnsafe(content.length + Buffer.byteLength(text));
  content.copy(data);
  data.write(text, content.length);
  return data;
}
