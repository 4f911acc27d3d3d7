/** Chunks of campaigns: leases, flushes, settlements, retries, cancellation, and recovery, on PostgreSQL. */
import { expect, test } from 'vitest';
import { cancel, finish } from '../../src/domain/campaigns/run.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { startRecovery } from '../../src/domain/delivery/recover.js';
import { isHandingOver, readOpenWork } from '../../src/domain/delivery/sql/campaigns.js';
import type { ChunkRow, FlushedChunk } from '../../src/domain/delivery/sql/chunks.js';
import { readRecipients } from '../../src/domain/delivery/sql/recipients.js';
import {
  recordLateResults,
  settleChunk,
  type EmailResult,
  type Settlement,
} from '../../src/domain/delivery/sql/settle.js';
import { numberOf, State, toStates } from '../../src/domain/delivery/states.js';
import { drainHits } from '../../src/domain/tracking/drain.js';
import { enqueueHits } from '../../src/domain/tracking/sql.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { useApi } from '../helpers/api.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { expireLeases, flushChunk, leaseFree, leaseOne as leaseOneFree, startCampaign } from '../helpers/chunks.js';
import { eventually } from '../helpers/eventually.js';
import { sendLane } from '../helpers/send-lane.js';
import { triggerHelpers } from '../helpers/triggers.js';

const api = useApi({ WORKER_HEARTBEAT_MS: '400' });
const { workflow, begun, waiting, pokesOf } = triggerHelpers(() => api.ctx);
const started = (contacts: number): Promise<CampaignRun> => startCampaign(api.ctx, contacts);
const lease = (run: CampaignRun, owner: string, limit = 1): Promise<ChunkRow[]> =>
  leaseFree(api.ctx, run, owner, limit);
const leaseOne = (run: CampaignRun, owner: string): Promise<ChunkRow> => leaseOneFree(api.ctx, run, owner);
const flush = (owner: string, row: ChunkRow, more: Partial<FlushedChunk> = {}) => flushChunk(api.ctx, owner, row, more);

const sent = (emailId: string): EmailResult => ({
  emailId,
  state: State.SENT,
  error: null,
  response: '250 ok',
  receivedAt: performance.now(),
  retryMs: 0,
  isAmbiguous: false,
});

/** The settlement of these results of a chunk. */
async function settlementOf(
  owner: string,
  row: ChunkRow,
  results: readonly EmailResult[],
  afterwards: Settlement['afterwards'],
): Promise<Settlement> {
  const states = toStates(row.states, row.size);
  const first = numberOf(row.firstId ?? '');
  for (const { emailId } of results) states[numberOf(emailId) - first] = State.SETTLED;
  const { campaignId, chunk, settled } = row;
  const settledAfter = settled + results.length;
  return { campaignId, chunk, owner, settledBefore: settled, settledAfter, states, results, afterwards };
}

const idsOf = async (row: ChunkRow): Promise<string[]> =>
  (await readRecipients(api.ctx.pool, row, newId())).map(({ id }) => id);
const countBy = async (campaignId: string, status: 'PENDING' | 'SENT' | 'CANCELLED' | 'FAILED'): Promise<number> =>
  api.ctx.prisma.email.count({ where: { campaignId, status } });
const chunkCount = ({ campaignId }: CampaignRun) => api.ctx.prisma.campaignChunk.count({ where: { campaignId } });
const sentEvents = (projectId: string) => api.ctx.prisma.event.count({ where: { projectId, name: 'email.sent' } });

test('the snapshot numbers the recipients without gaps, in chunks that contain each of them once', async () => {
  const run = await started(2500);
  const chunks = await lease(run, newId(), 10);
  expect(chunks.map(({ chunk, size }) => [chunk, size])).toEqual([
    [1, 1000],
    [1001, 1000],
    [2001, 500],
  ]);
  const ids = (await Promise.all(chunks.map(idsOf))).flat();
  expect(ids.map(numberOf)).toEqual(Array.from({ length: 2500 }, (_, index) => index + 1));
});

