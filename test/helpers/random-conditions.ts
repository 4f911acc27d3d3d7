/** Random trees and contacts, for tests that hold the engines of conditions against each other. */
import type { JsonValue } from '../../src/db/predicate.js';
import type { ContactFacts } from '../../src/domain/conditions/evaluate.js';
import {
  OPERATORS_OF,
  readSubject,
  type ConditionTree,
  type Filter,
  type Group,
  type Operator,
} from '../../src/domain/conditions/tree.js';
import { readCondition } from '../../src/domain/conditions/validate.js';
import { factsOf } from './conditions.js';

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

/** The moment that the periods of random trees count from; the times of random contacts lie before it. */
export const RANDOM_NOW = new Date('2030-06-15T12:00:00.000Z');

// Small pools, so that filters and contacts meet often; among them what SQL, LIKE, JSON and Unicode could trip over.
const WORDS = [
  'pro',
  'Pro',
  'PRO plan',
  'free',
  '',
  ' ',
  '5',
  '10',
  "it's",
  '"quoted"',
  'back\\slash',
  '100%',
  'a_b',
  'ÄÖÜ',
  'straße',
  'STRASSE',
  'İstanbul',
  'ΟΔΟΣ',
  'όδος',
  '日本',
  '😀',
  '\uE000',
  '{"a":1}',
  'null',
  'true',
  '$1',
  '?',
];
const DATES = [
  '2030-06-15',
  '2030-06-14',
  '2030-06-14T12:00:00Z',
  '2030-06-14 12:00',
  '2030-06-14T12:00:00.0009Z',
  '2030-06-15T01:00:00+13:00',
  '2030-06-13T22:00:00-23:59',
  '2029-02-29',
  '2028-02-29',
  '2030-6-1',
  '0001-01-01',
  '9999-12-31',
  '2030-06-16T00:00:00Z',
  '2030-06-15T12:00:00.001Z',
  '2030-13-01',
  '2030-06-14T24:00:00Z',
  '2030-06-14T12:00:00z',
  '2030-06-14\n',
];
const NUMBERS = [0, 1, 5, 10, -1, 0.1, 0.30000000000000004, 1e21, -1e-7, 2 ** 53, 5e-324, 1.7976931348623157e308];
const KEYS = ['x', 'y', 'Key mit Ä', 'a.b', 'a', 'constructor', "o'brien", '$1'];
const EVENTS = ['bought', 'sign up', 'email.opened', "o'clock"];
const AGES = [0.5, 1, 2, 24, 48, 1000] as const;

export interface RandomConditions {
  upTo: (n: number) => number;
  pick: <T>(list: readonly T[]) => T;
  chance: (share: number) => boolean;
  /** A contact with an address of its own by its number; a member of some of the static segments. */
  contact: (number: number, segments: string[]) => ContactFacts;
  /** A tree that the API would take. */
  tree: (segmentIds: string[], levels: number) => ConditionTree;
}

/** The same ones for the same seed. */
export function randomConditions(seed: number): RandomConditions {
  const random = randomFrom(seed);
  const upTo = (n: number): number => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => {
    const item = list[upTo(list.length)];
    if (item === undefined) throw new Error('Nothing to pick from');
    return item;
  };
  const chance = (share: number): boolean => random() < share;

  const scalar = (): JsonValue =>
    pick<() => JsonValue>([
      () => pick(WORDS),
      () => pick(WORDS),
      () => pick(DATES),
      () => pick(NUMBERS),
      () => chance(0.5),
      () => null,
    ])();
  function value(depth = 0): JsonValue {
    if (depth < 2 && chance(0.12)) return Array.from({ length: upTo(3) }, () => value(depth + 1));
    if (depth < 2 && chance(0.15))
      return Object.fromEntries(Array.from({ length: upTo(3) }, () => [pick(['b', 'c', 'x']), value(depth + 1)]));
    return scalar();
  }

  const timeAgo = (): string =>
    new Date(
      RANDOM_NOW.getTime() - pick([0, 1, ...AGES.map((hours) => hours * 3_600_000), 86_400_000 + 1]),
    ).toISOString();

  function contact(index: number, segments: string[]): ContactFacts {
    const data = Object.fromEntries(KEYS.filter(() => chance(0.5)).map((key) => [key, value()]));
    const events = Object.fromEntries(
      EVENTS.filter(() => chance(0.4)).map((name) => [name, Array.from({ length: 1 + upTo(3) }, timeAgo)]),
    );
    return factsOf(
      {
        email: `${pick(['ada', 'bob', 'c_c', 'd%d'])}${index}@${pick(['example.com', 'x.test'])}`,
        subscribed: chance(0.6),
        createdAt: timeAgo(),
        data,
        events,
      },
      segments.filter(() => chance(0.4)),
    );
  }

  function filter(segmentIds: string[]): Filter {
    const field = pick([
      'email',
      'subscribed',
      'createdAt',
      'updatedAt',
      ...KEYS.map((key) => `data.${key}`),
      'data.x',
      'data.y',
      'data.a.c',
      'data.x.b.c',
      ...EVENTS.map((name) => (name.startsWith('email.') ? name : `event.${name}`)),
      ...segmentIds.map((id) => `segment.${id}`),
    ]);
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
        return {
          value: Array.from({ length: pick([0, 1, 2, 4, 30]) }, () =>
            field === 'email' ? `${pick(['ada', 'bob'])}${upTo(150)}@x.test` : value(),
          ),
        };
      case 'contains':
      case 'notContains':
      case 'startsWith':
      case 'endsWith':
        return {
          value: pick([...WORDS.filter((word) => word !== ''), 'A', '@', '_', '%', 'σ', 'Σ', 'ss', 'i', 'com', '2030']),
        };
      case 'greaterThan':
      case 'greaterThanOrEqual':
      case 'lessThan':
      case 'lessThanOrEqual':
        return {
          value: field.startsWith('data.')
            ? pick<() => JsonValue>([() => pick(WORDS), () => pick(DATES), () => pick(NUMBERS)])()
            : pick(DATES),
        };
      case 'within':
      case 'olderThan':
      case 'triggeredWithin':
      case 'triggeredOlderThan':
      case 'notTriggeredWithin':
        return pick([
          { value: pick(AGES), unit: 'hours' as const },
          { value: pick([1, 2, 365]), unit: 'days' as const },
          { value: 30, unit: 'minutes' as const },
        ]);
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

  return { upTo, pick, chance, contact, tree: validTree };
}
