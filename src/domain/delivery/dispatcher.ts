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
import type { Pool } from '../../db/pool.js';
import type { SmtpClient, SourceHandle } from '../../mail/smtp/client.js';
import type { SmtpJob, SmtpResult } from '../../mail/smtp/job.js';
import { createPulse, type Pulse } from '../../pause.js';
import { openSendSpan } from '../../trace.js';
import type { Composer } from '../emails/compose.js';
import { claimDue, MAX_OF_REQUEST, NO_LANES, type QueueFront } from '../emails/sql/claim.js';
import { declareJournal, settle, takeTokens, type ClaimedEmail, type DeliveryResult } from '../emails/sql/delivery.js';
import { createDeadline, type Deadline } from './chunk.js';
import { decideReply, releaseClaimed, retryLater, toDeliveryResult, type Decision } from './decide.js';
import type { Journal, JournalFile } from './journal.js';
import { composeQueued, type ComposedEmail } from './queued-email.js';
import { createRequestOrder, type RequestOrder } from './request-order.js';
import { OUTCOMES } from './states.js';

export interface DispatcherTools {
  client: SmtpClient;
  composer: Composer;
  workerId: string;
  /**
   * The claims of this worker that are not completely recorded, by id, with the number of their emails without a result. The
   * emails of its other claims were never handed over: the connection was lost before the reply of the statement.
   */
  claims: Map<string, number>;
  journal: Journal | null;
  /** For claims and records. */
  pool: Pool;
}

export interface Dispatcher {
  /** Announces new emails. */
  wake: () => void;
  /** Announces the projects with scheduled email that is due. Those of an earlier call have none any more. */
  setDueProjects: (projectIds: readonly string[]) => void;
  /** Claims nothing more. Resolves when the emails in flight are finished and recorded. */
  stop: () => Promise<void>;
}

interface Queue extends DispatcherTools {
  ctx: Context;
  source: SourceHandle;
  /** Whether PostgreSQL knows that this worker notes in its journal what it hands over. */
  isJournaled: boolean;
  /** A write to the journal failed. It is not used any more. */
  hasJournalFailed: boolean;
  /** Claimed emails that no connection has taken. */
  waiting: Set<QueuedEmail>;
  /** Those that are not composed yet. */
  uncomposed: QueuedEmail[];
  /** The number of emails that are being composed. */
  composing: number;
  /** The emails of requests that are claimed. */
  order: RequestOrder<QueuedEmail>;
  /** Composed emails that wait for a connection. Those of workflows are handed over last. */
  ready: { transactional: QueuedEmail[]; automation: QueuedEmail[] };
  /** Of all composed emails, including those that wait for another of their request. */
  composedBytes: number;
  /** Results that are not recorded. */
  results: DeliveryResult[];
  /** The requests with released emails among these results. */
  released: Set<string>;
  /** The last emails of claims among these results. */
  last: QueuedEmail[];
  /** The claimed emails without a recorded result, by id. */
  held: Map<string, QueuedEmail>;
  /** Emails may be due that the last claim did not see. */
  mayHaveDue: boolean;
  /** New ones were announced since then. */
  hasNew: boolean;
  /** The projects with scheduled email that is due. */
  dueProjects: readonly string[];
  /** Where claims begin, and until when, by `performance.now()`. */
  front: QueueFront;
  frontUntil: number;
  /** When the oldest result arrived, the rows must be read, and a retry is due, by `performance.now()`. */
  oldestResultAt: number;
  pollAt: number;
  retryAt: number;
  isStopping: boolean;
  /** Failed statements in a row. */
  failures: number;
  /** Wakes the loops. */
  changed: Pulse;
}

/** The emails that one statement claimed, which are several claims in PostgreSQL if some belong to requests with an order. */
interface Batch {
  /** Null without a journal. */
  journal: JournalFile | null;
  /** The number of its emails without a recorded result. */
  open: number;
  /** After this time, other workers may assume that this one is dead. */
  deadline: Deadline;
}

