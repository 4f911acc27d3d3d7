/** Blocks of designs that are saved under a name, to insert into other designs. An inserted block is a copy. */
import type { Block } from '../../../packages/email-blocks/src/index.js';
import type { ApiContext } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { conflict, notFound } from '../../errors.js';
import type { SavedBlock as SavedBlockRow } from '../../generated/prisma/client.js';
import { isId, newId } from '../../ids.js';

/** Saved blocks of a project. */
export const MAX_SAVED_BLOCKS = 200;

export interface SavedBlockContent {
  name: string;
  blocks: Block[];
}

export interface SavedBlock extends SavedBlockContent {
  id: string;
  createdAt: Date;
  updatedAt: Date;
}

/** The blocks were checked against their schema when they were stored. */
const toSavedBlock = ({ projectId: _projectId, blocks, ...row }: SavedBlockRow): SavedBlock => ({
  ...row,
  blocks: blocks as Block[],
});

/** Returns all saved blocks of a project by name. */
export async function listSavedBlocks({ prisma }: ApiContext, projectId: string): Promise<SavedBlock[]> {
  return (await prisma.savedBlock.findMany({ where: { projectId }, orderBy: { name: 'asc' } })).map(toSavedBlock);
}

/** @throws CONFLICT (409, the name exists, or the project has 200 saved blocks) */
export async function createSavedBlock(
  { prisma }: ApiContext,
  projectId: string,
  content: SavedBlockContent,
): Promise<SavedBlock> {
  if ((await prisma.savedBlock.count({ where: { projectId } })) >= MAX_SAVED_BLOCKS)
    throw conflict(`A project can have ${MAX_SAVED_BLOCKS} saved blocks. Delete one first.`);
  return toSavedBlock(
    await unlessNameExists(content.name, prisma.savedBlock.create({ data: { id: newId(), projectId, ...content } })),
  );
}

/** Changes the given fields. @throws SAVED_BLOCK_NOT_FOUND (404), CONFLICT (409, the name exists) */
export async function updateSavedBlock(
  { prisma }: ApiContext,
  projectId: string,
  id: string,
  content: Partial<SavedBlockContent>,
): Promise<SavedBlock> {
  const update = prisma.savedBlock.updateManyAndReturn({ where: { projectId, id }, data: content });
  const [row] = isId(id) ? await unlessNameExists(content.name, update) : [];
  if (!row) throw notFound('SAVED_BLOCK');
  return toSavedBlock(row);
}

async function unlessNameExists<T>(name: string | undefined, write: PromiseLike<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw sqlState(error) === '23505' ? conflict(`A saved block with the name "${name}" exists.`) : error;
  }
}

/** @throws SAVED_BLOCK_NOT_FOUND (404) */
export async function deleteSavedBlock({ prisma }: ApiContext, projectId: string, id: string): Promise<void> {
  const { count } = isId(id) ? await prisma.savedBlock.deleteMany({ where: { projectId, id } }) : { count: 0 };
  if (count === 0) throw notFound('SAVED_BLOCK');
}
