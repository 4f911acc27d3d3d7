/** Iterates over the blocks of a design, including nested ones, in the order of reading. */
import type { Block } from './schema.js';

export interface Place {
  block: Block;
  /** `blocks.2.columns.0.1` */
  path: string;
  /** 1 for a block of the design itself. */
  level: number;
  /** Whether the block is inside of columns. */
  isInColumn: boolean;
}

/** @yields each block before its nested blocks */
export function* walkBlocks(blocks: readonly Block[]): Generator<Place> {
  yield* walkList(blocks, { path: 'blocks', level: 1, isInColumn: false });
}

function* walkList(blocks: readonly Block[], at: Omit<Place, 'block'>): Generator<Place> {
  for (const [index, block] of blocks.entries()) {
    const place = { ...at, block, path: `${at.path}.${index}` };
    yield place;
    const nested = { level: at.level + 1, isInColumn: at.isInColumn || block.type === 'columns' };
    for (const list of nestedLists(block))
      yield* walkList(list.blocks, { ...nested, path: `${place.path}.${list.name}` });
  }
}

function nestedLists(block: Block): Array<{ name: string; blocks: readonly Block[] }> {
  if (block.type === 'columns') return block.columns.map((blocks, index) => ({ name: `columns.${index}`, blocks }));
  if (block.type !== 'conditional') return [];
  return [
    { name: 'blocks', blocks: block.blocks },
    { name: 'elseBlocks', blocks: block.elseBlocks ?? [] },
  ];
}
