/** Lists the places of a design that the template language reads. */
import { conditionExpression, variableTemplate } from './liquid.js';
import type { Block, Design, Inline } from './schema.js';
import { walkBlocks } from './walk.js';

export interface TemplatePlace {
  /** `blocks.2.content.0.text` */
  path: string;
  template: string;
}

/** @yields the templates of a design, each of which must be complete on its own to be found at its place */
export function* listTemplates(design: Design): Generator<TemplatePlace> {
  for (const { block, path } of walkBlocks(design.blocks))
    for (const place of templatesOf(block)) yield { ...place, path: `${path}.${place.path}` };
}

function templatesOf(block: Block): TemplatePlace[] {
  switch (block.type) {
    case 'heading':
    case 'text':
      return inlineTemplates('content', block.content);
    case 'button':
      return [...inlineTemplates('content', block.content), { path: 'href', template: block.href }];
    case 'image':
      return [
        { path: 'src', template: block.src },
        { path: 'alt', template: block.alt ?? '' },
        { path: 'href', template: block.href ?? '' },
      ];
    case 'list':
      return block.items.flatMap((item, index) => inlineTemplates(`items.${index}`, item));
    case 'social':
      return block.links.flatMap(({ name, href, icon }, index) => [
        { path: `links.${index}.name`, template: name },
        { path: `links.${index}.href`, template: href },
        { path: `links.${index}.icon`, template: icon ?? '' },
      ]);
    case 'html':
      return [{ path: 'html', template: block.html }];
    case 'conditional':
      return [{ path: 'condition', template: `{% if ${conditionExpression(block.condition)} %}{% endif %}` }];
    case 'footer':
      return [
        ...inlineTemplates('content', block.content ?? []),
        { path: 'unsubscribe', template: block.unsubscribe ?? '' },
        { path: 'preferences', template: block.preferences ?? '' },
      ];
    case 'columns':
    case 'divider':
    case 'spacer':
      return [];
    default:
      return block satisfies never;
  }
}

const inlineTemplates = (name: string, content: readonly Inline[]): TemplatePlace[] =>
  content.flatMap((part, index) => [
    part.type === 'variable'
      ? { path: `${name}.${index}.name`, template: variableTemplate(part) }
      : { path: `${name}.${index}.text`, template: part.text },
    ...(part.marks ?? []).flatMap((mark, at) =>
      mark.type === 'link' ? [{ path: `${name}.${index}.marks.${at}.href`, template: mark.href }] : [],
    ),
  ]);
