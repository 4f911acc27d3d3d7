/** Random trees and contacts: the compiled SQL and the engine in memory must agree on every one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonValue, Predicate } from '../../src/db/predicate.js';
import { contactsWhere } from '../../src/db/sql/conditions.js';
import { loadContactFacts } from '../../src/db/sql/condition-facts.js';
import { factsNeeded, holds, type ContactFacts } from '../../src/domain/conditions/evaluate.js';
import { lowerCondition, type KnownSegment } from '../../src/domain/conditions/lower.js';
import { OPERATORS_OF, readSubject, type ConditionTree, type Filter, type Group, type Operator } from '../../src/domain/conditions/tree.js';
import { readCondition } from '../../src/domain/conditions/validate.js';
import { newId } from '../../src/ids.js';
import { conditionDatabase, factsOf, type ConditionDatabase } from '../helpers/conditions.js';

const SEED = Number(process.env.CONDITIONS_SEED ?? 20_261_121);
const CONTACTS = 150;
const TREES = 3_000;
const NOW = new Date('2030-06-15T12:00:00.000Z');

/** mulberry32: the same numbers for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const random = randomFrom(SEED);
const upTo = (n: number): number => Math.floor(random() * n);
const pick = <T>(list: readonly T[]): T => {
  const item = list[upTo(list.length)];
  if (item === undefined) throw new Error('Nothing to pick from');
  return item;
};
const chance = (share: number): boolean => random() < share;

// Small pools, so that filters and contacts meet often; among them what SQL, LIKE, JSON and Unicode could trip over.
const WORDS = ['pro', 'Pro', 'PRO plan', 'free', '', ' ', '5', '10', "it's", '"quoted"', 'back\\slash', '100%', 'a_b', 'ÄÖÜ', 'straße', 'STRASSE', 'İstanbul', 'ΟΔΟΣ', 'όδος', '日本', '😀', '\uE000', '{"a":1}', 'null', 'true', '$1', '?'];
const DATES = ['2030-06-15', '2030-06-14', '2030-06-14T12:00:00Z', '2030-06-14 12:00', '2030-06-14T12:00:00.0009Z', '2030-06-15T01:00:00+13:00', '2030-06-13T22:00:00-23:59', '2029-02-29', '2028-02-29', '2030-6-1', '0001-01-01', '9999-12-31', '2030-06-16T00:00:00Z', '2030-06-15T12:00:00.001Z', '2030-13-01', '2030-06-14T24:00:00Z', '2030-06-14T12:00:00z', '2030-06-14\n'];
const NUMBERS = [0, 1, 5, 10, -1, 0.1, 0.30000000000000004, 1e21, -1e-7, 2 ** 53, 5e-324, 1.7976931348623157e308];
const KEYS = ['x', 'y', 'Key mit Ä', 'a.b', 'a', 'constructor', "o'brien", '$1'];
const EVENTS = ['bought', 'sign up', 'email.opened', "o'clock"];
const AGES = [0.5, 1, 2, 24, 48, 1000] as const;

const scalar = (): JsonValue => pick<() => JsonValue>([() => pick(WORDS), () => pick(WORDS), () => pick(DATES), () => pick(NUMBERS), () => chance(0.5), () => null])();
function value(depth = 0): JsonValue {
  if (depth < 2 && chance(0.12)) return Array.from({ length: upTo(3) }, () => value(depth + 1));
  if (depth < 2 && chance(0.15)) return Object.fromEntries(Array.from({ length: upTo(3) }, () => [pick(['b', 'c', 'x']), value(depth + 1)]));
  return scalar();
}

const timeAgo = (): string => new Date(NOW.getTime() - pick([0, 1, ...AGES.map((hours) => hours * 3_600_000), 86_400_000 + 1])).toISOString();

function contact(index: number, segments: string[]): ContactFacts {
  const data = Object.fromEntries(KEYS.filter(() => chance(0.5)).map((key) => [key, value()]));
  const events = Object.fromEntries(EVENTS.filter(() => chance(0.4)).map((name) => [name, Array.from({ length: 1 + upTo(3) }, timeAgo)]));
  return factsOf({ email: `${pick(['ada', 'bob', 'c_c', 'd%d'])}${index}@${pick(['example.com', 'x.test'])}`, subscribed: chance(0.6), createdAt: timeAgo(), data, events }, segments.filter(() => chance(0.4)));
}

function filter(segmentIds: string[]): Filter {
  const field = pick(['email', 'subscribed', 'createdAt', 'updatedAt', ...KEYS.map((key) => `data.${key}`), 'data.x', 'data.y', 'data.a.c', 'data.x.b.c', ...EVENTS.map((name) => (name.startsWith('email.') ? name : `event.${name}`)), ...segmentIds.map((id) => `segment.${id}`)]);
  const subject = readSubject(field);
  if (!subject) throw new Error(`No field ${field}`);
  const operator = pick(OPERATORS_OF[subject.kind]);
  return { field, operator, ...argument(field, operator) };
}

function argument(field: string, operator: Operator): Pick<Filter, 'value' | 'unit'> {
  switch (operator) {
    case 'equals':
    case 'notEquals':
      if (field === 'subscribed') return { value: chance(0.5) };
      if (field === 'email') return { value: pick(['ada1@example.com', 'BOB2@x.test', 'c_c3@x.test']) };
      return { value: field.startsWith('data.') ? value() : pick(DATES) };
    case 'in':
    case 'notIn':
      return { value: Array.from({ length: pick([0, 1, 2, 4, 30]) }, () => (field === 'email' ? `${pick(['ada', 'bob'])}${upTo(CONTACTS)}@x.test` : value())) };
    case 'contains':
    case 'notContains':
    case 'startsWith':
    case 'endsWith':
      return { value: pick([...WORDS.filter((word) => word !== ''), 'A', '@', '_', '%', 'σ', 'Σ', 'ss', 'i', 'com', '2030']) };
    case 'greaterThan':
    case 'greaterThanOrEqual':
    case 'lessThan':
    case 'lessThanOrEqual':
      return { value: field.startsWith('data.') ? pick<() => JsonValue>([() => pick(WORDS), () => pick(DATES), () => pick(NUMBERS)])() : pick(DATES) };
    case 'within':
    case 'olderThan':
    case 'triggeredWithin':
    case 'triggeredOlderThan':
    case 'notTriggeredWithin':
      return pick([{ value: pick(AGES), unit: 'hours' as const }, { value: pick([1, 2, 365]), unit: 'days' as const }, { value: 30, unit: 'minutes' as const }]);
    default:
      return {};
  }
}

function tree(segmentIds: string[], levels: number): ConditionTree {
  const group = (): Group => ({
    filters: Array.from({ length: pick([0, 1, 1, 1, 2, 3]) }, () => filter(segmentIds)),
    ...(levels > 1 && chance(0.3) && { conditions: tree(segmentIds, levels - 1) }),
  });
  return { logic: pick(['AND', 'OR']), groups: Array.from({ length: pick([0, 1, 1, 1, 2, 2, 3]) }, group) };
}

/** A random tree that the API would take; a random date may be none. */
function validTree(segmentIds: string[], levels: number): ConditionTree {
  for (;;) {
    const { tree: read, errors } = readCondition(tree(segmentIds, levels), 'condition');
    if (errors.length === 0) return read;
  }
}

