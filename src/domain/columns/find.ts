/**
 * The contacts of a project that meet a condition: by the columns where the project has them, by PostgreSQL alone where
 * not.
 */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { snapshot } from '../../db/snapshot.js';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { hasColumns, requestColumns } from './sql/columns.js';
import { contactsWhere } from '../conditions/sql/conditions.js';
import type { ContactRow } from '../contacts/sql/rows.js';
import { countWhere, selectByIds, selectWhere } from '../segments/sql/segments.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { countByColumns, newestByColumns } from './answer.js';

/**
 * Projects with as many contacts get columns when somebody asks about all of them; below, PostgreSQL takes some ten
 * milliseconds.
 */
const MANY = 50_000;

/** What is asked, as of the transaction that answers it. */
export type Asks = (tx: PoolClient) => Promise<Predicate>;

/** How many contacts meet a condition. @throws what `asks` throws */
export function countContactsWhere(ctx: Context, projectId: string, asks: Asks): Promise<number> {
  return answered(ctx, projectId, async (tx) => {
    const predicate = await asks(tx);
    const count = await countByColumns({ cache: ctx.columns, tx, projectId, predicate });
    return { byColumns: count !== null, answer: count ?? (await countWhere(tx, contactsWhere(projectId, predicate))) };
  });
}

/**
 * The same for lists, of which most are of few contacts: PostgreSQL has a statement of its own for it, which is all
 * that they take.
 */
export async function countListed(
  { pool, columns }: Context,
  projectId: string,
  predicate: Predicate,
  byItself: (db: Queryable) => Promise<number>,
): Promise<number> {
  if (await hasColumns(pool, projectId))
    return snapshot(
      pool,
      async (tx) => (await countByColumns({ cache: columns, tx, projectId, predicate })) ?? byItself(tx),
    );
  const count = await byItself(pool);
  if (count >= MANY) await requestColumns(pool, projectId, MANY);
  return count;
}

export interface FoundContacts {
  total: number;
  contacts: ContactRow[];
}

/** How many contacts meet a condition, and a page of them, the newest first. @throws what `asks` throws */
export function findContacts(
  ctx: Context,
  projectId: string,
  asks: Asks,
  page: { limit: number; offset: number },
): Promise<FoundContacts> {
  return answered(ctx, projectId, async (tx) => {
    const predicate = await asks(tx);
    const newest = await newestByColumns({ cache: ctx.columns, tx, projectId, predicate }, page);
    if (newest)
      return {
        byColumns: true,
        answer: { total: newest.total, contacts: await selectByIds(tx, projectId, newest.ids) },
      };
    const total = await countWhere(tx, contactsWhere(projectId, predicate));
    return {
      byColumns: false,
      answer: {
        total,
        contacts: page.offset >= total ? [] : await selectWhere(tx, projectId, predicate, { ...page, total }),
      },
    };
  });
}

export interface Answered<T> {
  byColumns: boolean;
  answer: T;
}

/**
 * Answers a question about all contacts in a transaction that sees one moment. Where the columns don't answer, and
 * there are many contacts, they are asked for.
 */
export async function answered<T>(
  { pool }: Context,
  projectId: string,
  ask: (tx: PoolClient) => Promise<Answered<T>>,
): Promise<T> {
  const { byColumns, answer } = await snapshot(pool, async (tx) => {
    await prepareWideQuery(tx);
    return ask(tx);
  });
  if (!byColumns) await requestColumns(pool, projectId, MANY);
  return answer;
}
