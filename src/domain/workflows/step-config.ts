/** The config of each step type (contract, section 7): its rules, and the form in which the code uses it. Pure. */
import { z } from 'zod';
import { ApiError, validationError } from '../../errors.js';
import type { StepType } from '../../generated/prisma/enums.js';
import { isAddress, MAX_ADDRESS_LENGTH, normalizeAddress } from '../../address.js';
import { readContactData } from '../contacts/data.js';
import { MAX_EVENT_NAME } from '../events/name.js';
import { withoutPrototypeNamesIn } from '../plain-json.js';
import { SendWindow } from '../send-window.js';
import { Condition, withMode } from './condition-config.js';
import { choice, configErrors, optionalText, report, requiredText } from './config-schema.js';
import { Webhook } from './webhook-config.js';

const SECOND_MS = 1000;
const DAY_MS = 24 * 3600 * SECOND_MS;
const UNIT_MS = {
  seconds: SECOND_MS,
  minutes: 60 * SECOND_MS,
  hours: 3600 * SECOND_MS,
  days: DAY_MS,
  weeks: 7 * DAY_MS,
} as const;
const DELAY_UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;
const SUBSCRIPTION_ACTIONS = ['none', 'subscribe', 'unsubscribe'] as const;

const MAX_WAIT_MS = 365 * DAY_MS;
const MAX_REASON_LENGTH = 1000;
const MAX_ID_LENGTH = 100;
/** An execution reads the config each time it reaches the step. */
const MAX_CONFIG_BYTES = 256 * 1024;

/** Always the event of the workflow. */
const Trigger = z.object({ type: z.literal('TRIGGER'), eventName: requiredText(MAX_EVENT_NAME) });

const CustomRecipient = z.object({
  type: z.literal('CUSTOM'),
  customEmail: requiredText(MAX_ADDRESS_LENGTH)
    .transform(normalizeAddress)
    .superRefine((address, ctx) => {
      if (address !== '' && !isAddress(address))
        report(ctx, { code: 'invalid_string', message: 'must be an email address' });
    }),
});

const SendEmail = z.object({
  type: z.literal('SEND_EMAIL'),
  /** In lower case. Not always a well-formed id. */
  templateId: requiredText(MAX_ID_LENGTH).toLowerCase(),
  recipient: z
    .discriminatedUnion(
      'type',
      [z.object({ type: z.literal('CONTACT') }), CustomRecipient],
      'must be one of CONTACT, CUSTOM',
    )
    .nullish()
    .transform((recipient) => recipient ?? { type: 'CONTACT' as const }),
  /** The hours in which the email is sent. Without them, those of the project count. */
  sendWindow: SendWindow.nullish().transform((window) => window ?? undefined),
});

const Delay = z
  .object({
    type: z.literal('DELAY'),
    amount: z.number('must be a number').gt(0, 'must be greater than 0'),
    unit: choice(DELAY_UNITS),
  })
  .refine((delay) => delayMs(delay) <= MAX_WAIT_MS, {
    path: ['amount'],
    error: 'must be at most 365 days',
    params: { code: 'too_big' },
  });

const WaitForEvent = z.object({
  type: z.literal('WAIT_FOR_EVENT'),
  eventName: requiredText(MAX_EVENT_NAME),
  /** In seconds; null waits without a limit. */
  timeout: z
    .number('must be a number')
    .min(1, 'must be at least 1 second')
    .max(MAX_WAIT_MS / SECOND_MS, 'must be at most 365 days')
    .nullish()
    .transform((timeout) => timeout ?? null),
});

const UpdateContact = z
  .object({
    type: z.literal('UPDATE_CONTACT'),
    subscriptionAction: choice(SUBSCRIPTION_ACTIONS)
      .nullish()
      .transform((action) => action ?? 'none'),
    /** The input of readContactData. */
    updates: z
      .record(z.string(), z.unknown(), 'must be an object')
      .superRefine((updates, ctx) => {
        try {
          readContactData(updates);
        } catch (error) {
          if (!(error instanceof ApiError) || !error.errors) throw error;
          for (const { code, message } of error.errors) report(ctx, { code, message });
        }
      })
      .nullish(),
  })
  .refine(({ updates, subscriptionAction }) => (updates ?? null) !== null || subscriptionAction !== 'none', {
    path: ['updates'],
    error: 'must be an object',
    params: { code: 'required' },
  })
  .transform((config) => ({ ...config, updates: config.updates ?? {} }));

const Exit = z.object({ type: z.literal('EXIT'), reason: optionalText(MAX_REASON_LENGTH) });

const StepConfigSchema = z.discriminatedUnion('type', [
  Trigger,
  SendEmail,
  Delay,
  WaitForEvent,
  Condition,
  Webhook,
  UpdateContact,
  Exit,
]);

export type StepConfig = z.output<typeof StepConfigSchema>;
export type SendEmailConfig = z.output<typeof SendEmail>;
export type DelayConfig = z.output<typeof Delay>;
export type WaitForEventConfig = z.output<typeof WaitForEvent>;
export type ConditionConfig = z.output<typeof Condition>;
export type WebhookConfig = z.output<typeof Webhook>;
export type UpdateContactConfig = z.output<typeof UpdateContact>;
export type ExitConfig = z.output<typeof Exit>;
export type DelayUnit = (typeof DELAY_UNITS)[number];
export type SubscriptionAction = (typeof SUBSCRIPTION_ACTIONS)[number];

/**
 * Reads the config of a step from a request or from the database. It does not check whether the template and the
 * segments exist (steps.ts).
 *
 * @throws VALIDATION_ERROR (422) with an entry for each field that breaks a rule, such as `config.branches.1.operator`
 */
export function readStepConfig(type: StepType, config: unknown): StepConfig {
  if (typeof config !== 'object' || config === null || Array.isArray(config))
    throw validationError([
      config === undefined
        ? { field: 'config', message: 'Required', code: 'required' }
        : { field: 'config', message: 'must be an object', code: 'invalid_type' },
    ]);
  const fields = withoutPrototypeNamesIn(config);
  const input = { ...(type === 'CONDITION' ? withMode(fields) : fields), type };
  const read = StepConfigSchema.safeParse(input, { reportInput: true });
  if (!read.success) throw validationError(configErrors(read.error.issues));
  if (Buffer.byteLength(JSON.stringify(toStoredConfig(read.data))) > MAX_CONFIG_BYTES)
    throw validationError([
      { field: 'config', message: `must be at most ${MAX_CONFIG_BYTES / 1024} KiB`, code: 'too_big' },
    ]);
  return read.data;
}

/** Returns the length of a DELAY in whole milliseconds, at least one. */
export const delayMs = ({ amount, unit }: { amount: number; unit: DelayUnit }): number =>
  Math.ceil(amount * UNIT_MS[unit]);

/**
 * Returns the branches that transitions out of a step can have; null is a transition without a branch. In a
 * WAIT_FOR_EVENT, null and `event` mean the same, and only one of them can exist.
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

/** Returns a config in the form of the contract, in which it is stored and shown. `readStepConfig` reads it back. */
export function toStoredConfig({ type: _type, ...config }: StepConfig): Record<string, unknown> {
  if (!('test' in config)) return config;
  const { kind, ...test } = config.test;
  if ('tree' in test) return { ...test.tree };
  return kind === 'multi' ? { mode: kind, ...test } : test;
}
