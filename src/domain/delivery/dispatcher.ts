/**
 * Sends the emails that belong to no campaign: claims due rows, composes their emails, offers them to the SMTP client,
 * and records the results. The rows are the queue.
 *
 * A row is committed as SENDING before its email is offered, and the claimed rows without a recorded result are at most
 * as many as the connections. So a crash leaves at most that many emails with an unknown outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../backoff.js';
import type { Context } from '../../context.js';
import type { SmtpClient, SourceHandle } from '../../mail/smtp/client.js';
import type { SmtpJob } from '../../mail/smtp/job.js';
import { createPulse, type Pulse } from '../../pause.js';
import { openSendSpan } from '../../trace.js';
import { unsendableReason, type Composer, type Recipient } from '../emails/compose.js';
import { originalOf } from '../emails/copies.js';
import { claimDue, settle, takeTokens, type ClaimedEmail, type DeliveryResult } from '../emails/sql/delivery.js';
import { readWorkflowVariables } from '../emails/workflow-variables.js';
import { contactOfAddress } from '../executions/sql/send.js';
import { decideReply, decideUncomposed, failDeleted, refuseEmail, retryLater, type Decision } from './decide.js';
import { OUTCOMES, State } from './states.js';

export interface DispatcherTools {
  client: SmtpClient;
  composer: Composer;
  workerId: string;
  /** Emails that this worker has claimed and not recorded. Its other SENDING rows were never handed over. */
  held: Set<string>;
}

export interface Dispatcher {
  /** Announces new emails. */
  wake: () => void;
  /** Claims nothing more. Resolves when the emails in flight are finished and recorded. */
  stop: () => Promise<void>;
}

interface Queue extends DispatcherTools {
  ctx: Context;
  source: SourceHandle;
  /** The number of claimed emails that are being composed. */
  composing: number;
  /** Composed emails that wait for a connection. */
  ready: QueueJob[];
  /** Results that are not recorded. */
  results: DeliveryResult[];
  /** Emails may be due that the last claim did not see. */
  mayHaveDue: boolean;
  /** When the results must be recorded, the rows must be read, and a retry is due, by `performance.now()`. */
  recordAt: number;
  pollAt: number;
  retryAt: number;
  isStopping: boolean;
  /** Failed statements in a row. */
  failures: number;
  /** Wakes the loop. */
  changed: Pulse;
}

/** An email that is offered to the SMTP client. */
interface QueueJob extends SmtpJob {
  email: ClaimedEmail;
  /** Called when the client takes it. */
  begin: () => void;
}

/** How often the rows are read without a wake-up. */
const POLL_INTERVAL_MS = 1000;
/** Results wait at most this long for a claim that records them. */
const RECORD_DELAY_MS = 25;

/** Starts to send the emails that belong to no campaign. */
export function startDispatcher(ctx: Context, tools: DispatcherTools): Dispatcher {
  const queue: Queue = {
    ...tools,
    ctx,
    source: { wake: () => undefined, remove: () => undefined },
    composing: 0,
    ready: [],
    results: [],
    mayHaveDue: true,
    recordAt: 0,
    pollAt: 0,
    retryAt: Number.POSITIVE_INFINITY,
    isStopping: false,
    failures: 0,
    changed: createPulse(),
  };
  // The client calls `next` before it returns.
  queue.source = tools.client.addSource({ next: () => nextJob(queue) }, { priority: 'urgent' });
  const running = runUntilStopped(queue);
  return {
    wake() {
      queue.mayHaveDue = true;
      queue.changed.fire();
    },
    async stop() {
      queue.isStopping = true;
      for (const { email } of queue.ready.splice(0)) release(queue, email, 0);
      queue.changed.fire();
      await running;
      queue.source.remove();
    },
  };
}

/** Runs one statement at a time, so that its successor covers more emails: ten cost little more than one. */
async function runUntilStopped(queue: Queue): Promise<void> {
  while (!queue.isStopping || queue.held.size > 0) {
    const now = performance.now();
    if (now >= Math.min(queue.pollAt, queue.retryAt)) queue.mayHaveDue = true;
    const limit = queue.mayHaveDue && !queue.isStopping ? claimLimit(queue) : 0;
    const mustRecord = queue.results.length > 0 && (queue.isStopping || now >= queue.recordAt);
    if (limit > 0 || mustRecord) await recordAndClaim(queue, limit, now);
    else await waitForChange(queue, now);
  }
}

