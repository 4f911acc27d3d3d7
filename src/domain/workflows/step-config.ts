/**
 * The config of each step type (contract, section 7): the rules for it, and the form in which the rest of the code has
 * it. Pure.
 */
import type { StepType } from '../../generated/prisma/enums.js';
import { ApiError, validationError, type FieldError } from '../../errors.js';
import { isAddress, MAX_ADDRESS, normalizeAddress } from '../contacts/address.js';
import { readContactData } from '../contacts/data.js';
import { MAX_EVENT_NAME } from '../events/name.js';
import { withoutPrototypeNames } from '../plain-json.js';
import { readTest, type ConditionTest } from './condition-config.js';
import { ConfigReader } from './config-reader.js';
import { readWebhook, type WebhookRequest } from './webhook-config.js';

export interface TriggerConfig {
  type: 'TRIGGER';
  /** That of the workflow; both change together. */
  eventName: string;
}

export interface SendEmailConfig {
  type: 'SEND_EMAIL';
  /** In lower case; not always a well-formed id. */
  templateId: string;
  recipient: { type: 'CONTACT' } | { type: 'CUSTOM'; customEmail: string };
}

export interface DelayConfig {
  type: 'DELAY';
  /** More than 0; see delayMs. */
  amount: number;
  unit: DelayUnit;
}

export interface WaitForEventConfig {
  type: 'WAIT_FOR_EVENT';
  eventName: string;
  /** Seconds, 1 to those of 365 days; null waits for ever. */
  timeout: number | null;
}

export interface ConditionConfig {
  type: 'CONDITION';
  test: ConditionTest;
}

export interface WebhookConfig extends WebhookRequest {
  type: 'WEBHOOK';
}

export interface UpdateContactConfig {
  type: 'UPDATE_CONTACT';
  /** For readContactData. */
  updates: Record<string, unknown>;
  subscriptionAction: SubscriptionAction;
}

export interface ExitConfig {
  type: 'EXIT';
  reason: string | null;
}

export type StepConfig =
  | TriggerConfig
  | SendEmailConfig
  | DelayConfig
  | WaitForEventConfig
  | ConditionConfig
  | WebhookConfig
  | UpdateContactConfig
  | ExitConfig;

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;
const UNIT_MS = { seconds: SECOND, minutes: 60 * SECOND, hours: 3600 * SECOND, days: DAY, weeks: 7 * DAY } as const;
export type DelayUnit = keyof typeof UNIT_MS;
export const DELAY_UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const satisfies readonly DelayUnit[];

export const SUBSCRIPTION_ACTIONS = ['none', 'subscribe', 'unsubscribe'] as const;
export type SubscriptionAction = (typeof SUBSCRIPTION_ACTIONS)[number];

const LONGEST = 365 * DAY;
const MAX_REASON = 1000;
const MAX_ID = 100;
/** A step is read whenever an execution reaches it. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads the config of a step, as it comes from a request or out of the database.
 *
 * What takes a look at the database is not checked here: whether the template and the segments that it names are there
 * (steps.ts).
 *
 * @throws VALIDATION_ERROR (422) with an entry for each field that breaks a rule, such as `config.branches.1.operator`
 */
export function readStepConfig(type: StepType, config: unknown): StepConfig {
  const errors: FieldError[] = [];
  const read = readOf(type, ConfigReader.of(withoutPrototypeNames(config), 'config', errors));
  if (errors.length === 0 && Buffer.byteLength(JSON.stringify(toStoredConfig(read))) > MAX_BYTES)
    errors.push({ field: 'config', message: `must have at most ${MAX_BYTES / 1024} KiB`, code: 'too_big' });
  if (errors.length > 0) throw validationError(errors);
  return read;
}

