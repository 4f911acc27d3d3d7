/**
 * Sends the emails that belong to no campaign: claims due rows, composes their emails, offers them to the SMTP client,
 * and records the results. The rows are the queue.
 *
 * A row is committed as SENDING before its email is offered. Without a journal, the claimed rows without a recorded result
 * are at most as many as the connections, so a crash leaves at most that many emails with an unknown outcome. With a
 * journal (journal.ts), which tells what was handed over, more rows are claimed ahead, so that no connection waits for
 * PostgreSQL.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '../../backoff.js';
import type { Context } from '../../context.js';
import { createPulse } from '../../pause.js';
import { claimDue, NO_LANES } from '../emails/sql/claim.js';
import { settle, takeTokens, type ClaimedEmail } from '../emails/sql/delivery.js';
import { declareJournal } from '../emails/sql/liveness.js';
import { createDeadline, type Deadline } from './chunk.js';
import type { JournalFile } from './journal.js';
import { nextJob } from './offer.js';
import {
  FEW_OF_REQUEST,
  forget,
  hasReady,
  isBusy,
  isJournalUsable,
  isNext,
  isOrdered,
  makeReady,
  MAX_COMPOSED_BYTES,
  note,
  release,
  releaseExpired,
  releaseWaiting,
  selectContinued,
  type Batch,
  type DispatcherTools,
  type Queue,
  type QueuedEmail,
} from './queue.js';
import { composeQueued } from './queued-email.js';
import { createRequestOrder } from './request-order.js';

export interface Dispatcher {
  /** Announces new emails. */
  wake: () => void;
  /** Announces the projects with scheduled email that is due. Those of an earlier call have none any more. */
  setDueProjects: (projectIds: readonly string[]) => void;
  /** Claims nothing more. Resolves when the emails in flight are finished and recorded. */
  stop: () => Promise<void>;
}

/** How often the rows are read without a wake-up. */
const POLL_INTERVAL_MS = 1000;
/** Claims of a long queue begin at its front for this time. An email before the front waits until then. */
const FRONT_KEPT_MS = 100;
/** Results wait at most this long for a claim that records them. */
const RECORD_DELAY_MS = 25;
/** The same while emails wait for a connection, or for another of their request. */
const BUSY_RECORD_DELAY_MS = 100;
/**
 * With a journal, a claim is ahead of the connections by at most this many emails, and by at most this multiple of the emails
 * that were finished since the one before. So a slow mail server leaves the others to other workers. Emails that wait for another
 * of their request need no connection: they do not count, up to this number.
 */
const MAX_AHEAD = 200;
const AHEAD_FACTOR = 3;
/** Emails that are claimed together while others wait for a connection: a statement has a fixed cost, that of about 30 emails. */
const CLAIM_BATCH = 100;
/** Emails that are being composed and signed, which happens in other threads. */
const MAX_COMPOSING = 50;
/** Emails whose composing begins in one turn of the event loop, which takes about 1 ms. */
const COMPOSED_PER_TURN = 10;
/** A claim is valid for half of the time after which other workers assume that this one is dead (liveness.ts). */
const HEARTBEATS_PER_CLAIM = 2.5;

/** Starts to send the emails that belong to no campaign. */
export function startDispatcher(ctx: Context, tools: DispatcherTools): Dispatcher {
  const queue: Queue = {
    ...tools,
    ctx,
    source: tools.client.addSource({ next: () => nextJob(queue) }, { priority: 'urgent' }),
    isJournaled: false,
    hasJournalFailed: false,
    waiting: new Set(),
    uncomposed: [],
    composing: 0,
    order: createRequestOrder(),
    ready: { transactional: [], automation: [] },
    composedBytes: 0,
    results: [],
    released: new Set(),
    last: [],
    held: new Map(),
    mayHaveDue: true,
    hasNew: false,
    dueProjects: [],
    front: { lanes: NO_LANES },
    frontUntil: 0,
    oldestResultAt: 0,
    pollAt: 0,
    retryAt: Number.POSITIVE_INFINITY,
    isStopping: false,
    failures: 0,
    changed: createPulse(),
  };
  const running = Promise.all([runUntilStopped(queue), composeUntilStopped(queue)]);
  return {
    wake() {
      announce(queue);
      queue.changed.fire();
    },
    setDueProjects(projectIds) {
      queue.dueProjects = projectIds;
      if (projectIds.length === 0) return;
      announce(queue);
      queue.changed.fire();
    },
    async stop() {
      queue.isStopping = true;
      releaseWaiting(queue);
      queue.changed.fire();
      await running;
      queue.source.remove();
    },
  };
}

/** Notes that emails may be due that no claim has seen. */
function announce(queue: Queue): void {
  queue.mayHaveDue = true;
  queue.hasNew = true;
}

