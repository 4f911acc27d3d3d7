/**
 * Processes are killed repeatedly during a campaign, and every recipient is accounted for at a recording sink.
 * FAULTS_SCALE=full: with 100,000 recipients (docs/benchmarks.md).
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { OWNER_FILE } from '../../src/domain/delivery/journal.js';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster, type Cluster, type ClusterOptions, type Part } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { FAULT_TIMEOUT_MS, reportFigures, scaled } from '../helpers/fault-scale.js';

/** The maximum time from the readiness of the restarted process to the first email. */
const MAX_RESUME_MS = 10_000;
/** The same if another worker must wait for the end of the lease. */
const MAX_TAKE_OVER_MS = 20_000;
/** Up to the marks of three chunks. */
const MAX_UNKNOWN_WITHOUT_JOURNAL = 2000;

interface Kills {
  contacts: number;
  kills: number;
  cluster?: ClusterOptions;
  prepare?: (cluster: Cluster) => Promise<void>;
  /** Kills the processes of one round and restarts them. */
  kill: (cluster: Cluster) => Promise<void>;
  /** Resolves when the emails of the killed processes are sent again. Default: when the next email arrives. */
  untilResumed?: (cluster: Cluster) => Promise<void>;
  maxResumeMs?: number;
  /** The emails of one kill whose outcome is unknown. Default: one for each connection. */
  maxUnknownPerKill?: number;
  policy?: 'skip' | 'resend';
  /** All workers. Default: that of the cluster. */
  workers?: () => readonly Part[];
}

const nextEmail = ({ sink }: Cluster): Promise<void> => sink.reached(sink.mails.length + 1);

const Settled = z.object({ lostWorker: z.string(), unknown: z.number() });

/** The number of unknown emails of each killed worker, as logged by the workers that settled them. */
function countUnknown(workers: readonly Part[]): number[] {
  const counts = new Map<string, number>();
  for (const line of workers.flatMap(({ logged }) => logged)) {
    if (!line.includes('"lostWorker"')) continue;
    const { lostWorker, unknown } = Settled.parse(JSON.parse(line));
    counts.set(lostWorker, (counts.get(lostWorker) ?? 0) + unknown);
  }
  return [...counts.values()];
}

/** Sends a campaign, kills `kills` times at equal distances, and checks the account. @returns the cluster */
async function sendUnderKills({
  contacts,
  kills,
  cluster: options = {},
  prepare,
  kill,
  untilResumed = nextEmail,
  maxResumeMs = MAX_RESUME_MS,
  maxUnknownPerKill,
  policy = 'skip',
  workers,
}: Kills): Promise<Cluster> {
  const cluster = await openCluster({ ...options, env: { AMBIGUOUS_SEND: policy, ...options.env } });
  const { ctx, sink, connections } = cluster;
  await prepare?.(cluster);
  const maxUnknown = maxUnknownPerKill ?? connections;
  const project = await insertAudience(ctx, contacts);
  const begun = performance.now();
  const id = await sendCampaign(cluster, project);
  let longestResumeMs = 0;
  for (let round = 1; round <= kills; round++) {
    await sink.reached(Math.round((contacts * round) / (kills + 1)));
    await kill(cluster);
    const restarted = performance.now();
    await untilResumed(cluster);
    longestResumeMs = Math.max(longestResumeMs, performance.now() - restarted);
  }
  const shown = await settled(cluster, project, id, 'SENT', scaled(240_000, 1_000_000));
  const seconds = Math.round((performance.now() - begun) / 1000);
  const account = await accountFor(cluster, id);
  const unknownPerKill = countUnknown(workers?.() ?? [cluster.worker]);
  const missing = contacts - account.mailed;
  reportFigures({
    contacts,
    kills,
    unknown: account.ambiguous,
    maxUnknownPerKill: Math.max(0, ...unknownPerKill),
    missing,
    doubled: account.twice.length,
    longestResumeMs: Math.round(longestResumeMs),
    seconds,
  });
  expect(account).toMatchObject({ lost: [], denied: [] });
  for (const count of unknownPerKill) expect(count).toBeLessThanOrEqual(maxUnknown);
  expect(longestResumeMs).toBeLessThan(maxResumeMs);
  expect(shown.totalRecipients).toBe(contacts);
  expect(shown.sentCount + shown.failedCount + shown.unknownCount + shown.cancelledCount).toBe(contacts);
  expect(shown.failedCount).toBe(0);
  if (policy === 'skip') {
    expect(account.twice).toEqual([]);
    expect(account.ambiguous).toBe(unknownPerKill.reduce((sum, count) => sum + count, 0));
    expect(shown.unknownCount).toBe(account.ambiguous);
    expect(missing).toBeLessThanOrEqual(shown.unknownCount);
    expect(sink.mails.length - shown.sentCount).toBeLessThanOrEqual(shown.unknownCount);
  } else {
    expect([missing, shown.unknownCount]).toEqual([0, 0]);
    expect(account.twice.length).toBeLessThanOrEqual(account.ambiguous);
  }
  return cluster;
}

const killWorker = async ({ worker }: Cluster): Promise<void> => {
  await worker.kill('SIGKILL');
  await worker.start();
};

/** The ids of the workers that hold chunks. */
async function ownersOfChunks({ ctx }: Cluster): Promise<string[]> {
  const { rows } = await ctx.pool.query<{ owner: string }>(
    `SELECT DISTINCT owner FROM campaign_chunks WHERE owner IS NOT NULL AND closed_at IS NULL`,
  );
  return rows.map(({ owner }) => owner);
}

const Owner = z.object({ pid: z.number() });

