/** Makes one attempt of a WEBHOOK step: loads it, calls the receiver, and records the output. */
import { z } from 'zod';
import type { Context } from '../../../context.js';
import type { JsonValue } from '../../../db/predicate.js';
import { ApiError } from '../../../errors.js';
import { readStepConfig, type WebhookConfig } from '../../workflows/step-config.js';
import { loadOpenWebhook, recordAttempt, type OpenWebhook, type WebhookKey } from '../sql/webhook.js';
import { describeInvalidConfig } from '../words.js';
import { callWebhook, type WebhookResult } from './call.js';
import { retryDelayMs } from './retry.js';
import { webhookSecret } from './sign.js';

export interface WebhookAttempt extends WebhookKey {
  /** From 1; by default, the number after the last recorded attempt. */
  attempt?: number;
  /** The Temporal workflow's time. */
  now: Date;
}

/**
 * - `settled`: the step execution's output has the outcome, success or failure (`readWebhookOutput`)
 * - `retry`: another attempt may succeed after `delayMs`
 * - `ended`: the execution is no longer at this step, or its project is disabled
 */
export type PerformedWebhook =
  | { kind: 'settled' }
  | { kind: 'retry'; reason: string; delayMs: number }
  | { kind: 'ended' };

/**
 * Makes one attempt of the WEBHOOK step that an execution is at, and records it in the step execution's output.
 *
 * After a recorded success or failure, a repeated call sends no request. If a worker stops between the request and the
 * record, the request is sent again with the same `webhook-id`, so the receiver can detect the repeat.
 *
 * @throws only errors of the database: those of the receiver, the network, and the config are results
 */
export async function performWebhook(
  ctx: Context,
  { attempt: givenAttempt, now, ...key }: WebhookAttempt,
): Promise<PerformedWebhook> {
  const open = await loadOpenWebhook(ctx.pool, key);
  if (!open) return { kind: 'ended' };
  const before = readWebhookOutput(open.output);
  if (before && before.outcome !== 'retry') return { kind: 'settled' };
  const attempt = givenAttempt ?? (before?.attempt ?? 0) + 1;
  const result = await callReceiver(ctx, key, open);
  const recorded = await recordAttempt(ctx.pool, key, toWebhookOutput(result, { attempt, now, before }));
  if (!recorded) return { kind: 'ended' };
  if (result.outcome !== 'retry') return { kind: 'settled' };
  return {
    kind: 'retry',
    reason: result.reason ?? NO_RESPONSE,
    delayMs: retryDelayMs(attempt, result.retryAfterMs),
  };
}

const NO_RESPONSE = 'The receiver did not respond.';

async function callReceiver(
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

/** Returns the step's config; a sentence if it was valid when it was saved and no longer is. */
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

/** Attempts listed in the output, without the responses of the earlier ones. */
const MAX_LISTED_ATTEMPTS = 20;

const AttemptOutput = z.object({
  attempt: z.number(),
  at: z.string(),
  statusCode: z.number().nullable(),
  durationMs: z.number(),
  reason: z.string().nullable(),
});

const WebhookOutput = z.object({
  outcome: z.enum(['success', 'retry', 'failure']),
  summary: z.string(),
  reason: z.string().nullable(),
  attempt: z.number(),
  attempts: z.array(AttemptOutput),
});

/** The output of a WEBHOOK step's last attempt. With `retry`, another one follows until Temporal gives up. */
export type WebhookOutput = z.infer<typeof WebhookOutput>;

/** Reads a step execution's output. Returns null if no attempt has been recorded. */
export function readWebhookOutput(output: unknown): WebhookOutput | null {
  return WebhookOutput.safeParse(output).data ?? null;
}

/** Returns the output to store for an attempt, with the attempts before it. */
export function toWebhookOutput(
  result: WebhookResult,
  { attempt, now, before }: { attempt: number; now: Date; before: WebhookOutput | null },
): WebhookOutput & { [key: string]: JsonValue } {
  const { outcome, reason, method, url, redirects, statusCode, headers, body, json, truncated, durationMs } = result;
  const attempts = [
    ...(before?.attempts ?? []),
    { attempt, at: now.toISOString(), statusCode, durationMs, reason },
  ].slice(-MAX_LISTED_ATTEMPTS);
  return {
    summary: describeResult(result, attempt),
    outcome,
    reason,
    method,
    url,
    redirects,
    statusCode,
    headers,
    body,
    ...(json !== undefined && { json }),
    truncated,
    durationMs,
    attempt,
    attempts,
  };
}

function describeResult(
  { outcome, reason, method, url, statusCode, durationMs }: WebhookResult,
  attempt: number,
): string {
  const request = url === null ? `The ${method} request` : `${method} to ${new URL(url).host}`;
  const atAttempt = attempt === 1 ? '' : ` at attempt ${attempt}`;
  if (outcome === 'success') return `${request} succeeded with ${statusCode}${atAttempt} after ${durationMs} ms.`;
  const failed = `${request} failed${atAttempt}. ${reason}`;
  return outcome === 'retry' ? `${failed} The request will be retried.` : failed;
}

/** Describes a step whose attempts have all failed. */
export const describeGivingUp = ({ reason, attempt }: WebhookOutput): string =>
  `${reason ?? NO_RESPONSE} Gave up after ${attempt} attempt${attempt === 1 ? '' : 's'}.`;
