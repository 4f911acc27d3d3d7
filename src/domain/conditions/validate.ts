/** Checking a condition tree that comes from outside, with the place of everything that is wrong in it. Pure. */
import { validationError, type FieldError } from '../../errors.js';
import { FilterProblem, readFilter, type RawFilter } from './filter.js';
import {
  filtersOf,
  LOGICS,
  MAX_FILTERS,
  MAX_LEVELS,
  type ConditionTree,
  type Filter,
  type Group,
  type Operator,
  type Unit,
} from './tree.js';

/** Stops at this many problems: an answer that names them all helps nobody. */
const MAX_PROBLEMS = 100;
const NEVER = new Date(0);

/** Throws a FilterProblem for a filter that breaks a rule. */
export type FilterCheck = (filter: RawFilter) => void;

const checkFilter: FilterCheck = (filter) => {
  readFilter(filter, NEVER);
};

/**
 * Checks a condition tree (contract, section 6): its form, at most 5 levels and 100 filters, and of each filter its
 * field, operator, value and unit. What segments it names is checked where they can be looked up (resolve.ts).
 *
 * @param place where the tree is in the request: `condition` gives places such as
 * `condition.groups.0.filters.1.operator`
 * @param check for trees whose filters have other names of fields than those of segments
 * @returns the tree, without anything that it has no name for, and an entry for each problem; with problems it is good
 * for nothing
 */
export function readCondition(
  value: unknown,
  place: string,
  check = checkFilter,
): { tree: ConditionTree; errors: FieldError[] } {
  const errors: FieldError[] = [];
  const tree = readTree(value, [place], 1, { errors, check });
  if (errors.length === 0 && filtersOf(tree).length > MAX_FILTERS)
    errors.push({ field: place, message: `must have at most ${MAX_FILTERS} filters`, code: 'too_big' });
  return { tree, errors };
}

/** As readCondition. @throws VALIDATION_ERROR (422) with an entry for each problem */
export function validateCondition(value: unknown, place: string): ConditionTree {
  const { tree, errors } = readCondition(value, place);
  if (errors.length > 0) throw validationError(errors);
  return tree;
}

/** As readCondition, for an audience: a tree without a filter would be everybody, and that is said otherwise. */
export function readAudienceCondition(value: unknown, place: string): { tree: ConditionTree; errors: FieldError[] } {
  const { tree, errors } = readCondition(value, place);
  if (errors.length === 0 && filtersOf(tree).length === 0)
    errors.push({
      field: `${place}.groups`,
      message: 'must have at least one filter; audienceType ALL is everybody',
      code: 'too_small',
    });
  return { tree, errors };
}

type Path = Array<string | number>;

interface Reading {
  errors: FieldError[];
  check: FilterCheck;
}

function readTree(value: unknown, path: Path, level: number, reading: Reading): ConditionTree {
  const { errors } = reading;
  const tree: ConditionTree = { logic: 'AND', groups: [] };
  if (level > MAX_LEVELS) {
    report(errors, path, 'too_big', `must have at most ${MAX_LEVELS} levels`);
    return tree;
  }
  if (!isObject(value)) {
    report(errors, path, typeCode(value), 'must be an object { logic, groups }', value);
    return tree;
  }
  const logic = LOGICS.find((name) => name === value.logic);
  if (logic) tree.logic = logic;
  else
    report(
      errors,
      [...path, 'logic'],
      typeof value.logic === 'string' ? 'invalid_string' : typeCode(value.logic),
      'must be AND or OR',
      value.logic,
    );
  if (Array.isArray(value.groups))
    tree.groups = value.groups.map((group, index) => readGroup(group, [...path, 'groups', index], level, reading));
  else report(errors, [...path, 'groups'], typeCode(value.groups), 'must be a list of groups', value.groups);
  return tree;
}

function readGroup(value: unknown, path: Path, level: number, reading: Reading): Group {
  const { errors } = reading;
  if (!isObject(value)) {
    report(errors, path, typeCode(value), 'must be an object { filters, conditions? }', value);
    return { filters: [] };
  }
  const nested =
    value.conditions === undefined || value.conditions === null
      ? undefined
      : readTree(value.conditions, [...path, 'conditions'], level + 1, reading);
  const filters: Filter[] = [];
  if (Array.isArray(value.filters)) {
    value.filters.forEach((filter, index) => {
      const read = readOne(filter, [...path, 'filters', index], reading);
      if (read) filters.push(read);
    });
  } else if (value.filters !== undefined || !nested) {
    report(errors, [...path, 'filters'], typeCode(value.filters), 'must be a list of filters', value.filters);
  }
  return { filters, ...(nested && { conditions: nested }) };
}

function readOne(value: unknown, path: Path, { errors, check }: Reading): Filter | null {
  if (!isObject(value)) {
    report(errors, path, typeCode(value), 'must be an object { field, operator, value?, unit? }', value);
    return null;
  }
  const raw: RawFilter = value;
  try {
    check(raw);
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    report(errors, [...path, error.part], error.code, error.message, raw[error.part]);
    return null;
  }
  // That these are what they claim to be is what readFilter has just found.
  return {
    field: raw.field as string,
    operator: raw.operator as Operator,
    ...(raw.value !== undefined && { value: raw.value }),
    ...(typeof raw.unit === 'string' && { unit: raw.unit as Unit }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeCode = (value: unknown): FieldError['code'] => (value === undefined ? 'required' : 'invalid_type');

function report(errors: FieldError[], path: Path, code: FieldError['code'], message: string, received?: unknown): void {
  if (errors.length >= MAX_PROBLEMS) return;
  const shown =
    typeof received === 'string'
      ? received.slice(0, 100)
      : typeof received === 'number' || typeof received === 'boolean' || received === null
        ? received
        : undefined;
  errors.push({
    field: path.join('.'),
    message: code === 'required' && message.startsWith('must') ? 'Required' : message,
    code,
    ...(shown !== undefined && { received: shown }),
  });
}
