/** The sentences of an execution's history, for somebody who reads them out to a customer. No addresses. Pure. */
import { LEFT } from './sql/run.js';
import type { ApiError } from '../../errors.js';
import type { Operator } from '../conditions/tree.js';

export const STARTED = { byApi: 'Started through the API.', byEvent: 'Started by the event "%s".' } as const;

/** %1$s is the template's name, %2$s its type and %3$s the sender's domain. */
export const SENDING = {
  sent: 'Sent the template "%1$s".',
  unsubscribed: 'Not sent: the recipient is not subscribed, and the template "%1$s" is %2$s.',
  suppressed: 'Not sent: the recipient\'s address is suppressed, and the template "%1$s" is %2$s.',
  used_up: "Not sent: the project's limit of workflow emails for this month is used up.",
  unverified: "Not sent: the sender's domain %3$s is not verified.",
  gone: 'Not sent: the template is no longer there.',
} as const;

export const PROJECT_DISABLED = 'The project is disabled';
export const STEP_DELETED = 'The step that it was at was deleted';
export const CANCELLED_IN_TEMPORAL = 'It was cancelled in Temporal';
export const UNEXPECTED = 'An unexpected error stopped this step.';

/** A step whose config breaks a rule that it did not break when it was saved. */
export const unreadable = ({ message, errors }: ApiError): string =>
  errors
    ? `The step can not be read: ${errors.map(({ field, message }) => `${field} ${message}`).join('; ')}`
    : message;

const UNITS = [
  ['day', 24 * 3600_000],
  ['hour', 3600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** `3 days`, `1 day 12 hours`: the two largest units. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [name, length] of UNITS) {
    const count = Math.floor(rest / length);
    if (count > 0) parts.push(`${count} ${name}${count === 1 ? '' : 's'}`);
    else if (parts.length > 0) break;
    rest -= count * length;
    if (parts.length === 2) break;
  }
  return parts.join(' ');
}

export const waitsUntil = (until: Date, ms: number): string => `Waits ${duration(ms)}, until ${until.toISOString()}.`;
export const waited = (until: Date, ms: number): string => `Waited ${duration(ms)}, until ${until.toISOString()}.`;

export const waitsFor = (event: string, until: Date | null): string =>
  `Waits for the event "${event}"${until ? `, at most until ${until.toISOString()}` : ''}.`;
export const eventCame = (event: string, at: Date): string => `The event "${event}" happened at ${at.toISOString()}.`;
export const eventDidNotCome = (event: string, ms: number): string =>
  `The event "${event}" did not happen within ${duration(ms)}.`;
export const NO_STEP_FOR_TIMEOUT = 'No step follows a timeout, so the workflow ends here.';

export const NO_ANSWER = 'The request could not be made';

export const exited = (reason: string | null): string => (reason === null ? LEFT.plain : `${LEFT.because}${reason}`);

/** What each operator says of a value that passes, and of one that doesn't. */
const OPERATORS: Record<Operator, readonly [string, string]> = {
  equals: ['equals', 'does not equal'],
  notEquals: ['does not equal', 'equals'],
  contains: ['contains', 'does not contain'],
  notContains: ['does not contain', 'contains'],
  startsWith: ['starts with', 'does not start with'],
  endsWith: ['ends with', 'does not end with'],
  greaterThan: ['is greater than', 'is not greater than'],
  lessThan: ['is less than', 'is not less than'],
  greaterThanOrEqual: ['is at least', 'is not at least'],
  lessThanOrEqual: ['is at most', 'is not at most'],
  in: ['is one of', 'is none of'],
  notIn: ['is none of', 'is one of'],
  exists: ['is there', 'is not there'],
  notExists: ['is not there', 'is there'],
  within: ['lies within the last', 'does not lie within the last'],
  olderThan: ['is older than', 'is not older than'],
  triggered: ['has happened', 'has not happened'],
  notTriggered: ['has not happened', 'has happened'],
  triggeredWithin: ['has happened within the last', 'has not happened within the last'],
  triggeredOlderThan: ['has happened longer ago than', 'has not happened longer ago than'],
  notTriggeredWithin: ['has not happened within the last', 'has happened within the last'],
  memberOfSegment: ['has the contact as a member', 'does not have the contact as a member'],
  notMemberOfSegment: ['does not have the contact as a member', 'has the contact as a member'],
};

export interface AskedWords {
  field: string;
  operator: Operator;
  value?: unknown;
  unit?: string;
}

/** `is "pro"`, `is missing`; null where the field has no value of its own, or one that is not to be repeated. */
export type ShownValue = string | null;

const LONGEST_VALUE = 100;

/** A value as it is shown. Texts with an @ may be addresses, and are not. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? 'missing';
  if (text.includes('@')) return 'a text with an @';
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}

/** `data.plan is "pro", which equals "pro"`. */
export function asked({ field, operator, value, unit }: AskedWords, actual: ShownValue, passes: boolean): string {
  const verb = OPERATORS[operator][passes ? 0 : 1];
  const asksForNull = value === null && (operator === 'equals' || operator === 'notEquals');
  const than =
    value === undefined || (value === null && !asksForNull) ? '' : ` ${show(value)}${unit ? ` ${unit}` : ''}`;
  const asksForValue = operator !== 'exists' && operator !== 'notExists';
  return actual === null || !asksForValue ? `${field} ${verb}${than}` : `${field} is ${actual}, which ${verb}${than}`;
}

export const followed = (branch: string): string => `followed the branch "${branch}"`;
export const noStepFor = (branch: string): string =>
  `No step follows the branch "${branch}", so the workflow ends here.`;

/** What an UPDATE_CONTACT did. */
export function updated(
  set: readonly string[],
  removed: readonly string[],
  flip: 'subscribed' | 'unsubscribed' | null,
): string {
  const done = [
    ...(set.length > 0 ? [`set ${list(set)}`] : []),
    ...(removed.length > 0 ? [`removed ${list(removed)}`] : []),
    ...(flip ? [`${flip} the contact`] : []),
  ];
  if (done.length === 0) return 'The contact was like that already: nothing was changed.';
  const sentence = done.join(', ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

const MOST_NAMES = 10;

const list = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
