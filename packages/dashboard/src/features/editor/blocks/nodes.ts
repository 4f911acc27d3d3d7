/** The nodes and marks of the block editor: how they look while edited, and what pasted HTML becomes. */
import { Mark, mergeAttributes, Node, type Extensions } from '@tiptap/core';
import { newBlockId } from '../content.js';
import { blockType, settingsOf, type BlockSettings } from './document.js';
import type { BlockWords } from './words.js';

/** What `renderHTML` returns: an element, its attributes, and its content (0 is the place of nested nodes). */
type Rendered = [string, Record<string, string>, ...unknown[]];

interface BlockDefinition {
  name: string;
  /** Nested content in the language of ProseMirror; none for blocks that are edited in the form only. */
  content?: string;
  group?: string;
  /** The pasted elements that become this block, and the settings they give it. */
  tags?: string[];
  readSettings?: (element: HTMLElement) => BlockSettings;
  render: (settings: BlockSettings) => { style?: string; tag?: string; label?: string; children?: unknown[] };
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const pixels = (value: unknown, fallback = 0): string => `${typeof value === 'number' ? value : fallback}px`;
const alignOf = ({ align }: BlockSettings): string => `text-align:${text(align) || 'start'};`;
const colorOf = ({ color }: BlockSettings): string => (text(color) === '' ? '' : `color:${text(color)};`);

function frameOf({ background, spacing }: BlockSettings): string {
  const { top, bottom } = Object(spacing);
  const space = spacing ? `padding-block:${pixels(top)} ${pixels(bottom)};` : '';
  return text(background) === '' ? space : `${space}background:${text(background)};`;
}

function createBlock({ name, content, group = 'block flat', tags = [], readSettings, render }: BlockDefinition) {
  return Node.create({
    name,
    group,
    ...(content !== undefined && { content }),
    atom: content === undefined,
    draggable: content === undefined,
    isolating: name === 'columns' || name === 'conditional',
    defining: content === 'inline*',
    priority: name === 'paragraph' ? 1000 : 100,
    addAttributes: () => ({
      id: {
        default: null,
        parseHTML: (element: HTMLElement) => element.dataset.id ?? null,
        renderHTML: ({ id }: Record<string, unknown>) => ({ 'data-id': text(id) }),
      },
      settings: {
        default: {},
        parseHTML: (element: HTMLElement): BlockSettings => parseSettings(element) ?? readSettings?.(element) ?? {},
        renderHTML: ({ settings }: Record<string, unknown>) => ({ 'data-settings': JSON.stringify(settings) }),
      },
    }),
    parseHTML: () => [{ tag: `[data-block="${blockType(name)}"]`, priority: 100 }, ...tags.map((tag) => ({ tag }))],
    renderHTML({ node, HTMLAttributes }): Rendered {
      const settings = settingsOf(node.attrs);
      const { style = '', tag = 'div', label, children } = render(settings);
      const attributes = mergeAttributes(HTMLAttributes, {
        'data-block': blockType(name),
        style: `${frameOf(settings)}${style}`,
        ...(label !== undefined && { 'data-label': label }),
      });
      return [tag, attributes, ...(children ?? (content === undefined ? [] : [0]))];
    },
  });
}

function parseSettings({ dataset }: HTMLElement): BlockSettings | null {
  if (dataset.settings === undefined) return null;
  try {
    return settingsOf({ settings: JSON.parse(dataset.settings) });
  } catch {
    return null;
  }
}

/** Parts of blocks, which have no settings: columns, branches, and items of lists. */
const createPart = (name: string, content: string, label: (index: number) => string, tags: string[] = []) =>
  Node.create({
    name,
    content,
    isolating: name !== 'item',
    selectable: false,
    defining: true,
    parseHTML: () => [{ tag: `[data-part="${name}"]` }, ...tags.map((tag) => ({ tag }))],
    renderHTML: (): Rendered => [name === 'item' ? 'li' : 'div', { 'data-part': name, 'data-label': label(0) }, 0],
  });

const Color = Mark.create({
  name: 'color',
  addAttributes: () => ({ color: { default: null } }),
  parseHTML: () => [{ tag: 'span[data-color]', getAttrs: (element) => ({ color: element.dataset.color ?? null }) }],
  renderHTML: ({ mark }): Rendered => [
    'span',
    { 'data-color': text(mark.attrs.color), style: `color:${text(mark.attrs.color)}` },
    0,
  ],
});

const Link = Mark.create({
  name: 'link',
  inclusive: false,
  addAttributes: () => ({ href: { default: '' }, label: { default: null }, tracked: { default: null } }),
  parseHTML: () => [
    {
      tag: 'a[href]',
      getAttrs: (element) => ({
        href: element.getAttribute('href') ?? '',
        label: element.dataset.link ?? null,
        tracked: element.dataset.tracked === 'false' ? false : null,
      }),
    },
  ],
  // Without a real target, so that a click sets the cursor.
  renderHTML: ({ mark }): Rendered => [
    'a',
    {
      href: text(mark.attrs.href),
      title: text(mark.attrs.href),
      ...(typeof mark.attrs.label === 'string' && { 'data-link': mark.attrs.label }),
      ...(mark.attrs.tracked === false && { 'data-tracked': 'false' }),
    },
    0,
  ],
});

const Variable = Node.create({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ name: { default: '' }, fallback: { default: null } }),
  parseHTML: () => [
    {
      tag: 'span[data-variable]',
      getAttrs: (element) => ({ name: element.dataset.variable ?? '', fallback: element.dataset.fallback ?? null }),
    },
  ],
  renderHTML: ({ node: { attrs } }): Rendered => [
    'span',
    {
      'data-variable': text(attrs.name),
      ...(typeof attrs.fallback === 'string' && { 'data-fallback': attrs.fallback }),
    },
    text(attrs.name),
  ],
  renderText: ({ node }) => `{{ ${text(node.attrs.name)} }}`,
});

