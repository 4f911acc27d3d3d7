/**
 * What a variable's value prints as, and how it is escaped.
 */
import { htmlToText } from './html-text.js';

/**
 * Where a template's output goes. `html`: a body, values are HTML-escaped. `none`: a subject, values as they are. `text`: the text
 * alternative of a body, values as they are, and where the author opted out of escaping the value is HTML and becomes text.
 */
export type EscapeMode = 'html' | 'none' | 'text';

const SPECIAL = /[&<>"']/;
const ALL_SPECIAL = /[&<>"']/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes a text for HTML content and for quoted attributes. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text) ? text.replace(ALL_SPECIAL, (char) => ESCAPES[char] ?? char) : text;
}

/** The text of a value: `0` and `false` print, null and undefined don't, lists are joined with commas, objects are JSON. */
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
  return mode === 'html' ? escapeHtml(text) : text;
}

/** The text of a value as `{{{ }}}` and the `raw` filter print it. */
export function printRaw(value: unknown, mode: EscapeMode): string {
  const text = valueToText(value);
  return mode === 'text' && /[<&]/.test(text) ? htmlToText(text) : text;
}
