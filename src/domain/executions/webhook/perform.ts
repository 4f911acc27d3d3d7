/** One attempt of a WEBHOOK step: load, call, record. */
import type { Context } from '../../../context.js';
import { loadOpenWebhook, recordAttempt, type OpenWebhook, type WebhookKey } from '../sql/webhook.js';
import { ApiError } from '../../../errors.js';
import { readStepConfig, type WebhookConfig } from '../../workflows/step-config.js';
import { describeInvalidConfig } from '../words.js';
import { callWebhook, type WebhookResult } from './call.js';
import { outputOf, readWebhookOutput } from './output.js';
import { waitBehind } from './retry-after.js';
import { webhookSecret } from './secret.js';

export interface WebhookAttempt extends WebhookKey {
  /** From 1; by default the next after those that are recorded. */
  attempt?: number;
  /** The Temporal workflow's time. */
  now: Date;
}

/**
 * - `settled`: the step has its outcome, success or failure; what it is stands in the step execution's output
 * (`readWebhookOutput`)
 * - `retry`: another attempt may succeed, after `waitMs`: a second that doubles with each attempt, or later where the
 * receiver wants it, at most ten minutes
 * - `ended`: the execution is no longer at this step, or its project is disabled
 */
export type PerformedWebhook =
  | { kind: 'settled' }
  | { kind: 'retry'; reason: string; waitMs: number }
  | { kind: 'ended' };

/**
 * Makes one attempt of the WEBHOOK step that an execution is at, and records it in the step execution's output.
 *
 * A repeat after a recorded success or failure calls nobody. When a worker dies between the call and the record, the
 * call is made again, with the same
 * `webhook-id`, by which a receiver knows it.
 *
 * @throws what the database throws: nothing of the receiver, the network or the config is an exception
 */
export async function performWebhook(
  ctx: Context,
  { attempt: given, now, ...key }: WebhookAttempt,
): Promise<PerformedWebhook> {
  const open = await loadOpenWebhook(ctx.pool, key);
  if (!open) return { kind: 'ended' };
  const before = readWebhookOutput(open.output);
  if (before && before.outcome !== 'retry') return { kind: 'settled' };
  const attempt = given ?? (before?.attempt ?? 0) + 1;
  const result = await call(ctx, key, open);
  const recorded = await recordAttempt(ctx.pool, key, outputOf(result, { attempt, at: now, before }));
  if (!recorded) return { kind: 'ended' };
  if (result.outcome !== 'retry') return { kind: 'settled' };
  return {
    kind: 'retry',
    reason: result.reason ?? 'The receiver did not answer',
    waitMs: waitBehind(attempt, result.retryAfterMs),
  };
}

async function call(
  ctx: Context,
  { projectId, executionId, stepExecutionId }: WebhookKey,
  { config, contact, workflow, context, startedAt }: OpenWebhook,
): Promise<WebhookResult> {
  const request = readRequest(config);
  if (typeof request === 'string') return notCalled(request);
  const secret = await webhookSecret(ctx, projectId);
  return callWebhook(ctx, {
    request,
    facts: { contact, workflow, execution: { id: executionId, startedAt }, event: context },
    id: stepExecutionId,
    secret,
  });
}

/**
 * The step's config; a sentence where it breaks a rule that it did not break, or that was not there, when it was saved.
 */
function readRequest(config: unknown): WebhookConfig | string {
  try {
    const read = readStepConfig('WEBHOOK', config);
    if (read.type === 'WEBHOOK') return read;
  } catch (error) {
    if (error instanceof ApiError) return describeInvalidConfig(error);
    throw error;
  }
  throw new Error('The config of a WEBHOOK was read as that of another step');
}

const notCalled = (reason: string): WebhookResult => ({
  outcome: 'failure',
  reason,
  method: 'POST',
  url: null,
  redirects: 0,
  statusCode: null,
  headers: null,
  body: null,
  truncated: false,
  durationMs: 0,
  retryAfterMs: null,
});