let database: ConditionDatabase;
beforeAll(async () => {
  database = await conditionDatabase();
});
afterAll(() => database.close());

test(`the SQL and the engine in memory agree on ${TREES} random trees and ${CONTACTS} random contacts (seed ${SEED})`, async () => {
  const statics = [newId(), newId()];
  const dynamics = [newId(), newId()];
  const contacts = Array.from({ length: CONTACTS }, (_, index) => contact(index, statics));
  const { projectId, ids } = await database.insert(contacts);
  for (const id of statics) {
    await database.pool.query(`INSERT INTO segments (id, project_id, name, slug, type) VALUES ($1::uuid, $2, $1::text, $1::text, 'STATIC')`, [id, projectId]);
    const members = ids.filter((_, index) => contacts[index]?.segments.has(id));
    await database.pool.query(`INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1, $2, unnest($3::uuid[])`, [projectId, id, members]);
  }
  const segments = new Map<string, KnownSegment>(statics.map((id) => [id, { id, name: id, condition: null }]));
  for (const id of dynamics) segments.set(id, { id, name: id, condition: validTree(statics, 2) });

  let matches = 0;
  for (let round = 0; round < TREES; round++) {
    const condition = validTree([...segments.keys()], pick([1, 1, 2, 5]));
    const predicate = lowerCondition(condition, { now: NOW, segments });
    const { sql, values } = contactsWhere(projectId, predicate, pick(['set', 'walk']));
    const { rows } = await database.pool.query<{ id: string }>(`SELECT c.id FROM contacts c WHERE ${sql}`, values);
    const inSql = new Set(rows.map(({ id }) => id));
    const different = ids.flatMap((id, index) => {
      const facts = contacts[index];
      return facts && holds(predicate, facts) !== inSql.has(id) ? [{ inSql: inSql.has(id), facts }] : [];
    });
    expect(different, JSON.stringify(condition)).toEqual([]);
    if (inSql.size > 0 && inSql.size < CONTACTS) matches += 1;
    if (round % 50 === 0) await expectFacts(projectId, ids[round % CONTACTS] ?? '', contacts[round % CONTACTS], predicate);
  }
  // Trees that are true of everybody, or of nobody, would say little.
  expect(matches).toBeGreaterThan(TREES / 3);
});

/** What is loaded for the engine in memory is what it is said to need, and enough for the same answer. */
async function expectFacts(projectId: string, id: string, contact: ContactFacts | undefined, predicate: Predicate): Promise<void> {
  const loaded = await loadContactFacts(database.pool, projectId, id, factsNeeded(predicate));
  if (!loaded || !contact) throw new Error('No such contact');
  expect(holds(predicate, loaded)).toBe(holds(predicate, contact));
}