const levelOf = (element: HTMLElement): number => Math.min(3, Number(element.tagName.slice(1)) || 2);

/** Returns the nodes of all blocks. Their labels are in the language of the application. */
export function createNodes(words: BlockWords): Extensions {
  return [
    Node.create({ name: 'doc', topNode: true, content: 'block+' }),
    createBlock({
      name: 'paragraph',
      content: 'inline*',
      tags: ['p', 'div', 'pre'],
      render: (settings) => ({ tag: 'p', style: alignOf(settings) + colorOf(settings) }),
    }),
    createBlock({
      name: 'heading',
      content: 'inline*',
      tags: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
      readSettings: (element) => ({ level: levelOf(element) }),
      // The page has its own headings, so those of the email are paragraphs to assistive technology.
      render: (settings) => ({ style: alignOf(settings) + colorOf(settings) }),
    }),
    createBlock({
      name: 'button',
      content: 'inline*',
      readSettings: () => ({ href: '' }),
      render: (settings) => ({
        style: alignOf(settings),
        children: [
          [
            'span',
            {
              'data-button': '',
              style: `background:${text(settings.buttonColor) || '#1f4fd8'};color:${text(settings.textColor) || '#ffffff'};border-radius:${pixels(settings.radius, 6)};${settings.isFullWidth === true ? 'display:block;text-align:center' : ''}`,
            },
            0,
          ],
        ],
      }),
    }),
    createBlock({
      name: 'image',
      tags: ['img[src]'],
      readSettings: (element) => ({
        src: element.getAttribute('src') ?? '',
        ...(element.getAttribute('alt') && { alt: element.getAttribute('alt') }),
      }),
      render: (settings) => ({
        style: alignOf(settings),
        children: /^https?:/i.test(text(settings.src))
          ? [
              [
                'img',
                {
                  src: text(settings.src),
                  alt: text(settings.alt),
                  style: `max-width:100%;width:${typeof settings.width === 'number' ? pixels(settings.width) : 'auto'};border-radius:${pixels(settings.radius)}`,
                },
              ],
            ]
          : [['span', { 'data-empty': '' }, text(settings.src) || words.noImage]],
      }),
    }),
    createBlock({
      name: 'columns',
      content: 'column{1,3}',
      group: 'block',
      render: ({ widths, gap }) => ({
        style: `gap:${pixels(gap, 16)};${Array.isArray(widths) ? `grid-template-columns:${widths.map((width) => `minmax(0,${Number(width)}fr)`).join(' ')}` : ''}`,
      }),
    }),
    createPart('column', 'flat+', () => ''),
    createBlock({
      name: 'conditional',
      content: 'branch{1,2}',
      render: ({ condition }) => ({ label: words.condition.sentence(condition) }),
    }),
    createPart('branch', 'block+', () => words.condition.otherwise),
    createBlock({
      name: 'divider',
      tags: ['hr'],
      render: ({ color, thickness, style }) => ({
        children: [
          [
            'hr',
            {
              style: `border:0;border-top:${pixels(thickness, 1)} ${text(style) || 'solid'} ${text(color) || '#d8dce1'}`,
            },
          ],
        ],
      }),
    }),
    createBlock({
      name: 'spacer',
      readSettings: () => ({ height: 24 }),
      render: ({ height }) => ({ style: `height:${pixels(height, 24)};` }),
    }),
    createBlock({
      name: 'list',
      content: 'item+',
      tags: ['ul', 'ol'],
      readSettings: ({ tagName }) => (tagName === 'OL' ? { isOrdered: true } : {}),
      render: (settings) => ({ tag: settings.isOrdered === true ? 'ol' : 'ul', style: colorOf(settings) }),
    }),
    createPart('item', 'inline*', () => '', ['li']),
    createBlock({
      name: 'social',
      readSettings: () => ({ links: [] }),
      render: (settings) => ({
        style: alignOf(settings),
        children: [['span', {}, socialNames(settings.links).join(' · ') || words.noLinks]],
      }),
    }),
    createBlock({
      name: 'html',
      readSettings: () => ({ html: '' }),
      render: ({ html }) => ({ label: 'HTML', children: [['pre', {}, text(html).slice(0, 600) || words.noHtml]] }),
    }),
    createBlock({
      name: 'footer',
      content: 'inline*',
      render: (settings) => ({ style: `text-align:${text(settings.align) || 'center'};`, label: words.footerLabel }),
    }),
    Variable,
    Link,
    Color,
  ];
}

const socialNames = (links: unknown): string[] =>
  Array.isArray(links) ? links.map((link) => text(Object(link).name)) : [];

/** The settings of a new block. Those without a default are required by the schema. */
export const NEW_SETTINGS: Record<string, BlockSettings> = {
  heading: { level: 2 },
  button: { href: '' },
  image: { src: '' },
  spacer: { height: 24 },
  social: { links: [{ name: 'LinkedIn', href: '' }] },
  html: { html: '' },
  conditional: { condition: { type: 'rule', variable: 'email', operator: 'exists' } },
};

/** A new block in the JSON of ProseMirror. */
export function createNode(name: string) {
  const attrs = { id: newBlockId(), settings: NEW_SETTINGS[name] ?? {} };
  const paragraph = { type: 'paragraph' };
  if (name === 'columns')
    return { type: name, attrs, content: [0, 1].map(() => ({ type: 'column', content: [paragraph] })) };
  if (name === 'conditional') return { type: name, attrs, content: [{ type: 'branch', content: [paragraph] }] };
  if (name === 'list') return { type: name, attrs, content: [{ type: 'item' }] };
  return { type: name, attrs };
}
