import { describe, expect, test } from 'vitest';
import { MAX_FILTERS } from '../../src/domain/conditions/tree.js';
import { readCondition } from '../../src/domain/conditions/validate.js';

const filter = { field: 'data.plan', operator: 'equals', value: 'pro' };
const tree = (...filters: unknown[]) => ({ logic: 'AND', groups: [{ filters }] });
/** A tree of this many levels. */
const levels = (count: number): unknown => ({
  logic: 'OR',
  groups: [{ filters: [filter], ...(count > 1 && { conditions: levels(count - 1) }) }],
});
const problems = (value: unknown): string[] =>
  readCondition(value, 'condition').errors.map(({ field, code }) => `${field} ${code}`);
const FIRST = 'condition.groups.0.filters.0';

describe('a condition tree', () => {
  test('is stored as given, without unknown fields', () => {
    const given = {
      logic: 'OR',
      groups: [
        { filters: [{ ...filter, unit: 'days', note: 'x' }], conditions: { logic: 'AND', groups: [], x: 1 } },
        { filters: [], id: 1 },
      ],
      name: 'x',
    };
    expect(readCondition(given, 'condition')).toEqual({
      errors: [],
      tree: {
        logic: 'OR',
        groups: [{ filters: [{ ...filter, unit: 'days' }], conditions: { logic: 'AND', groups: [] } }, { filters: [] }],
      },
    });
  });

  test('reports the path of a problem: condition.groups.0.filters.1.operator', () => {
    expect(problems(tree(filter, { ...filter, operator: 'is' }))).toEqual([
      'condition.groups.0.filters.1.operator invalid_string',
    ]);
    const nested = {
      logic: 'AND',
      groups: [
        { filters: [filter] },
        { filters: [], conditions: tree(filter, filter, { field: 'nope', operator: 'equals', value: 1 }) },
      ],
    };
    expect(problems(nested)).toEqual(['condition.groups.1.conditions.groups.0.filters.2.field invalid_string']);
  });

  test('reports all errors together, at most 100', () => {
    expect(problems(tree({}, { ...filter, operator: 'is' }, 'x'))).toEqual([
      `${FIRST}.field required`,
      'condition.groups.0.filters.1.operator invalid_string',
      'condition.groups.0.filters.2 invalid_type',
    ]);
    expect(problems(tree(...Array.from({ length: 500 }, () => ({}))))).toHaveLength(100);
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'condition required'],
    ['a text', 'x', 'condition invalid_type'],
    ['a list', [], 'condition invalid_type'],
    ['no logic', { groups: [] }, 'condition.logic required'],
    ['another logic', { logic: 'and', groups: [] }, 'condition.logic invalid_string'],
    ['no groups', { logic: 'AND' }, 'condition.groups required'],
    ['groups that are not a list', { logic: 'AND', groups: {} }, 'condition.groups invalid_type'],
    ['a group that is not an object', { logic: 'AND', groups: [null] }, 'condition.groups.0 invalid_type'],
    ['a group without filters and conditions', { logic: 'AND', groups: [{}] }, 'condition.groups.0.filters required'],
    [
      'filters that are not a list',
      { logic: 'AND', groups: [{ filters: 'x' }] },
      'condition.groups.0.filters invalid_type',
    ],
    [
      'nested conditions that are not a tree',
      { logic: 'AND', groups: [{ filters: [], conditions: [] }] },
      'condition.groups.0.conditions invalid_type',
    ],
  ])('that is or has %s is rejected', (_, value, problem) => {
    expect(problems(value)).toEqual([problem]);
  });

  test('has at most 5 levels', () => {
    expect(problems(levels(5))).toEqual([]);
    expect(problems(levels(6))).toEqual([
      'condition.groups.0.conditions.groups.0.conditions.groups.0.conditions.groups.0.conditions.groups.0.conditions too_big',
    ]);
    // Far deeper trees are not walked.
    expect(problems(levels(2000))).toHaveLength(1);
  });

  test('has at most 100 filters over all levels', () => {
    const many = (count: number) => Array.from({ length: count }, () => filter);
    expect(problems(tree(...many(MAX_FILTERS)))).toEqual([]);
    expect(problems({ logic: 'AND', groups: [{ filters: many(60), conditions: tree(...many(41)) }] })).toEqual([
      'condition too_big',
    ]);
  });
});

