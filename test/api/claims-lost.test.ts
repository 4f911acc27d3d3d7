/** The emails without a campaign of a worker that was lost: what its journal knows is recorded, and the rest is released. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { openJournal, OWNER_FILE } from '../../src/domain/delivery/journal.js';
import type { ProcessIdentity } from '../../src/domain/delivery/process-identity.js';
import { startRecovery } from '../../src/domain/delivery/recover.js';
import { State } from '../../src/domain/delivery/states.js';
import { claimDue } from '../../src/domain/emails/sql/claim.js';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import { declareJournal, heartbeat } from '../../src/domain/emails/sql/liveness.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { useApi } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';

const api = useApi();
const DATABASE = 'test';
const LEASE_MS = 500;
const log = createLog('silent');

afterEach(async () => {
  await api.ctx.pool.query(`UPDATE emails SET status = 'CANCELLED' WHERE status IN ('PENDING', 'SENDING')`);
});

async function endedPid(): Promise<number> {
  const child = spawn('true');
  await once(child, 'exit');
  return child.pid ?? 0;
}

interface LostWorker {
  workerId: string;
  folder: string;
  ids: string[];
}

/**
 * A worker that claimed six emails: it has the reply to the first one, a temporary refusal of the second one, no reply to the
 * third one, and did not hand over the others.
 *
 * @param owner what differs from this process in the identity of its process
 */
async function loseWorker(
  directory: string,
  owner: Partial<ProcessIdentity>,
  { isJournaled = true }: { isJournaled?: boolean } = {},
): Promise<LostWorker> {
  const project = await api.project();
  const workerId = newId();
  for (let number = 0; number < 6; number++) {
    const { statusCode } = await api.as(project, 'POST', '/v1/send', {
      to: `n${number}@x.test`,
      from: `team@${project.domain}`,
      subject: 's',
      body: 'b',
    });
    expect(statusCode).toBe(200);
  }
  await heartbeat(api.ctx.pool, workerId);
  await declareJournal(api.ctx.pool, workerId, isJournaled);
  const ids = (await claimDue(api.ctx.pool, { workerId, limit: 6, results: [] })).map(({ id }) => id);
  expect(ids).toHaveLength(6);
  const journal = openJournal({ directory, workerId, database: DATABASE, log, onFailure: () => undefined });
  const file = journal?.openClaim(ids, () => undefined);
  for (const position of [0, 1, 2]) file?.noteHandedOver(position);
  const result = { error: null, response: '250 ok', isAmbiguous: false };
  file?.noteResult(0, { ...result, state: State.SENT });
  file?.noteResult(1, { ...result, state: State.RETRY, error: '451 later', response: '451 later' });
  journal?.write();
  const folder = path.join(directory, workerId);
  const ownerFile = path.join(folder, OWNER_FILE);
  writeFileSync(ownerFile, JSON.stringify({ ...JSON.parse(readFileSync(ownerFile, 'utf8')), ...owner }));
  return { workerId, folder, ids };
}

function recover(): string {
  const journalDirectory = mkdtempSync(path.join(tmpdir(), 'sendloom-claims-'));
  const loop = startRecovery({
    pool: api.ctx.pool,
    log,
    workerId: newId(),
    policy: 'skip',
    leaseMs: LEASE_MS,
    journalDirectory,
    database: DATABASE,
    holds: () => false,
  });
  onTestFinished(async () => {
    await loop.stop();
    rmSync(journalDirectory, { recursive: true, force: true });
  });
  return journalDirectory;
}

async function emailsOf({ ids }: LostWorker) {
  const rows = await api.ctx.prisma.email.findMany({ where: { id: { in: ids } } });
  return ids.map((id) => {
    const { status, attempts, response, error } = rows.find((row) => row.id === id) ?? {};
    return { status, attempts, response, error };
  });
}

const NOT_HANDED_OVER = { status: 'PENDING', attempts: 0, response: null, error: null };
const IN_DOUBT = { status: 'SENDING', attempts: 1, response: null, error: null };
const BY_JOURNAL = [
  { status: 'SENT', attempts: 1, response: '250 ok', error: null },
  { status: 'PENDING', attempts: 1, response: '451 later', error: '451 later' },
  IN_DOUBT,
  NOT_HANDED_OVER,
  NOT_HANDED_OVER,
  NOT_HANDED_OVER,
];
const UNCHANGED = Array.from({ length: 6 }, () => IN_DOUBT);

test.each([
  ['whose process ended', async () => ({ pid: await endedPid() }), false],
  ['whose process id another process uses now', async () => ({ startTime: '1' }), false],
  [
    'of another container, which is silent for the duration of a lease,',
    async () => ({ pidNamespace: 'pid:[1]' }),
    true,
  ],
  ['that is suspended for the duration of a lease', async () => ({}), true],
])('the claims of a worker %s are settled by its journal', async (_name, owner, isSilent) => {
  const directory = recover();
  const worker = await loseWorker(directory, await owner());
  const begun = performance.now();
  await eventually(async () => expect(await emailsOf(worker)).toEqual(BY_JOURNAL));
  if (isSilent) expect(performance.now() - begun).toBeGreaterThan(LEASE_MS / 2);
  const retry = await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: worker.ids[1] } });
  expect(retry.nextAttemptAt.getTime()).toBeGreaterThan(Date.now());
});

test('the journal of a dead worker is deleted when its claims are settled', async () => {
  const worker = await loseWorker(recover(), { pid: await endedPid() });
  await eventually(() => expect(existsSync(worker.folder)).toBe(false));
  expect(await emailsOf(worker)).toEqual(BY_JOURNAL);
});

test.each([
  ['that ran before a reboot', async () => ({ bootId: 'earlier' }), true],
  ['whose journal failed', async () => ({ pid: await endedPid() }), false],
])('the claims of a worker %s stay in doubt', async (_name, owner, isJournaled) => {
  const directory = recover();
  const worker = await loseWorker(directory, await owner(), { isJournaled });
  const control = await loseWorker(directory, { pid: await endedPid() });
  await eventually(() => expect(existsSync(control.folder)).toBe(false));
  expect(await emailsOf(worker)).toEqual(UNCHANGED);
});

test('the claims of a worker with a heartbeat are not settled', async () => {
  const directory = recover();
  const worker = await loseWorker(directory, {});
  for (let beat = 0; beat < 2 * (LEASE_MS / 100); beat++) {
    await heartbeat(api.ctx.pool, worker.workerId);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(await emailsOf(worker)).toEqual(UNCHANGED);
});

test('a result that the worker records late changes nothing', async () => {
  const worker = await loseWorker(recover(), { pid: await endedPid() });
  await eventually(async () => expect(await emailsOf(worker)).toEqual(BY_JOURNAL));
  const late = worker.ids.slice(3).map((id) => ({
    id,
    status: 'PENDING' as const,
    error: null,
    response: null,
    retryMs: 0,
    untried: true,
  }));
  expect(await settle(api.ctx.pool, worker.workerId, late)).toEqual([]);
  expect(await emailsOf(worker)).toEqual(BY_JOURNAL);
});
