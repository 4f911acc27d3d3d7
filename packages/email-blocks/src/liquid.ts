/** Keeps the templates in texts (`{{ … }}`, `{% … %}`), and writes variables and conditions in the template language. */
import type { Condition, Inline } from './schema.js';

/** A part of a text. Templates are kept unchanged. */
export interface TextPart {
  kind: 'text' | 'template';
  text: string;
}

const OPENING = /\{\{\{?|\{%/g;

/** Splits a text into plain text and templates. An output or tag that is not closed is plain text. */
export function splitTemplates(source: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  OPENING.lastIndex = 0;
  for (let match = OPENING.exec(source); match; match = OPENING.exec(source)) {
    const end = templateEnd(source, match.index, match[0]);
    if (end === -1) continue;
    if (match.index > at) parts.push({ kind: 'text', text: source.slice(at, match.index) });
    parts.push({ kind: 'template', text: source.slice(match.index, end) });
    at = end;
    OPENING.lastIndex = end;
  }
  if (at < source.length) parts.push({ kind: 'text', text: source.slice(at) });
  return parts;
}

/** Whether a text contains an output or a tag that is not closed. */
export const hasOpenTemplate = (source: string): boolean =>
  splitTemplates(source).some(({ kind, text }) => kind === 'text' && /\{\{|\{%/.test(text));

function templateEnd(source: string, begin: number, opening: string): number {
  if (opening === '{%') {
    const end = source.indexOf('%}', begin + 2);
    return end === -1 ? -1 : end + 2;
  }
  const closing = opening === '{{{' ? '}}}' : '}}';
  const end = outputEnd(source, begin + opening.length, closing);
  return end === -1 || source.slice(begin + opening.length, end).trim() === '' ? -1 : end + closing.length;
}

/** Finds the closing braces outside of quoted strings, by the rules of the template language. */
function outputEnd(source: string, begin: number, closing: string): number {
  let quote = '';
  for (let at = begin; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (quote === '' && source.startsWith(closing, at)) return at;
    if (quote !== '' && char === quote) quote = '';
    else if (quote === '' && /["']/.test(char) && /[\s[(:,|?=<>]/.test(source.charAt(at - 1))) {
      const partner = source.indexOf(char, at + 1);
      if (partner !== -1 && !source.slice(at, partner).includes('\n')) quote = char;
    }
  }
  return -1;
}

/** Returns the placeholder of a variable: `{{ name ?? "fallback" }}`. */
export function variableTemplate({ name, fallback }: Extract<Inline, { type: 'variable' }>): string {
  if (fallback === undefined || fallback === null || fallback === '') return `{{ ${name} }}`;
  // The language decodes these character references in defaults.
  const text = fallback
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return `{{ ${name} ?? "${text}" }}`;
}

/** Returns what follows `if` in the tag of a conditional block. */
export function conditionExpression(condition: Condition): string {
  if (condition.type === 'liquid') return condition.expression;
  const name = liquidPath(condition.variable);
  const value = literal(condition.value ?? '');
  switch (condition.operator) {
    case 'exists':
      return `${name} != nil and ${name} != empty`;
    case 'notExists':
      return `${name} == nil or ${name} == empty`;
    case 'equals':
      return `${name} == ${value}`;
    case 'notEquals':
      return `${name} != ${value}`;
    case 'contains':
      return `${name} contains ${value}`;
    case 'notContains':
      return `not ${name} contains ${value}`;
    case 'greaterThan':
      return `${name} > ${value}`;
    case 'lessThan':
      return `${name} < ${value}`;
    default:
      return condition.operator satisfies never;
  }
}

/** Tags accept only plain names, so other keys are put in brackets. */
function liquidPath(name: string): string {
  const segments = [...name.matchAll(/\["([^"]+)"\]|[^.[]+/g)].map(([word, quoted]) => quoted ?? word);
  return segments
    .map((segment, index) => {
      if (/^\d+$/.test(segment) && index > 0) return `[${segment}]`;
      if (!/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(segment)) return `[${literal(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}

/** Returns a literal of Liquid that contains no braces and no HTML. */
function literal(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const escaped = value
    .replace(/[\\"]/g, String.raw`\$&`)
    .replace(/[%{}<>&\r\n]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}
