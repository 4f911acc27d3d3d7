/** Finds the problems of an email's HTML that readers notice: images without a description, links to nowhere. Pure. */
import { Parser } from 'htmlparser2';
import type { ProblemLevel } from '../problems.js';

export interface HtmlProblem {
  code: 'image_without_alt' | 'insecure_link' | 'empty_link';
  level: ProblemLevel;
  message: string;
  /** The index of the tag. */
  offset: number;
}

/** Returns the problems of HTML, or of a masked template (track-html.ts), in the order of their places. */
export function findHtmlProblems(html: string): HtmlProblem[] {
  const problems: HtmlProblem[] = [];
  const parser = new Parser({
    onopentag(name, attributes) {
      const problem = problemOf(name, new Map(Object.entries(attributes)));
      if (problem) problems.push({ ...problem, offset: parser.startIndex });
    },
  });
  parser.end(html);
  return problems;
}

function problemOf(name: string, attributes: ReadonlyMap<string, string>): Omit<HtmlProblem, 'offset'> | null {
  if (name === 'img') return attributes.has('alt') ? null : IMAGE_WITHOUT_ALT;
  if (name !== 'a' && name !== 'area') return null;
  const href = attributes.get('href');
  // An anchor is a target and not a link.
  if (href === undefined && (attributes.has('name') || attributes.has('id'))) return null;
  const target = (href ?? '').trim();
  if (target === '' || target === '#') return EMPTY_LINK;
  return /^http:/i.test(target) ? INSECURE_LINK : null;
}

const IMAGE_WITHOUT_ALT = {
  code: 'image_without_alt',
  level: 'warning',
  message: 'The image has no `alt` text. Describe it, or write `alt=""` if it is only decoration.',
} as const;
const EMPTY_LINK = {
  code: 'empty_link',
  level: 'warning',
  message: 'The link has no target. Set its `href`.',
} as const;
const INSECURE_LINK = {
  code: 'insecure_link',
  level: 'warning',
  message: 'The link is not encrypted. Use https instead of http.',
} as const;
