/** Writes texts with their formatting. */
import { normalizeColor } from '../colors.js';
import { variableTemplate } from '../liquid.js';
import type { Inline, Mark } from '../schema.js';
import { escapeContent, writeAttributes, writeStyle } from './escape.js';
import type { Scope } from './scope.js';

const TAGS = { bold: 'strong', italic: 'em', underline: 'u', strike: 's' } as const;
/** From the outside to the inside: adjacent parts with the same link are one link. */
const ORDER: readonly Mark['type'][] = ['link', 'color', 'bold', 'italic', 'underline', 'strike'];

/** Writes a text. `withoutLinks` is for texts that are a link themselves. */
export function writeInline(content: readonly Inline[], scope: Scope, withoutLinks?: 'withoutLinks'): string {
  let html = '';
  let open: Mark[] = [];
  for (const part of content) {
    const marks = sortMarks(part.marks ?? [], withoutLinks !== undefined);
    const shared = countShared(open, marks);
    html += closeMarks(open.slice(shared));
    html += marks
      .slice(shared)
      .map((mark) => openMark(mark, marks, scope))
      .join('');
    html += part.type === 'variable' ? variableTemplate(part) : escapeContent(part.text);
    open = marks;
  }
  return html + closeMarks(open);
}

/** Orders marks, one of each type. */
const sortMarks = (marks: readonly Mark[], withoutLinks: boolean): Mark[] =>
  ORDER.filter((type) => !(withoutLinks && type === 'link')).flatMap(
    (type) => marks.find((mark) => mark.type === type) ?? [],
  );

function countShared(open: readonly Mark[], marks: readonly Mark[]): number {
  const different = marks.findIndex((mark, index) => JSON.stringify(mark) !== JSON.stringify(open[index]));
  // A link's style depends on the color inside of it.
  const shared = different === -1 ? marks.length : different;
  const hasColor = (list: readonly Mark[]): boolean => list.some(({ type }) => type === 'color');
  return shared > 0 && marks[0]?.type === 'link' && hasColor(open) !== hasColor(marks) ? 0 : shared;
}

const closeMarks = (marks: readonly Mark[]): string =>
  [...marks]
    .reverse()
    .map(({ type }) => `</${tagOf(type)}>`)
    .join('');

function tagOf(type: Mark['type']): string {
  if (type === 'link') return 'a';
  return type === 'color' ? 'span' : TAGS[type];
}

function openMark(mark: Mark, all: readonly Mark[], scope: Scope): string {
  if (mark.type === 'color') {
    const color = normalizeColor(mark.color);
    return `<span${writeAttributes({ class: scope.darkClass(color), style: `color:${color}` })}>`;
  }
  if (mark.type !== 'link') return `<${TAGS[mark.type]}>`;
  const own = all.find(({ type }) => type === 'color');
  const color = own?.type === 'color' ? normalizeColor(own.color) : scope.linkColor;
  return openLink(mark, {
    class: own?.type === 'color' ? scope.darkClass(color) : scope.linkClass,
    style: writeStyle({ color, 'text-decoration': 'underline' }),
  });
}

export interface LinkTarget {
  href: string;
  label?: string | null;
  tracked?: boolean | null;
}

/** Writes the start tag of a link. A link without a target has no `href`. */
export const openLink = (
  { href, label, tracked }: LinkTarget,
  attributes: Record<string, string | null | undefined>,
): string =>
  `<a${writeAttributes({
    href: href === '' ? null : href,
    target: href === '' || href.startsWith('#') ? null : '_blank',
    'data-link': label || null,
    'data-no-track': tracked === false ? '' : null,
    ...attributes,
  })}>`;
