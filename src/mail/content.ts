/**
 * A mail's content, compiled once and printed for each recipient.
 */
import { htmlToText } from './html-text.js';
import { Lru } from './lru.js';
import { compileTemplate, toSubjectLine, type CompiledTemplate, type TemplateVariables } from './render.js';
import { TemplateError } from './template-error.js';
import { scanTemplate } from './template-scan.js';

export interface RenderedContent {
  /** One line. */
  subject: string;
  html: string;
  /** The text alternative. */
  text: string;
}

export interface CompiledContent {
  /** @throws TemplateError of kind `render` */
  render: (variables: TemplateVariables) => RenderedContent;
}

const compiled = new Lru<string, CompiledContent>({ maxEntries: 500, maxWeight: 16_000_000, weigh: (key) => key.length });

/**
 * Compiles subject and body templates; compiled ones are kept by source.
 *
 * Turning HTML into text costs more than all the rest, so the text alternative is derived from the template, not from each mail, and gets the
 * values unescaped.
 *
 * @throws TemplateError of kind `parse`
 */
export function compileContent(source: { subject: string; html: string }): CompiledContent {
  return compiled.getOrMake(`${source.subject}\u0000${source.html}`, () => {
    const subject = compileTemplate(source.subject, { escape: 'none' });
    const html = compileTemplate(source.html, { escape: 'html' });
    const text = compileText(source.html);
    return {
      render: (variables) => {
        const body = html.render(variables);
        return { subject: toSubjectLine(subject.render(variables)), html: body, text: text ? tidy(text.render(variables)) : htmlToText(body) };
      },
    };
  });
}

/** The text alternative as a template; null where its tags end up in another order than in the body (a tag inside an attribute). */
function compileText(html: string): CompiledTemplate | null {
  try {
    return compileTemplate(toTextTemplate(html), { escape: 'text' });
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

// Private use characters: the conversion takes a marker for a word, whatever its placeholder contains.
const MARKER = /\uE000(\d+)\uE001/g;

function toTextTemplate(html: string): string {
  const markers = new Map<string, string>();
  const marked = scanTemplate(html.replaceAll(/[\uE000\uE001]/g, ''))
    .map((piece) => {
      if (piece.kind === 'text') return piece.text;
      const marker = markers.get(piece.text) ?? `\uE000${markers.size}\uE001`;
      markers.set(piece.text, marker);
      return marker;
    })
    .join('');
  const originals = [...markers.keys()];
  // Odd parts are the markers' indexes. Braces that the author wrote as entities are text, and stay so.
  return htmlToText(marked)
    .split(MARKER)
    .map((part, index) => (index % 2 === 1 ? (originals[Number(part)] ?? '') : literal(part)))
    .join('');
}

const literal = (text: string): string => (/\{[{%]/.test(text) ? `{% raw %}${text}{% endraw %}` : text);

/** Empty values and skipped blocks leave blank lines behind. */
const tidy = (text: string): string => (text.includes('\n\n\n') ? text.replace(/\n{3,}/g, '\n\n') : text);
