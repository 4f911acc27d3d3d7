/** Writes blocks as HTML: one function for each type. */
import { normalizeColor, readableOn } from '../colors.js';
import { conditionExpression } from '../liquid.js';
import type { Block, BlockOf, Inline } from '../schema.js';
import { writeAttributes, writeStyle } from './escape.js';
import { writeFooter } from './footer.js';
import { openLink, writeInline } from './inline.js';
import { resolveAlign, scopeOn, type Scope } from './scope.js';
import { TABLE, forOutlook, writeBlockTable } from './table.js';

const HEADING_SIZES = { 1: 28, 2: 22, 3: 18 } as const;
const DEFAULT_GAP = 24;
const BUTTON_RADIUS = 6;
/** The size of the icons of social networks, in pixels. */
const ICON_SIZE = 24;

/** Writes blocks one below the other. */
export const writeBlocks = (blocks: readonly Block[], scope: Scope): string =>
  blocks.map((block) => writeBlock(block, scopeOn(scope, block))).join('\n');

function writeBlock(block: Block, scope: Scope): string {
  switch (block.type) {
    case 'heading':
      return writeHeading(block, scope);
    case 'text':
      return writeBlockTable(
        block,
        scope,
        writeText('p', block, { scope, size: scope.theme.fontSize, lineHeight: 1.5 }),
      );
    case 'button':
      return writeButton(block, scope);
    case 'image':
      return writeImage(block, scope);
    case 'columns':
      return writeColumns(block, scope);
    case 'divider':
      return writeDivider(block, scope);
    case 'spacer':
      return writeSpacer(block, scope);
    case 'list':
      return writeList(block, scope);
    case 'social':
      return writeSocial(block, scope);
    case 'html':
      return writeBlockTable(block, scope, block.html, {
        className: scope.textClass,
        style: { ...fontOf(scope, scope.theme.fontSize, 1.5), color: scope.textColor },
      });
    case 'conditional':
      return writeConditional(block, scope);
    case 'footer':
      return writeFooter(block, scope);
    default:
      return block satisfies never;
  }
}

const fontOf = ({ theme }: Scope, size: number, lineHeight: number): Record<string, string> => ({
  'font-family': theme.font,
  'font-size': `${size}px`,
  'line-height': `${Math.round(size * lineHeight)}px`,
});

/** Returns the class and the color of a text: the author's color, or else that of the scope. */
function colorOf(color: string | null | undefined, scope: Scope): { className: string | null; color: string } {
  if (!color) return { className: scope.textClass, color: scope.textColor };
  const normal = normalizeColor(color);
  return { className: scope.darkClass(normal), color: normal };
}

interface TextFont {
  scope: Scope;
  size: number;
  lineHeight: number;
  style?: Record<string, string>;
}

function writeText(
  tag: string,
  { content, align, color: own }: Pick<BlockOf<'text'>, 'content' | 'align' | 'color'>,
  { scope, size, lineHeight, style }: TextFont,
): string {
  const { className, color } = colorOf(own, scope);
  const attributes = writeAttributes({
    class: className,
    style: writeStyle({
      margin: 0,
      ...fontOf(scope, size, lineHeight),
      ...style,
      color,
      'text-align': resolveAlign(align, scope),
      'overflow-wrap': 'anywhere',
    }),
  });
  return `<${tag}${attributes}>${writeInline(content, scope) || '&nbsp;'}</${tag}>`;
}

function writeHeading(block: BlockOf<'heading'>, scope: Scope): string {
  const size = HEADING_SIZES[block.level];
  const html = writeText(`h${block.level}`, block, { scope, size, lineHeight: 1.25, style: { 'font-weight': '700' } });
  return writeBlockTable(block, scope, html);
}

/** The cell has the color, so the button also has it in email clients that ignore the padding of links. */
function writeButton(block: BlockOf<'button'>, scope: Scope): string {
  const background = normalizeColor(block.buttonColor ?? scope.theme.accent);
  const color = block.textColor ? normalizeColor(block.textColor) : readableOn(background);
  const radius = `${block.radius ?? BUTTON_RADIUS}px`;
  const align = resolveAlign(block.align, scope);
  const link = openLink(block, {
    style: writeStyle({
      display: block.isFullWidth ? 'block' : 'inline-block',
      padding: '12px 24px',
      'mso-padding-alt': '0',
      ...fontOf(scope, scope.theme.fontSize, 1.25),
      'font-weight': '600',
      color,
      'text-align': 'center',
      'text-decoration': 'none',
      'border-radius': radius,
    }),
  });
  const cell = writeAttributes({
    align: 'center',
    bgcolor: background,
    style: writeStyle({
      'background-color': background,
      'border-radius': radius,
      'mso-padding-alt': '12px 24px',
    }),
  });
  const table = writeAttributes({
    ...TABLE,
    align: block.isFullWidth ? null : align,
    width: block.isFullWidth ? '100%' : null,
    style: 'border-collapse:separate',
  });
  const html = `<table${table}><tr><td${cell}>${link}${writeInline(block.content, scope, 'withoutLinks')}</a></td></tr></table>`;
  return writeBlockTable(block, scope, html, { align });
}