test('a chunk is leased by one of several workers, and again only after its release', async () => {
  const run = await started(3000);
  const workers = Array.from({ length: 6 }, newId);
  const leased = await Promise.all(workers.map((worker) => lease(run, worker)));
  const numbers = leased.flat().map(({ chunk }) => chunk);
  expect(new Set(numbers).size).toBe(numbers.length);
  for (let more = true; more;) more = (await lease(run, newId())).length > 0;
  expect(await lease(run, newId())).toEqual([]);

  const index = leased.findIndex((chunks) => chunks.length > 0);
  const [row] = leased[index] ?? [];
  if (!row) throw new Error('No worker got a chunk');
  const owner = workers[index] ?? '';
  expect(await settleChunk(api.ctx.pool, await settlementOf(owner, row, [], 'release'))).toBe(true);
  expect((await lease(run, newId())).map(({ chunk }) => chunk)).toEqual([row.chunk]);
});

test('a flush by a worker without the lease changes nothing, and its settlement is rejected', async () => {
  const run = await started(10);
  const [owner, other] = [newId(), newId()];
  const row = await leaseOne(run, owner);
  expect(await flush(owner, row, { mark: 5 })).toMatchObject([{ chunk: row.chunk, isActive: true }]);
  expect(await flush(other, row, { mark: 9 })).toEqual([]);
  const [id = ''] = await idsOf(row);
  expect(await settleChunk(api.ctx.pool, await settlementOf(other, row, [sent(id)], 'keep'))).toBe(false);
  expect(await countBy(run.campaignId, 'SENT')).toBe(0);
  expect((await api.ctx.prisma.campaignChunk.findFirstOrThrow({ where: { campaignId: run.campaignId } })).mark).toBe(5);
});

test('a repeated settlement changes nothing, and a flush of earlier states does not undo it', async () => {
  const run = await started(10);
  const owner = newId();
  const row = await leaseOne(run, owner);
  const ids = await idsOf(row);
  const partial = await settlementOf(owner, row, ids.slice(0, 4).map(sent), 'keep');
  expect(await settleChunk(api.ctx.pool, partial)).toBe(true);
  expect(await settleChunk(api.ctx.pool, partial)).toBe(false);
  expect(await flush(owner, row, { settled: 0 })).toEqual([]);
  expect(await readOpenWork(api.ctx.pool, run.campaignId)).toMatchObject({ pending: 6, isHeld: true });

  const rest = { ...row, settled: 4, states: partial.states };
  const last = await settlementOf(owner, rest, ids.slice(4).map(sent), 'close');
  expect(await settleChunk(api.ctx.pool, last)).toBe(true);
  expect(await settleChunk(api.ctx.pool, last)).toBe(false);
  expect(await countBy(run.campaignId, 'SENT')).toBe(10);
  expect(await sentEvents(run.projectId)).toBe(10);
  expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
  expect(await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id: run.campaignId } })).toMatchObject({
    status: 'SENT',
    sentCount: 10,
  });
  // The chunks of a campaign that has ended are deleted. A settlement after that changes nothing.
  expect(await chunkCount(run)).toBe(0);
  expect(await settleChunk(api.ctx.pool, last)).toBe(false);
  expect(await flush(owner, row, { settled: 10 })).toEqual([]);
});

test('the sent emails of a campaign start the workflows of email.sent, and poke the executions that wait for it', async () => {
  const run = await started(3);
  const owner = newId();
  const row = await leaseOne(run, owner);
  const contacts = await api.ctx.prisma.contact.findMany({
    where: { projectId: run.projectId },
    orderBy: { id: 'asc' },
  });
  const waits = await workflow(run.projectId, 'signup');
  const waitingId = await waiting(waits, contacts[0]?.id ?? '', 'email.sent');
  const [first = '', second = '', third = ''] = await idsOf(row);
  // Only an execution listens, then a workflow too.
  const before = await settlementOf(owner, row, [sent(first)], 'keep');
  await settleChunk(api.ctx.pool, before);
  expect(await pokesOf(waitingId)).toBe(1);
  const starts = await workflow(run.projectId, 'email.sent');
  const rest = { ...row, settled: 1, states: before.states };
  await settleChunk(api.ctx.pool, await settlementOf(owner, rest, [sent(second), sent(third)], 'close'));
  expect((await begun(starts)).map(({ contactId }) => contactId).sort()).toEqual(contacts.slice(1).map(({ id }) => id));
  expect(await pokesOf(waitingId)).toBe(1);
  expect(await sentEvents(run.projectId)).toBe(3);
});

