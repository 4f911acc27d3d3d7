/**
 * Sends a campaign from this worker: leases chunks, reads their recipients, composes their emails, and offers them to
 * the SMTP client. The ledger records the results.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Context } from '../../context.js';
import { isPassing } from '../../db/errors.js';
import type { Pool } from '../../db/pool.js';
import type { SmtpClient, SourceHandle } from '../../mail/smtp/client.js';
import type { SmtpJob, SmtpResult } from '../../mail/smtp/job.js';
import { createPulse, type Pulse } from '../../pause.js';
import { currentTrace, openSendSpan } from '../../trace.js';
import type { CampaignRun } from '../campaigns/intents.js';
import { unsendableReason, type ComposableMessage, type Composer } from '../emails/compose.js';
import { withoutNul } from '../emails/sql/delivery.js';
import { addEmails, canHandOver, createChunk, type ChunkEmail, type OpenChunk } from './chunk.js';
import { decideResult, decideUncomposed, failDeleted, refuseRecipient, type Decision } from './decide.js';
import type { Journal } from './journal.js';
import type { Ledger } from './ledger.js';
import { createAllowance, UNLIMITED, type Allowance } from './rate.js';
import { openDueEmails, type DueEmails } from './due.js';
import { readSendingCampaign } from './sql/campaigns.js';
import { leaseChunks } from './sql/chunks.js';
import { readRecipients, type CampaignEmail } from './sql/recipients.js';
import { chunkSizeFor, OUTCOMES } from './states.js';

export interface DeliveryTools {
  ctx: Context;
  /** For the statements of campaigns, so that they do not wait for connections of others. */
  pool: Pool;
  client: SmtpClient;
  composer: Composer;
  ledger: Ledger;
  journal: Journal | null;
  workerId: string;
  leaseMs: number;
}

export interface LaneResult {
  sent: number;
  failed: number;
  retried: number;
  /** `drained`: nothing is left to lease. `limit`: the time is over. `aborted`: the worker stops. `inactive`: canceled. */
  reason: 'drained' | 'limit' | 'aborted' | 'inactive';
}

/** One chunk is sent and two are ahead, so that no connection waits for PostgreSQL. */
const MAX_OPEN_CHUNKS = 3;
/** Composed emails that wait for a connection: enough for 10 ms, and not more memory than this. */
const MAX_READY_EMAILS = 250;
const MAX_READY_BYTES = 8 * 1024 * 1024;
/** Emails that are being signed, which takes 20 ms: transactional email waits for them. Half as many make campaigns slower. */
const MAX_SIGNING = 48;
/** A lane leases for this time, and then sends what it has leased. */
const LEASE_TIME_MS = 20_000;
const HAND_OVER_TIME_MS = 25_000;
/** The pause before the next look for free chunks or due retries. */
const SNAPSHOT_PAUSE_MS = 50;
const IDLE_PAUSE_MS = 200;
/** Composing blocks the event loop for at most this time. */
const MAX_TURN_MS = 1;

/** The work of one `sendCampaign` call. */
interface Lane {
  tools: DeliveryTools;
  run: CampaignRun;
  messageId: string;
  due: DueEmails;
  /** That of the call: the SMTP client takes emails in any span. */
  trace: string | null;
  /** Leased chunks whose results are not all recorded. */
  chunks: Set<OpenChunk>;
  /** The emails of leased chunks that are not composed yet, in the order of sending. */
  uncomposed: ChunkEmail[][];
  /** Composed emails. */
  ready: CampaignJob[];
  readyBytes: number;
  /** Emails that are being signed. */
  composing: number;
  inFlight: number;
  counts: { sent: number; failed: number; cancelled: number; retry: number };
  /** The part of `counts` that the metrics have. */
  counted: Lane['counts'];
  allowance: Allowance;
  source: SourceHandle;
  /** Why nothing more is leased. */
  ended: LaneResult['reason'] | null;
  /** Whether nothing more is handed over. */
  isStopped: boolean;
  /** An error that ended the lane. */
  failure: unknown;
  /** Wakes the loops of the lane. */
  changed: Pulse;
}

/** An email that is offered to the SMTP client. */
class CampaignJob implements SmtpJob {
  readonly from: string;
  readonly to: string;
  readonly content: Buffer;
  readonly hasNoLeadingDots: boolean;
  readonly lane: Lane;
  readonly chunk: OpenChunk;
  readonly position: number;
  readonly email: CampaignEmail;
  readonly trace: string | null;
  startedAt = 0;
  endSpan: ((outcome: 'ok' | 'error') => void) | null = null;