/** Returns how many emails may be claimed: one per connection, or during an outage, the one that probes the servers. */
function claimLimit({ ctx, client, held, results, composing, ready }: Queue): number {
  if (client.isReachable) return ctx.config.SMTP_CONNECTIONS - (held.size - results.length);
  return composing + ready.length === 0 ? 1 : 0;
}

async function waitForChange(queue: Queue, now: number): Promise<void> {
  const readAt = queue.mayHaveDue ? now + POLL_INTERVAL_MS : Math.min(queue.pollAt, queue.retryAt);
  await queue.changed.wait((queue.results.length > 0 ? Math.min(queue.recordAt, readAt) : readAt) - now);
}

/** Records the results and claims up to `limit` emails, in one statement. */
async function recordAndClaim(queue: Queue, limit: number, now: number): Promise<void> {
  const { ctx, workerId, held, results } = queue;
  queue.results = [];
  if (limit > 0) {
    queue.mayHaveDue = false;
    queue.pollAt = now + POLL_INTERVAL_MS;
    if (now >= queue.retryAt) queue.retryAt = Number.POSITIVE_INFINITY;
  }
  try {
    // With a rate limit, emails are claimed repeatedly until they are sent.
    const withContent = ctx.config.SEND_RATE_PER_SECOND === 0;
    const emails = limit > 0 ? await claimDue(ctx.pool, { workerId, limit, results, withContent }) : [];
    if (limit === 0) await settle(ctx.pool, workerId, results);
    queue.failures = 0;
    for (const { id, status, retryMs } of results) {
      held.delete(id);
      if (status === 'PENDING') queue.retryAt = Math.min(queue.retryAt, performance.now() + retryMs);
    }
    for (const { id } of emails) held.add(id);
    if (emails.length > 0 && (emails.length === limit || emails.some(({ isShareUsed }) => isShareUsed)))
      queue.mayHaveDue = true;
    for (const email of await releaseOverRate(queue, emails)) void offerEmail(queue, email);
  } catch (error) {
    // It is unknown whether the statement was committed. Recording twice is harmless.
    queue.results = [...results, ...queue.results];
    queue.recordAt = 0;
    queue.mayHaveDue ||= limit > 0;
    ctx.log.warn({ err: error, results: results.length }, 'The email queue could not be read or updated; retrying');
    await sleep(backoffMs(++queue.failures, { minMs: 100, maxMs: 2000 }));
  }
}

/** Returns the emails for which their project's token bucket grants a token, and releases the others. */
async function releaseOverRate(queue: Queue, emails: ClaimedEmail[]): Promise<ClaimedEmail[]> {
  const { pool, log, config } = queue.ctx;
  const perSecond = config.SEND_RATE_PER_SECOND;
  if (perSecond === 0) return emails;
  const tokens = new Map<string, number>();
  for (const projectId of new Set(emails.map((email) => email.projectId))) {
    const count = emails.filter((email) => email.projectId === projectId).length;
    const granted = await takeTokens(pool, projectId, count, perSecond).catch((error: unknown) => {
      log.warn({ err: error, projectId }, 'Tokens of the rate limit could not be taken; retrying');
      return 0;
    });
    tokens.set(projectId, granted);
  }
  return emails.filter((email) => {
    const left = tokens.get(email.projectId) ?? 0;
    tokens.set(email.projectId, left - 1);
    if (left <= 0) release(queue, email, Math.max(50, 1000 / perSecond));
    return left > 0;
  });
}

/** Composes an email and offers it to the SMTP client, or notes why it is not sent. Never throws. */
async function offerEmail(queue: Queue, email: ClaimedEmail): Promise<void> {
  const startedAt = performance.now();
  queue.composing++;
  const composed = await composeEmail(queue, email);
  queue.composing--;
  if ('state' in composed) return note(queue, email, composed, startedAt);
  if (queue.isStopping) return release(queue, email, 0);
  queue.ready.push(createJob(queue, email, composed, startedAt));
  queue.source.wake();
}

interface ComposedEmail {
  from: string;
  content: Buffer;
  trace: string | null;
}

