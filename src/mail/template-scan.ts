/**
 * Splits a template's source into text, outputs, and tags, and parses the outputs that do not need the engine.
 *
 * In addition to Liquid, the language has `{{ key ?? default }}` and `{{{ key }}}`.
 */
import { TemplateError } from './template-error.js';

/** A part of the source. `offset` is the index of its first character. */
export type Piece =
  | { kind: 'text'; text: string; offset: number }
  /**
   * `{{ … }}`, or `{{{ … }}}` if `raw`. `expression` is the text between the braces. `bare`: in a JSON template, outside
   * of strings.
   */
  | { kind: 'output'; text: string; expression: string; raw: boolean; bare?: boolean; offset: number }
  /** `{% … %}`. A `raw` or `comment` block is one piece, including its end tag. */
  | { kind: 'tag'; text: string; offset: number };

/** An output of the form `path`, `path ?? default` or `path ?? path ?? default`. */
export interface Placeholder {
  /** Property names, starting at the variables. Several paths are tried in order. */
  paths: string[][];
  /** Printed if no path has a value; null if the template has no default. */
  fallback: string | null;
}

const OPENING = /\{\{|\{%/g;
const BLOCK_TAG = /^\{%-?\s*(raw|comment)\b/;
const BLOCK_END = { raw: /\{%-?\s*endraw\s*-?%\}/g, comment: /\{%-?\s*endcomment\s*-?%\}/g };

/**
 * Splits a source into pieces. Joined, the pieces give the source again.
 *
 * @throws TemplateError for an unclosed output or tag
 */
export function scanTemplate(source: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(source); match; match = OPENING.exec(source)) {
    const offset = match.index;
    if (offset > at) pieces.push({ kind: 'text', text: source.slice(at, offset), offset: at });
    const piece = match[0] === '{%' ? readTag(source, offset) : readOutput(source, offset);
    pieces.push(piece);
    at = offset + piece.text.length;
    OPENING.lastIndex = at;
  }
  if (at < source.length) pieces.push({ kind: 'text', text: source.slice(at), offset: at });
  return pieces;
}

function readTag(source: string, offset: number): Piece {
  const end = source.indexOf('%}', offset + 2);
  if (end === -1) throw new TemplateError('parse', 'The tag "{%" is not closed with "%}".', { source, offset });
  const tag = source.slice(offset, end + 2);
  const block = BLOCK_TAG.exec(tag)?.[1];
  if (block !== 'raw' && block !== 'comment') return { kind: 'tag', text: tag, offset };
  const closing = BLOCK_END[block];
  closing.lastIndex = end + 2;
  if (!closing.test(source))
    throw new TemplateError('parse', `The block "{% ${block} %}" is not closed with "{% end${block} %}".`, {
      source,
      offset,
    });
  return { kind: 'tag', text: source.slice(offset, closing.lastIndex), offset };
}

function readOutput(source: string, offset: number): Piece {
  const raw = source.startsWith('{{{', offset);
  const closing = raw ? '}}}' : '}}';
  const begin = offset + closing.length;
  const end = outputEnd(source, begin, closing);
  if (end === -1)
    throw new TemplateError('parse', `The output "${raw ? '{{{' : '{{'}" is not closed with "${closing}".`, {
      source,
      offset,
    });
  const expression = source.slice(begin, end).trim();
  if (expression === '') throw new TemplateError('parse', 'The output is empty.', { source, offset });
  return { kind: 'output', text: source.slice(offset, end + closing.length), expression, raw, offset };
}

/** Finds the first closing braces outside of quoted strings. A quote inside a word (l'ami) does not begin a string. */
function outputEnd(source: string, begin: number, closing: string): number {
  let quote = '';
  for (let at = begin; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (quote === '' && source.startsWith(closing, at)) return at;
    if (quote !== '' && char === quote) quote = '';
    else if (quote === '' && (char === '"' || char === "'") && /[\s[(:,|?=<>]/.test(source.charAt(at - 1))) {
      // An apostrophe that is not closed before the end of the line is text.
      const partner = source.indexOf(char, at + 1);
      if (partner !== -1 && !source.slice(at, partner).includes('\n')) quote = char;
    }
  }
  return -1;
}

const LITERALS = new Set(['true', 'false', 'nil', 'null', 'empty', 'blank']);
const WORD_OPERATORS = new Set(['and', 'or', 'not', 'contains']);
// A segment may contain spaces ("First name" is a common header of imported files). Such an expression has no meaning
// in Liquid.
const SEGMENT = /[\p{L}\p{N}\p{M}_$@#?-]+(?: +[\p{L}\p{N}\p{M}_$@#?-]+)*/uy;
const BRACKET = /\[\s*(?:"([^"\\]*)"|'([^'\\]*)'|(\d+))\s*\]/y;

/** Parses a plain path. Returns null for expressions that need the engine (literals, operators, filters, indexes). */
export function parsePath(text: string): string[] | null {
  const segments: string[] = [];
  let at = 0;
  while (at < text.length) {
    BRACKET.lastIndex = at;
    const bracket = BRACKET.exec(text);
    if (bracket) {
      segments.push(bracket[1] ?? bracket[2] ?? bracket[3] ?? '');
      at = BRACKET.lastIndex;
      continue;
    }
    if (segments.length > 0 && text.charAt(at) !== '.') return null;
    SEGMENT.lastIndex = segments.length > 0 ? at + 1 : at;
    const word = SEGMENT.exec(text)?.[0];
    if (word === undefined || word.split(' ').some((part, index) => index > 0 && WORD_OPERATORS.has(part))) return null;
    segments.push(word);
    at = SEGMENT.lastIndex;
  }
  const [first, ...rest] = segments;
  if (first === undefined || first.startsWith('not ')) return null;
  if (text === first && rest.length === 0 && (LITERALS.has(first) || /^-?\d+$/.test(first))) return null;
  if (/^-?\d+$/.test(first) && !text.startsWith('[')) return null;
  return segments;
}

/** The parts of an expression with `??`. */
export interface DefaultedExpression {
  /** The expressions before the last `??`, in the order in which they are tried. */
  candidates: string[];
  fallback: string;
  /** `| upcase …`, or empty. */
  filters: string;
}

/**
 * Splits `a ?? b ?? default | filters`. Returns null if there is no `??` outside of quotes.
 *
 * The default is text: a quoted string without its quotes, a number, or bare words, up to the end or a filter. So
 * `{{ a ?? b }}` prints the letter b if `a` has no value. In a chain, all operands except the last one are variables.
 */
export function splitDefault(expression: string): DefaultedExpression | null {
  const parts = splitOutsideQuotes(expression, '??');
  const last = parts.pop();
  if (last === undefined || parts.length === 0) return null;
  const [text = '', ...filters] = splitOutsideQuotes(last, '|');
  return {
    candidates: parts.map((part) => part.trim()),
    fallback: unquote(decodeEntities(text.trim())),
    filters: filters.map((filter) => `| ${filter.trim()}`).join(' '),
  };
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  if (!text.includes(separator)) return [text];
  const parts: string[] = [];
  let quote = '';
  let begin = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (
      (char === '"' || char === "'") &&
      (at === 0 || /[\s[(:,|?]/.test(text.charAt(at - 1))) &&
      text.includes(char, at + 1)
    ) {
      quote = char;
    } else if (text.startsWith(separator, at)) {
      parts.push(text.slice(begin, at));
      begin = at + separator.length;
      at = begin - 1;
    }
  }
  parts.push(text.slice(begin));
  return parts;
}

function unquote(text: string): string {
  const match = /^(["'])([\s\S]*)\1$/.exec(text);
  return match?.[2] ?? text;
}

const ENTITIES: Record<string, string> = {
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Visual editors write `&quot;` for a typed quote. The default means the character. */
function decodeEntities(text: string): string {
  return text.includes('&')
    ? text.replace(/&(?:quot|#39|apos|lt|gt|nbsp|amp);/g, (entity) => ENTITIES[entity] ?? entity)
    : text;
}

/** Parses an output. Returns null if it needs the engine. */
export function parsePlaceholder(expression: string): Placeholder | null {
  const defaulted = splitDefault(expression);
  if (defaulted === null) {
    const path = parsePath(expression);
    return path && !expression.startsWith('-') && !expression.endsWith('-') ? { paths: [path], fallback: null } : null;
  }
  if (defaulted.filters !== '' || expression.startsWith('-') || expression.endsWith('-')) return null;
  const paths = defaulted.candidates.map(parsePath).filter((path) => path !== null);
  return paths.length === defaulted.candidates.length ? { paths, fallback: defaulted.fallback } : null;
}
