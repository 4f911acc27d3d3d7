/** The truth table, checked with both engines. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContactFacts } from '../../src/domain/conditions/evaluate.js';
import { holds } from '../../src/domain/conditions/evaluate.js';
import { lowerCondition } from '../../src/domain/conditions/lower.js';
import {
  DATA_KINDS,
  DATA_TRUTH,
  FIELD_TRUTH,
  treeOf,
  TRUTH_CONTACT,
  TRUTH_NOW,
  type DataKind,
  type TruthContact,
} from '../../src/domain/conditions/truth.js';
import { OPERATORS, OPERATORS_OF, readSubject } from '../../src/domain/conditions/tree.js';
import { foldCase } from '../../src/domain/conditions/text.js';
import { validateCondition } from '../../src/domain/conditions/validate.js';
import { conditionDatabase, factsOf, type ConditionDatabase } from '../helpers/conditions.js';

let database: ConditionDatabase;
beforeAll(async () => {
  database = await conditionDatabase();
});
afterAll(() => database.close());

const kinds = Object.keys(DATA_KINDS) as DataKind[];
const contactOf = (overrides: Partial<TruthContact>): ContactFacts => factsOf({ ...TRUTH_CONTACT, ...overrides });
const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';

describe('the truth table of data', () => {
  test.each(DATA_TRUTH.map((row) => [`${row.operator} ${show(row.value)} ${row.unit ?? ''}`.trim(), row] as const))(
    'data.x %s',
    async (_, { holds: expected, ...filter }) => {
      const tree = validateCondition(treeOf({ field: 'data.x', ...filter }), 'condition');
      const predicate = lowerCondition(tree, { now: TRUTH_NOW, segments: new Map() });
      const facts = kinds.map((kind) =>
        contactOf({ data: DATA_KINDS[kind] === undefined ? {} : { x: DATA_KINDS[kind] } }),
      );
      const inMemory = kinds.filter((_, index) => holds(predicate, facts[index] ?? contactOf({})));
      const ids = await database.matching(predicate, facts);
      const inSql = kinds.filter((_, index) => ids.has(index));
      const wanted = kinds.filter((kind) => expected.includes(kind));
      expect({ inMemory, inSql }).toEqual({ inMemory: wanted, inSql: wanted });
    },
  );
});

describe('the truth table of the other fields', () => {
  test.each(FIELD_TRUTH.map((row) => [`${show(row.filter)} for ${show(row.contact ?? {})}`, row] as const))(
    '%s',
    async (_, { filter, contact, holds: expected }) => {
      const tree = validateCondition(treeOf(filter), 'condition');
      const predicate = lowerCondition(tree, { now: TRUTH_NOW, segments: new Map() });
      const facts = contactOf(contact ?? {});
      expect({
        inMemory: holds(predicate, facts),
        inSql: (await database.matching(predicate, [facts])).has(0),
      }).toEqual({ inMemory: expected, inSql: expected });
    },
  );
});

test('the table has every operator of every field that needs no segments', () => {
  const covered = new Set([
    ...DATA_TRUTH.map(({ operator }) => `data ${operator}`),
    ...FIELD_TRUTH.map(({ filter }) => `${readSubject(filter.field)?.kind} ${filter.operator}`),
  ]);
  const all = (['email', 'subscribed', 'date', 'data', 'event'] as const).flatMap((kind) =>
    OPERATORS_OF[kind].map((operator) => `${kind} ${operator}`),
  );
  expect(all.filter((pair) => !covered.has(pair))).toEqual([]);
  expect(new Set(Object.values(OPERATORS_OF).flat())).toEqual(new Set(OPERATORS));
});

test('both engines fold case equally in the Basic Multilingual Plane, and for some other characters', async () => {
  const chars = Array.from({ length: 0x1_f000 }, (_, code) => code)
    .filter((code) => code > 0 && !(code >= 0xd800 && code <= 0xdfff))
    .map((code) => String.fromCodePoint(code));
  // Node.js or PostgreSQL may be too old to know the case of a new character.
  const assigned = chars.filter((char) => !/\p{Cn}/u.test(char));
  const { rows } = await database.pool.query<{ char: string; folded: string }>(
    `SELECT c AS char, fold_case(c) AS folded FROM unnest($1::text[]) c WHERE unicode_assigned(c)`,
    [assigned],
  );
  expect(rows.length).toBeGreaterThan(60_000);
  expect(rows.filter(({ char, folded }) => foldCase(char) !== folded)).toEqual([]);
});
