/** The text alternative of an HTML body. */
import { compile, type FormatCallback } from 'html-to-text';
import { LRUCache } from 'lru-cache';

const alternativeText: FormatCallback = (element, _walk, builder) => {
  const attributes: unknown = element.attribs;
  const alt = attributes !== null && typeof attributes === 'object' && 'alt' in attributes ? attributes.alt : undefined;
  if (typeof alt === 'string' && alt !== '') builder.addInline(alt);
};

// Lines are not wrapped: a break inside a placeholder or a link would be sent. The transfer encoding shortens lines.
const convert = compile({
  wordwrap: false,
  // The conversion is recursive. Deeper nesting is an attack or a mistake.
  limits: { maxDepth: 300, ellipsis: '' },
  formatters: { alternativeText },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'img', format: 'alternativeText' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map((selector) => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
    { selector: 'div[data-preheader]', format: 'skip' },
    ...['head', 'title', 'style', 'script'].map((selector) => ({ selector, format: 'skip' })),
  ],
});

// Transactional emails of one kind often share their body. 16 million characters take about 32 MB.
const cache = new LRUCache<string, string>({
  max: 500,
  maxSize: 16_000_000,
  sizeCalculation: (text, html) => Math.max(html.length + text.length, 1),
  memoMethod: (html) => htmlToTextOnce(html),
});

/**
 * Converts an HTML document or fragment to text: paragraphs and list items on lines, links as `text [url]`, images as
 * their `alt` text. Lines are not wrapped.
 *
 * A conversion takes at least 0.1 ms, so results are cached by source.
 */
export const htmlToText = (html: string): string => cache.memo(html);

/** Converts HTML that occurs only once, such as an inbound email, without caching. */
export const htmlToTextOnce = (html: string): string =>
  convert(html)
    .replace(/[ \t]+$/gm, '')
    .trim();
