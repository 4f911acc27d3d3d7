/** The limits of a design that concern several blocks. */
import type { z } from 'zod';
import type { Block } from './schema.js';
import { walkBlocks } from './walk.js';

export const MAX_BLOCKS = 500;
/** Columns and conditionals inside of each other. */
export const MAX_LEVELS = 6;
export const MAX_DESIGN_LENGTH = 500_000;

/** Reports the first violation of each limit, with its place. */
export function checkLimits(design: { blocks: Block[] }, issues: z.RefinementCtx): void {
  const addIssue = (path: string, message: string): void =>
    issues.addIssue({ code: 'custom', path: path.split('.').map(toKey), message });
  if (JSON.stringify(design).length > MAX_DESIGN_LENGTH)
    addIssue('blocks', `must have at most ${MAX_DESIGN_LENGTH} characters of JSON`);
  const paths = new Map<string, string>();
  for (const { block, path, level, isInColumn } of walkBlocks(design.blocks)) {
    const first = paths.get(block.id);
    if (first !== undefined) addIssue(`${path}.id`, `must be unique: ${first} has the same id`);
    paths.set(block.id, path);
    if (paths.size > MAX_BLOCKS) return addIssue(path, `must not be there: a design has at most ${MAX_BLOCKS} blocks`);
    if (level > MAX_LEVELS) return addIssue(path, `must not be nested deeper than ${MAX_LEVELS} levels`);
    if (block.type === 'columns' && isInColumn) addIssue(path, 'must not be columns inside of columns');
  }
}

const toKey = (name: string): string | number => (/^\d+$/.test(name) ? Number(name) : name);
