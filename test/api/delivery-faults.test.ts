/** Campaigns whose mail server closes, whose journal cannot be written, or whose worker is lost. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ApiContext } from '../../src/context.js';
import type { CampaignRun } from '../../src/domain/campaigns/intents.js';
import { startDelivery, type Delivery } from '../../src/domain/delivery/delivery.js';
import { chunkFile, openJournal, OWNER_FILE } from '../../src/domain/delivery/journal.js';
import type { ProcessIdentity } from '../../src/domain/delivery/process-identity.js';
import { startRecovery } from '../../src/domain/delivery/recover.js';
import { readOpenWork } from '../../src/domain/delivery/sql/campaigns.js';
import { State } from '../../src/domain/delivery/states.js';
import { createComposer } from '../../src/domain/emails/compose.js';
import { heartbeat } from '../../src/domain/emails/sql/liveness.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { createSmtpClient, type SmtpClient } from '../../src/mail/smtp/client.js';
import { useApi } from '../helpers/api.js';
import { createCaptureTransport } from '../helpers/capture-transport.js';
import { expireLeases, flushChunk, leaseOne, startCampaign } from '../helpers/chunks.js';
import { eventually } from '../helpers/eventually.js';

const api = useApi({ WORKER_HEARTBEAT_MS: '400' });
const cleanups: Array<() => unknown> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sendloom-journal-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts the delivery of a worker. It stops after the test. */
function deliver(client: SmtpClient, ctx: ApiContext = api.ctx, workerId = newId()): Delivery {
  const delivery = startDelivery(ctx, { client, composer: createComposer(ctx), workerId });
  cleanups.push(() => delivery.stop());
  return delivery;
}

const send = (delivery: Delivery, run: CampaignRun) => delivery.sendCampaign(run, new AbortController().signal);
const statuses = async ({ campaignId }: CampaignRun): Promise<Record<string, number>> => {
  const rows = await api.ctx.prisma.email.groupBy({ by: ['status'], where: { campaignId }, _count: true });
  return Object.fromEntries(rows.map(({ status, _count }) => [status, _count]));
};

