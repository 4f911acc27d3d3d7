/**
 * Questions about all contacts of a project, answered by its columns: how many meet a condition, and which of them are
 * the newest.
 *
 * All that is read belongs to one moment, that of the transaction: which contacts have changed since their columns were
 * made is noted in the transactions that changed them. Of the others the columns know everything, and of these
 * PostgreSQL does.
 */
import { setImmediate } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Predicate } from '../../db/predicate.js';
import { contactsOfLog, contactsWhere } from '../conditions/sql/conditions.js';
import { IS_CHANGED, selectChanged, selectChunks, selectIds } from './sql/columns.js';
import { countWhere, newestWhere } from '../segments/sql/segments.js';
import type { ColumnCache } from './cache.js';
import { idsFromBytes, marked } from './ids.js';
import { loadChunks } from './load.js';
import { holdsIn, idsOf, whatIsNeeded, type LogPredicate, type Part } from './match.js';
import { countMask, intersect, invert } from './mask.js';
import { merged, newestFound, type Found } from './newest.js';

export interface ColumnQuestion {
  cache: ColumnCache;
  /** One that sees one moment (src/db/snapshot.ts). */
  tx: PoolClient;
  projectId: string;
  predicate: Predicate;
}

/** More changed contacts than these, and all are asked of PostgreSQL. */
export const MAX_CHANGED = 30_000;
/** Chunks between two breaths: some milliseconds. */
const AT_ONCE = 8;

/** How many contacts meet a condition; null when there are no columns, or they can't say. */
export async function countByColumns(question: ColumnQuestion): Promise<number | null> {
  const answer = await ask(question);
  return answer && answer.total + (answer.changed ? await countWhere(question.tx, changedWhere(question)) : 0);
}

export interface NewestContacts {
  total: number;
  /** In the order of lists. */
  ids: string[];
}

/**
 * A page of the contacts that meet a condition, the newest first; null when there are no columns, or they can't say.
 */
export async function newestByColumns(
  question: ColumnQuestion,
  { limit, offset }: { limit: number; offset: number },
): Promise<NewestContacts | null> {
  const answer = await ask(question, { id: 'ids', createdAt: 'codes' });
  if (!answer) return null;
  const unchanged = newestFound(answer.found, offset + limit);
  const changed = answer.changed
    ? await newestWhere(question.tx, changedWhere(question), offset + limit)
    : { total: 0, places: [] };
  const ids = merged(unchanged, changed.places).slice(offset, offset + limit);
  return { total: answer.total + changed.total, ids: ids.map(({ id }) => id) };
}

function changedWhere({ projectId, predicate }: ColumnQuestion): { sql: string; values: unknown[] } {
  const { sql, values } = contactsWhere(projectId, predicate);
  return { sql: `${IS_CHANGED} AND ${sql}`, values };
}

/** What the columns know of the contacts that have not changed. */
export interface Answer {
  found: Found[];
  /** How many were found. */
  total: number;
  /** Whether contacts have changed, of which nothing is said. */
  changed: boolean;
}

/** @param also columns that are looked at beside those of the predicate */
export async function ask(
  { cache, tx, projectId, predicate }: ColumnQuestion,
  also: Record<string, Part> = {},
): Promise<Answer | null> {
  const needed = whatIsNeeded(predicate);
  const rows = needed && (await selectChunks(tx, projectId));
  const changed = rows && (await selectChanged(tx, projectId, MAX_CHANGED));
  if (!needed || !rows || !changed) return null;
  for (const [field, part] of Object.entries(also))
    needed.columns.set(field, new Set([...(needed.columns.get(field) ?? []), part]));
  if (changed.length > 0 || needed.logs.length > 0) needed.columns.set('id', new Set<Part>(['ids']));
  const chunks = await loadChunks({ cache, tx, projectId }, rows, needed);
  if (!chunks) return null;
  const logs = new Map<LogPredicate, Uint32Array>();
  for (const log of needed.logs) logs.set(log, idsFromBytes(await selectIds(tx, contactsOfLog(projectId, log))));

  const stale = idsFromBytes(changed);
  const answer: Answer = { found: [], total: 0, changed: changed.length > 0 };
  for (const [index, chunk] of chunks.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await setImmediate();
    const mask = holdsIn(predicate, chunk, logs);
    const live = stale.length > 0 ? invert(marked(idsOf(chunk), stale)) : null;
    if (live) intersect(mask, live);
    const matches = countMask(mask);
    answer.found.push({ chunk, mask, matches, live });
    answer.total += matches;
  }
  return answer;
}
