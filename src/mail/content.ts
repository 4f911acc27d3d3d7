/** An email's content, compiled once and rendered for each recipient. */
import { htmlToText } from './html-text.js';
import { LRUCache } from 'lru-cache';
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
   * @param tracking given if the email's opens and clicks are tracked; links in the text alternative are not tracked
   * @throws TemplateError of kind `render`
   */
  render: (variables: TemplateVariables, tracking?: EmailTracking) => RenderedContent;
  templates: ContentTemplates;
}

/** The templates of a content. */
export interface ContentTemplates {
  subject: CompiledTemplate;
  html: CompiledTemplate;
  /** Null if the text alternative must be derived from each rendered email. */
  text: CompiledTemplate | null;
  /** Returns the body with marked links (track-html.ts); null if only rendered emails show their links. */
  marked: () => CompiledTemplate | null;
}

/** Templates. */
export interface ContentSource {
  subject: string;
  html: string;
  /** The text alternative; derived from the HTML if it is absent. */
  text?: string;
}

const cache = new LRUCache<string, CompiledContent>({
  max: 500,
  maxSize: 16_000_000,
  sizeCalculation: (_, key) => key.length,
});

/**
 * Compiles subject and body templates. Results are cached by source.
 *
 * Converting HTML to text costs more than everything else, so the text alternative is derived from the template and not
 * from each email. Its values are not escaped.
 *
 * @throws TemplateError of kind `parse`
 */
export function compileContent(source: ContentSource): CompiledContent {
  const key = `${source.subject}\u0000${source.html}\u0000${source.text ?? ''}`;
  let content = cache.get(key);
  if (!content) {
    content = compileUncached(source);
    cache.set(key, content);
  }
  return content;
}

function compileUncached(source: ContentSource): CompiledContent {
  const subject = compileTemplate(source.subject, { escape: 'none' });
  const html = compileTemplate(source.html, { escape: 'html' });
  const text = source.text === undefined ? compileText(source.html) : compileTemplate(source.text, { escape: 'text' });
  let compiledMarked: CompiledTemplate | null | undefined;
  const marked = (): CompiledTemplate | null =>
    compiledMarked === undefined ? (compiledMarked = compileMarked(source.html)) : compiledMarked;
  /** Adds tracking at the places that the template shows, or else at the places found in each rendered email. */
  const renderTracked = (variables: TemplateVariables, tracking: EmailTracking): string => {
    const template = marked();
    return template
      ? trackMarked(template.render(variables), tracking)
      : trackPrinted(html.render(variables), tracking);
  };
  return {
    render: (variables, tracking) => {
      const body = tracking ? renderTracked(variables, tracking) : html.render(variables);
      const renderText = (): string =>
        text ? collapseBlankLines(text.render(variables)) : htmlToText(tracking ? html.render(variables) : body);
      return { subject: toSubjectLine(subject.render(variables)), html: body, text: renderText() };
    },
    templates: { subject, html, text, marked },
  };
}

/** Returns null if the template does not show its links, or if a tag crosses the bounds of a removed attribute. */
function compileMarked(source: string): CompiledTemplate | null {
  const marked = markTemplate(source);
  return marked === null ? null : compileUnlessBroken(marked, 'html');
}

/** Returns null if the tags of the text have another order than in the body, for example a tag inside an attribute. */
const compileText = (html: string): CompiledTemplate | null => compileUnlessBroken(toTextTemplate(html), 'text');

function compileUnlessBroken(template: string, escape: EscapeMode): CompiledTemplate | null {
  try {
    return compileTemplate(template, { escape });
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}

// The conversion treats a marker of private use characters as a word, independent of the placeholder's content.
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
  // Odd parts are the indexes of markers. Braces that the author wrote as entities stay text.
  return htmlToText(marked)
    .split(MARKER)
    .map((part, index) => (index % 2 === 1 ? (originals[Number(part)] ?? '') : literal(part)))
    .join('');
}

const literal = (text: string): string => (/\{[{%]/.test(text) ? `{% raw %}${text}{% endraw %}` : text);

/** Collapses the blank lines that empty values and skipped blocks leave. */
export const collapseBlankLines = (text: string): string =>
  text.includes('\n\n\n') ? text.replace(/\n{3,}/g, '\n\n') : text;
