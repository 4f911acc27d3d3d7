/** The config of a CONDITION step: one filter, a tree of filters, or one field with several branches. Pure. */
import { z } from 'zod';
import { FilterProblem, readFilter, type RawFilter } from '../conditions/filter.js';
import {
  filtersOf,
  OPERATORS,
  UNITS,
  type ConditionTree,
  type Filter,
  type Operator,
  type Unit,
} from '../conditions/tree.js';
import { readCondition } from '../conditions/validate.js';
import { readConditionField } from './condition-fields.js';
import { report, requiredText } from './config-schema.js';

export interface ConditionBranch {
  /** Also the `branch` of the transition. */
  id: string;
  name: string;
  operator: Operator;
  value?: unknown;
  unit?: Unit;
}

/**
 * `single` and `tree` lead to `yes` or `no`; `multi` leads to the first branch that matches, or to `default`. The names
 * of fields are those of readConditionField.
 */
export type ConditionTest =
  | { kind: 'single'; field: string; operator: Operator; value?: unknown; unit?: Unit }
  | { kind: 'tree'; tree: ConditionTree }
  | { kind: 'multi'; field: string; branches: ConditionBranch[] };

const MAX_BRANCHES = 20;
const MAX_FIELD_LENGTH = 500;
const MAX_NAME_LENGTH = 255;
/** Periods count from the time when the step is reached. The check of a filter accepts any time. */
const ANY_TIME = new Date(0);

const FILTER_PARTS = { operator: z.unknown().optional(), value: z.unknown().optional(), unit: z.unknown().optional() };

const Single = z
  .object({
    type: z.literal('CONDITION'),
    mode: z.literal('single'),
    field: requiredText(MAX_FIELD_LENGTH),
    ...FILTER_PARTS,
  })
  .superRefine(({ field, ...parts }, ctx) => checkParts(field, parts, ctx, []))
  .transform(({ type, field, ...parts }) => {
    const test: ConditionTest = { kind: 'single', field, ...readParts(parts) };
    return { type, test };
  });

const Tree = z
  .object({
    type: z.literal('CONDITION'),
    mode: z.literal('tree'),
    logic: z.unknown().optional(),
    groups: z.unknown().optional(),
  })
  .transform(({ type, logic, groups }, ctx) => {
    const root = { logic: logic ?? undefined, groups: groups ?? undefined };
    const { tree, errors } = readCondition(root, 'config', checkFilter);
    for (const { field, code, message, received } of errors)
      report(ctx, { code, message, input: received ?? null, path: field.split('.').slice(1) });
    const test: ConditionTest = { kind: 'tree', tree };
    return { type, test };
  });

const Branch = z.object(
  { id: requiredText(MAX_NAME_LENGTH), name: requiredText(MAX_NAME_LENGTH), ...FILTER_PARTS },
  'must be an object',
);

const Multi = z
  .object({
    type: z.literal('CONDITION'),
    mode: z.literal('multi'),
    field: requiredText(MAX_FIELD_LENGTH),
    branches: z.array(Branch, 'must be a list').superRefine((branches, ctx) => {
      if (branches.length === 0) report(ctx, { code: 'too_small', message: 'must have at least 1 branch' });
      if (branches.length > MAX_BRANCHES)
        report(ctx, { code: 'too_big', message: `must have at most ${MAX_BRANCHES} branches` });
      const usedIds = new Set(['default']);
      branches.forEach(({ id }, index) => {
        if (id !== '' && usedIds.has(id))
          report(ctx, {
            code: 'custom',
            message: id === 'default' ? 'is reserved for the case that no branch matches' : 'is used by another branch',
            path: [String(index), 'id'],
            input: id,
          });
        usedIds.add(id);
      });
    }),
  })
  .superRefine(({ field, branches }, ctx) =>
    branches.forEach((parts, index) => checkParts(field, parts, ctx, ['branches', String(index)])),
  )
  .transform(({ type, field, branches }) => {
    const test: ConditionTest = {
      kind: 'multi',
      field,
      branches: branches.map(({ id, name, ...parts }) => ({ id, name, ...readParts(parts) })),
    };
    return { type, test };
  });

export const Condition = z.discriminatedUnion('mode', [Single, Tree, Multi], 'must be one of single, tree, multi');

/** Adds the mode of a CONDITION's config, which its other fields imply. */
export const withMode = (config: Record<string, unknown>): Record<string, unknown> => ({
  ...config,
  mode: config.mode ?? ((config.groups ?? config.logic ?? null) === null ? 'single' : 'tree'),
});

/** Returns all filters of a test. */
export function filtersIn(test: ConditionTest): Filter[] {
  switch (test.kind) {
    case 'single':
      return [test];
    case 'tree':
      return filtersOf(test.tree);
    case 'multi':
      return test.branches.map((branch) => ({ ...branch, field: test.field }));
  }
}

/** The parts of a filter apart from its field. */
interface RawParts {
  operator?: unknown;
  value?: unknown;
  unit?: unknown;
}

/** Reports the part of a filter that breaks a rule. */
function checkParts(field: string, { operator, value, unit }: RawParts, ctx: z.RefinementCtx, path: string[]): void {
  if (field === '') return;
  const filter: RawFilter = { field, operator: operator ?? undefined, value, unit: unit ?? undefined };
  try {
    checkFilter(filter);
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    const { part, code, message } = error;
    report(ctx, { code, message, path: [...path, part], input: filter[part] ?? null });
  }
}

const readParts = ({ operator, value, unit }: RawParts): Omit<Filter, 'field'> => ({
  operator: OPERATORS.find((name) => name === operator) ?? 'exists',
  ...(value !== undefined && { value }),
  ...(typeof unit === 'string' && { unit: UNITS.find((name) => name === unit) }),
});

/** @throws FilterProblem naming the part of the filter that breaks a rule */
function checkFilter(filter: RawFilter): void {
  const { field, operator } = filter;
  try {
    readFilter(
      typeof field === 'string' ? { ...filter, field: readConditionField(field, operator).field } : filter,
      ANY_TIME,
    );
  } catch (error) {
    if (!(error instanceof FilterProblem) || error.part !== 'field' || typeof field !== 'string') throw error;
    throw new FilterProblem('field', error.code, UNKNOWN_FIELD);
  }
}

const UNKNOWN_FIELD =
  'is not a field. Use contact.<field>, event.<key>, workflow.<key>, or a field of segments: email, subscribed, ' +
  'createdAt, updatedAt, data.<path>, email.opened, segment.<id>';
