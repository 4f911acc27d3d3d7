/** Finds what is wrong with a design that its schema allows: unfinished blocks, and what readers would notice. */
import { hasOpenTemplate } from './liquid.js';
import type { Block, BlockOf, Design, Inline } from './schema.js';
import { listTemplates } from './templates.js';
import { walkBlocks } from './walk.js';

export interface DesignProblem {
  code: 'template_syntax' | 'missing_body' | 'missing_image' | 'image_without_alt' | 'empty_link' | 'insecure_link';
  /** An error prevents sending. */
  level: 'error' | 'warning';
  message: string;
  /** The place in the design: `blocks.2.columns.0.1.src`. */
  path: string;
}

/** Returns the problems of a design in the order of reading. HTML blocks are not checked, except for their templates. */
export function findProblems(design: Design): DesignProblem[] {
  const problems: DesignProblem[] = [];
  if (![...walkBlocks(design.blocks)].some(({ block }) => isVisible(block)))
    problems.push({
      code: 'missing_body',
      level: 'error',
      message: 'The email is empty. Add text or an image.',
      path: 'blocks',
    });
  for (const { block, path } of walkBlocks(design.blocks))
    for (const problem of problemsOf(block)) problems.push({ ...problem, path: `${path}.${problem.path}` });
  for (const { path, template } of listTemplates(design))
    if (hasOpenTemplate(template))
      problems.push({
        code: 'template_syntax',
        level: 'warning',
        message: 'A variable or a tag is not closed, so it is shown as text. Close it in the same part of the text.',
        path,
      });
  return problems;
}

/** Whether a block shows anything of its own. */
function isVisible(block: Block): boolean {
  switch (block.type) {
    case 'heading':
    case 'text':
    case 'button':
      return hasText(block.content);
    case 'image':
      return block.src !== '';
    case 'list':
      return block.items.some(hasText);
    case 'html':
      return block.html.trim() !== '';
    case 'social':
      return block.links.length > 0;
    case 'columns':
    case 'divider':
    case 'spacer':
    case 'conditional':
    case 'footer':
      return false;
    default:
      return block satisfies never;
  }
}

const hasText = (content: readonly Inline[]): boolean =>
  content.some((part) => part.type === 'variable' || part.text.trim() !== '');

function problemsOf(block: Block): DesignProblem[] {
  switch (block.type) {
    case 'button':
      return [...linkProblems(block.href, 'href'), ...unlabeledButton(block)];
    case 'image':
      return imageProblems(block);
    case 'social':
      return block.links.flatMap(({ href }, index) => linkProblems(href, `links.${index}.href`));
    case 'heading':
    case 'text':
      return inlineProblems(block.content, 'content');
    case 'footer':
      return inlineProblems(block.content ?? [], 'content');
    case 'list':
      return block.items.flatMap((item, index) => inlineProblems(item, `items.${index}`));
    case 'columns':
    case 'divider':
    case 'spacer':
    case 'html':
    case 'conditional':
      return [];
    default:
      return block satisfies never;
  }
}

const unlabeledButton = ({ content }: BlockOf<'button'>): DesignProblem[] =>
  hasText(content)
    ? []
    : [{ code: 'empty_link', level: 'warning', message: 'The button has no text.', path: 'content' }];

function imageProblems({ src, alt, href }: BlockOf<'image'>): DesignProblem[] {
  const problems = href === undefined || href === null ? [] : linkProblems(href, 'href');
  if (src === '')
    problems.push({
      code: 'missing_image',
      level: 'warning',
      message: 'The image has no source, so it is not sent. Choose a file, or delete the block.',
      path: 'src',
    });
  if (src !== '' && (alt === undefined || alt === null))
    problems.push({
      code: 'image_without_alt',
      level: 'warning',
      message: 'The image has no alternative text. Describe it, or mark it as decoration.',
      path: 'alt',
    });
  return problems;
}

function linkProblems(href: string, path: string): DesignProblem[] {
  if (href === '' || href === '#')
    return [{ code: 'empty_link', level: 'warning', message: 'The link has no target.', path }];
  if (!/^http:/i.test(href)) return [];
  return [
    {
      code: 'insecure_link',
      level: 'warning',
      message: 'The link is not encrypted. Use https instead of http.',
      path,
    },
  ];
}

const inlineProblems = (content: readonly Inline[], path: string): DesignProblem[] =>
  content.flatMap(({ marks }, index) =>
    (marks ?? []).flatMap((mark, at) =>
      mark.type === 'link' ? linkProblems(mark.href, `${path}.${index}.marks.${at}.href`) : [],
    ),
  );