describe('a filter', () => {
  test.each<[object, string]>([
    [{ field: 'name', operator: 'equals', value: 1 }, 'field invalid_string'],
    [{ field: 'data.', operator: 'equals', value: 1 }, 'field invalid_string'],
    [{ field: `data${'.a'.repeat(65)}`, operator: 'exists' }, 'field too_big'],
    [{ field: 'event.', operator: 'triggered' }, 'field invalid_string'],
    [{ field: `event.${'x'.repeat(256)}`, operator: 'triggered' }, 'field invalid_string'],
    [{ field: 'email.received', operator: 'triggered' }, 'field invalid_string'],
    [{ field: 'constructor', operator: 'equals', value: 1 }, 'field invalid_string'],
    [{ field: 7, operator: 'equals', value: 1 }, 'field invalid_type'],
    [{ field: 'email' }, 'operator required'],
    [{ field: 'email', operator: 7, value: 'x' }, 'operator invalid_type'],
    [{ field: 'email', operator: 'greaterThan', value: 'x' }, 'operator invalid_string'],
    [{ field: 'email', operator: 'exists' }, 'operator invalid_string'],
    [{ field: 'subscribed', operator: 'in', value: [true] }, 'operator invalid_string'],
    [{ field: 'createdAt', operator: 'contains', value: '2030' }, 'operator invalid_string'],
    [{ field: 'data.x', operator: 'triggered' }, 'operator invalid_string'],
    [{ field: 'event.x', operator: 'equals', value: 1 }, 'operator invalid_string'],
    [{ field: 'segment.x', operator: 'equals', value: 1 }, 'operator invalid_string'],
    [{ field: 'email', operator: 'equals' }, 'value required'],
    [{ field: 'email', operator: 'equals', value: null }, 'value invalid_type'],
    [{ field: 'email', operator: 'in', value: 'a@x.test' }, 'value invalid_type'],
    [{ field: 'email', operator: 'in', value: [1] }, 'value invalid_type'],
    [{ field: 'email', operator: 'contains', value: '' }, 'value too_small'],
    [{ field: 'subscribed', operator: 'equals', value: 'true' }, 'value invalid_type'],
    [{ field: 'createdAt', operator: 'equals', value: 'yesterday' }, 'value invalid_type'],
    [{ field: 'createdAt', operator: 'lessThan', value: 1_900_000_000 }, 'value invalid_type'],
    [{ field: 'createdAt', operator: 'lessThan', value: '2030-02-30' }, 'value invalid_type'],
    [{ field: 'createdAt', operator: 'within', value: '7', unit: 'days' }, 'value invalid_type'],
    [{ field: 'createdAt', operator: 'within', value: 0, unit: 'days' }, 'value too_small'],
    [{ field: 'createdAt', operator: 'within', value: 36_501, unit: 'days' }, 'value too_big'],
    [{ field: 'createdAt', operator: 'within', value: 7 }, 'unit required'],
    [{ field: 'createdAt', operator: 'within', value: 7, unit: 'weeks' }, 'unit invalid_string'],
    [{ field: 'createdAt', operator: 'within', value: 7, unit: 7 }, 'unit invalid_type'],
    [{ field: 'data.x', operator: 'equals', value: 1, unit: 'years' }, 'unit invalid_string'],
    [{ field: 'data.x', operator: 'equals' }, 'value required'],
    [{ field: 'data.x', operator: 'equals', value: Infinity }, 'value invalid_type'],
    [{ field: 'data.x', operator: 'greaterThan', value: -Infinity }, 'value invalid_type'],
    [{ field: 'data.x', operator: 'contains', value: 5 }, 'value invalid_type'],
    [{ field: 'data.x', operator: 'greaterThan', value: true }, 'value invalid_type'],
    [{ field: 'data.x', operator: 'greaterThan', value: null }, 'value invalid_type'],
    [{ field: 'data.x', operator: 'notIn', value: { 0: 'x' } }, 'value invalid_type'],
    [{ field: 'data.x', operator: 'in', value: Array.from({ length: 1001 }, () => 1) }, 'value too_big'],
    [{ field: 'event.x', operator: 'triggeredWithin', value: 7 }, 'unit required'],
  ])('%j is rejected because of its %s', (given, problem) => {
    expect(problems(tree(given))).toEqual([`${FIRST}.${problem}`]);
  });

  test('accepts event names of up to 255 characters in any script', () => {
    expect(problems(tree({ field: `event.${'😀'.repeat(255)}`, operator: 'triggered' }))).toEqual([]);
    expect(problems(tree({ field: `event.${'😀'.repeat(256)}`, operator: 'triggered' }))).toEqual([
      `${FIRST}.field invalid_string`,
    ]);
  });

  test('accepts data paths of up to 64 levels', () => {
    expect(problems(tree({ field: `data${'.a'.repeat(64)}`, operator: 'exists' }))).toEqual([]);
  });

  test('that is rejected has its value in the error if the value is short and plain', () => {
    expect(readCondition(tree({ ...filter, operator: 'is' }), 'condition').errors[0]).toMatchObject({ received: 'is' });
    expect(
      readCondition(tree({ field: 'email', operator: 'equals', value: { a: 1 } }), 'condition').errors[0],
    ).not.toHaveProperty('received');
  });
});