test('the ids that a mail server gives to emails are stored, also those of late results', async () => {
  const run = await started(3);
  const owner = newId();
  const row = await leaseOne(run, owner);
  const [first = '', second = '', third = ''] = await idsOf(row);
  const accepted = { ...sent(first), response: '250 Ok server-id-1' };
  const unknown = { ...sent(third), state: State.UNKNOWN, response: null, isAmbiguous: true };
  await settleChunk(api.ctx.pool, await settlementOf(owner, row, [accepted, sent(second), unknown], 'close'));
  expect(
    await recordLateResults(api.ctx.pool, run.campaignId, [{ ...sent(third), response: '250 2.0.0 OK x2' }]),
  ).toEqual([]);
  expect(
    await api.ctx.prisma.emailServerId.findMany({
      where: { emailId: { in: [first, second, third] } },
      orderBy: { serverId: 'asc' },
    }),
  ).toEqual([
    { emailId: first, serverId: 'server-id-1' },
    { emailId: third, serverId: 'x2' },
  ]);
});

test('a temporarily rejected email waits for its retry, keeps its id, and is sent once', async () => {
  const run = await started(5);
  const transport = createCaptureTransport();
  transport.failNext({ kind: 'transient', stage: 'after-data', response: '451 later' });
  expect(await sendLane(api.ctx, run, transport)).toMatchObject({ sent: 4, retried: 1, reason: 'drained' });
  expect(await readOpenWork(api.ctx.pool, run.campaignId)).toMatchObject({ pending: 1, isHeld: false });
  const { waitMs, finished } = await finish(api.ctx, run);
  expect(finished).toBe(false);
  expect(waitMs).toBeLessThanOrEqual(1300);
  await eventually(async () => expect((await sendLane(api.ctx, run, transport)).sent).toBe(1));
  expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
  expect(transport.mails).toHaveLength(5);
  expect(new Set(transport.attempts.map(({ to }) => to)).size).toBe(5);
  expect(transport.attempts).toHaveLength(6);
});

test('an email whose contact is deleted while it is in flight is recorded as sent', async () => {
  const run = await started(3);
  const owner = newId();
  const row = await leaseOne(run, owner);
  const [id = ''] = await idsOf(row);
  await api.ctx.prisma.email.update({ where: { id }, data: { status: 'CANCELLED', contactId: null } });
  await settleChunk(api.ctx.pool, await settlementOf(owner, row, [sent(id)], 'keep'));
  expect(await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } })).toMatchObject({
    status: 'SENT',
    response: '250 ok',
  });
});

test('a cancellation cancels free chunks and retries, and waits for the worker of a leased chunk', async () => {
  const run = await started(2500);
  const owner = newId();
  const row = await leaseOne(run, owner);
  const ids = await idsOf(row);
  await flush(owner, row, { mark: 100 });
  expect(await cancel(api.ctx, run)).toBe(false);
  expect(await countBy(run.campaignId, 'CANCELLED')).toBe(1500);
  expect(await isHandingOver(api.ctx.pool, run.campaignId)).toBe(true);
  expect(await flush(owner, row, { mark: 100 })).toMatchObject([{ isActive: false }]);
  await flush(owner, row, { mark: 100, isStopped: true });
  expect(await isHandingOver(api.ctx.pool, run.campaignId)).toBe(false);
  expect(await lease(run, newId())).toEqual([]);

  // Two emails were in flight: one is sent, one is rejected temporarily.
  const retried = { ...sent(ids[1] ?? ''), state: State.RETRY, error: '451 later', response: '451 later' };
  await settleChunk(api.ctx.pool, await settlementOf(owner, row, [sent(ids[0] ?? ''), retried], 'release'));
  expect(await chunkCount(run)).toBe(3);
  expect(await cancel(api.ctx, run)).toBe(true);
  expect(await chunkCount(run)).toBe(0);
  expect([await countBy(run.campaignId, 'SENT'), await countBy(run.campaignId, 'CANCELLED')]).toEqual([1, 2499]);
  expect(await api.ctx.prisma.campaignRetry.count({ where: { campaignId: run.campaignId } })).toBe(0);
});