/** Runs one statement at a time, so that its successor covers more emails: ten cost little more than one. */
async function runUntilStopped(queue: Queue): Promise<void> {
  while (!queue.isStopping || queue.held.size > 0) {
    const now = performance.now();
    releaseExpired(queue);
    if (now >= Math.min(queue.pollAt, queue.retryAt)) announce(queue);
    const limit = queue.mayHaveDue && !queue.isStopping ? claimLimit(queue) : 0;
    // While emails wait, a claim can wait for more results. But new emails do not wait for a reply to another one.
    const isIdle = queue.waiting.size === 0 || (queue.hasNew && !isBusy(queue));
    const mustClaim = limit >= CLAIM_BATCH || (limit > 0 && isIdle);
    const mustRecord = queue.results.length > 0 && (queue.isStopping || now >= recordTime(queue));
    if (queue.isJournaled !== isJournalUsable(queue)) await tellJournal(queue);
    else if (mustClaim || mustRecord) await recordAndClaim(queue, limit, now);
    else await waitForChange(queue, now);
  }
}

/** Tells PostgreSQL whether the journal has everything that is handed over, before the next email is. */
async function tellJournal(queue: Queue): Promise<void> {
  const isUsable = isJournalUsable(queue);
  try {
    await declareJournal(queue.ctx.pool, queue.workerId, isUsable);
    queue.isJournaled = isUsable;
    queue.source.wake();
  } catch (error) {
    queue.ctx.log.warn({ err: error }, 'The state of the journal could not be recorded; retrying');
    await sleep(backoffMs(++queue.failures, { minMs: 100, maxMs: 2000 }));
  }
}

/** Returns how many emails may be claimed; during an outage, the one that probes the servers. */
function claimLimit({ ctx, client, isJournaled, held, results, order, waiting }: Queue): number {
  const { SMTP_CONNECTIONS, SEND_RATE_PER_SECOND } = ctx.config;
  // With a rate limit, emails wait for tokens in the database.
  const isAhead = isJournaled && SEND_RATE_PER_SECOND === 0;
  const ahead = isAhead ? Math.min(MAX_AHEAD, AHEAD_FACTOR * results.length + order.waiting()) : 0;
  if (client.isReachable) return Math.max(0, SMTP_CONNECTIONS + ahead - (held.size - results.length));
  return waiting.size === 0 ? 1 : 0;
}

async function waitForChange(queue: Queue, now: number): Promise<void> {
  const readAt = queue.mayHaveDue ? now + POLL_INTERVAL_MS : Math.min(queue.pollAt, queue.retryAt);
  await queue.changed.wait((queue.results.length > 0 ? Math.min(recordTime(queue), readAt) : readAt) - now);
}

/** Returns when the results must be recorded, by `performance.now()`. */
const recordTime = ({ oldestResultAt, waiting }: Queue): number =>
  oldestResultAt + (waiting.size > 0 ? BUSY_RECORD_DELAY_MS : RECORD_DELAY_MS);

/** Records the results and claims up to `limit` emails, in one statement. */
async function recordAndClaim(queue: Queue, limit: number, now: number): Promise<void> {
  const { ctx, workerId, results, released, last, dueProjects, front } = queue;
  // With a rate limit, emails are claimed repeatedly until they are sent, and released with a delay.
  const isUnlimited = ctx.config.SEND_RATE_PER_SECOND === 0;
  const ended = last.map(({ email }) => email.claimId);
  const { hasNew } = queue;
  const continued = selectContinued(queue, { few: isUnlimited ? FEW_OF_REQUEST : 0 });
  queue.results = [];
  queue.released = new Set();
  queue.last = [];
  if (limit > 0) {
    if (now >= queue.frontUntil) {
      front.lanes = NO_LANES;
      queue.frontUntil = now + FRONT_KEPT_MS;
    }
    queue.mayHaveDue = false;
    queue.hasNew = false;
    queue.pollAt = now + POLL_INTERVAL_MS;
    if (now >= queue.retryAt) queue.retryAt = Number.POSITIVE_INFINITY;
  }
  const isComplete = front.lanes === NO_LANES;
  const deadline = createDeadline(HEARTBEATS_PER_CLAIM * ctx.config.WORKER_HEARTBEAT_MS);
  try {
    let emails: ClaimedEmail[] = [];
    const claim = { workerId, limit, results, ended, withContent: isUnlimited, dueProjects, front, continued };
    if (limit > 0) emails = await claimDue(queue.pool, claim);
    else await settle(queue.pool, workerId, results, ended);
    queue.failures = 0;
    for (const result of results) forget(queue, result);
    for (const id of ended) queue.claims.delete(id);
    const isFull = emails.length > 0 && (emails.length === limit || emails.some(({ isShareUsed }) => isShareUsed));
    if (limit > 0 && !isFull) queue.frontUntil = 0;
    if (limit > 0 && (isFull || !isComplete)) queue.mayHaveDue = true;
    await enqueue(queue, emails, deadline);
  } catch (error) {
    // It is unknown whether the statement was committed. Recording twice is harmless.
    queue.results = [...results, ...queue.results];
    queue.released = new Set([...released, ...queue.released]);
    queue.last = [...last, ...queue.last];
    queue.oldestResultAt = 0;
    queue.mayHaveDue ||= limit > 0;
    queue.hasNew ||= hasNew;
    ctx.log.warn({ err: error, results: results.length }, 'The email queue could not be read or updated; retrying');
    await sleep(backoffMs(++queue.failures, { minMs: 100, maxMs: 2000 }));
  }
}