  constructor(lane: Lane, { chunk, position, email }: ChunkEmail, message: ComposableMessage, content: Buffer) {
    this.from = lane.tools.composer.envelopeFrom(email.id, message);
    this.to = email.toEmail;
    this.content = content;
    this.hasNoLeadingDots = message.compiled.isStatic(email);
    this.trace = message.message.trace ?? lane.trace;
    this.lane = lane;
    this.chunk = chunk;
    this.position = position;
    this.email = email;
  }

  canHandOver(): boolean {
    return canHandOver(this.chunk, this.position);
  }

  noteHandOver(): void {
    this.chunk.journal?.noteHandedOver(this.position);
  }

  onResult(result: SmtpResult): void {
    finishJob(this.lane, this, result);
  }
}

/**
 * Sends a campaign until nothing is left to lease, the campaign is canceled, the time is over, or the signal aborts.
 * Returns when the emails in flight are finished and recorded.
 *
 * @param dueUntil scheduled emails are due until this moment: that of the Temporal workflow, which waits for the next ones
 * @throws the error of a statement that is not transient, after the emails in flight were recorded
 */
export async function sendCampaign(
  tools: DeliveryTools,
  run: CampaignRun,
  signal: AbortSignal,
  dueUntil: Date,
): Promise<LaneResult> {
  const campaign = await readSendingCampaign(tools.pool, run.campaignId);
  if (!campaign?.isActive || campaign.messageId === null) return { sent: 0, failed: 0, retried: 0, reason: 'inactive' };
  const lane = openLane(tools, run, campaign.messageId, dueUntil);
  const onAbort = (): void => stopLane(lane, 'aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const timers = [
    setTimeout(() => endLane(lane, 'limit'), LEASE_TIME_MS),
    setTimeout(() => stopLane(lane, 'limit'), HAND_OVER_TIME_MS),
  ];
  try {
    await Promise.all([leaseUntilEnded(lane), composeUntilEnded(lane)]);
    while (!lane.isStopped && lane.chunks.size > 0) await lane.changed.wait();
    while (lane.inFlight > 0 || lane.composing > 0) await lane.changed.wait();
    await Promise.all([...lane.chunks].map((chunk) => tools.ledger.leave(chunk)));
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    lane.source.remove();
    lane.allowance.stop();
    countEmails(lane);
  }
  if (lane.failure !== undefined) throw lane.failure;
  const { sent, failed, retry } = lane.counts;
  return { sent, failed, retried: retry, reason: lane.ended ?? 'drained' };
}

function openLane(tools: DeliveryTools, run: CampaignRun, messageId: string, dueUntil: Date): Lane {
  const perSecond = tools.ctx.config.SEND_RATE_PER_SECOND;
  const { log } = tools.ctx;
  const lane: Lane = {
    tools,
    run,
    messageId,
    trace: currentTrace(),
    due: openDueEmails({
      pool: tools.pool,
      log,
      campaignId: run.campaignId,
      chunkSize: chunkSizeFor(perSecond),
      now: dueUntil,
    }),
    chunks: new Set(),
    uncomposed: [],
    ready: [],
    readyBytes: 0,
    composing: 0,
    inFlight: 0,
    counts: { sent: 0, failed: 0, cancelled: 0, retry: 0 },
    counted: { sent: 0, failed: 0, cancelled: 0, retry: 0 },
    allowance:
      perSecond === 0
        ? UNLIMITED
        : createAllowance({
            pool: tools.pool,
            log,
            projectId: run.projectId,
            perSecond,
            onRefill: () => lane.source.wake(),
          }),
    source: tools.client.addSource({ next: () => nextJob(lane) }, { priority: 'bulk' }),
    ended: null,
    isStopped: false,
    failure: undefined,
    changed: createPulse(),
  };
  return lane;
}

/** Leases nothing more. What is leased is still sent. */
function endLane(lane: Lane, reason: LaneResult['reason']): void {
  lane.ended ??= reason;
  lane.changed.fire();
}

/** Hands over nothing more. */
function stopLane(lane: Lane, reason: LaneResult['reason']): void {
  lane.ended ??= reason;
  lane.isStopped = true;
  lane.ready = [];
  lane.readyBytes = 0;
  lane.uncomposed = [];
  for (const chunk of lane.chunks) lane.tools.ledger.stopChunk(chunk);
  lane.changed.fire();
}

function failLane(lane: Lane, error: unknown): void {
  lane.failure = error;
  stopLane(lane, 'aborted');
}