test('pending emails of an earlier version get a chunk and are sent', async () => {
  const run = await started(5);
  // As an earlier version leaves them: no chunk, and due.
  await api.ctx.prisma.campaignChunk.deleteMany({ where: { campaignId: run.campaignId } });
  await api.ctx.pool.query(`UPDATE emails SET next_attempt_at = now() WHERE campaign_id = $1`, [run.campaignId]);
  expect(await finish(api.ctx, run)).toMatchObject({ finished: false, pending: 5 });
  expect(await sendLane(api.ctx, run)).toMatchObject({ sent: 5 });
  expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
});

const recovery = (policy: 'skip' | 'resend') =>
  startRecovery({
    pool: api.ctx.pool,
    log: createLog('silent'),
    workerId: newId(),
    policy,
    leaseMs: 100,
    journalDirectory: null,
    database: 'test',
    holds: () => false,
  });

test.each([
  ['skip', 'FAILED', 0],
  ['resend', 'PENDING', 100],
] as const)(
  'an expired lease without a journal (%s): flushed results count, the others below the mark are unknown',
  async (policy, status, retries) => {
    const run = await started(1000);
    const owner = newId();
    const row = await leaseOne(run, owner);
    const states = Buffer.alloc(row.size);
    states.fill(State.SENT, 0, 50);
    await flush(owner, row, { mark: 150, states });
    await expireLeases(api.ctx, run);
    const loop = recovery(policy);
    await eventually(async () =>
      expect(await readOpenWork(api.ctx.pool, run.campaignId)).toMatchObject({ isHeld: false }),
    );
    await loop.stop();
    expect(await countBy(run.campaignId, 'SENT')).toBe(50);
    expect(await api.ctx.prisma.email.count({ where: { campaignId: run.campaignId, ambiguous: true, status } })).toBe(
      100,
    );
    expect(await api.ctx.prisma.campaignRetry.count({ where: { campaignId: run.campaignId } })).toBe(retries);
    expect((await readOpenWork(api.ctx.pool, run.campaignId)).pending).toBe(850 + retries);

    // A late result of the worker, which was not dead, wins over the unknown one.
    const [late] = await api.ctx.prisma.email.findMany({
      where: { campaignId: run.campaignId, ambiguous: true },
      take: 1,
    });
    if (!late) throw new Error('No email is ambiguous');
    expect(await recordLateResults(api.ctx.pool, run.campaignId, [sent(late.id)])).toEqual([]);
    expect(await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: late.id } })).toMatchObject({
      status: 'SENT',
      error: null,
    });
    const lane = await sendLane(api.ctx, run);
    expect(lane.recipients).not.toContain(late.toEmail);
    expect(lane.recipients).toHaveLength(policy === 'skip' ? 850 : 949);
  },
);

test('a hit of an email whose result is not recorded yet waits, and then counts as that of a person', async () => {
  const run = await started(1);
  const owner = newId();
  const row = await leaseOne(run, owner);
  const [emailId = ''] = await idsOf(row);
  const hit = { id: newId(), emailId, kind: 'open' as const, url: null, userAgent: 'Thunderbird', ip: '192.0.2.1' };
  await enqueueHits(api.ctx.pool, [{ ...hit, machine: false, reason: null, ageMs: 0, delayMs: 0 }]);
  await drainHits(api.ctx);
  expect(await api.ctx.prisma.trackingQueue.count({ where: { emailId } })).toBe(1);
  await settleChunk(
    api.ctx.pool,
    await settlementOf(owner, row, [{ ...sent(emailId), receivedAt: performance.now() - 1000 }], 'close'),
  );
  await eventually(async () => {
    await drainHits(api.ctx);
    expect(await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: emailId } })).toMatchObject({
      status: 'OPENED',
      opens: 1,
    });
  });
});
