/** The output of a WEBHOOK step: its last attempt, and in short those before. Pure. */
import { z } from 'zod';
import type { JsonValue } from '../../../db/predicate.js';
import type { WebhookResult } from './call.js';

/** Attempts that are listed. */
const LISTED = 20;

const Attempt = z.object({
  attempt: z.number(),
  at: z.string(),
  statusCode: z.number().nullable(),
  durationMs: z.number(),
  reason: z.string().nullable(),
});

const Recorded = z.object({
  outcome: z.enum(['success', 'retry', 'failure']),
  summary: z.string(),
  reason: z.string().nullable(),
  attempt: z.number(),
  attempts: z.array(Attempt),
});
/**
 * What is known of a WEBHOOK step from its output. With `retry`, another attempt is to come, unless Temporal has given
 * up.
 */
export type RecordedWebhook = z.infer<typeof Recorded>;

/** Reads a step execution's output; null where no attempt has been recorded. */
export function readWebhookOutput(output: unknown): RecordedWebhook | null {
  return Recorded.safeParse(output).data ?? null;
}

/**
 * What is kept of an attempt, with those before it.
 *
 * @param at the Temporal workflow's time
 */
export function outputOf(
  result: WebhookResult,
  { attempt, at, before }: { attempt: number; at: Date; before: RecordedWebhook | null },
): RecordedWebhook & { [key: string]: JsonValue } {
  const { outcome, reason, method, url, redirects, statusCode, headers, body, json, truncated, durationMs } = result;
  const attempts = [
    ...(before?.attempts ?? []),
    { attempt, at: at.toISOString(), statusCode, durationMs, reason },
  ].slice(-LISTED);
  return {
    summary: summaryOf(result, attempt),
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

function summaryOf({ outcome, reason, method, url, statusCode, durationMs }: WebhookResult, attempt: number): string {
  const what = url === null ? `The ${method} request` : `${method} to ${new URL(url).host}`;
  const nth = attempt === 1 ? '' : ` at attempt ${attempt}`;
  if (outcome === 'success') return `${what} was answered with ${statusCode}${nth}, after ${durationMs} ms.`;
  return outcome === 'retry'
    ? `${what} failed${nth}: ${reason}. It is tried again.`
    : `${what} failed${nth}: ${reason}.`;
}

/** What a support person reads when the hour of attempts is over. */
export const describeGivingUp = ({ reason, attempt }: RecordedWebhook): string =>
  `${reason ?? 'The receiver did not answer'}; given up after ${attempt} attempt${attempt === 1 ? '' : 's'}`;