describe('a mail server that replies 421 to envelopes', () => {
  /** @param isClosing whether the server replies 421 to the recipient */
  async function startClosingServer(isClosing: (to: string) => boolean) {
    const accepted: string[] = [];
    const counts = { connections: 0, closings: 0 };
    const server = new SMTPServer({
      logger: false,
      authOptional: true,
      disableReverseLookup: true,
      disabledCommands: ['AUTH', 'STARTTLS'],
      onConnect: (_session, done) => {
        counts.connections++;
        done();
      },
      onRcptTo: ({ address }, _session, done) => {
        if (!isClosing(address)) return done();
        counts.closings++;
        done(Object.assign(new Error('4.3.2 closing'), { responseCode: 421 }));
      },
      onData: (stream, session, done) => {
        stream.resume();
        stream.on('end', () => {
          accepted.push(session.envelope.rcptTo[0]?.address ?? '');
          done();
        });
      },
    });
    server.on('error', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    cleanups.push(() => new Promise<void>((resolve) => server.close(() => resolve())));
    const { port } = server.server.address() as AddressInfo;
    const client = createSmtpClient({
      urls: [`smtp://127.0.0.1:${port}`],
      connections: 5,
      coolDownMs: 1,
      outagePause: { minMs: 20, maxMs: 80 },
    });
    cleanups.push(() => client.close({ graceMs: 50 }));
    return { accepted, counts, client };
  }

  test('delays only the email that always gets this reply, longer after each attempt', async () => {
    const run = await startCampaign(api.ctx, 300);
    const { accepted, counts, client } = await startClosingServer((to) => to.startsWith('c7@'));
    const delivery = deliver(client);
    const refused = () =>
      api.ctx.prisma.email.findFirstOrThrow({ where: { campaignId: run.campaignId, toEmail: { startsWith: 'c7@' } } });
    await eventually(async () => {
      await send(delivery, run);
      expect((await refused()).attempts).toBe(2);
    });
    expect(await refused()).toMatchObject({ status: 'PENDING', error: '421 4.3.2 closing' });
    expect(await statuses(run)).toEqual({ SENT: 299, PENDING: 1 });
    expect(new Set(accepted).size).toBe(299);
    expect(accepted).toHaveLength(299);
    expect(await api.ctx.prisma.email.count({ where: { campaignId: run.campaignId, attempts: { gt: 1 } } })).toBe(1);
    const { rows } = await api.ctx.pool.query<{ waitMs: number }>(
      `SELECT extract(epoch FROM due_at - now()) * 1000 AS "waitMs" FROM campaign_retries WHERE campaign_id = $1`,
      [run.campaignId],
    );
    // The second wait is two seconds, with a jitter of a fifth.
    expect(Number(rows[0]?.waitMs)).toBeLessThan(2400);
    expect(counts.connections).toBeLessThanOrEqual(5 + counts.closings);
  });

  test('costs only the emails that probe it an attempt, and each email is sent once', async () => {
    const run = await startCampaign(api.ctx, 300);
    let isClosing = true;
    const { accepted, counts, client } = await startClosingServer(() => isClosing);
    const delivery = deliver(client);
    const lane = send(delivery, run);
    await eventually(() => expect(counts.closings).toBeGreaterThan(8));
    isClosing = false;
    await lane;
    await eventually(async () => {
      await send(delivery, run);
      expect(await statuses(run)).toEqual({ SENT: 300 });
    });
    expect(accepted).toHaveLength(300);
    expect(new Set(accepted).size).toBe(300);
    const repeated = await api.ctx.prisma.email.count({ where: { campaignId: run.campaignId, attempts: { gt: 1 } } });
    expect(repeated).toBeGreaterThan(0);
    expect(repeated).toBeLessThanOrEqual(counts.closings);
    expect(repeated).toBeLessThan(100);
  });
});

describe('a journal that cannot be written', () => {
  /** A context of a worker with this journal, its failures, and its log. */
  function withJournal(folder: string) {
    const ctx: ApiContext = {
      ...api.ctx,
      config: { ...api.ctx.config, JOURNAL_DIR: folder },
      log: createLog('silent'),
    };
    const logged = vi.spyOn(ctx.log, 'error');
    const failures = async (): Promise<number> => (await ctx.metrics.journalFailures.get()).values[0]?.value ?? 0;
    return { ctx, failures, logged };
  }
  const NOTICE = expect.stringContaining('The journal cannot be written. Sending continues without it');

  test('because the disk is full is logged and counted, and PostgreSQL knows it before further emails are sent', async () => {
    const run = await startCampaign(api.ctx, 300);
    const folder = createFolder();
    const workerId = newId();
    // Each write to this file fails as on a full disk.
    mkdirSync(path.join(folder, workerId));
    symlinkSync('/dev/full', path.join(folder, workerId, chunkFile({ campaignId: run.campaignId, chunk: 1 })));
    const { ctx, failures, logged } = withJournal(folder);
    const before = await failures();
    const transport = createCaptureTransport();
    const release = transport.hold();
    const sending = send(deliver(transport, ctx, workerId), run);
    const row = () => api.ctx.prisma.campaignChunk.findFirstOrThrow({ where: { campaignId: run.campaignId } });
    await eventually(async () => expect(await failures()).toBe(before + 1));
    await eventually(async () => expect(await row()).toMatchObject({ isJournaled: false, mark: expect.any(Number) }));
    await eventually(async () => expect((await row()).mark).toBeGreaterThan(0));
    expect(logged).toHaveBeenCalledWith(
      expect.objectContaining({ err: expect.objectContaining({ code: 'ENOSPC' }) }),
      NOTICE,
    );
    release();
    expect(await sending).toMatchObject({ sent: 300, failed: 0, reason: 'drained' });
    expect(new Set(transport.mails.map(({ to }) => to)).size).toBe(300);
    expect(transport.mails).toHaveLength(300);
  });

  test('because its folder is a file is logged and counted, and the campaign is sent', async () => {
    const run = await startCampaign(api.ctx, 50);
    const file = path.join(createFolder(), 'file');
    writeFileSync(file, '');
    const { ctx, failures, logged } = withJournal(file);
    const before = await failures();
    expect(await send(deliver(createCaptureTransport(), ctx), run)).toMatchObject({ sent: 50, reason: 'drained' });
    expect(await failures()).toBe(before + 1);
    expect(logged).toHaveBeenCalledWith(expect.anything(), NOTICE);
  });

  test('because its folder disappears is logged and counted, and the campaign is sent', async () => {
    const run = await startCampaign(api.ctx, 2500);
    const folder = createFolder();
    const workerId = newId();
    const { ctx, failures } = withJournal(folder);
    const before = await failures();
    const transport = createCaptureTransport();
    const delivery = deliver(transport, ctx, workerId);
    rmSync(path.join(folder, workerId), { recursive: true });
    writeFileSync(path.join(folder, workerId), '');
    expect(await send(delivery, run)).toMatchObject({ sent: 2500, failed: 0, reason: 'drained' });
    expect(transport.mails).toHaveLength(2500);
    // One failure for each of the three chunks.
    expect(await failures()).toBe(before + 3);
  });
});

describe('the chunk of a lost worker', () => {
  const DATABASE = 'test';
  const MARK = 150;

  async function endedPid(): Promise<number> {
    const child = spawn('true');
    await once(child, 'exit');
    return child.pid ?? 0;
  }

  interface LostWorker {
    run: CampaignRun;
    workerId: string;
    folder: string;
  }

  /**
   * A worker with a chunk of 1,000 emails that may hand over 150. By its journal, it handed over 10 and got 5 replies.
   *
   * @param owner what differs from this process in the identity of its process
   */
  async function loseWorker(
    directory: string,
    owner: Partial<ProcessIdentity & { database: string }>,
    { isJournaled = true }: { isJournaled?: boolean } = {},
  ): Promise<LostWorker> {
    const run = await startCampaign(api.ctx, 1000);
    const workerId = newId();
    const log = createLog('silent');
    const journal = openJournal({ directory, workerId, database: DATABASE, log, onFailure: () => undefined });
    const row = await leaseOne(api.ctx, run, workerId);
    const chunk = journal?.openChunk(row, () => undefined);
    await flushChunk(api.ctx, workerId, row, { mark: MARK, isJournaled });
    for (let position = 0; position < 10; position++) chunk?.noteHandedOver(position);
    for (let position = 0; position < 5; position++)
      chunk?.noteResult(position, { state: State.SENT, error: null, response: '250 ok', isAmbiguous: false });
    journal?.write();
    const folder = path.join(directory, workerId);
    const file = path.join(folder, OWNER_FILE);
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...owner }));
    return { run, workerId, folder };
  }

  const recover = (journalDirectory: string) => {
    const loop = startRecovery({
      pool: api.ctx.pool,
      log: createLog('silent'),
      workerId: newId(),
      policy: 'skip',
      leaseMs: 100,
      journalDirectory,
      database: DATABASE,
      holds: () => false,
    });
    cleanups.push(() => loop.stop());
    return loop;
  };

  const isHeld = async ({ run }: LostWorker): Promise<boolean> =>
    (await readOpenWork(api.ctx.pool, run.campaignId)).isHeld;
  const untilSettled = (worker: LostWorker) => eventually(async () => expect(await isHeld(worker)).toBe(false));

  /** Runs the recovery for at least one whole turn: until it has settled the chunk of a dead worker. */
  async function recoverOnce(directory: string): Promise<void> {
    const control = await loseWorker(directory, { pid: await endedPid() });
    const loop = recover(directory);
    await untilSettled(control);
    // Waits for the end of the turn.
    await loop.stop();
  }

  const BY_JOURNAL = { SENT: 5, FAILED: 5, PENDING: 990 };
  const BY_JOURNAL_AND_MARK = { SENT: 5, FAILED: MARK - 5, PENDING: 850 };
  const BY_MARK = { FAILED: MARK, PENDING: 850 };

  test.each([
    ['whose process ended', async () => ({ pid: await endedPid() }), true, BY_JOURNAL],
    ['whose process id another process uses now', async () => ({ startTime: '1' }), true, BY_JOURNAL],
    ['whose journal failed', async () => ({ startTime: '1' }), false, BY_MARK],
  ])(
    '%s is settled before its lease expires, and the journal is deleted',
    async (_name, owner, isJournaled, expected) => {
      const directory = createFolder();
      const worker = await loseWorker(directory, await owner(), { isJournaled });
      recover(directory);
      await untilSettled(worker);
      expect(await statuses(worker.run)).toEqual(expected);
      await eventually(() => expect(existsSync(worker.folder)).toBe(false));
    },
  );

  test.each([
    ['that is alive', {}, BY_JOURNAL_AND_MARK, true],
    ['of an earlier boot', { bootId: 'another', startTime: '1' }, BY_MARK, false],
    ['of another namespace', { pidNamespace: 'pid:[1]', startTime: '1' }, BY_JOURNAL_AND_MARK, false],
    ['of another database', { database: 'another', startTime: '1' }, BY_JOURNAL_AND_MARK, true],
  ])('%s is settled only after its lease has expired', async (_name, owner, expected, isFolderKept) => {
    const directory = createFolder();
    const worker = await loseWorker(directory, owner);
    await recoverOnce(directory);
    expect(await isHeld(worker)).toBe(true);
    expect(await statuses(worker.run)).toEqual({ PENDING: 1000 });
    expect(existsSync(worker.folder)).toBe(true);

    await expireLeases(api.ctx, worker.run);
    recover(directory);
    await untilSettled(worker);
    expect(await statuses(worker.run)).toEqual(expected);
    await recoverOnce(directory);
    expect(existsSync(worker.folder)).toBe(isFolderKept);
  });

  test.each([
    ['another machine', { bootId: 'another' }],
    ['another namespace', { pidNamespace: 'pid:[1]' }],
  ])('of %s keeps its journal in a common folder while its heartbeats continue', async (_name, owner) => {
    const directory = createFolder();
    const worker = await loseWorker(directory, owner);
    await heartbeat(api.ctx.pool, worker.workerId);
    await expireLeases(api.ctx, worker.run);
    recover(directory);
    await untilSettled(worker);
    await recoverOnce(directory);
    expect(existsSync(worker.folder)).toBe(true);
    await api.ctx.pool.query(`DELETE FROM worker_instances WHERE id = $1`, [worker.workerId]);
    await recoverOnce(directory);
    expect(existsSync(worker.folder)).toBe(false);
  });
});
