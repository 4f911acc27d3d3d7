/** Escapes text for HTML and keeps the templates in it. */
import { splitTemplates } from '../liquid.js';

// Braces are escaped, too, so that text next to a placeholder cannot become part of it.
const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '{': '&#123;',
};

/** Escapes text that contains no templates. */
export const escapeText = (text: string): string => text.replace(/[&<>"'{]/g, (char) => ESCAPES[char] ?? char);

/** Escapes the value of a quoted attribute, except for its templates. */
export const escapeAttribute = (value: string): string =>
  splitTemplates(value)
    .map(({ kind, text }) => (kind === 'template' ? text : escapeText(text)))
    .join('');

/** Escapes text between tags, except for its templates. Keeps line breaks and repeated spaces. */
export const escapeContent = (text: string): string =>
  splitTemplates(text)
    .map((part) => (part.kind === 'template' ? part.text : formatText(part.text)))
    .join('');

const formatText = (text: string): string =>
  escapeText(text)
    .replace(/ {2}/g, '&nbsp; ')
    .replace(/\r\n?|\n/g, '<br>');

/** Writes attributes. A null value leaves the attribute out, an empty one is written. */
export const writeAttributes = (attributes: Record<string, string | number | null | undefined>): string =>
  Object.entries(attributes)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => ` ${name}="${escapeAttribute(String(value))}"`)
    .join('');

/** Writes a style. Null values are left out. Values come from numbers, enumerations, and colors. */
export const writeStyle = (properties: Record<string, string | number | null | undefined>): string =>
  Object.entries(properties)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}:${value}`)
    .join(';');
