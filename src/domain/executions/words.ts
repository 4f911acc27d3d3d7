/**
 * The sentences of an execution's history, written for support staff and customers. They contain no email addresses.
 * Pure.
 */
import type { ApiError } from '../../errors.js';
import type { Filter, Operator } from '../conditions/tree.js';

export const STARTED = { byApi: 'Started through the API.', byEvent: 'Started by the event "%s".' } as const;

/** %1$s is the template's name, %2$s its type and %3$s the sender's domain. */
export const SENDING = {
  sent: 'Sent the template "%1$s".',
  unsubscribed: 'Not sent: the recipient is not subscribed, and the template "%1$s" is %2$s.',
  suppressed: 'Not sent: the recipient\'s address is suppressed, and the template "%1$s" is %2$s.',
  used_up: 'Not sent: the project has reached its monthly limit for workflow emails.',
  unverified: 'Not sent: the sender domain %3$s is not verified.',
  gone: 'Not sent: the template no longer exists.',
  incomplete: 'Not sent: the template "%1$s" is an incomplete draft.',
} as const;

export const PROJECT_DISABLED = 'The project is disabled.';
export const STEP_DELETED = 'The current step was deleted.';
export const CANCELLED_IN_TEMPORAL = 'Canceled in Temporal.';
export const CANCELLED_BY_API = 'Canceled through the API.';
export const UNEXPECTED_ERROR = 'An unexpected error stopped this step.';
export const TRIGGER_REACHED_AGAIN = 'A TRIGGER can only be the first step of a workflow.';
export const DATA_TOO_LARGE = 'The contact was not updated: its data would exceed 100 keys or 64 KiB.';

/** Describes a config that was valid when it was saved and no longer is. */
export const describeInvalidConfig = ({ message, errors }: ApiError): string =>
  errors
    ? `The step's config is invalid: ${errors.map(({ field, message }) => `${field} ${message}`).join('; ')}.`
    : message;

const UNITS = [
  ['day', 24 * 3600_000],
  ['hour', 3600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** Formats a duration with its two largest units: `3 days`, `1 day 12 hours`. */
export function formatDuration(ms: number): string {
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

export const waitingUntil = (until: Date, ms: number): string =>
  `Waiting ${formatDuration(ms)}, until ${until.toISOString()}.`;
export const waitedUntil = (until: Date, ms: number): string =>
  `Waited ${formatDuration(ms)}, until ${until.toISOString()}.`;

export const WAIT_SKIPPED = 'The wait was skipped through the API.';

export const waitingForEvent = (event: string, until: Date | null): string =>
  `Waiting for the event "${event}"${until ? ` until ${until.toISOString()}` : ''}.`;
export const eventOccurred = (event: string, occurredAt: Date): string =>
  `The event "${event}" occurred at ${occurredAt.toISOString()}.`;
export const eventTimedOut = (event: string, ms: number): string =>
  `The event "${event}" did not occur within ${formatDuration(ms)}.`;

/** The summary of an EXIT. The move to an EXIT writes it, because it also ends the execution. */
export const EXIT_SUMMARY = { plain: 'Exited the workflow.', withReason: 'Exited the workflow: ' } as const;

export const REQUEST_NOT_MADE = 'The request could not be made.';

export const exitSummary = (reason: string | null): string =>
  reason === null ? EXIT_SUMMARY.plain : `${EXIT_SUMMARY.withReason}${reason}`;

/** The predicate for a value that passes, and for one that does not. */
const OPERATORS: Record<Operator, readonly [passes: string, fails: string]> = {
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
  in: ['is one of', 'is not one of'],
  notIn: ['is not one of', 'is one of'],
  exists: ['exists', 'does not exist'],
  notExists: ['does not exist', 'exists'],
  within: ['is within the last', 'is not within the last'],
  olderThan: ['is older than', 'is not older than'],
  triggered: ['has occurred', 'has not occurred'],
  notTriggered: ['has not occurred', 'has occurred'],
  triggeredWithin: ['has occurred within the last', 'has not occurred within the last'],
  triggeredOlderThan: ['has occurred before the last', 'has not occurred before the last'],
  notTriggeredWithin: ['has not occurred within the last', 'has occurred within the last'],
  memberOfSegment: ['contains the contact', 'does not contain the contact'],
  notMemberOfSegment: ['does not contain the contact', 'contains the contact'],
};

/** A value as text; null if the field has no value of its own, or one that must not be shown. */
export type ShownValue = string | null;

const MAX_VALUE_LENGTH = 100;

/** Formats a value for a summary. Text with an @ may be an email address, so it is not shown. */
export function formatValue(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value) ?? 'missing';
  if (text.includes('@')) return 'a hidden value with an @';
  return text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
}

/** Returns a sentence without its period: `data.plan is "pro", which equals "pro"`. */
export function describeFilter({ field, operator, value, unit }: Filter, actual: ShownValue, passes: boolean): string {
  const predicate = OPERATORS[operator][passes ? 0 : 1];
  const comparesWithNull = value === null && (operator === 'equals' || operator === 'notEquals');
  const operand =
    value === undefined || (value === null && !comparesWithNull)
      ? ''
      : ` ${formatValue(value)}${unit ? ` ${unit}` : ''}`;
  const readsValue = operator !== 'exists' && operator !== 'notExists';
  return actual === null || !readsValue
    ? `${field} ${predicate}${operand}`
    : `${field} is ${actual}, which ${predicate}${operand}`;
}

export const followedBranch = (branch: string): string => `Followed the branch "${branch}".`;
export const branchWithoutStep = (branch: string): string =>
  `The branch "${branch}" has no next step, so the execution ends here.`;

/** Describes the effect of an UPDATE_CONTACT. */
export function contactUpdated(
  set: readonly string[],
  removed: readonly string[],
  flip: 'subscribed' | 'unsubscribed' | null,
): string {
  const sentences = [
    ...(set.length > 0 ? [`Set ${listNames(set)}.`] : []),
    ...(removed.length > 0 ? [`Removed ${listNames(removed)}.`] : []),
    ...(flip ? [flip === 'subscribed' ? 'Subscribed the contact.' : 'Unsubscribed the contact.'] : []),
  ];
  return sentences.length > 0 ? sentences.join(' ') : 'Nothing changed: the contact already had these values.';
}

const MAX_LISTED_NAMES = 10;

const listNames = (names: readonly string[]): string =>
  names.length <= MAX_LISTED_NAMES
    ? names.join(', ')
    : `${names.slice(0, MAX_LISTED_NAMES).join(', ')} and ${names.length - MAX_LISTED_NAMES} more`;
