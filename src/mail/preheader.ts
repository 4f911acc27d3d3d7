/** The preheader: the text that email clients show after the subject in their lists. It is hidden in the email. */
import { Parser } from 'htmlparser2';
import { scanTemplate } from './template-scan.js';
import { maskTemplate } from './track-html.js';

/** Marks the preheader's element, which the text alternative leaves out (html-text.ts). */
export const PREHEADER_ATTRIBUTE = 'data-preheader';

/** The number of characters that email clients show. A shorter preheader is padded, so that no body text follows it. */
const SHOWN_CHARACTERS = 140;
/** An invisible character that takes the space of a visible one. */
const PADDING = '&#847;&zwnj;&nbsp;';
const HIDDEN =
  'display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;color:transparent;' +
  'mso-hide:all';

/**
 * Adds a preheader to the template of an HTML body, as the first element of its `<body>`.
 *
 * @param preheader a template of plain text; null adds nothing
 * @throws TemplateError of kind `parse`
 */
export function withPreheader(html: string, preheader: string | null): string {
  if (preheader === null) return html;
  const padding = PADDING.repeat(Math.max(0, SHOWN_CHARACTERS - preheader.length));
  const element = `<div ${PREHEADER_ATTRIBUTE} style="${HIDDEN}">${toHtmlTemplate(preheader)}${padding}</div>\n`;
  const at = findBodyStart(html);
  return html.slice(0, at) + element + html.slice(at);
}

/** Escapes the text of a template. Its outputs are escaped when they are printed. */
const toHtmlTemplate = (template: string): string =>
  scanTemplate(template)
    .map(({ kind, text }) => (kind === 'text' ? text.replace(/[&<>]/g, (char) => ESCAPES[char] ?? char) : text))
    .join('');

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns the place after `<body>`, or else after the tags that come before a body, or else 0. */
function findBodyStart(template: string): number {
  let at = 0;
  let isFound = false;
  const pass = (): void => {
    if (!isFound) at = parser.endIndex + 1;
  };
  const parser = new Parser({
    onopentag(name) {
      if (name === 'html' || name === 'body') pass();
      isFound ||= name === 'body';
    },
    onclosetag(name, isImplied) {
      if (name === 'head' && !isImplied) pass();
    },
    onprocessinginstruction: pass,
  });
  parser.end(maskTemplate(template));
  return at;
}
