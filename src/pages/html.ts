/** A safe HTML template: it escapes all values except `Html`. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly Html[];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escape = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

function print(part: Part): string {
  if (typeof part === 'string') return escape(part);
  if (typeof part === 'number') return String(part);
  return 'html' in part ? part.html : part.map(({ html }) => html).join('');
}

export const html = (strings: TemplateStringsArray, ...parts: Part[]): Html => ({
  html: strings.map((text, index) => text + (index < parts.length ? print(parts[index] ?? '') : '')).join(''),
});

export const NOTHING: Html = { html: '' };