/** A claimed email. */
interface QueuedEmail {
  email: ClaimedEmail;
  batch: Batch;
  /** In its batch. */
  position: number;
  /** `performance.now()`. */
  startedAt: number;
  composed: ComposedEmail | null;
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
 * that were finished since the one before. So a slow mail server leaves the others to other workers.
 */
const MAX_AHEAD = 200;
const AHEAD_FACTOR = 3;
/** Emails that are claimed together while others wait for a connection: a statement has a fixed cost, that of about 30 emails. */
const CLAIM_BATCH = 100;
/** Composed emails that wait take at most this memory, and the one that exceeds it. */
const MAX_COMPOSED_BYTES = 8 * 1024 * 1024;
/** Emails that are being composed and signed, which happens in other threads. */
const MAX_COMPOSING = 50;
/** Emails whose composing begins in one turn of the event loop, which takes about 1 ms. */
const COMPOSED_PER_TURN = 10;
/** The next emails of a request are claimed when at most this many of it are in flight, so that the worker does not run out. */
const FEW_OF_REQUEST = MAX_OF_REQUEST / 2;
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
      queue.mayHaveDue = true;
      queue.hasNew = true;
      queue.changed.fire();
    },
    setDueProjects(projectIds) {
      queue.dueProjects = projectIds;
      if (projectIds.length === 0) return;
      queue.mayHaveDue = true;
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

/** Runs one statement at a time, so that its successor covers more emails: ten cost little more than one. */
async function runUntilStopped(queue: Queue): Promise<void> {
  while (!queue.isStopping || queue.held.size > 0) {
    const now = performance.now();
    if (!queue.client.isReachable) releaseExpired(queue);
    if (now >= Math.min(queue.pollAt, queue.retryAt)) queue.mayHaveDue = true;
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

const isJournalUsable = ({ journal, hasJournalFailed }: Queue): boolean => journal !== null && !hasJournalFailed;

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
function claimLimit({ ctx, client, isJournaled, held, results, waiting }: Queue): number {
  const { SMTP_CONNECTIONS, SEND_RATE_PER_SECOND } = ctx.config;
  // With a rate limit, emails wait for tokens in the database.
  const ahead = isJournaled && SEND_RATE_PER_SECOND === 0 ? Math.min(MAX_AHEAD, AHEAD_FACTOR * results.length) : 0;
  if (client.isReachable) return Math.max(0, SMTP_CONNECTIONS + ahead - (held.size - results.length));
  return waiting.size === 0 ? 1 : 0;
}

async function waitForChange(queue: Queue, now: number): Promise<void> {
  const readAt = queue.mayHaveDue ? now + POLL_INTERVAL_MS : Math.min(queue.pollAt, queue.retryAt);
  await queue.changed.wait((queue.results.length > 0 ? Math.min(recordTime(queue), readAt) : readAt) - now);
}

/** Whether emails wait for a connection, or are composed for one. Those that wait for another of their request do not count. */
const isBusy = ({ uncomposed, composing, ready }: Queue): boolean =>
  uncomposed.length + composing + ready.transactional.length + ready.automation.length > 0;

/** Returns when the results must be recorded, by `performance.now()`. */
const recordTime = ({ oldestResultAt, waiting }: Queue): number =>
  oldestResultAt + (waiting.size > 0 ? BUSY_RECORD_DELAY_MS : RECORD_DELAY_MS);

/** Records the results and claims up to `limit` emails, in one statement. */
async function recordAndClaim(queue: Queue, limit: number, now: number): Promise<void> {
  const { ctx, workerId, results, released, last, dueProjects, front } = queue;
  // With a rate limit, emails are claimed repeatedly until they are sent, and released with a delay.
  const isUnlimited = ctx.config.SEND_RATE_PER_SECOND === 0;
  const ended = last.map(({ email }) => email.claimId);
  const continued = isUnlimited ? selectContinued(queue) : [];
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
    ctx.log.warn({ err: error, results: results.length }, 'The email queue could not be read or updated; retrying');
    await sleep(backoffMs(++queue.failures, { minMs: 100, maxMs: 2000 }));
  }
}

/** Returns the claims whose requests can be continued: few of their emails are in flight, and none is released now. */
function selectContinued({ order, released, last }: Queue): string[] {
  const inFlight = order.requests().filter((emails) => emails.length <= FEW_OF_REQUEST);
  const emails = [...inFlight.flat(), ...last].map(({ email }) => email);
  const continued = emails.filter(({ isOrdered, messageId }) => isOrdered && !released.has(messageId));
  return [...new Set(continued.map(({ claimId }) => claimId))];
}

/** Ends what is kept of an email whose result is recorded. */
function forget(queue: Queue, { id, status, retryMs }: DeliveryResult): void {
  if (status === 'PENDING') queue.retryAt = Math.min(queue.retryAt, performance.now() + retryMs);
  const batch = queue.held.get(id)?.batch;
  queue.held.delete(id);
  if (batch && --batch.open === 0) batch.journal?.remove();
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

/** Whether the email is one of several of its request, which are handed over in their order. */
const isOrdered = ({ email }: QueuedEmail): boolean => email.isOrdered;

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
    const { uncomposed, composing, composedBytes } = queue;
    if (uncomposed.length === 0 || composing >= MAX_COMPOSING || composedBytes >= MAX_COMPOSED_BYTES) {
      await queue.changed.wait();
      continue;
    }
    for (const one of uncomposed.splice(0, COMPOSED_PER_TURN)) void composeEmail(queue, one);
    await nextTurn();
  }
}

/** Composes an email, and makes it ready when it is its turn in its request, or notes why it is not sent. Never throws. */
async function composeEmail(queue: Queue, one: QueuedEmail): Promise<void> {
  one.startedAt = performance.now();
  queue.composing++;
  const composed = await composeQueued(queue.ctx, queue.composer, one.email);
  queue.composing--;
  if (queue.uncomposed.length > 0) queue.changed.fire();
  // It was released in the meantime.
  if (!queue.waiting.has(one)) return;
  if ('state' in composed) return note(queue, one, composed);
  one.composed = composed;
  queue.composedBytes += composed.content.length;
  if (!isOrdered(one) || queue.order.isNext(one.email.messageId, one)) makeReady(queue, one);
}

function makeReady(queue: Queue, one: QueuedEmail): void {
  readyLike(queue, one).push(one);
  queue.source.wake();
}

const readyLike = ({ ready }: Queue, { email }: QueuedEmail): QueuedEmail[] =>
  ready[email.source === 'WORKFLOW' ? 'automation' : 'transactional'];

/** An email that is offered to the SMTP client. */
class QueueJob implements SmtpJob {
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
  readonly #queue: Queue;
  readonly #one: QueuedEmail;
  readonly #endSpan: (outcome: 'ok' | 'error') => void;
  #isWithdrawn = false;

  constructor(queue: Queue, one: QueuedEmail, { from, content, trace }: ComposedEmail) {
    const { id, projectId, source, attempts, toEmail } = one.email;
    this.from = from;
    this.to = toEmail;
    this.content = content;
    this.#queue = queue;
    this.#one = one;
    this.#endSpan = openSendSpan({ id, projectId, source, attempt: attempts }, trace);
  }

  canHandOver(): boolean {
    this.#isWithdrawn = !canHandOver(this.#queue, this.#one);
    return !this.#isWithdrawn;
  }

  noteHandOver(): void {
    this.#one.batch.journal?.noteHandedOver(this.#one.position);
  }

  takeSuccessor(): QueueJob | null {
    const one = this.#one;
    const next = isOrdered(one) ? this.#queue.order.after(one.email.messageId, one) : null;
    return next && offer(this.#queue, next);
  }

  onResult(result: SmtpResult): void {
    this.#endSpan(result.outcome === 'accepted' ? 'ok' : 'error');
    if (this.#isWithdrawn) return release(this.#queue, this.#one, 0);
    const { attempts } = this.#one.email;
    // An unsent email counts as an attempt, so that the others are tried before it.
    const decision =
      result.outcome === 'unsent'
        ? retryLater(attempts, result.error, { response: result.response })
        : decideReply(result, attempts);
    note(this.#queue, this.#one, decision);
  }
}

/** Returns the next email for a free connection. */
function nextJob(queue: Queue): QueueJob | null {
  const { transactional, automation } = queue.ready;
  while (!queue.isStopping && queue.isJournaled === isJournalUsable(queue)) {
    const one = transactional.shift() ?? automation.shift();
    if (!one) return null;
    const job = offer(queue, one);
    if (job) return job;
  }
  return null;
}

/** Returns a composed email for a connection, or null: if its claim is too old, it is released. */
function offer(queue: Queue, one: QueuedEmail): QueueJob | null {
  const { composed } = one;
  if (!composed) return null;
  if (!canHandOver(queue, one)) {
    release(queue, one, 0);
    return null;
  }
  unqueue(queue, one);
  return new QueueJob(queue, one, composed);
}

const canHandOver = (queue: Queue, { batch }: QueuedEmail): boolean =>
  queue.isJournaled === isJournalUsable(queue) && !batch.deadline.isPassed();

/** Ends the wait of an email for a connection. */
function unqueue(queue: Queue, one: QueuedEmail): void {
  queue.waiting.delete(one);
  const bytes = queue.composedBytes;
  queue.composedBytes -= one.composed?.content.length ?? 0;
  one.composed = null;
  if (bytes >= MAX_COMPOSED_BYTES) queue.changed.fire();
}

/** Notes the result of an email, to be recorded soon. */
function note(queue: Queue, one: QueuedEmail, decision: Decision): void {
  const { id, source } = one.email;
  const { metrics } = queue.ctx;
  const outcome = OUTCOMES[decision.state];
  metrics.delivery.observe({ outcome }, (performance.now() - one.startedAt) / 1000);
  metrics.emails.inc({ source, outcome });
  one.batch.journal?.noteResult(one.position, decision);
  addResult(queue, one, toDeliveryResult(id, decision));
}

/** Makes an email due again after `retryMs`, with those that come after it in its request. This is not an attempt. */
function release(queue: Queue, one: QueuedEmail, retryMs: number): void {
  const { id, messageId } = one.email;
  const ready = readyLike(queue, one);
  const index = ready.indexOf(one);
  if (index !== -1) ready.splice(index, 1);
  if (isOrdered(one)) {
    queue.released.add(messageId);
    const next = queue.order.after(messageId, one);
    // It can belong to a later claim, which is still valid, and would overtake this one.
    if (next && queue.waiting.has(next)) release(queue, next, retryMs);
  }
  addResult(queue, one, releaseClaimed(id, retryMs));
}

/**
 * Releases emails whose claim has expired, so that the next pause of an outage does not end before they are claimed again:
 * an email of a campaign would then probe the servers each time.
 */
function releaseExpired(queue: Queue): void {
  for (const one of queue.waiting) if (one.batch.deadline.isPassed()) release(queue, one, 0);
}

/** Releases everything that no connection has taken. */
function releaseWaiting(queue: Queue): void {
  for (const one of queue.waiting) release(queue, one, 0);
}

function addResult(queue: Queue, one: QueuedEmail, result: DeliveryResult): void {
  unqueue(queue, one);
  if (isOrdered(one)) {
    const { order } = queue;
    const { messageId } = one.email;
    const next = order.remove(messageId, one);
    if (next?.composed) makeReady(queue, next);
    // The next emails of the request can now be claimed, if there are any.
    const rest = order.emails(messageId);
    if (rest.length <= FEW_OF_REQUEST && (rest.at(-1) ?? one).email.followed) queue.mayHaveDue = true;
  }
  const { claimId } = one.email;
  const open = (queue.claims.get(claimId) ?? 0) - 1;
  queue.claims.set(claimId, open);
  if (open === 0) queue.last.push(one);
  if (queue.results.push(result) === 1) queue.oldestResultAt = performance.now();
  queue.changed.fire();
}