/** Queues claimed emails for composing, except those outside of their send window, or over the rate limit of their project. */
async function enqueue(queue: Queue, emails: readonly ClaimedEmail[], deadline: Deadline): Promise<void> {
  if (emails.length === 0) return;
  const batch: Batch = { journal: openJournal(queue, emails), open: emails.length, deadline };
  const queued = emails.map((email, position): QueuedEmail => {
    const one: QueuedEmail = { email, batch, position, startedAt: 0, composed: null };
    queue.held.set(email.id, one);
    queue.claims.set(email.claimId, (queue.claims.get(email.claimId) ?? 0) + 1);
    return one;
  });
  // Emails of these requests were released during the claim, and come first. `releaseOverRate` adds others to the set.
  const released = new Set(queue.released);
  for (const one of await releaseOverRate(queue, releaseOutsideWindow(queue, queued))) {
    if (isOrdered(one) && released.has(one.email.messageId)) {
      release(queue, one, 0);
      continue;
    }
    queue.waiting.add(one);
    queue.uncomposed.push(one);
    if (isOrdered(one)) queue.order.add(one.email.messageId, one);
  }
  if (queue.isStopping) releaseWaiting(queue);
  queue.changed.fire();
}

function openJournal(queue: Queue, emails: readonly ClaimedEmail[]): JournalFile | null {
  if (!queue.journal || !queue.isJournaled || queue.hasJournalFailed) return null;
  const fail = (): void => {
    queue.hasJournalFailed = true;
    queue.changed.fire();
  };
  const file = queue.journal.openClaim(
    emails.map(({ id }) => id),
    fail,
  );
  if (!file) fail();
  return file;
}

/** Returns the emails that may be sent at this time, and releases the others: they are then due when their window opens. */
function releaseOutsideWindow(queue: Queue, queued: readonly QueuedEmail[]): QueuedEmail[] {
  return queued.filter((one) => {
    if (!one.email.isWindowOpen) release(queue, one, 0);
    return one.email.isWindowOpen;
  });
}

/** Returns the emails for which their project's token bucket grants a token, and releases the others. */
async function releaseOverRate(queue: Queue, queued: QueuedEmail[]): Promise<QueuedEmail[]> {
  const { pool, log, config } = queue.ctx;
  const perSecond = config.SEND_RATE_PER_SECOND;
  if (perSecond === 0) return queued;
  const tokens = new Map<string, number>();
  for (const projectId of new Set(queued.map(({ email }) => email.projectId))) {
    const count = queued.filter(({ email }) => email.projectId === projectId).length;
    const granted = await takeTokens(pool, projectId, count, perSecond).catch((error: unknown) => {
      log.warn({ err: error, projectId }, 'Tokens of the rate limit could not be taken; retrying');
      return 0;
    });
    tokens.set(projectId, granted);
  }
  return queued.filter((one) => {
    const left = tokens.get(one.email.projectId) ?? 0;
    tokens.set(one.email.projectId, left - 1);
    if (left <= 0) release(queue, one, Math.max(50, 1000 / perSecond));
    return left > 0;
  });
}

/** Composes the claimed emails, a few in each turn of the event loop. */
async function composeUntilStopped(queue: Queue): Promise<void> {
  while (!queue.isStopping) {
    const begun = takeUncomposed(queue);
    for (const one of begun) void composeEmail(queue, one);
    if (begun.length === 0) await queue.changed.wait();
    else await nextTurn();
  }
}

/**
 * Takes the next emails to compose. When the composed ones use up their memory, it takes only one that does not wait for another of
 * its request, and only if none is ready: all composed ones can be waiting for a slow reply.
 */
function takeUncomposed(queue: Queue): QueuedEmail[] {
  const { uncomposed, composing, composedBytes } = queue;
  if (composing >= MAX_COMPOSING) return [];
  if (composedBytes < MAX_COMPOSED_BYTES) return uncomposed.splice(0, COMPOSED_PER_TURN);
  const index = hasReady(queue) ? -1 : uncomposed.findIndex((one) => isNext(queue, one));
  return index === -1 ? [] : uncomposed.splice(index, 1);
}

/** Composes an email, and makes it ready when it is its turn in its request, or notes why it is not sent. Never throws. */
async function composeEmail(queue: Queue, one: QueuedEmail): Promise<void> {
  one.startedAt = performance.now();
  queue.composing++;
  const composed = await composeQueued(queue.ctx, queue.composer, one.email);
  queue.composing--;
  if (queue.uncomposed.length > 0 || (queue.hasNew && queue.composing === 0)) queue.changed.fire();
  // It was released while it was composed.
  if (!queue.waiting.has(one)) return;
  if ('state' in composed) return note(queue, one, composed);
  one.composed = composed;
  queue.composedBytes += composed.content.length;
  if (isNext(queue, one)) makeReady(queue, one);
}
