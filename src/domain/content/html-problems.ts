/** Finds the problems of an email's HTML that readers notice: images without a description, links to nowhere. Pure. */
import { decodeHTMLAttribute } from 'entities';
import { Tokenizer } from 'htmlparser2';
import type { ProblemLevel } from '../problems.js';

export interface HtmlProblem {
  code: 'image_without_alt' | 'insecure_link' | 'empty_link';
  level: ProblemLevel;
  message: string;
  /** The index of the tag. */
  offset: number;
}

interface Tag {
  name: string;
  offset: number;
  /** The values of its attributes, by name in lower case. */
  attributes: Map<string, string>;
}

const ignore = (): void => undefined;

/** Returns the problems of HTML, or of a masked template (track-html.ts), in the order of their places. */
export function findHtmlProblems(html: string): HtmlProblem[] {
  const problems: HtmlProblem[] = [];
  let tag: Tag = { name: '', offset: 0, attributes: new Map() };
  let attribute = '';
  const endTag = (): void => {
    const problem = problemOf(tag);
    if (problem) problems.push(problem);
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(begin, end) {
        tag = { name: html.slice(begin, end).toLowerCase(), offset: begin - 1, attributes: new Map() };
      },
      onattribname(begin, end) {
        attribute = html.slice(begin, end).toLowerCase();
        if (!tag.attributes.has(attribute)) tag.attributes.set(attribute, '');
      },
      onattribdata(begin, end) {
        tag.attributes.set(attribute, (tag.attributes.get(attribute) ?? '') + html.slice(begin, end));
      },
      onopentagend: endTag,
      onselfclosingtag: endTag,
      onattribend: ignore,
      onattribentity: ignore,
      oncdata: ignore,
      onclosetag: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onend: ignore,
      onprocessinginstruction: ignore,
      ontext: ignore,
      ontextentity: ignore,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return problems;
}

function problemOf({ name, offset, attributes }: Tag): HtmlProblem | null {
  if (name === 'img')
    return attributes.has('alt')
      ? null
      : {
          code: 'image_without_alt',
          level: 'warning',
          message: 'The image has no `alt` text. Describe it, or write `alt=""` if it is only decoration.',
          offset,
        };
  if (name !== 'a' && name !== 'area') return null;
  const href = attributes.get('href');
  // An anchor is a target and not a link.
  if (href === undefined && (attributes.has('name') || attributes.has('id'))) return null;
  const target = decodeHTMLAttribute(href ?? '').trim();
  if (target === '' || target === '#')
    return { code: 'empty_link', level: 'warning', message: 'The link has no target. Set its `href`.', offset };
  return /^http:/i.test(target)
    ? {
        code: 'insecure_link',
        level: 'warning',
        message: 'The link is not encrypted. Use https instead of http.',
        offset,
      }
    : null;
}
