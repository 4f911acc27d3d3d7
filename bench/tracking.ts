/**
 * Hits of tracking links per second on one campaign, with exact counters, compared with a bare Fastify route with one
 * insert in the same run. The database is durable. The time ends when the last hit is in all counters, not when the
 * last response is sent.
 *
 *   npx tsx bench/tracking.ts [seconds]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../src/db/wake.js';
import { figuresOfCampaigns } from '../src/domain/analytics/sql/figures.js';
import { startHitDrain } from '../src/domain/tracking/drain.js';
import { freePort } from '../packages/embedded/src/ports.js';
import { newId } from '../src/ids.js';
import {
  addContacts,
  makeProject,
  perSecond,
  printTable,
  startBench,
  type Bench,
  type BenchProject,
} from './harness.js';
import { child, environmentOf, load, percentile, row, type LoadResult } from './http.js';

const EMAILS = 150_000;

/** Inserts a campaign that was sent an hour ago. @returns its id and those of its emails */
async function sentCampaign({ ctx }: Bench, project: BenchProject): Promise<{ id: string; emails: string[] }> {
  const [id, messageId] = [newId(), newId()];
  await ctx.prisma.campaign.create({
    data: {
      id,
      projectId: project.id,
      name: 'Bench',
      subject: 's',
      body: 'b',
      from: `news@${project.domain}`,
      audienceType: 'ALL',
      type: 'MARKETING',
      status: 'SENT',
    },
  });
  await ctx.prisma.message.create({
    data: {
      id: messageId,
      projectId: project.id,
      type: 'MARKETING',
      subject: 's',
      body: 'b',
      from: `news@${project.domain}`,
    },
  });
  const { rows } = await ctx.pool.query<{ id: string }>(
    `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status, attempts, claimed_at, sent_at, delivered_at, tracked)
     SELECT uuid_v7(), $1, $2, c.id, $3, 'CAMPAIGN', 'MARKETING', c.email, 'DELIVERED', 1, now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour', true
       FROM contacts c WHERE c.project_id = $1 RETURNING id`,
    [project.id, messageId, id],
  );
  await ctx.pool.query('VACUUM ANALYZE emails, contacts, events');
  return { id, emails: rows.map((email) => email.id) };
}

interface Counted {
  load: LoadResult;
  /** From the first request until all hits were counted. */
  ms: number;
}

/** Runs one load until its last hit is counted, then compares the counters with the responses. */
async function countedLoad(
  { ctx }: Bench,
  campaignId: string,
  projectId: string,
  options: Record<string, unknown>,
): Promise<Counted> {
  const totals = async () => {
    const { rows } = await ctx.pool.query<{
      hits: number;
      opens: number;
      clicks: number;
      opened: number;
      clicked: number;
    }>(
      `SELECT (SELECT count(*) FROM tracking_hits WHERE project_id = $1) AS hits, sum(opens) AS opens, sum(clicks) AS clicks, count(opened_at) AS opened, count(clicked_at) AS clicked
         FROM emails WHERE campaign_id = $2`,
      [projectId, campaignId],
    );
    const figures = (await figuresOfCampaigns(ctx.pool, projectId, [campaignId])).get(campaignId);
    const [total] = rows;
    if (!total || !figures) throw new Error('The campaign is gone');
    if (figures.openedCount !== total.opened || figures.clickedCount !== total.clicked)
      throw new Error(`The figures are wrong: ${JSON.stringify({ figures, total })}`);
    return total;
  };
  const before = await totals();
  const started = performance.now();
  const result = await load(options);
  for (;;) {
    const { rows } = await ctx.pool.query<{ waiting: boolean }>(
      `SELECT EXISTS (SELECT FROM tracking_queue) AS waiting`,
    );
    if (!rows[0]?.waiting) break;
    await sleep(20);
  }
  const ms = performance.now() - started;
  const after = await totals();
  const counted = after.opens + after.clicks - before.opens - before.clicks;
  if (counted !== result.count || after.hits - before.hits !== result.count)
    throw new Error(`${result.count} hits were answered, ${counted} are counted, ${after.hits - before.hits} kept`);
  console.log(
    `${counted} hits counted exactly: ${after.opened - before.opened} emails opened, ${after.clicked - before.clicked} clicked for the first time`,
  );
  return { load: result, ms };
}

async function measureHits(bench: Bench, project: BenchProject, seconds: number): Promise<void> {
  await addContacts(bench.ctx, project.id, EMAILS);
  const campaign = await sentCampaign(bench, project);
  const bare = await freePort();
  const api = await freePort();
  const bareProcess = await child('bare.ts', environmentOf(bench, bare), `http://127.0.0.1:${bare}/`);
  const apiProcess = await child(
    '../src/main-api.ts',
    environmentOf(bench, api),
    `http://127.0.0.1:${api}/health/live`,
  );
  const drain = startHitDrain(bench.ctx);
  const listener = listen(bench.config.DATABASE_URL, (topic) => {
    if (topic === 'hits') drain.wake();
  });
  const { tracking } = bench.ctx.links;
  const pixel = (id: string): string => new URL(tracking.of(id).pixelUrl()).pathname;
  const link = (id: string): string =>
    new URL(tracking.of(id).clickUrl('https://example.test/news?utm_source=mail&utm_campaign=autumn') ?? '').pathname;
  const [warm, opened, clicked, few] = [
    campaign.emails.slice(0, 10_000),
    campaign.emails.slice(10_000, 90_000),
    campaign.emails.slice(90_000, 149_000),
    campaign.emails.slice(149_000),
  ];
  const common = { connections: 50, ms: seconds * 1000 };
  const counted = (paths: string[]) => countedLoad(bench, campaign.id, project.id, { ...common, port: api, paths });

  await load({ ...common, port: api, paths: warm.map(pixel), ms: 2000 });
  await sleep(1500);
  const bareLoad = { ...common, port: bare, path: '/bare', key: project.public, domain: project.domain, track: EMAILS };
  await load({ ...bareLoad, ms: 2000 });
  const calibration = await load(bareLoad);
  const opens = await counted(opened.map(pixel));
  const mixed = await counted(clicked.map((id, n) => (n % 5 === 0 ? link(id) : pixel(id))));
  const again = await counted(few.map(pixel));
  const bareRate = (calibration.count / calibration.ms) * 1000;
  const line = (what: string, { load: { count, errors, latencies }, ms }: Counted) => ({
    what,
    'per second': perSecond(count, ms),
    'p50 ms': percentile(latencies, 0.5),
    'p99 ms': percentile(latencies, 0.99),
    errors,
    ratio: (perSecond(count, ms) / bareRate).toFixed(2),
  });
  printTable([
    row('a bare route with one insert', calibration),
    line('first opens of a campaign', opens),
    line('opens and clicks, one in five a click', mixed),
    line('opens of 1,000 emails again and again', again),
  ]);
  await listener.stop();
  await drain.stop();
  for (const process_ of [bareProcess, apiProcess]) process_.kill('SIGTERM');
}

const bench = await startBench();
try {
  await measureHits(bench, await makeProject(bench.ctx), Number(process.argv[2] ?? 10));
} finally {
  await bench.stop();
}
process.exit(0);
