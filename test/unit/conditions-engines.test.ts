/** Random trees and contacts: the compiled SQL and the engine in memory must agree on every one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Predicate } from '../../src/db/predicate.js';
import { contactsWhere, contactTests, type ClauseUse } from '../../src/domain/conditions/sql/conditions.js';
import { loadContactFacts } from '../../src/domain/conditions/sql/facts.js';
import { factsNeeded, holds, type ContactFacts } from '../../src/domain/conditions/evaluate.js';
import { lowerCondition, type KnownSegment } from '../../src/domain/conditions/lower.js';
import { newId } from '../../src/ids.js';
import { conditionDatabase, type ConditionDatabase } from '../helpers/conditions.js';
import { RANDOM_NOW, randomConditions } from '../helpers/random-conditions.js';

const SEED = Number(process.env.CONDITIONS_SEED ?? 20_261_121);
const CONTACTS = 150;
const TREES = 3_000;

const { pick, contact, tree } = randomConditions(SEED);

let database: ConditionDatabase;
beforeAll(async () => {
  database = await conditionDatabase();
});
afterAll(() => database.close());

/** Returns a query for the ids of the contacts of a predicate. */
function matchesOf(projectId: string, predicate: Predicate, use: ClauseUse): { text: string; values: unknown[] } {
  if (use !== 'test') {
    const { sql, values } = contactsWhere(projectId, predicate, use, 'dominant');
    return { text: `SELECT c.id FROM contacts c WHERE ${sql}`, values };
  }
  const { columns, joins, tests, values } = contactTests(projectId, [predicate]);
  const contacts = `SELECT ${['c.*', ...columns].join(', ')} FROM contacts c ${joins.join(' ')} WHERE c.project_id = $1`;
  return { text: `SELECT c.id FROM (${contacts}) c WHERE ${tests.join()}`, values };
}

test(`the SQL and the engine in memory agree on ${TREES} trees and ${CONTACTS} contacts (seed ${SEED})`, async () => {
  const statics = [newId(), newId()];
  const dynamics = [newId(), newId()];
  const contacts = Array.from({ length: CONTACTS }, (_, index) => contact(index, statics));
  const { projectId, ids } = await database.insert(contacts);
  for (const id of statics) {
    await database.pool.query(
      `INSERT INTO segments (id, project_id, name, slug, type) VALUES ($1::uuid, $2, $1::text, $1::text, 'STATIC')`,
      [id, projectId],
    );
    const members = ids.filter((_, index) => contacts[index]?.segments.has(id));
    await database.pool.query(
      `INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1, $2, unnest($3::uuid[])`,
      [projectId, id, members],
    );
  }
  const segments = new Map<string, KnownSegment>(statics.map((id) => [id, { id, name: id, condition: null }]));
  for (const id of dynamics) segments.set(id, { id, name: id, condition: tree(statics, 2) });

  let matches = 0;
  for (let round = 0; round < TREES; round++) {
    const condition = tree([...segments.keys()], pick([1, 1, 2, 5]));
    const predicate = lowerCondition(condition, { now: RANDOM_NOW, segments });
    const { text, values } = matchesOf(projectId, predicate, pick(['set', 'walk', 'scan', 'test']));
    const { rows } = await database.pool.query<{ id: string }>(text, values);
    const inSql = new Set(rows.map(({ id }) => id));
    const different = ids.flatMap((id, index) => {
      const facts = contacts[index];
      return facts && holds(predicate, facts) !== inSql.has(id) ? [{ inSql: inSql.has(id), facts }] : [];
    });
    expect(different, JSON.stringify(condition)).toEqual([]);
    if (inSql.size > 0 && inSql.size < CONTACTS) matches += 1;
    if (round % 50 === 0)
      await expectFacts(projectId, ids[round % CONTACTS] ?? '', contacts[round % CONTACTS], predicate);
  }
  // Trees that match all contacts or none would test little.
  expect(matches).toBeGreaterThan(TREES / 3);
});

/** Checks that the loaded facts are enough for the same result in memory. */
async function expectFacts(
  projectId: string,
  id: string,
  contact: ContactFacts | undefined,
  predicate: Predicate,
): Promise<void> {
  const loaded = await loadContactFacts(database.pool, projectId, id, factsNeeded(predicate));
  if (!loaded || !contact) throw new Error('No such contact');
  expect(holds(predicate, loaded)).toBe(holds(predicate, contact));
}
