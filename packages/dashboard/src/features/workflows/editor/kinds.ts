/** The kinds of steps: their outlets, and the config with which they begin (specification, Workflows). Pure. */
import type { Schemas } from '../../../../../client/src/index.js';
import { EMPTY_CONDITION } from '../../conditions/model.js';

export type StepType = Schemas['WorkflowStep']['type'];

/** What can be added, in the order of the menu. A workflow has one TRIGGER from the beginning. */
export const ADDABLE = [
  'SEND_EMAIL',
  'DELAY',
  'WAIT_FOR_EVENT',
  'CONDITION',
  'UPDATE_CONTACT',
  'WEBHOOK',
  'EXIT',
] as const satisfies readonly StepType[];

export function startOf(type: StepType): Record<string, unknown> {
  switch (type) {
    case 'DELAY':
      return { amount: 1, unit: 'days' };
    case 'WAIT_FOR_EVENT':
      return { eventName: '' };
    case 'CONDITION':
      return { ...EMPTY_CONDITION };
    case 'WEBHOOK':
      return { url: '', method: 'POST' };
    case 'UPDATE_CONTACT':
      return { updates: {} };
    case 'TRIGGER':
    case 'SEND_EMAIL':
    case 'EXIT':
      return {};
  }
}

export interface MultiBranch {
  id: string;
  name: string;
  operator: string;
  value?: unknown;
  unit?: string;
}

/** A CONDITION with one branch per value of a field. */
export interface MultiConfig {
  mode: 'multi';
  field: string;
  branches: MultiBranch[];
}

export const isMulti = (config: Record<string, unknown>): config is Record<string, unknown> & MultiConfig =>
  config.mode === 'multi' && Array.isArray(config.branches);

/** Returns the branches on which an execution can leave a step; null is the one without a name. */
export function outletsOf({ type, config }: { type: StepType; config: Record<string, unknown> }): Array<string | null> {
  switch (type) {
    case 'EXIT':
      return [];
    case 'CONDITION':
      return isMulti(config) ? [...config.branches.map(({ id }) => id), 'default'] : ['yes', 'no'];
    case 'WAIT_FOR_EVENT':
      return config.timeout === undefined || config.timeout === null ? [null] : [null, 'timeout'];
    case 'WEBHOOK':
      return [null, 'error'];
    case 'TRIGGER':
    case 'SEND_EMAIL':
    case 'DELAY':
    case 'UPDATE_CONTACT':
      return [null];
  }
}

/** In a WAIT_FOR_EVENT, a transition without a branch means the same as `event`. */
export const isSameOutlet = (type: StepType, one: string | null, other: string | null): boolean =>
  one === other || (type === 'WAIT_FOR_EVENT' && (one ?? 'event') === (other ?? 'event'));
