/**
 * JSON templates: determines which outputs are inside a string of the JSON text and which are in place of a value.
 *
 * `{"name": "{{ name }}", "age": {{ age }}}`: inside the quotes, a value is printed as escaped text; outside, it is
 * printed as JSON with its own quotes. No value can end its string or change the JSON around it.
 */
import type { Piece } from './template-scan.js';

const CAPTURE = /^\{%-?\s*capture\b/;
const OPTS_OUT = /\|\s*raw\s*-?$/;
const END_CAPTURE = /^\{%-?\s*endcapture\b/;

/**
 * Marks the outputs outside of strings as `bare`, except those with three braces or the `raw` filter, which are printed
 * unchanged.
 *
 * Strings are tracked across tags, so each branch of a condition must end in the state in which it began. Outputs in a
 * `capture` block are plain text; the captured text is escaped where it is printed.
 */
export function markBareOutputs(pieces: readonly Piece[]): Piece[] {
  let inString = false;
  let captures = 0;
  return pieces.map((piece) => {
    if (piece.kind === 'tag') {
      if (CAPTURE.test(piece.text)) captures += 1;
      else if (END_CAPTURE.test(piece.text)) captures -= 1;
      return piece;
    }
    if (piece.kind === 'output')
      return captures > 0
        ? { ...piece, raw: true }
        : { ...piece, bare: !inString && !piece.raw && !OPTS_OUT.test(piece.expression) };
    if (captures === 0) inString = endsInString(piece.text, inString);
    return piece;
  });
}

function endsInString(text: string, begins: boolean): boolean {
  let inString = begins;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    // Inside a string, a backslash escapes the next character (RFC 8259, section 7).
    if (inString && char === '\\') at += 1;
    else if (char === '"') inString = !inString;
  }
  return inString;
}

/** Parses the default of a bare output: `{{ age ?? 0 }}` is a number, `{{ plan ?? free }}` is text. */
export function readJsonLiteral(text: string | null): string | number | boolean | null {
  if (text === null || text === 'null') return null;
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) ? Number(text) : text;
}
