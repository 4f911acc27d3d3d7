/** Processes are killed repeatedly during a campaign, and every recipient is accounted for at a recording sink. */
import { expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { accountFor, sendCampaign, settled } from '../helpers/campaigns.js';
import { openCluster, type Cluster, type ClusterOptions } from '../helpers/cluster.js';

interface Kills {
  contacts: number;
  kills: number;
  cluster?: ClusterOptions;
  /** Kills the processes of one round and restarts them. */
  kill: (cluster: Cluster) => Promise<void>;
  policy?: 'skip' | 'resend';
}

/** Sends a campaign, kills `kills` times at equal distances, and checks the account. */
async function sendUnderKills({ contacts, kills, cluster: options = {}, kill, policy = 'skip' }: Kills): Promise<void> {
  const cluster = await openCluster({ ...options, env: { AMBIGUOUS_SEND: policy, ...options.env } });
  const { ctx, sink, connections } = cluster;
  const project = await insertAudience(ctx, contacts);
  const id = await sendCampaign(cluster, project);
  for (let round = 1; round <= kills; round++) {
    await sink.reached(Math.round((contacts * round) / (kills + 1)));
    await kill(cluster);
  }
  const shown = await settled(cluster, project, id, 'SENT', 240_000);
  const account = await accountFor(cluster, id);
  expect(account).toMatchObject({ lost: [], denied: [] });
  expect(account.ambiguous).toBeLessThanOrEqual(kills * connections);
  expect(shown.totalRecipients).toBe(contacts);
  expect(shown.sentCount + shown.failedCount + shown.unknownCount + shown.cancelledCount).toBe(contacts);
  expect(shown.failedCount).toBe(0);
  const missing = contacts - account.mailed;
  if (policy === 'skip') {
    expect(account.twice).toEqual([]);
    expect(shown.unknownCount).toBe(account.ambiguous);
    expect(missing).toBeLessThanOrEqual(shown.unknownCount);
    expect(sink.mails.length - shown.sentCount).toBeLessThanOrEqual(shown.unknownCount);
  } else {
    expect([missing, shown.unknownCount]).toEqual([0, 0]);
    expect(account.twice.length).toBeLessThanOrEqual(account.ambiguous);
  }
}

const killWorker = async ({ worker }: Cluster): Promise<void> => {
  await worker.kill('SIGKILL');
  await worker.start();
};

test('a campaign whose worker is killed twice sends no email twice', async () => {
  await sendUnderKills({ contacts: 3000, kills: 2, kill: killWorker });
}, 150_000);

test(
  'a campaign whose worker is killed ten times sends no email twice, and counts every recipient',
  { tags: 'faults', timeout: 400_000 },
  () => sendUnderKills({ contacts: 20_000, kills: 10, kill: killWorker }),
);

test(
  'with AMBIGUOUS_SEND=resend, a campaign whose worker is killed five times reaches every recipient',
  { tags: 'faults', timeout: 400_000 },
  () => sendUnderKills({ contacts: 10_000, kills: 5, kill: killWorker, policy: 'resend' }),
);

test(
  'a campaign whose worker and PostgreSQL are killed together three times sends no email twice',
  { tags: 'faults', timeout: 400_000 },
  () =>
    sendUnderKills({
      contacts: 10_000,
      kills: 3,
      cluster: { ownPostgres: true },
      async kill({ worker, postgres }) {
        await Promise.all([worker.kill('SIGKILL'), postgres.kill()]);
        await postgres.start();
        await worker.start();
      },
    }),
);

test(
  'a campaign whose PostgreSQL is killed three times sends every email once',
  { tags: 'faults', timeout: 400_000 },
  () =>
    sendUnderKills({
      contacts: 10_000,
      kills: 3,
      cluster: { ownPostgres: true },
      async kill({ postgres }) {
        await postgres.kill();
        await postgres.start();
      },
    }),
);

test(
  'a campaign of two workers, one of which is killed three times, sends no email twice',
  { tags: 'faults', timeout: 400_000 },
  async () => {
    let second: Awaited<ReturnType<Cluster['another']>> | null = null;
    await sendUnderKills({
      contacts: 45_000,
      kills: 3,
      async kill(cluster) {
        // The first worker never stops. The killed worker's journal is settled by whichever worker sees it first.
        if (second) await second.kill('SIGKILL');
        second = await cluster.another('worker');
      },
    });
  },
);

test(
  'without a journal, a campaign whose worker is killed sends no email twice',
  { tags: 'faults', timeout: 400_000 },
  async () => {
    const cluster = await openCluster({ env: { JOURNAL_DIR: '' } });
    const { ctx, sink, worker } = cluster;
    const project = await insertAudience(ctx, 6000);
    const id = await sendCampaign(cluster, project);
    await sink.reached(3000);
    await killWorker(cluster);
    const shown = await settled(cluster, project, id, 'SENT', 120_000);
    const account = await accountFor(cluster, id);
    expect(account).toMatchObject({ twice: [], lost: [], denied: [] });
    expect(shown.unknownCount).toBe(account.ambiguous);
    // Up to the marks of three chunks.
    expect(shown.unknownCount).toBeLessThan(2000);
    expect(6000 - account.mailed).toBeLessThanOrEqual(shown.unknownCount);
    expect(worker.logged.join('\n')).toContain('A worker was lost');
  },
);
