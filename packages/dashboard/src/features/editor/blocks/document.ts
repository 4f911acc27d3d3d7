/**
 * Converts designs to documents of the block editor, and back. Pure, so that tests can compare both ways.
 *
 * Each block is a node with its id and its settings: all of its fields except texts and nested blocks. The editor needs
 * a place for the cursor, so a container without blocks has an empty paragraph, which is left out on the way back.
 */
import type { Block, Design, Inline } from '../content.js';

/** A node in the JSON of ProseMirror. */
export interface DocNode {
  type: string;
  attrs?: Record<string, unknown>;
  content?: DocNode[];
  marks?: DocMark[];
  text?: string;
}

interface DocMark {
  type: string;
  attrs?: Record<string, unknown>;
}

export type BlockSettings = Record<string, unknown>;

/** The nodes whose name is not the type of the block. */
const NODE_NAMES: Partial<Record<Block['type'], string>> = { text: 'paragraph' };
const BLOCK_TYPES: Record<string, string> = { paragraph: 'text' };

export const nodeName = (type: Block['type']): string => NODE_NAMES[type] ?? type;
export const blockType = (name: string): string => BLOCK_TYPES[name] ?? name;

export const toDocument = (design: Design): DocNode => ({ type: 'doc', content: toNodes(design.blocks) });

const toNodes = (blocks: readonly Block[]): DocNode[] =>
  blocks.length === 0 ? [{ type: 'paragraph' }] : blocks.map(toNode);

export function toNode(block: Block): DocNode {
  const type = nodeName(block.type);
  switch (block.type) {
    case 'heading':
    case 'text':
    case 'button': {
      const { id, type: _type, content, ...settings } = block;
      return { type, attrs: { id, settings }, content: toInlineNodes(content) };
    }
    case 'footer': {
      const { id, type: _type, content, ...settings } = block;
      return { type, attrs: { id, settings }, content: toInlineNodes(content ?? []) };
    }
    case 'list': {
      const { id, type: _type, items, ...settings } = block;
      const shown = items.length === 0 ? [[]] : items;
      return {
        type,
        attrs: { id, settings },
        content: shown.map((item) => ({ type: 'item', content: toInlineNodes(item) })),
      };
    }
    case 'columns': {
      const { id, type: _type, columns, ...settings } = block;
      return {
        type,
        attrs: { id, settings },
        content: columns.map((blocks) => ({ type: 'column', content: toNodes(blocks) })),
      };
    }
    case 'conditional': {
      const { id, type: _type, blocks, elseBlocks, ...settings } = block;
      const branches = elseBlocks === undefined || elseBlocks === null ? [blocks] : [blocks, elseBlocks];
      return {
        type,
        attrs: { id, settings },
        content: branches.map((branch) => ({ type: 'branch', content: toNodes(branch) })),
      };
    }
    case 'image':
    case 'divider':
    case 'spacer':
    case 'social':
    case 'html': {
      const { id, type: _type, ...settings } = block;
      return { type, attrs: { id, settings } };
    }
    default:
      return block satisfies never;
  }
}

function toInlineNodes(content: readonly Inline[]): DocNode[] {
  return content.flatMap((part): DocNode[] => {
    const marks = (part.marks ?? []).map(({ type, ...attrs }): DocMark => ({ type, attrs }));
    const marked = marks.length === 0 ? {} : { marks };
    if (part.type === 'variable')
      return [{ type: 'variable', attrs: { name: part.name, fallback: part.fallback ?? null }, ...marked }];
    const lines = part.text.split('\n');
    return lines.flatMap((text, index): DocNode[] => [
      ...(index === 0 ? [] : [{ type: 'hardBreak', ...marked }]),
      // ProseMirror has no empty texts.
      ...(text === '' ? [] : [{ type: 'text', text, ...marked }]),
    ]);
  });
}

/** @param settings those of the design itself, which the document does not have */
export const toDesign = (document: DocNode, settings?: Design['settings']): Design => ({
  version: 1,
  ...(settings && Object.keys(settings).length > 0 && { settings }),
  blocks: toBlocks(document.content),
});

function toBlocks(nodes: readonly DocNode[] = []): Block[] {
  const [first] = nodes;
  if (nodes.length === 1 && first && isPlaceholder(first)) return [];
  return nodes.map(toBlock);
}

const isPlaceholder = ({ type, content = [], attrs = {} }: DocNode): boolean =>
  type === 'paragraph' && content.length === 0 && Object.keys(settingsOf(attrs)).length === 0;

export const settingsOf = ({ settings }: Record<string, unknown>): BlockSettings =>
  typeof settings === 'object' && settings !== null ? { ...settings } : {};

/** The nodes of the editor allow exactly what the schema of designs allows, and the server checks it again. */
export function toBlock(node: DocNode): Block {
  const { type, attrs = {}, content = [] } = node;
  const base = { ...settingsOf(attrs), id: String(attrs.id), type: blockType(type) };
  return { ...base, ...nestedFields(type, content) } as Block;
}

function nestedFields(type: string, content: readonly DocNode[]): Record<string, unknown> {
  switch (type) {
    case 'paragraph':
    case 'heading':
    case 'button':
      return { content: toInline(content) };
    case 'footer':
      return content.length === 0 ? {} : { content: toInline(content) };
    case 'list': {
      const items = content.map((item) => toInline(item.content));
      return { items: items.length === 1 && items[0]?.length === 0 ? [] : items };
    }
    case 'columns':
      return { columns: content.map((column) => toBlocks(column.content)) };
    case 'conditional': {
      const [blocks, elseBlocks] = content.map((branch) => toBlocks(branch.content));
      return { blocks: blocks ?? [], ...(elseBlocks && { elseBlocks }) };
    }
    default:
      return {};
  }
}

function toInline(nodes: readonly DocNode[] = []): Inline[] {
  const parts: Inline[] = [];
  for (const { type, text = '', attrs = {}, marks: docMarks = [] } of nodes) {
    const marks = docMarks.map(({ type: name, attrs: values = {} }) => ({ type: name, ...withoutNulls(values) }));
    const marked = marks.length === 0 ? {} : { marks };
    if (type === 'variable') {
      parts.push({ type: 'variable', ...withoutNulls(attrs), ...marked } as Inline);
      continue;
    }
    const part = { type: 'text', text: type === 'hardBreak' ? '\n' : text, ...marked } as Inline;
    const last = parts.at(-1);
    if (last?.type === 'text' && part.type === 'text' && JSON.stringify(last.marks) === JSON.stringify(part.marks))
      last.text += part.text;
    else parts.push(part);
  }
  return parts;
}

const withoutNulls = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

/** Returns the indexes of the nodes on the way to a block: `blocks.2.columns.0.1.src` is [2, 0, 1]. */
export function nodeIndexes(path: string): number[] {
  const indexes: number[] = [];
  const words = path.split('.');
  for (let at = 0; at < words.length; at += 2) {
    const [list, index] = [words[at], Number(words[at + 1])];
    if (!Number.isInteger(index)) break;
    if (list === 'columns') {
      indexes.push(index);
      // The block follows the column without another name.
      const inner = Number(words[at + 2]);
      if (!Number.isInteger(inner)) break;
      indexes.push(inner);
      at += 1;
    } else if (list === 'blocks' || list === 'elseBlocks') {
      if (at > 0) indexes.push(list === 'blocks' ? 0 : 1);
      indexes.push(index);
    } else break;
  }
  return indexes;
}
