/** The preheader: the text that email clients show after the subject in the list of emails. It is hidden in the email. */
import { Tokenizer } from 'htmlparser2';
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

const ignore = (): void => undefined;

/** Returns the place after `<body>`, or else after the tags that come before a body, or else 0. */
function findBodyStart(template: string): number {
  const html = maskTemplate(template);
  let name = '';
  let at = 0;
  let isFound = false;
  const pass = (end: number): void => {
    if (!isFound) at = html.indexOf('>', end) + 1;
  };
  const endTag = (end: number): void => {
    if (name === 'body' || name === 'html') pass(end);
    isFound ||= name === 'body';
    name = '';
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(begin, end) {
        name = html.slice(begin, end).toLowerCase();
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onclosetag(begin, end) {
        if (html.slice(begin, end).toLowerCase() === 'head') pass(end);
      },
      ondeclaration: (_begin, end) => pass(end),
      onattribdata: ignore,
      onattribend: ignore,
      onattribentity: ignore,
      onattribname: ignore,
      oncdata: ignore,
      oncomment: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return at;
}
