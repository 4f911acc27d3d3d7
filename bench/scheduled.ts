/**
 * Scheduled email: how fast emails that are due in the same minute are sent, compared with a campaign of the same run, and what
 * waiting emails cost claims, campaigns, and the acceptance of requests.
 *
 *   npx tsx bench/scheduled.ts [emails] [waiting] [rounds]     100000, 1000000, and 3 by default; `npm run build` first
 *
 * BENCH_SIGNING=true: with DKIM. The emails of a request are handed over one after the other, so it matters how many there are.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
import { createAcceptSend } from '../src/domain/emails/accept.js';
import { sendTransactional } from '../src/domain/emails/send.js';
import {
  addContacts,
  makeProject,
  perSecond,
  printTable,
  startBench,
  type Bench,
  type BenchProject,
} from './harness.js';
import { startPart } from './processes.js';

const EMAILS = Number(process.argv[2] ?? 100_000);
const WAITING = Number(process.argv[3] ?? 1_000_000);
const ROUNDS = Number(process.argv[4] ?? 3);
const REQUESTS = 20_000;
/** As many as a request can have. */
const MAX_RECIPIENTS = 1000;
const DAY_MS = 24 * 3_600_000;
const FAR = new Date(Date.now() + 30 * DAY_MS);
const PARALLEL = 50;
const BODY = '<p>Hello {{ firstName }}, your order {{ order }} is on its way.</p>';

interface Emails {
  count: number;
  /** Of each request. */
  recipients: number;
  status: 'PENDING' | 'SCHEDULED';
  firstAt: Date;
}

/** Inserts the emails of requests, over a day from `firstAt` on. */
async function addEmails(
  { ctx }: Bench,
  { id, domain }: BenchProject,
  { count, recipients, status, firstAt }: Emails,
): Promise<void> {
  await ctx.pool.query(
    `WITH request AS MATERIALIZED (
       SELECT first, uuid_v7() AS message_id FROM generate_series(1, $3::int, $5::int) first
     ), item AS MATERIALIZED (
       SELECT n, r.message_id, $4::timestamptz + n * ${DAY_MS}::float8 / $3 * interval '1 millisecond' AS due
         FROM request r CROSS JOIN LATERAL generate_series(r.first, r.first + $5::int - 1) n
     ), message AS (
       INSERT INTO messages (id, project_id, type, subject, body, from_email, variables)
       SELECT message_id, $1, 'TRANSACTIONAL', 'Your order', $6, 'shop@' || $2, jsonb_build_object('order', first) FROM request
     )
     INSERT INTO emails (id, project_id, message_id, source, type, to_email, status, next_attempt_at, scheduled_for, is_ordered)
     SELECT uuid_v7(), $1, message_id, 'TRANSACTIONAL', 'TRANSACTIONAL', 'user' || n || '@example.test', $7::email_status, due,
            CASE WHEN $7 = 'SCHEDULED' THEN due END, $5::int > 1
       FROM item`,
    [id, domain, count, firstAt, recipients, BODY, status],
  );
}

/** Waits for emails at the sink. @returns their rate */
async function rateOf({ sink }: Bench, count: number): Promise<number> {
  for (;;) {
    const state = await sink.read();
    if (state.count >= count) return perSecond(count, state.last - state.first);
    await sleep(50);
  }
}

/** Sends a campaign of a new project. @returns its emails per second */
async function runCampaign(bench: Bench): Promise<number> {
  const { ctx, sink } = bench;
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, EMAILS);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  const campaign = await createCampaign(ctx, project.id, {
    name: 'Bench',
    subject: 'News',
    body: BODY,
    from: `news@${project.domain}`,
    audienceType: 'ALL',
    type: 'MARKETING',
  });
  await ctx.pool.query('CHECKPOINT');
  await sink.reset();
  await sendCampaign(ctx, project.id, campaign.id);
  return rateOf(bench, EMAILS);
}