function writeImage(block: BlockOf<'image'>, scope: Scope): string {
  if (block.src === '') return '';
  const width = Math.min(block.width ?? scope.width, scope.width);
  const align = resolveAlign(block.align ?? 'center', scope);
  const image = `<img${writeAttributes({
    src: block.src,
    alt: block.alt ?? '',
    width,
    // Fills a column that is wider on a phone.
    class: block.width ? null : 'sl-fluid',
    style: writeStyle({
      display: 'inline-block',
      width: '100%',
      'max-width': `${width}px`,
      height: 'auto',
      border: 0,
      'border-radius': block.radius ? `${block.radius}px` : null,
      'vertical-align': 'top',
      // For the alternative text.
      ...fontOf(scope, scope.theme.fontSize, 1.5),
      color: scope.textColor,
    }),
  })}>`;
  const html = block.href ? `${openLink({ ...block, href: block.href }, {})}${image}</a>` : image;
  return writeBlockTable(block, scope, html, { align, style: { 'text-align': align } });
}

/**
 * Columns are side by side while the screen is wide enough, also in email clients without media queries. Outlook for
 * Windows gets a table.
 */
function writeColumns(block: BlockOf<'columns'>, scope: Scope): string {
  const gap = Math.min(block.gap ?? DEFAULT_GAP, scope.inset * 2);
  const count = block.columns.length;
  // Each column has half a gap at both sides, which the inset of the block includes.
  const total = scope.width + gap;
  const valign = block.verticalAlign ?? 'top';
  const widths = block.columns.map((_, index) => Math.floor((total * (block.widths?.[index] ?? 100 / count)) / 100));
  const columns = block.columns.map((blocks, index) => {
    const width = widths[index] ?? total;
    const inner = writeBlocks(blocks, { ...scope, width: width - gap, inset: 0 });
    const style = writeStyle({
      display: 'inline-block',
      width: '100%',
      'max-width': `${width}px`,
      'vertical-align': valign,
      'font-size': `${scope.theme.fontSize}px`,
    });
    const table = writeAttributes({ ...TABLE, width: '100%' });
    return (
      forOutlook(`<td width="${width}" valign="${valign}">`) +
      `<div class="sl-column" style="${style}"><table${table}><tr><td style="padding:0 ${gap / 2}px">\n` +
      `${inner}\n</td></tr></table></div>${forOutlook('</td>')}`
    );
  });
  const rows =
    forOutlook(`<table${writeAttributes({ ...TABLE, width: total })}><tr>`) +
    columns.join('') +
    forOutlook('</tr></table>');
  return writeBlockTable(block, scope, rows, {
    spacing: { top: 0, bottom: 0 },
    inset: scope.inset - gap / 2,
    // No space between columns, which would break them.
    style: { 'font-size': 0, 'text-align': resolveAlign('start', scope) },
  });
}

function writeDivider(block: BlockOf<'divider'>, scope: Scope): string {
  const color = block.color ? normalizeColor(block.color) : scope.lineColor;
  const line = `${block.thickness ?? 1}px ${block.style ?? 'solid'} ${color}`;
  const cell = writeAttributes({
    class: block.color ? null : scope.lineClass,
    style: writeStyle({ 'border-top': line, 'font-size': 0, 'line-height': 0 }),
  });
  const html = `<table${writeAttributes({ ...TABLE, width: '100%' })}><tr><td${cell}>&#8203;</td></tr></table>`;
  return writeBlockTable(block, scope, html, { spacing: { top: 16, bottom: 16 } });
}

function writeSpacer(block: BlockOf<'spacer'>, scope: Scope): string {
  const height = `${block.height}px`;
  const style = writeStyle({ height, 'font-size': 0, 'line-height': height });
  return writeBlockTable(block, scope, `<div style="${style}">&#8203;</div>`, { spacing: { top: 0, bottom: 0 } });
}

function writeList(block: BlockOf<'list'>, scope: Scope): string {
  const { className, color } = colorOf(block.color, scope);
  const side = resolveAlign('start', scope);
  const list = writeAttributes({
    class: className,
    style: writeStyle({
      // A margin and not a padding, which Outlook for Windows ignores.
      margin: side === 'left' ? '0 0 0 24px' : '0 24px 0 0',
      padding: 0,
      ...fontOf(scope, scope.theme.fontSize, 1.5),
      color,
      'text-align': side,
    }),
  });
  const writeItem = (item: readonly Inline[]): string =>
    `<li style="margin:0 0 4px">${writeInline(item, scope) || '&nbsp;'}</li>`;
  const tag = block.isOrdered ? 'ol' : 'ul';
  return writeBlockTable(block, scope, `<${tag}${list}>${block.items.map(writeItem).join('\n')}</${tag}>`);
}

function writeSocial(block: BlockOf<'social'>, scope: Scope): string {
  const align = resolveAlign(block.align ?? 'center', scope);
  const links = block.links.map((link) => {
    const name = [{ type: 'text' as const, text: link.name }];
    const style = { color: scope.linkColor, 'text-decoration': 'underline' };
    const content = link.icon
      ? `<img${writeAttributes({
          src: link.icon,
          alt: link.name,
          width: ICON_SIZE,
          height: ICON_SIZE,
          style: writeStyle({ display: 'inline-block', border: 0, 'vertical-align': 'middle' }),
        })}>`
      : writeInline(name, scope);
    return `${openLink(link, { class: scope.linkClass, style: writeStyle(style) })}${content}</a>`;
  });
  return writeBlockTable(block, scope, links.join(' &nbsp; '), {
    align,
    className: scope.textClass,
    style: { ...fontOf(scope, 14, 1.75), color: scope.textColor, 'text-align': align },
  });
}

/** The tags are between tables, where they leave no trace. */
function writeConditional(block: BlockOf<'conditional'>, scope: Scope): string {
  const otherwise = block.elseBlocks?.length ? `\n{% else %}\n${writeBlocks(block.elseBlocks, scope)}` : '';
  return `{% if ${conditionExpression(block.condition)} %}\n${writeBlocks(block.blocks, scope)}${otherwise}\n{% endif %}`;
}