function readOf(type: StepType, config: ConfigReader): StepConfig {
  switch (type) {
    case 'TRIGGER':
      return { type, eventName: config.text('eventName', MAX_EVENT_NAME) };
    case 'SEND_EMAIL':
      return {
        type,
        templateId: config.text('templateId', MAX_ID).toLowerCase(),
        recipient: readRecipient(config.nested('recipient')),
      };
    case 'DELAY':
      return readDelay(config);
    case 'WAIT_FOR_EVENT':
      return { type, eventName: config.text('eventName', MAX_EVENT_NAME), timeout: readTimeout(config) };
    case 'CONDITION':
      return { type, test: readTest(config) };
    case 'WEBHOOK':
      return { type, ...readWebhook(config) };
    case 'UPDATE_CONTACT':
      return readUpdate(config);
    case 'EXIT':
      return { type, reason: config.optionalText('reason', MAX_REASON) };
  }
}

function readRecipient(recipient: ConfigReader | null): SendEmailConfig['recipient'] {
  if (!recipient || recipient.choice('type', ['CONTACT', 'CUSTOM']) === 'CONTACT') return { type: 'CONTACT' };
  const customEmail = normalizeAddress(recipient.text('customEmail', MAX_ADDRESS));
  if (customEmail !== '' && !isAddress(customEmail))
    recipient.report('customEmail', 'invalid_string', 'must be an email address');
  return { type: 'CUSTOM', customEmail };
}

function readDelay(config: ConfigReader): DelayConfig {
  const delay: DelayConfig = {
    type: 'DELAY',
    amount: config.number('amount') ?? 1,
    unit: config.choice('unit', DELAY_UNITS),
  };
  if (delay.amount <= 0) config.report('amount', 'too_small', 'must be more than 0');
  if (delayMs(delay) > LONGEST) config.report('amount', 'too_big', 'must be at most 365 days');
  return delay;
}

function readTimeout(config: ConfigReader): number | null {
  if (config.get('timeout') === undefined) return null;
  const seconds = config.number('timeout');
  if (seconds !== null && seconds < 1) config.report('timeout', 'too_small', 'must be at least 1 second');
  if (seconds !== null && seconds * SECOND > LONGEST) config.report('timeout', 'too_big', 'must be at most 365 days');
  return seconds;
}

function readUpdate(config: ConfigReader): UpdateContactConfig {
  const subscriptionAction = config.choice('subscriptionAction', SUBSCRIPTION_ACTIONS, 'none');
  const updates = config.object('updates');
  if (!updates && subscriptionAction === 'none' && config.get('updates') === undefined)
    config.report('updates', 'required', 'must be an object');
  try {
    readContactData(updates ?? {});
  } catch (error) {
    if (!(error instanceof ApiError) || !error.errors) throw error;
    for (const { code, message } of error.errors) config.report('updates', code, message);
  }
  return { type: 'UPDATE_CONTACT', updates: updates ?? {}, subscriptionAction };
}

/** How long a DELAY lasts, in whole milliseconds, at least one. */
export const delayMs = ({ amount, unit }: Pick<DelayConfig, 'amount' | 'unit'>): number =>
  Math.ceil(amount * UNIT_MS[unit]);

/**
 * The branches that transitions out of a step may have; null is one without a branch. Those of a WAIT_FOR_EVENT with
 * null and `event` are the same way, and only one of the two may be there.
 */
export function branchesOf(config: StepConfig): ReadonlyArray<string | null> {
  switch (config.type) {
    case 'CONDITION':
      return config.test.kind === 'multi' ? [...config.test.branches.map(({ id }) => id), 'default'] : ['yes', 'no'];
    case 'WAIT_FOR_EVENT':
      return [null, 'event', 'timeout'];
    case 'WEBHOOK':
      return [null, 'error'];
    case 'EXIT':
      return [];
    case 'TRIGGER':
    case 'SEND_EMAIL':
    case 'DELAY':
    case 'UPDATE_CONTACT':
      return [null];
  }
}

/**
 * The form in which a config is stored and shown: the contract's, with what the service understood. `readStepConfig`
 * reads it back the same.
 */
export function toStoredConfig({ type: _type, ...config }: StepConfig): Record<string, unknown> {
  if (!('test' in config)) return config;
  const { kind, ...test } = config.test;
  if ('tree' in test) return { ...test.tree };
  return kind === 'multi' ? { mode: kind, ...test } : test;
}