/** Composes an email, or decides that it is not sent. */
async function composeEmail({ ctx, composer }: Queue, email: ClaimedEmail): Promise<ComposedEmail | Decision> {
  const { source, type, suppressed, projectDisabled } = email;
  try {
    const recipient = await readRecipient(ctx, email);
    const { isUnsubscribed, workflow } = recipient;
    const refusal = refuseEmail({ source, type, suppressed, isProjectDisabled: projectDisabled, isUnsubscribed });
    if (refusal) return refusal;
    const message = await composer.load(email);
    if (!message) return failDeleted();
    const original = await originalOf(ctx.pool, email, message.message);
    const contactId = original === email ? recipient.contactId : original.contactId;
    return {
      from: composer.envelopeFrom(email.id, message),
      content: await composer.compose(original, { contactId, workflow }, message),
      trace: workflow?.trace ?? message.message.trace,
    };
  } catch (error) {
    const reason = unsendableReason(error);
    if (reason === null) ctx.log.error({ err: error, emailId: email.id }, 'An email could not be composed');
    return decideUncomposed(reason, email.attempts);
  }
}

interface CheckedRecipient extends Recipient {
  /** Whether the email requires a subscribed contact and the contact is not subscribed. */
  isUnsubscribed: boolean;
}

async function readRecipient(
  { pool }: Context,
  { source, type, projectId, contactId, contactSubscribed, toEmail, variables }: ClaimedEmail,
): Promise<CheckedRecipient> {
  const workflow = source === 'WORKFLOW' ? readWorkflowVariables(variables) : null;
  // The contact may have unsubscribed while the email waited.
  const isUnsubscribed = type !== 'TRANSACTIONAL' && source === 'WORKFLOW' && contactSubscribed !== true;
  if (!workflow?.about) return { contactId, isUnsubscribed, workflow };
  // The email is about a contact but goes to another address, which can belong to a contact with its own subscription.
  const found = type === 'TRANSACTIONAL' ? null : await contactOfAddress(pool, projectId, toEmail);
  return { contactId: found?.id ?? null, isUnsubscribed: found?.subscribed === false, workflow };
}

function createJob(
  queue: Queue,
  email: ClaimedEmail,
  { from, content, trace }: ComposedEmail,
  startedAt: number,
): QueueJob {
  const { id, projectId, source, attempts, toEmail } = email;
  let endSpan: ReturnType<typeof openSendSpan> | null = null;
  return {
    email,
    from,
    to: toEmail,
    content,
    begin() {
      endSpan = openSendSpan({ id, projectId, source, attempt: attempts }, trace);
    },
    onResult(result) {
      endSpan?.(result.outcome === 'accepted' ? 'ok' : 'error');
      // An unsent email counts as an attempt, so that the others are tried before it.
      const decision =
        result.outcome === 'unsent'
          ? retryLater(attempts, result.error, { response: result.response })
          : decideReply(result, attempts);
      note(queue, email, decision, startedAt);
    },
  };
}

/** Returns the next email for a free connection. */
function nextJob(queue: Queue): QueueJob | null {
  const job = queue.ready.shift() ?? null;
  job?.begin();
  return job;
}

const STATUSES = {
  [State.SENT]: 'SENT',
  [State.FAILED]: 'FAILED',
  [State.CANCELLED]: 'CANCELLED',
  [State.UNKNOWN]: 'FAILED',
  [State.RETRY]: 'PENDING',
} as const;

/** Notes the result of an email, to be recorded soon. */
function note(queue: Queue, { id, source, followed }: ClaimedEmail, decision: Decision, startedAt: number): void {
  const { state, error, response, retryMs, isAmbiguous } = decision;
  const { metrics } = queue.ctx;
  const outcome = OUTCOMES[state];
  metrics.delivery.observe({ outcome }, (performance.now() - startedAt) / 1000);
  metrics.emails.inc({ source, outcome });
  // The next email of the request waits for this result.
  if (followed) queue.mayHaveDue = true;
  addResult(queue, { id, status: STATUSES[state], error, response, retryMs, ambiguous: isAmbiguous });
}

/** Makes an email due again after `retryMs`. This is not an attempt. */
function release(queue: Queue, { id }: ClaimedEmail, retryMs: number): void {
  addResult(queue, { id, status: 'PENDING', error: null, response: null, retryMs, untried: true });
}

function addResult(queue: Queue, result: DeliveryResult): void {
  if (queue.results.push(result) === 1) queue.recordAt = performance.now() + RECORD_DELAY_MS;
  queue.changed.fire();
}
