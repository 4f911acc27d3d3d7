/**
 * The emails that a worker has claimed, from their claim to the record of their results: those that wait, the order within
 * their requests, and the results that are not recorded. dispatcher.ts adds emails and records results, and offer.ts hands over.
 */
import type { Context } from '../../context.js';
import type { Pool } from '../../db/pool.js';
import type { SmtpClient, SourceHandle } from '../../mail/smtp/client.js';
import type { Pulse } from '../../pause.js';
import type { Composer } from '../emails/compose.js';
import { MAX_OF_REQUEST, type QueueFront } from '../emails/sql/claim.js';
import type { ClaimedEmail, DeliveryResult } from '../emails/sql/delivery.js';
import type { Deadline } from './chunk.js';
import { releaseClaimed, toDeliveryResult, type Decision } from './decide.js';
import type { Journal, JournalFile } from './journal.js';
import type { ComposedEmail } from './queued-email.js';
import type { RequestOrder } from './request-order.js';
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

export interface Queue extends DispatcherTools {
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
  /** These can include others than the next emails of requests that this worker holds. */
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
export interface Batch {
  /** Null without a journal. */
  journal: JournalFile | null;
  /** The number of its emails without a recorded result. */
  open: number;
  /** After this time, other workers may assume that this one is dead. */
  deadline: Deadline;
}

/** A claimed email. */
export interface QueuedEmail {
  email: ClaimedEmail;
  batch: Batch;
  /** In its batch. */
  position: number;
  /** `performance.now()`. */
  startedAt: number;
  composed: ComposedEmail | null;
}

/** Composed emails that wait take at most this memory, and the one that exceeds it. */
export const MAX_COMPOSED_BYTES = 8 * 1024 * 1024;
/** The next emails of a request are claimed when at most this many of it are in flight, so that the worker does not run out. */
export const FEW_OF_REQUEST = MAX_OF_REQUEST / 2;

export const isJournalUsable = ({ journal, hasJournalFailed }: Queue): boolean => journal !== null && !hasJournalFailed;

/** Whether the email is one of several of its request, which are handed over in their order. */
export const isOrdered = ({ email }: QueuedEmail): boolean => email.isOrdered;

/** Whether the email does not wait for another one of its request. */
export const isNext = ({ order }: Queue, one: QueuedEmail): boolean =>
  !isOrdered(one) || order.isNext(one.email.messageId, one);

/** Whether emails are ready for a connection, or are being composed. */
export const hasReady = ({ composing, ready }: Queue): boolean =>
  composing + ready.transactional.length + ready.automation.length > 0;

/** Whether emails wait for a connection, composed or not. Those that wait for another of their request do not count. */
export const isBusy = (queue: Queue): boolean => hasReady(queue) || queue.uncomposed.some((one) => isNext(queue, one));

export const canHandOver = (queue: Queue, { batch }: QueuedEmail): boolean =>
  queue.isJournaled === isJournalUsable(queue) && !batch.deadline.isPassed();

/** Returns the claims whose requests can be continued: few of their emails are in flight, and none is released now. */
export function selectContinued(
  { order, released, last }: Pick<Queue, 'order' | 'released' | 'last'>,
  { few }: { few: number },
): string[] {
  const inFlight = order.requests().filter((emails) => emails.length <= few);
  const emails = [...inFlight.flat(), ...last].filter((one) => isOrdered(one) && !released.has(one.email.messageId));
  return [...new Set(emails.map(({ email }) => email.claimId))];
}

export function makeReady(queue: Queue, one: QueuedEmail): void {
  readyLike(queue, one).push(one);
  queue.source.wake();
}

const readyLike = ({ ready }: Queue, { email }: QueuedEmail): QueuedEmail[] =>
  ready[email.source === 'WORKFLOW' ? 'automation' : 'transactional'];

/** Notes the result of an email, to be recorded soon. */
export function note(queue: Queue, one: QueuedEmail, decision: Decision): void {
  const { id, source } = one.email;
  const { metrics } = queue.ctx;
  const outcome = OUTCOMES[decision.state];
  metrics.delivery.observe({ outcome }, (performance.now() - one.startedAt) / 1000);
  metrics.emails.inc({ source, outcome });
  one.batch.journal?.noteResult(one.position, decision);
  addResult(queue, one, toDeliveryResult(id, decision));
}

/** Makes an email due again after `retryMs`, with those that come after it in its request. This is not an attempt. */
export function release(queue: Queue, one: QueuedEmail, retryMs: number): void {
  const { id, messageId } = one.email;
  for (const list of [queue.uncomposed, readyLike(queue, one)]) {
    const index = list.indexOf(one);
    if (index !== -1) list.splice(index, 1);
  }
  if (isOrdered(one)) {
    queue.released.add(messageId);
    const next = queue.order.after(messageId, one);
    // It can belong to a later claim, which is still valid, and would overtake this one.
    if (next && queue.waiting.has(next)) release(queue, next, retryMs);
  }
  addResult(queue, one, releaseClaimed(id, retryMs));
}

/**
 * Releases emails whose claim has expired. In an outage, the next pause would end before they were claimed again, and an email of a
 * campaign would probe the servers each time. The earliest claims come first.
 */
export function releaseExpired(queue: Queue): void {
  for (const one of queue.waiting) {
    if (!one.batch.deadline.isPassed()) return;
    release(queue, one, 0);
  }
}

/** Releases everything that no connection has taken. */
export function releaseWaiting(queue: Queue): void {
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

/** Ends the wait of an email for a connection. */
export function unqueue(queue: Queue, one: QueuedEmail): void {
  queue.waiting.delete(one);
  const bytes = queue.composedBytes;
  queue.composedBytes -= one.composed?.content.length ?? 0;
  one.composed = null;
  if (bytes >= MAX_COMPOSED_BYTES || queue.hasNew || (queue.mayHaveDue && queue.waiting.size === 0))
    queue.changed.fire();
}

/** Ends what is kept of an email whose result is recorded. */
export function forget(queue: Queue, { id, status, retryMs }: DeliveryResult): void {
  if (status === 'PENDING') queue.retryAt = Math.min(queue.retryAt, performance.now() + retryMs);
  const batch = queue.held.get(id)?.batch;
  queue.held.delete(id);
  if (batch && --batch.open === 0) batch.journal?.remove();
}
