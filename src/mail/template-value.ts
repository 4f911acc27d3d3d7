/**
 * What a variable's value prints as, and how it is escaped.
 */
import { htmlToText } from './html-text.js';

/**
 * Where a template's output goes. `html`: a body, values are HTML-escaped. `none`: a subject, values as they are.
 * `text`: the text alternative of a body, values as they are, and where the author opted out of escaping the value is
 * HTML and becomes text. `url`: an address, values are percent-encoded. `json`: a JSON text; inside a string of it a
 * value is escaped, elsewhere it is printed as JSON (template-json.ts).
 */
export type EscapeMode = 'html' | 'none' | 'text' | 'url' | 'json';

const SPECIAL = /[&<>"']/;
const ALL_SPECIAL = /[&<>"']/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (char) => ESCAPES[char] ?? char) : text;
}

/**
 * The text of a value: `0` and `false` print, null and undefined don't, lists are joined with commas, objects are JSON.
 */
export function valueToText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (Array.isArray(value)) return value.map(valueToText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : '';
}

/** The text of a value as an escaped output prints it. */
export function printEscaped(value: unknown, mode: EscapeMode): string {
  const text = valueToText(value);
  if (mode === 'html') return escapeHtml(text);
  if (mode === 'url') return encodeURIComponent(toWellFormed(text));
  return mode === 'json' ? JSON.stringify(toWellFormed(text)).slice(1, -1) : text;
}

/** The value as JSON, for an output of a JSON template that stands where a value does; null where there is none. */
export function printJson(value: unknown): string {
  return JSON.stringify(value ?? null) ?? 'null';
}

/** Half of a surrogate pair, which a filter may cut off, is no character: it becomes U+FFFD, as in every encoder. */
export const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** The text of a value as `{{{ }}}` and the `raw` filter print it. */
export function printRaw(value: unknown, mode: EscapeMode): string {
  const text = valueToText(value);
  return mode === 'text' && /[<&]/.test(text) ? htmlToText(text) : text;
}
