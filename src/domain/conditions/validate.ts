/** Validating a condition tree from a request or from the database, with the place of each error. Pure. */
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

/** The maximum number of reported errors. */
const MAX_ERRORS = 100;
/** Validation does not depend on the current time. */
const ANY_TIME = new Date(0);

/** Throws a FilterProblem for an invalid filter at a path. */
export type FilterCheck = (filter: RawFilter, path: string) => void;

const checkFilter: FilterCheck = (filter) => {
  readFilter(filter, ANY_TIME);
};

/**
 * Validates a condition tree (contract, section 6): its structure, at most 5 levels and 100 filters, and the field,
 * operator, value, and unit of each filter. resolve.ts checks the segments that it names.
 *
 * @param place the path of the tree in the request: `condition` gives places such as
 * `condition.groups.0.filters.1.operator`
 * @param check validates a filter; for trees whose fields differ from those of segments
 * @returns the tree without unknown properties, and the errors; with errors, do not use the tree
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

/** Like readCondition. @throws VALIDATION_ERROR (422) with an entry for each error */
export function validateCondition(value: unknown, place: string): ConditionTree {
  const { tree, errors } = readCondition(value, place);
  if (errors.length > 0) throw validationError(errors);
  return tree;
}

/** Like readCondition, for an audience: a tree without a filter, which matches all contacts, is rejected. */
export function readAudienceCondition(value: unknown, place: string): { tree: ConditionTree; errors: FieldError[] } {
  const { tree, errors } = readCondition(value, place);
  if (errors.length === 0 && filtersOf(tree).length === 0)
    errors.push({
      field: `${place}.groups`,
      message: 'must have at least one filter; for all contacts, use audienceType ALL',
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
      const read = readFilterObject(filter, [...path, 'filters', index], reading);
      if (read) filters.push(read);
    });
  } else if (value.filters !== undefined || !nested) {
    report(errors, [...path, 'filters'], typeCode(value.filters), 'must be a list of filters', value.filters);
  }
  return { filters, ...(nested && { conditions: nested }) };
}

function readFilterObject(value: unknown, path: Path, { errors, check }: Reading): Filter | null {
  if (!isObject(value)) {
    report(errors, path, typeCode(value), 'must be an object { field, operator, value?, unit? }', value);
    return null;
  }
  const raw: RawFilter = value;
  try {
    check(raw, path.join('.'));
  } catch (error) {
    if (!(error instanceof FilterProblem)) throw error;
    report(errors, [...path, error.part], error.code, error.message, raw[error.part]);
    return null;
  }
  // `check` has validated the types.
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
  if (errors.length >= MAX_ERRORS) return;
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