/** Sends emails that are all due at the same moment. @returns their rate */
async function runDue(bench: Bench, recipients: number): Promise<number> {
  const project = await makeProject(bench.ctx);
  await addEmails(bench, project, { count: EMAILS, recipients, status: 'SCHEDULED', firstAt: FAR });
  await bench.ctx.pool.query('CHECKPOINT');
  await bench.sink.reset();
  await bench.ctx.pool.query(
    `UPDATE emails SET next_attempt_at = now(), scheduled_for = now() WHERE project_id = $1 AND status = 'SCHEDULED'`,
    [project.id],
  );
  return rateOf(bench, EMAILS);
}

/** Sends pending emails. @returns their rate */
async function runPending(bench: Bench): Promise<number> {
  const project = await makeProject(bench.ctx);
  await bench.ctx.pool.query('CHECKPOINT');
  await bench.sink.reset();
  const firstAt = new Date(Date.now() - 2 * DAY_MS);
  await addEmails(bench, project, { count: REQUESTS, recipients: 1, status: 'PENDING', firstAt });
  return rateOf(bench, REQUESTS);
}

/** Accepts requests as POST /v1/send does, without HTTP. @returns their rate */
async function runRequests(bench: Bench): Promise<number> {
  const { ctx } = bench;
  const { id, domain } = await makeProject(ctx);
  const accept = createAcceptSend(ctx);
  let next = 0;
  const started = Date.now();
  await Promise.all(
    Array.from({ length: PARALLEL }, async () => {
      while (next < REQUESTS) {
        const to = [{ email: `user${next++}@example.test` }];
        const input = {
          to,
          cc: [],
          bcc: [],
          tags: [],
          attachments: [],
          subject: 'Hi',
          body: BODY,
          from: { email: `shop@${domain}` },
        };
        await sendTransactional(ctx, accept, { id, limited: false }, input, null);
      }
    }),
  );
  const rate = perSecond(REQUESTS, Date.now() - started);
  await ctx.pool.query(`DELETE FROM emails WHERE project_id = $1`, [id]);
  return rate;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const RUNS = {
  campaign: runCampaign,
  due: (bench: Bench) => runDue(bench, 1),
  'due, 1,000 per request': (bench: Bench) => runDue(bench, MAX_RECIPIENTS),
  pending: runPending,
  requests: runRequests,
};
type Rates = Record<keyof typeof RUNS, number[]>;

/** Runs everything in turn. The requests are accepted without a worker. */
async function measure(bench: Bench): Promise<Rates> {
  const rates: Rates = { campaign: [], due: [], 'due, 1,000 per request': [], pending: [], requests: [] };
  for (let round = 0; round < ROUNDS; round++) {
    rates.requests.push(await runRequests(bench));
    const worker = await startPart(bench, 'worker');
    await sleep(3000);
    for (const name of ['campaign', 'due', 'due, 1,000 per request', 'pending'] as const) {
      rates[name].push(await RUNS[name](bench));
      console.log(`${name} ${rates[name].at(-1)}/s`);
    }
    worker.kill('SIGTERM');
    await new Promise((resolve) => worker.once('exit', resolve));
  }
  return rates;
}

const bench = await startBench({ DKIM_SIGNING: process.env.BENCH_SIGNING ?? 'false' });
try {
  const without = await measure(bench);
  const neighbor = await makeProject(bench.ctx);
  await addEmails(bench, neighbor, { count: WAITING, recipients: 1, status: 'SCHEDULED', firstAt: FAR });
  await bench.ctx.pool.query('VACUUM ANALYZE emails');
  const withWaiting = await measure(bench);
  printTable(
    (Object.keys(RUNS) as Array<keyof Rates>).map((what) => ({
      what,
      'per second': median(without[what]),
      [`with ${WAITING} scheduled`]: median(withWaiting[what]),
      ratio: (median(withWaiting[what]) / median(without[what])).toFixed(3),
    })),
  );
  for (const name of ['due', 'due, 1,000 per request'] as const)
    console.log(`${name}, of a campaign: ${(median(without[name]) / median(without.campaign)).toFixed(2)}`);
} finally {
  await bench.stop();
}
process.exit(0);
