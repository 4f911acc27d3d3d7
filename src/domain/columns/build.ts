/**
 * Columns of contacts: made for projects with so many that questions about all of them take long, and made anew where
 * many have changed.
 *
 * Whoever asks, asks the columns about the contacts that are as they were when these were made, and PostgreSQL about
 * the others (answer.ts). So columns are never wrong, only more or less of an answer, and what is done here, and when,
 * is a matter of speed alone.
 */
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { sqlState, type Pool } from '../../db/pool.js';
import { snapshot } from '../../db/snapshot.js';
import {
  changedChunks,
  chunkRange,
  contactsInRange,
  lockStore,
  markNoted,
  setBuiltTo,
  startOver,
  storesWithWork,
  writeChunk,
  type IdRange,
  type Store,
} from './sql/build.js';
import { COLUMN_FORMAT } from './sql/columns.js';
import { newId } from '../../ids.js';
import { CHUNK, encodeChunk } from './encode.js';

/**
 * Changed contacts of a project at which its columns are made anew: PostgreSQL answers for so many in some ten
 * milliseconds.
 */
const ENOUGH = 10_000;

export interface BuildOptions {
  /** Changes of a project that are worth the work; default 10,000. */
  enough?: number;
  /** Contacts of a chunk; default 16,384, which is the most. */
  chunk?: number;
  /** Ends the work before the next chunk. */
  signal?: AbortSignal;
}

/** Makes what is missing of all columns, and makes anew what has changed enough. */
export async function buildColumns(
  pool: Pool,
  { enough = ENOUGH, chunk = CHUNK, signal }: BuildOptions = {},
): Promise<void> {
  await markNoted(pool);
  for (const projectId of await storesWithWork(pool, enough)) {
    const work: Work = { pool, projectId, chunk, signal };
    if (await complete(work)) await renew(work);
  }
}

interface Work {
  pool: Pool;
  projectId: string;
  chunk: number;
  signal?: AbortSignal;
}

/**
 * Makes chunk after chunk until the last contact has one. @returns false when somebody else is at it, or it is too
 * early
 */
async function complete(work: Work): Promise<boolean> {
  for (;;) {
    const state = await oneStep(work, async (tx, { format, builtTo }) => {
      if (format !== COLUMN_FORMAT) {
        await startOver(tx, work.projectId);
        return 'made';
      }
      if (builtTo === null) return 'complete';
      await setBuiltTo(tx, work.projectId, await buildChunk(tx, work, { first: builtTo, next: null }));
      return 'made';
    });
    if (state !== 'made') return state === 'complete';
    if (work.signal?.aborted) return false;
  }
}

/** Makes each chunk anew that has changed by now. */
async function renew(work: Work): Promise<void> {
  const { pool, projectId } = work;
  for (const first of await changedChunks(pool, projectId)) {
    if (work.signal?.aborted) return;
    await oneStep(work, async (tx) => {
      // In one transaction, although it may have become several chunks: what lies between two chunks must not be
      // without columns.
      let range = await chunkRange(tx, projectId, first);
      while (range) {
        const following: string | null = await buildChunk(tx, work, range);
        range = following === null ? undefined : { first: following, next: range.next };
      }
      await setBuiltTo(tx, projectId, null);
    });
  }
}

/**
 * A transaction that sees one moment, and has the project's columns to itself; undefined when somebody else has, or has
 * just had.
 */
async function oneStep<T>(
  { pool, projectId }: Work,
  step: (tx: PoolClient, store: Store) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await snapshot(pool, async (tx) => {
      const store = await lockStore(tx, projectId);
      return store && step(tx, store);
    });
  } catch (error) {
    if (sqlState(error) === '40001') return undefined;
    throw error;
  }
}

/** Makes a chunk of the first contacts of a range. @returns where the rest of them begins; null when there is none */
async function buildChunk(
  tx: PoolClient,
  { projectId, chunk }: Work,
  { first, next }: IdRange,
): Promise<string | null> {
  const found = await contactsInRange(tx, projectId, { first, next }, chunk + 1);
  const rest = found[chunk]?.id ?? null;
  const contacts = found.slice(0, chunk);
  // This is the longest that the process is kept from anything else.
  await setImmediate();
  const { ids, columns, partial } = encodeChunk(contacts);
  const parts = [
    { field: 'id', part: 'ids', payload: ids },
    ...columns.flatMap(({ field, codes, texts }) => [
      { field, part: 'codes', payload: codes },
      ...(texts ? [{ field, part: 'texts', payload: texts }] : []),
    ]),
  ];
  await writeChunk(tx, {
    projectId,
    first,
    next: rest ?? next,
    version: newId(),
    contacts: contacts.length,
    partial,
    parts,
  });
  return rest;
}
