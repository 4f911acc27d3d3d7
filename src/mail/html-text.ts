/**
 * The text alternative of an HTML body.
 */
import { compile, type FormatCallback } from 'html-to-text';
import { Lru } from './lru.js';

const alternativeText: FormatCallback = (element, _walk, builder) => {
  const attributes: unknown = element.attribs;
  const alt = attributes !== null && typeof attributes === 'object' && 'alt' in attributes ? attributes.alt : undefined;
  if (typeof alt === 'string' && alt !== '') builder.addInline(alt);
};

// No wrapping: a break inside a placeholder or a link would be sent, and the transfer encoding keeps lines short
// anyway.
const convert = compile({
  wordwrap: false,
  // The conversion is recursive: deeper nesting is an attack, or a mistake.
  limits: { maxDepth: 300, ellipsis: '' },
  formatters: { alternativeText },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'alternativeText' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
    ...['head', 'title', 'style', 'script'].map((selector) => ({ selector, format: 'skip' })),
  ],
});

// Transactional mails of one kind often share their body; 16 million characters are about 32 MB.
const known = new Lru<string, string>({
  maxEntries: 500,
  maxWeight: 16_000_000,
  weigh: (html, text) => html.length + text.length,
});

/**
 * The text of an HTML document or fragment: paragraphs and list items on lines, links as `text [url]`, images as their
 * `alt` text, lines not wrapped.
 *
 * Converting takes a tenth of a millisecond and more, so results are kept by source.
 */
export function htmlToText(html: string): string {
  return known.getOrMake(html, htmlToTextOnce);
}

/** The same for HTML that comes once, such as somebody else's mail. */
export const htmlToTextOnce = (html: string): string =>
  convert(html)
    .replace(/[ \t]+$/gm, '')
    .trim();