/** Leases chunks ahead of the emails that are sent. */
async function leaseUntilEnded(lane: Lane): Promise<void> {
  while (lane.ended === null) {
    try {
      if (lane.chunks.size >= MAX_OPEN_CHUNKS) await lane.changed.wait();
      else await leaseNext(lane);
    } catch (error) {
      if (!isPassing(error)) return failLane(lane, error);
      lane.tools.ctx.log.warn({ err: error, campaignId: lane.run.campaignId }, 'No chunk could be leased; retrying');
      await lane.changed.wait(IDLE_PAUSE_MS);
    }
  }
}

/** Leases free chunks. Without any, looks for due emails, and ends the lane or waits. */
async function leaseNext(lane: Lane): Promise<void> {
  const { pool, workerId, leaseMs } = lane.tools;
  const { campaignId } = lane.run;
  const limit = MAX_OPEN_CHUNKS - lane.chunks.size;
  const rows = await leaseChunks(pool, { campaignId, limit, owner: workerId, leaseMs });
  for (const row of rows) {
    const recipients = await untilAvailable(lane, () => readRecipients(pool, row, lane.messageId));
    const journal = lane.tools.journal?.openChunk(row, () => failJournal(chunk)) ?? null;
    const chunk = createChunk(row, journal, () => onChunkChange(lane, chunk));
    const emails = recipients === null ? [] : addEmails(chunk, recipients);
    lane.chunks.add(chunk);
    lane.tools.ledger.add(chunk);
    if (lane.isStopped) lane.tools.ledger.stopChunk(chunk);
    else if (emails.length > 0) lane.uncomposed.push(emails);
    else await lane.tools.ledger.leave(chunk);
    lane.changed.fire();
  }
  if (rows.length > 0) return;
  const campaign = await readSendingCampaign(pool, campaignId);
  if (!campaign?.isActive) return stopLane(lane, 'inactive');
  if (await lane.due.takeNext(campaign)) return;
  if (campaign.snapshotDone && lane.chunks.size === 0) return endLane(lane, 'drained');
  await lane.changed.wait(campaign.snapshotDone ? IDLE_PAUSE_MS : SNAPSHOT_PAUSE_MS);
}

/** Repeats a read until the database is available. @returns null if the lane is stopped first */
async function untilAvailable<T>(lane: Lane, read: () => Promise<T>): Promise<T | null> {
  while (!lane.isStopped) {
    try {
      return await read();
    } catch (error) {
      if (!isPassing(error)) throw error;
      lane.tools.ctx.log.warn({ err: error, campaignId: lane.run.campaignId }, 'A read of a campaign failed; retrying');
      await lane.changed.wait(IDLE_PAUSE_MS);
    }
  }
  return null;
}

/** After a failed write, PostgreSQL must know that the journal is incomplete before the next email is handed over. */
function failJournal(chunk: OpenChunk): void {
  chunk.journal = null;
  chunk.mark = 0;
}

function onChunkChange(lane: Lane, chunk: OpenChunk): void {
  countEmails(lane);
  if (chunk.isClosed || chunk.isLost) lane.chunks.delete(chunk);
  if (chunk.isStopped && !lane.isStopped) stopLane(lane, 'inactive');
  // A flush may have allowed further emails.
  if (lane.ready.length > 0) lane.source.wake();
  lane.changed.fire();
}

/** Counts the emails since the last call in the metrics: together, because the counter takes 1 µs. */
function countEmails({ tools, counts, counted }: Lane): void {
  for (const outcome of Object.values(OUTCOMES)) {
    if (counts[outcome] > counted[outcome])
      tools.ctx.metrics.emails.inc({ source: 'CAMPAIGN', outcome }, counts[outcome] - counted[outcome]);
    counted[outcome] = counts[outcome];
  }
}

/** Composes the emails of leased chunks, as many as connections need soon. */
async function composeUntilEnded(lane: Lane): Promise<void> {
  while (!lane.isStopped) {
    const next = lane.uncomposed.shift();
    if (next) await composeEmails(lane, next).catch((error: unknown) => failLane(lane, error));
    else if (lane.ended === null) await lane.changed.wait();
    else return;
  }
}

async function composeEmails(lane: Lane, emails: readonly ChunkEmail[]): Promise<void> {
  const messages = new Map<string, ComposableMessage | null>();
  for (const messageId of new Set(emails.map(({ email }) => email.messageId ?? lane.messageId)))
    messages.set(messageId, await loadMessage(lane, messageId));
  let turnStart = performance.now();
  for (const one of emails) {
    while (!lane.isStopped && isReadyFull(lane)) {
      await lane.changed.wait();
      turnStart = performance.now();
    }
    if (lane.isStopped || one.chunk.isLost) return;
    composeEmail(lane, one, messages.get(one.email.messageId ?? lane.messageId) ?? null);
    if (performance.now() - turnStart < MAX_TURN_MS) continue;
    await nextTurn();
    turnStart = performance.now();
  }
}

