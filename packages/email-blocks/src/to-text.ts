/** Writes a design as plain text: a template whose values are not escaped. */
import { footerLinks } from './html/footer.js';
import type { Brand } from './html/theme.js';
import { conditionExpression, splitTemplates, variableTemplate } from './liquid.js';
import type { Block, BlockOf, Design, Inline } from './schema.js';

export type TextBrand = Pick<Brand, 'postalAddress' | 'language'>;

/**
 * Writes the text of a design: links as `text [url]`, images as their alternative text, and list items on lines. HTML
 * blocks are left out.
 */
export function toText(design: Design, brand: TextBrand): string {
  const language = design.settings?.language ?? brand.language;
  return `${writeBlocks(design.blocks, { ...brand, language })}\n`;
}

const writeBlocks = (blocks: readonly Block[], brand: TextBrand): string =>
  blocks
    .map((block) => writeBlock(block, brand))
    .filter((text) => text !== '')
    .join('\n\n');

function writeBlock(block: Block, brand: TextBrand): string {
  switch (block.type) {
    case 'heading':
    case 'text':
      return writeInline(block.content);
    case 'button':
      return writeLink(writeInline(block.content, 'withoutLinks'), block.href);
    case 'image':
      return block.src === '' ? '' : writeLink(plain(block.alt ?? ''), block.href ?? '');
    case 'columns':
      return block.columns
        .map((blocks) => writeBlocks(blocks, brand))
        .filter((text) => text !== '')
        .join('\n\n');
    case 'divider':
      return '---';
    case 'spacer':
    case 'html':
      return '';
    case 'list':
      return block.items
        .map((item, index) => `${block.isOrdered ? `${index + 1}.` : '*'} ${writeInline(item)}`)
        .join('\n');
    case 'social':
      return block.links.map(({ name, href }) => writeLink(plain(name), href)).join('\n');
    case 'conditional':
      return writeConditional(block, brand);
    case 'footer':
      return writeFooter(block, brand);
    default:
      return block satisfies never;
  }
}

function writeInline(content: readonly Inline[], withoutLinks?: 'withoutLinks'): string {
  let text = '';
  for (const [index, part] of content.entries()) {
    text += part.type === 'variable' ? variableTemplate(part) : plain(part.text);
    const href = withoutLinks ? '' : hrefOf(part);
    // Adjacent parts with the same link are one link.
    if (href !== '' && href !== hrefOf(content[index + 1])) text = writeLink(text, href);
  }
  return text;
}

function hrefOf(part: Inline | undefined): string {
  const link = part?.marks?.find(({ type }) => type === 'link');
  return link?.type === 'link' ? link.href : '';
}

function writeLink(text: string, href: string): string {
  if (href === '' || href.startsWith('#') || href === text) return text;
  return text === '' ? plain(href) : `${text} [${plain(href)}]`;
}

/** Keeps templates. Other braces are printed by an output, so that they cannot become part of a template. */
const plain = (text: string): string =>
  splitTemplates(text)
    .map((part) => (part.kind === 'template' ? part.text : part.text.replace(/\{(?=[{%]|$)/g, '{{ "{" }}')))
    .join('');

function writeConditional(block: BlockOf<'conditional'>, brand: TextBrand): string {
  const otherwise = block.elseBlocks?.length ? `{% else %}${writeBlocks(block.elseBlocks, brand)}` : '';
  return `{% if ${conditionExpression(block.condition)} %}${writeBlocks(block.blocks, brand)}${otherwise}{% endif %}`;
}

function writeFooter(block: BlockOf<'footer'>, brand: TextBrand): string {
  const address = block.hasAddress === false ? '' : plain(brand.postalAddress ?? '');
  const links = footerLinks(block, brand.language).map(({ text, href }) => writeLink(plain(text), href));
  return [writeInline(block.content ?? []), address, ...links].filter((line) => line !== '').join('\n');
}
