/** The outcome of a condition's filters in the history of an execution. Pure. */
import type { Schemas } from '../../../../../client/src/index.js';

export interface TestedFilter {
  field: string;
  operator: string;
  value: unknown;
  unit: string;
  /** The value of the field, or the time of the last event; null if there is none, or if it is not recorded. */
  actual: string | null;
  matches: boolean;
}

export interface TestedGroup {
  matches: boolean;
  filters: TestedFilter[];
  conditions: TestedTree | null;
}

export interface TestedTree {
  matches: boolean;
  logic: 'AND' | 'OR';
  groups: TestedGroup[];
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordsOf = (value: unknown): Array<Record<string, unknown>> =>
  Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the outcome of a CONDITION with several filters; null for other steps, and for history without it. */
export function readTested(output: Schemas['StepExecution']['output']): TestedTree | null {
  const condition = output?.condition;
  return isRecord(condition) ? readTree(condition) : null;
}

const readTree = ({ matches, logic, groups }: Record<string, unknown>): TestedTree => ({
  matches: matches === true,
  logic: logic === 'OR' ? 'OR' : 'AND',
  groups: recordsOf(groups).map((group) => ({
    matches: group.matches === true,
    filters: recordsOf(group.filters).map((filter) => ({
      field: textOf(filter.field),
      operator: textOf(filter.operator),
      value: readJson(filter.value),
      unit: textOf(filter.unit),
      actual: typeof filter.actual === 'string' ? filter.actual : null,
      matches: filter.matches === true,
    })),
    conditions: isRecord(group.conditions) ? readTree(group.conditions) : null,
  })),
});

/** Values are recorded as JSON, except those that are shortened or hidden. */
function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