/**
 * Adds a second worker, and kills workers that hold chunks.
 *
 * @param secondFolder the folder of the second worker's journals, within that of the first one
 */
function createPair(secondFolder: string) {
  let parts: Part[] = [];
  let lost: string | undefined;
  const findJournal = (cluster: Cluster, owner: string): string =>
    [cluster.journalDir, path.join(cluster.journalDir, secondFolder)]
      .map((folder) => path.join(folder, owner))
      .find((folder) => existsSync(folder)) ?? '';

  /** Kills a worker that holds chunks. @returns it, and the folder of its journal */
  const kill = (cluster: Cluster): Promise<{ part: Part; journal: string }> =>
    eventually(async () => {
      const [owner = ''] = await ownersOfChunks(cluster);
      const journal = findJournal(cluster, owner);
      const { pid } = Owner.parse(JSON.parse(readFileSync(path.join(journal, OWNER_FILE), 'utf8')));
      const part = parts.find((one) => one.pid() === pid);
      if (!part) throw new Error('No running worker holds a chunk');
      lost = owner;
      await part.kill('SIGKILL');
      return { part, journal };
    });

  return {
    workers: () => parts,
    open: async (cluster: Cluster): Promise<void> => {
      const JOURNAL_DIR = path.join(cluster.journalDir, secondFolder);
      parts = [cluster.worker, await cluster.another('worker', { JOURNAL_DIR })];
    },
    kill,
    /** Resolves when the chunks of the killed worker are settled, and the next email arrives. */
    untilTakenOver: async (cluster: Cluster): Promise<void> => {
      await eventually(async () => expect(await ownersOfChunks(cluster)).not.toContain(lost), { every: 20 });
      await nextEmail(cluster);
    },
  };
}

test('a campaign whose worker is killed twice sends no email twice', async () => {
  await sendUnderKills({ contacts: 3000, kills: 2, kill: killWorker });
}, 150_000);

test(
  'a campaign whose worker is killed repeatedly sends no email twice, and counts every recipient',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    await sendUnderKills({ contacts: scaled(20_000, 100_000), kills: scaled(10, 20), kill: killWorker });
  },
);

test(
  'with AMBIGUOUS_SEND=resend, a campaign whose worker is killed repeatedly reaches every recipient',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    await sendUnderKills({
      contacts: scaled(10_000, 100_000),
      kills: scaled(5, 20),
      kill: killWorker,
      policy: 'resend',
    });
  },
);

test(
  'a campaign whose worker and PostgreSQL are killed together sends no email twice',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    await sendUnderKills({
      contacts: scaled(10_000, 100_000),
      kills: scaled(3, 5),
      cluster: { ownPostgres: true },
      async kill({ worker, postgres }) {
        await Promise.all([worker.kill('SIGKILL'), postgres.kill()]);
        await postgres.start();
        await worker.start();
      },
    });
  },
);

test(
  'a campaign whose PostgreSQL is killed repeatedly sends every email once',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    await sendUnderKills({
      contacts: scaled(10_000, 100_000),
      kills: scaled(3, 5),
      cluster: { ownPostgres: true },
      maxUnknownPerKill: 0,
      async kill({ postgres }) {
        await postgres.kill();
        await postgres.start();
      },
    });
  },
);

test(
  'a campaign of two workers, one of which is killed repeatedly, sends no email twice',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    // The killed worker's journal is settled by the worker that sees it first.
    const pair = createPair('');
    await sendUnderKills({
      contacts: scaled(20_000, 100_000),
      kills: scaled(3, 10),
      prepare: pair.open,
      workers: pair.workers,
      async kill(cluster) {
        const { part } = await pair.kill(cluster);
        await part.start();
      },
      untilResumed: pair.untilTakenOver,
    });
  },
);

test(
  'a machine that is lost with its journal leaves only emails of the last flushes unknown, and none is sent twice',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    const pair = createPair('another machine');
    await sendUnderKills({
      contacts: scaled(6000, 100_000),
      kills: 1,
      // With the default, a lease is 15 s.
      cluster: { env: { WORKER_HEARTBEAT_MS: scaled('1000', '4000') } },
      prepare: pair.open,
      workers: pair.workers,
      async kill(cluster) {
        const { journal } = await pair.kill(cluster);
        rmSync(journal, { recursive: true });
      },
      untilResumed: pair.untilTakenOver,
      maxResumeMs: MAX_TAKE_OVER_MS,
      maxUnknownPerKill: MAX_UNKNOWN_WITHOUT_JOURNAL,
    });
  },
);

test(
  'a worker that is killed while its disk is full sends no email twice',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    const { worker } = await sendUnderKills({
      contacts: scaled(6000, 100_000),
      kills: 1,
      // A chunk of 1,000 emails needs more.
      cluster: { maxFileBytes: 8192 },
      kill: killWorker,
      maxUnknownPerKill: MAX_UNKNOWN_WITHOUT_JOURNAL,
    });
    const logged = worker.logged.join('\n');
    expect(logged).toContain('The journal cannot be written. Sending continues without it');
    expect(logged).toContain('EFBIG');
  },
);

test(
  'without a journal, a campaign whose worker is killed sends no email twice',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    const { worker } = await sendUnderKills({
      contacts: scaled(6000, 100_000),
      kills: 1,
      cluster: { env: { JOURNAL_DIR: '' } },
      kill: killWorker,
      maxResumeMs: MAX_TAKE_OVER_MS,
      maxUnknownPerKill: MAX_UNKNOWN_WITHOUT_JOURNAL,
    });
    expect(worker.logged.join('\n')).toContain('A worker was lost');
  },
);
