/** What a CONDITION step asks: one filter, a tree of them, or one field against several values. Pure. */
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
import type { ConfigReader } from './config-reader.js';

export interface ConditionBranch {
  /** Also the `branch` of the transition. */
  id: string;
  name: string;
  operator: Operator;
  value?: unknown;
  unit?: Unit;
}

/**
 * `single` and `tree` go to `yes` or `no`; `multi` goes to the first branch that holds, or to `default`. Field names:
 * see readConditionField.
 */
export type ConditionTest =
  | { kind: 'single'; field: string; operator: Operator; value?: unknown; unit?: Unit }
  | { kind: 'tree'; tree: ConditionTree }
  | { kind: 'multi'; field: string; branches: ConditionBranch[] };

export const MAX_BRANCHES = 20;
const MAX_FIELD = 500;
const MAX_NAME = 255;
/** The periods count from the moment at which the step is reached; to check a filter any will do. */
const NEVER = new Date(0);

/** Reads the config of a CONDITION step; which of the three it is, its fields say. */
export function readTest(config: ConfigReader): ConditionTest {
  const mode = config.choice(
    'mode',
    ['single', 'tree', 'multi'],
    config.get('groups') === undefined && config.get('logic') === undefined ? 'single' : 'tree',
  );
  switch (mode) {
    case 'single':
      return readSingle(config);
    case 'tree':
      return readTree(config);
    case 'multi':
      return readMulti(config);
  }
}

/** All filters of a test. */
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

function readSingle(config: ConfigReader): ConditionTest {
  const field = config.text('field', MAX_FIELD);
  const asked = field === '' ? null : readAsked(config, field);
  return { kind: 'single', field, ...(asked ?? NOTHING) };
}

function readTree(config: ConfigReader): ConditionTest {
  const { tree, errors } = readCondition(
    { logic: config.get('logic'), groups: config.get('groups') },
    config.place,
    checkFilter,
  );
  config.errors.push(...errors);
  return { kind: 'tree', tree };
}

function readMulti(config: ConfigReader): ConditionTest {
  const field = config.text('field', MAX_FIELD);
  const taken = new Set(['default']);
  const branches = config
    .list('branches', { min: 1, max: MAX_BRANCHES })
    .map((branch) => readBranch(branch, field, taken));
  return { kind: 'multi', field, branches };
}

function readBranch(branch: ConfigReader, field: string, taken: Set<string>): ConditionBranch {
  const id = branch.text('id', MAX_NAME);
  if (id !== '' && taken.has(id))
    branch.report(
      'id',
      'custom',
      id === 'default' ? 'is the name of the way that is left when no branch holds' : 'is the id of another branch',
    );
  taken.add(id);
  const name = branch.text('name', MAX_NAME);
  const asked = field === '' ? null : readAsked(branch, field);
  return { id, name, ...(asked ?? NOTHING) };
}

const NOTHING: Pick<Filter, 'operator'> = { operator: 'exists' };

/** The operator, value and unit that stand beside a field. */
function readAsked(config: ConfigReader, field: string): Omit<Filter, 'field'> | null {
  const raw: RawFilter = {
    field,
    operator: config.get('operator'),
    value: config.raw('value'),
    unit: config.get('unit'),
  };
  try {
    checkFilter(raw);
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    config.report(error.part, error.code, error.message);
    return null;
  }
  const operator = OPERATORS.find((name) => name === raw.operator);
  const unit = UNITS.find((name) => name === raw.unit);
  return operator === undefined
    ? null
    : { operator, ...(raw.value !== undefined && { value: raw.value }), ...(unit && { unit }) };
}

/** @throws FilterProblem naming the part of the filter that breaks a rule */
function checkFilter(filter: RawFilter): void {
  const { field, operator } = filter;
  try {
    readFilter(
      typeof field === 'string' ? { ...filter, field: readConditionField(field, operator).field } : filter,
      NEVER,
    );
  } catch (error) {
    if (!(error instanceof FilterProblem) || error.part !== 'field' || typeof field !== 'string') throw error;
    throw new FilterProblem(
      'field',
      error.code,
      'is no field: use contact.<field>, event.<key>, workflow.<key>, or one of segments: email, subscribed, createdAt, updatedAt, data.<path>, email.opened, segment.<id>',
    );
  }
}
