/** How the value of a variable is printed and escaped. */
import { htmlToText } from './html-text.js';

/**
 * The destination of a template's output:
 * - `html`: a body; values are HTML-escaped.
 * - `none`: a subject; values are not escaped.
 * - `text`: the text alternative of a body; values are not escaped, and unescaped outputs are converted from HTML.
 * - `url`: a URL; values are percent-encoded.
 * - `json`: a JSON text; values are escaped inside strings and printed as JSON elsewhere (template-json.ts).
 */
export type EscapeMode = 'html' | 'none' | 'text' | 'url' | 'json';

const SPECIAL = /[&<>"']/;
const ALL_SPECIAL = /[&<>"']/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (char) => ESCAPES[char] ?? char) : text;
}

/** Converts a value to text: null and undefined are empty, lists are joined with commas, objects are JSON. */
export function valueToText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? '' : value.toISOString();
  if (Array.isArray(value)) return value.map(valueToText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : '';
}

/** Prints a value for an escaped output. */
export function printEscaped(value: unknown, mode: EscapeMode): string {
  const text = valueToText(value);
  if (mode === 'html') return escapeHtml(text);
  if (mode === 'url') return encodeURIComponent(toWellFormed(text));
  return mode === 'json' ? JSON.stringify(toWellFormed(text)).slice(1, -1) : text;
}

/** Prints a value as JSON for a bare output of a JSON template. A missing value is null. */
export function printJson(value: unknown): string {
  return JSON.stringify(value ?? null) ?? 'null';
}

/** Replaces lone surrogates, which a filter can produce by cutting a pair, with U+FFFD. */
export const toWellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** Prints a value for `{{{ }}}` and the `raw` filter. */
export function printRaw(value: unknown, mode: EscapeMode): string {
  const text = valueToText(value);
  return mode === 'text' && /[<&]/.test(text) ? htmlToText(text) : text;
}
