/**
 * A mail's content, compiled once and printed for each recipient.
 */
import { htmlToText } from './html-text.js';
import { Lru } from './lru.js';
import { compileTemplate, toSubjectLine, type CompiledTemplate, type TemplateVariables } from './render.js';
import { TemplateError } from './template-error.js';
import { scanTemplate } from './template-scan.js';
import type { EscapeMode } from './template-value.js';
import { markTemplate, trackMarked, trackPrinted } from './track-html.js';
import type { EmailTracking } from './tracking-links.js';

export interface RenderedContent {
  /** One line. */
  subject: string;
  html: string;
  /** The text alternative. */
  text: string;
}

export interface CompiledContent {
  /**
   * @param tracking of the email, where its opens and clicks are to be tracked; the text alternative keeps the links as
   * they are
   * @throws TemplateError of kind `render`
   */
  render: (variables: TemplateVariables, tracking?: EmailTracking) => RenderedContent;
}

const compiled = new Lru<string, CompiledContent>({
  maxEntries: 500,
  maxWeight: 16_000_000,
  weigh: (key) => key.length,
});

/**
 * Compiles subject and body templates; compiled ones are kept by source.
 *
 * Turning HTML into text costs more than all the rest, so the text alternative is derived from the template, not from
 * each mail, and gets the values unescaped.
 *
 * @throws TemplateError of kind `parse`
 */
export function compileContent(source: { subject: string; html: string }): CompiledContent {
  return compiled.getOrMake(`${source.subject}\u0000${source.html}`, () => {
    const subject = compileTemplate(source.subject, { escape: 'none' });
    const html = compileTemplate(source.html, { escape: 'html' });
    const text = compileText(source.html);
    let tracked: TrackedRender | undefined;
    return {
      render: (variables, tracking) => {
        const body = tracking
          ? (tracked ??= compileTracked(source.html, html))(variables, tracking)
          : html.render(variables);
        const printText = (): string =>
          text ? tidy(text.render(variables)) : htmlToText(tracking ? html.render(variables) : body);
        return { subject: toSubjectLine(subject.render(variables)), html: body, text: printText() };
      },
    };
  });
}

type TrackedRender = (variables: TemplateVariables, tracking: EmailTracking) => string;

/** The body with its links and its pixel tracked: their places are those of the template where it shows them. */
function compileTracked(source: string, html: CompiledTemplate): TrackedRender {
  const template = compileMarked(source);
  if (template) return (variables, tracking) => trackMarked(template.render(variables), tracking);
  return (variables, tracking) => trackPrinted(html.render(variables), tracking);
}

/** null where the template doesn't show its links, or has a tag across the bounds of an attribute that is taken out. */
function compileMarked(source: string): CompiledTemplate | null {
  const marked = markTemplate(source);
  return marked === null ? null : compileUnlessBroken(marked, 'html');
}

/**
 * The text alternative as a template; null where its tags end up in another order than in the body (a tag inside an
 * attribute).
 */
const compileText = (html: string): CompiledTemplate | null => compileUnlessBroken(toTextTemplate(html), 'text');

function compileUnlessBroken(template: string, escape: EscapeMode): CompiledTemplate | null {
  try {
    return compileTemplate(template, { escape });
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
