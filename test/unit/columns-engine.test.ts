/**
 * Random trees and contacts once more: the columns must give the same answers as the engine in memory, whatever has
 * changed since they were made.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Predicate } from '../../src/db/predicate.js';
import { COLUMN_FORMAT, EARLIEST_ID } from '../../src/domain/columns/sql/columns.js';
import { snapshot } from '../../src/db/snapshot.js';
import { countByColumns, newestByColumns, type NewestContacts } from '../../src/domain/columns/answer.js';
import { buildColumns } from '../../src/domain/columns/build.js';
import { createColumnCache } from '../../src/domain/columns/cache.js';
import { holds, type ContactFacts } from '../../src/domain/conditions/evaluate.js';
import { lowerCondition, type KnownSegment } from '../../src/domain/conditions/lower.js';
import { newId } from '../../src/ids.js';
import { eventually } from '../helpers/eventually.js';
import { conditionDatabase, type ConditionDatabase } from '../helpers/conditions.js';
import { RANDOM_NOW, randomConditions } from '../helpers/random-conditions.js';

const SEED = Number(process.env.CONDITIONS_SEED ?? 20_261_121);
const CONTACTS = 150;
const TREES = Number(process.env.CONDITIONS_TREES ?? 500);
const LIMIT = 7;

const { upTo, pick, chance, contact, tree } = randomConditions(SEED);

let database: ConditionDatabase;
beforeAll(async () => {
  database = await conditionDatabase();
});
afterAll(() => database.close());

// A cache that is too small for everything: it gives up columns all the time.
const cache = createColumnCache(30_000);

async function askColumns(
  projectId: string,
  predicate: Predicate,
  offset: number,
): Promise<(NewestContacts & { counted: number | null }) | null> {
  return snapshot(database.pool, async (tx) => {
    const question = { cache, tx, projectId, predicate };
    const counted = await countByColumns(question);
    const newest = await newestByColumns(question, { limit: LIMIT, offset });
    return newest && { ...newest, counted };
  });
}

/** Changes, adds and removes some contacts, and has events happen to others. */
async function stir(
  projectId: string,
  facts: Map<string, ContactFacts>,
  statics: string[],
  round: number,
): Promise<void> {
  const { pool } = database;
  const ids = [...facts.keys()];
  for (const id of ids.filter(() => chance(0.05))) {
    const before = facts.get(id);
    const { data, subscribed, updatedAt } = contact(0, statics);
    if (!before) continue;
    facts.set(id, { ...before, data, subscribed, updatedAt });
    await pool.query('UPDATE contacts SET data = $2, subscribed = $3, updated_at = $4 WHERE id = $1', [
      id,
      JSON.stringify(data),
      subscribed,
      updatedAt,
    ]);
  }
  for (const id of ids.filter(() => chance(0.02))) {
    facts.delete(id);
    await pool.query('DELETE FROM contacts WHERE id = $1', [id]);
  }
  const added = Array.from({ length: upTo(5) }, (_, index) => contact(1000 * round + index, []));
  const inserted = await database.insert(added, projectId);
  inserted.ids.forEach((id, index) => {
    const one = added[index];
    if (one) facts.set(id, one);
  });
  const [someone] = facts;
  if (!someone) return;
  const at = new Date(RANDOM_NOW.getTime() - 3_600_000);
  await pool.query(
    `INSERT INTO events (id, project_id, contact_id, name, created_at) VALUES ($1, $2, $3, 'bought', $4)`,
    [newId(), projectId, someone[0], at],
  );
  const bought = someone[1].events.get('bought') ?? { first: at, last: at };
  facts.set(someone[0], {
    ...someone[1],
    events: new Map([
      ...someone[1].events,
      ['bought', { first: new Date(Math.min(+bought.first, +at)), last: new Date(Math.max(+bought.last, +at)) }],
    ]),
  });
}

test(`the columns and the engine in memory agree on ${TREES} random trees over contacts that change meanwhile (seed ${SEED})`, async () => {
  const { pool } = database;
  const statics = [newId(), newId()];
  const contacts = Array.from({ length: CONTACTS }, (_, index) => contact(index, statics));
  const { projectId, ids } = await database.insert(contacts);
  for (const id of statics) {
    await pool.query(
      `INSERT INTO segments (id, project_id, name, slug, type) VALUES ($1::uuid, $2, $1::text, $1::text, 'STATIC')`,
      [id, projectId],
    );
    await pool.query(
      `INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1, $2, unnest($3::uuid[])`,
      [projectId, id, ids.filter((_, index) => contacts[index]?.segments.has(id))],
    );
  }
  const segments = new Map<string, KnownSegment>(statics.map((id) => [id, { id, name: id, condition: null }]));
  const facts = new Map(ids.flatMap((id, index) => (contacts[index] ? [[id, contacts[index]]] : [])));
  await pool.query('INSERT INTO contact_stores (project_id, format, built_to) VALUES ($1, $2, $3)', [
    projectId,
    COLUMN_FORMAT,
    EARLIEST_ID,
  ]);
  // Made when all transactions of the server have ended that were under way: those of other tests' databases, too.
  await eventually(async () => {
    await buildColumns(pool, { chunk: 40 });
    const chunks = await pool.query('SELECT count(*) AS count FROM contact_chunks WHERE project_id = $1', [projectId]);
    expect(chunks.rows).toEqual([{ count: Math.ceil(CONTACTS / 40) }]);
  });

  let answered = 0;
  let matched = 0;
  for (let round = 0; round < TREES; round++) {
    if (round % 40 === 20) await stir(projectId, facts, statics, round);
    if (round % 120 === 80) await buildColumns(pool, { chunk: 40, enough: 1 });
    const condition = tree([...segments.keys()], pick([1, 1, 2, 5]));
    const predicate = lowerCondition(condition, { now: RANDOM_NOW, segments });
    const expected = [...facts]
      .filter(([, one]) => holds(predicate, one))
      .sort(([x, a], [y, b]) => +b.createdAt - +a.createdAt || (x < y ? 1 : -1));
    const offset = pick([0, 0, 5, 200]);
    const answer = await askColumns(projectId, predicate, offset);
    if (!answer) continue;
    answered += 1;
    if (expected.length > 0 && expected.length < facts.size) matched += 1;
    const wanted = {
      counted: expected.length,
      total: expected.length,
      ids: expected.slice(offset, offset + LIMIT).map(([id]) => id),
    };
    expect(answer, JSON.stringify(condition)).toEqual(wanted);
  }
  // What is in lists and objects the columns don't know; trees that ask for it are few, and trees that are true of
  // everybody or nobody say little.
  expect(answered).toBeGreaterThan(TREES * 0.8);
  expect(matched).toBeGreaterThan(TREES / 3);
});