const loadMessage = (lane: Lane, messageId: string): Promise<ComposableMessage | null> =>
  untilAvailable(lane, () =>
    lane.tools.composer.load({
      projectId: lane.run.projectId,
      messageId,
      campaignId: lane.run.campaignId,
      workflowId: null,
      templateId: null,
    }),
  );

const isReadyFull = ({ ready, composing, readyBytes }: Lane): boolean =>
  ready.length + composing >= MAX_READY_EMAILS || readyBytes >= MAX_READY_BYTES || composing >= MAX_SIGNING;

/** Composes an email and adds it to the ready ones, or records why it is not sent. */
function composeEmail(lane: Lane, one: ChunkEmail, message: ComposableMessage | null): void {
  const { email } = one;
  if (!message) return note(lane, one, failDeleted());
  const refusal = refuseRecipient(email, message.message.type);
  if (refusal) return note(lane, one, refusal);
  try {
    const content = lane.tools.composer.compose(email, { contactId: email.contactId, workflow: null }, message);
    if (Buffer.isBuffer(content)) addReady(lane, one, message, content);
    else void addSigned(lane, one, message, content);
  } catch (error) {
    noteUncomposed(lane, one, error);
  }
}

/** Adds an email to the ready ones when it is signed. */
async function addSigned(
  lane: Lane,
  one: ChunkEmail,
  message: ComposableMessage,
  content: Promise<Buffer>,
): Promise<void> {
  lane.composing++;
  try {
    addReady(lane, one, message, await content);
  } catch (error) {
    noteUncomposed(lane, one, error);
  } finally {
    lane.composing--;
    // Half of these emails are left when composing continues.
    if (lane.composing <= MAX_SIGNING / 2) lane.changed.fire();
  }
}

function addReady(lane: Lane, one: ChunkEmail, message: ComposableMessage, content: Buffer): void {
  if (lane.isStopped) return;
  lane.ready.push(new CampaignJob(lane, one, message, content));
  lane.readyBytes += content.length;
  if (lane.ready.length === 1) lane.source.wake();
}

function noteUncomposed(lane: Lane, one: ChunkEmail, error: unknown): void {
  const reason = unsendableReason(error);
  if (reason === null)
    lane.tools.ctx.log.error({ err: error, emailId: one.email.id }, 'An email could not be composed');
  note(lane, one, decideUncomposed(reason, one.email.attempts + 1));
}

/** Returns the next email for a free connection, if it may be handed over now. */
function nextJob(lane: Lane): CampaignJob | null {
  const [job] = lane.ready;
  if (!job || !canHandOver(job.chunk, job.position) || !lane.allowance.spend()) return null;
  lane.ready.shift();
  lane.readyBytes -= job.content.length;
  lane.inFlight++;
  job.chunk.handed = Math.max(job.chunk.handed, job.position + 1);
  job.startedAt = performance.now();
  const { id, source, attempts } = job.email;
  job.endSpan = openSendSpan({ id, projectId: lane.run.projectId, source, attempt: attempts + 1 }, job.trace);
  // Half of the ready emails are left when composing continues.
  if (lane.ready.length <= MAX_READY_EMAILS / 2) lane.changed.fire();
  return job;
}

function finishJob(lane: Lane, job: CampaignJob, result: SmtpResult): void {
  lane.inFlight--;
  job.endSpan?.(result.outcome === 'accepted' ? 'ok' : 'error');
  const decision = decideResult(result, job.email.attempts + 1);
  if (decision) {
    note(lane, job, decision, (performance.now() - job.startedAt) / 1000);
  } else if (!lane.isStopped && !job.chunk.isLost) {
    // Nothing was handed over. The SMTP client pauses while no server is reachable.
    lane.ready.unshift(job);
    lane.readyBytes += job.content.length;
    lane.source.wake();
  }
  if (lane.inFlight === 0) lane.changed.fire();
}

/** Records the result of an email. */
function note(
  lane: Lane,
  { chunk, position, email }: ChunkEmail,
  { state, error, response, retryMs, isAmbiguous }: Decision,
  seconds?: number,
): void {
  const outcome = OUTCOMES[state];
  if (seconds !== undefined) lane.tools.ctx.metrics.delivery.observe({ outcome }, seconds);
  lane.counts[outcome]++;
  lane.tools.ledger.noteResult(chunk, position, {
    emailId: email.id,
    state,
    error: withoutNul(error),
    response: withoutNul(response),
    retryMs,
    isAmbiguous,
    receivedAt: performance.now(),
  });
}
