/** Steps in a few words, from their config. Pure. */
import type { Schemas } from '../../../../client/src/index.js';
import { showValue } from '../conditions/model.js';
import { nameOfField } from '../conditions/sentence.js';
import type { ConditionWords } from '../conditions/words.js';
import { numberFormat } from '../../words/intl.js';
import type { Language } from '../../words/words.js';
import type { GraphStep, GraphTransition } from './model.js';
import type { GraphWords } from './words.js';

type Step = Schemas['WorkflowStep'];
type Config = Step['config'];

export interface AboutWords {
  graph: GraphWords;
  conditions: ConditionWords;
  language: Language;
  /** Names of segments by id. */
  segments: ReadonlyMap<string, string>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Array<Record<string, unknown>> =>
  Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns the essence of a step's config: "2 days". An empty text if its name says everything. */
export function aboutStep({ type, config }: Pick<Step, 'type' | 'config'>, words: AboutWords): string {
  const { about } = words.graph;
  switch (type) {
    case 'TRIGGER':
      return about.event(textOf(config.eventName));
    case 'SEND_EMAIL': {
      const address = isRecord(config.recipient) ? textOf(config.recipient.customEmail) : '';
      return address === '' ? '' : about.to(address);
    }
    case 'DELAY':
      return typeof config.amount === 'number' ? sayAmount(config.amount, textOf(config.unit), words.language) : '';
    case 'WAIT_FOR_EVENT': {
      const event = about.event(textOf(config.eventName));
      return typeof config.timeout === 'number'
        ? `${event}, ${about.atMost(sayDuration(config.timeout, words.language))}`
        : event;
    }
    case 'CONDITION':
      return aboutCondition(config, words);
    case 'WEBHOOK':
      return `${textOf(config.method) || 'POST'} ${textOf(config.url).replace(/^https?:\/\//, '')}`;
    case 'UPDATE_CONTACT': {
      const fields = isRecord(config.updates) ? Object.keys(config.updates) : [];
      const action = config.subscriptionAction;
      return [
        ...(fields.length > 0 ? [about.sets(fields.join(', '))] : []),
        ...(action === 'subscribe' || action === 'unsubscribe' ? [about[action]] : []),
      ].join(', ');
    }
    case 'EXIT':
      return textOf(config.reason);
  }
}

function aboutCondition(config: Config, words: AboutWords): string {
  if (config.mode === 'multi') return words.graph.about.by(sayField(config.field, words));
  return 'groups' in config ? sayTree(config, words) : sayFilter(config, words);
}

const sayField = (field: unknown, { conditions, segments }: AboutWords): string =>
  nameOfField(textOf(field).replace(/^contact\./, ''), conditions, segments);

/** Returns a filter in words, from its config. */
export function sayFilter(filter: Record<string, unknown>, words: AboutWords): string {
  const { operators, units } = words.conditions;
  const operator = textOf(filter.operator);
  const unit = textOf(filter.unit);
  return [
    sayField(filter.field, words),
    hasKey(operators, operator) ? operators[operator] : operator,
    filter.value === undefined || filter.value === null
      ? ''
      : Array.isArray(filter.value)
        ? filter.value.map(showValue).join(', ')
        : showValue(filter.value),
    hasKey(units, unit) ? units[unit] : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}

const hasKey = <Value extends object>(words: Value, key: string): key is Extract<keyof Value, string> =>
  Object.hasOwn(words, key);

function sayTree(tree: Record<string, unknown>, words: AboutWords): string {
  const { and, or } = words.conditions;
  const groups = listOf(tree.groups).map((group) => {
    const filters = listOf(group.filters).map((filter) => sayFilter(filter, words));
    return [...filters, ...(isRecord(group.conditions) ? [`(${sayTree(group.conditions, words)})`] : [])].join(
      ` ${and} `,
    );
  });
  return groups.join(tree.logic === 'OR' ? ` ${or} ` : ` ${and} `);
}

const UNITS = { weeks: 'week', days: 'day', hours: 'hour', minutes: 'minute', seconds: 'second' } as const;
const SECONDS = { week: 604_800, day: 86_400, hour: 3600, minute: 60, second: 1 } as const;

const sayAmount = (amount: number, unit: string, language: Language): string =>
  hasKey(UNITS, unit)
    ? numberFormat(language, { style: 'unit', unit: UNITS[unit], unitDisplay: 'long' }).format(amount)
    : String(amount);

/** Writes seconds in the largest unit that needs no fraction: "90 minutes". */
function sayDuration(seconds: number, language: Language): string {
  const [unit, length] =
    Object.entries(SECONDS).find(([, size]) => seconds >= size && seconds % size === 0) ?? (['second', 1] as const);
  return numberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(seconds / length);
}

/** The names that the API gives to steps without one. */
const NAMES_OF_API: Record<Step['type'], string> = {
  TRIGGER: 'Trigger',
  SEND_EMAIL: 'Send email',
  DELAY: 'Delay',
  WAIT_FOR_EVENT: 'Wait for event',
  CONDITION: 'Condition',
  WEBHOOK: 'Webhook',
  UPDATE_CONTACT: 'Update contact',
  EXIT: 'Exit',
};

/** Returns the name of a step; that of its type if no one has named it. */
export const nameOfStep = ({ type, name }: Pick<Step, 'type' | 'name'>, { types }: GraphWords): string =>
  name === NAMES_OF_API[type] ? types[type] : name;

/** Returns the branches on which a step can be left. Null is a transition without a branch. */
export function branchesOf({ type, config }: Pick<Step, 'type' | 'config'>): ReadonlyArray<string | null> {
  switch (type) {
    case 'CONDITION':
      return config.mode === 'multi'
        ? [...listOf(config.branches).map(({ id }) => textOf(id)), 'default']
        : ['yes', 'no'];
    case 'WAIT_FOR_EVENT':
      return ['event', 'timeout'];
    case 'WEBHOOK':
      return [null, 'error'];
    case 'EXIT':
      return [];
    default:
      return [null];
  }
}

/** Returns how a branch is called; undefined for a transition without a branch. */
export function nameOfBranch(
  step: Pick<Step, 'type' | 'config'> | undefined,
  branch: string | null,
  { branches }: GraphWords,
): string | undefined {
  // In a WAIT_FOR_EVENT, a transition without a branch means the same as `event`.
  if (branch === null) return step?.type === 'WAIT_FOR_EVENT' ? branches.event : undefined;
  const named = listOf(step?.config.branches).find(({ id }) => id === branch);
  if (named && textOf(named.name) !== '') return textOf(named.name);
  return hasKey(branches, branch) ? branches[branch] : branch;
}

/** Whether a condition names a segment, so that `aboutStep` needs the names of segments. */
export const namesSegments = (steps: ReadonlyArray<Pick<Step, 'type' | 'config'>>): boolean =>
  steps.some(({ type, config }) => type === 'CONDITION' && JSON.stringify(config).includes('"segment.'));

/** Returns the steps and transitions of a workflow as the graph shows them. */
export function toGraph(
  { steps, transitions }: Pick<Schemas['Workflow'], 'steps' | 'transitions'>,
  words: AboutWords,
): { steps: GraphStep[]; transitions: GraphTransition[] } {
  const byId = new Map(steps.map((step) => [step.id, step]));
  return {
    steps: steps.map((step) => {
      const { id, type, position } = step;
      return {
        id,
        type,
        name: nameOfStep(step, words.graph),
        position,
        about: aboutStep(step, words),
        branches: branchesOf(step),
      };
    }),
    transitions: transitions.map(({ id, fromStepId, toStepId, branch }) => {
      const label = nameOfBranch(byId.get(fromStepId), branch, words.graph);
      return { id, fromStepId, toStepId, branch, ...(label !== undefined && { label }) };
    }),
  };
}
