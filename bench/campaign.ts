/**
 * Emails per second of a campaign with full bookkeeping, by a worker in a process of its own, compared with the least
 * that an SMTP client can do at the same sink in the same run (bare-smtp.ts).
 *
 *   npx tsx bench/campaign.ts [recipients …]          50000 by default; build with `npm run build` first
 *
 * BENCH_TRACKING=false,true: without and with open and click tracking (12 different links and a pixel per email).
 * BENCH_SIGNING=false,true: without and with DKIM. BENCH_ROUNDS: rounds of each combination (1). BENCH_DELAY_MS: the sink
 * delays each reply. BENCH_NODE_ARGS: further arguments of Node for the worker, for example `--cpu-prof`.
 * BENCH_STATEMENTS=1: prints the statements that PostgreSQL executes, sampled. Linux only: CPU is read from /proc.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
import { sendBare } from './bare-smtp.js';
import { addContacts, makeProject, perSecond, printTable, startBench, type Bench } from './harness.js';
import { cpuMsOf, readPostmasterPid, startPart } from './processes.js';

const BODY = `<html><body><h1>Hello {{ firstName ?? there }}</h1>${Array.from({ length: 12 }, (_, n) => `<p>News of the week, with <a href="https://example.test/news?n=${n}">a link</a> and some words around it.</p>`).join('')}</body></html>`;
/** The size of the email of the bare client. */
const BARE_BYTES = 1900;
const BARE_EMAILS = 50_000;
const POLL_INTERVAL_MS = 20;
const SAMPLE_INTERVAL_MS = 5;

const peakMbOf = (pid: number): number =>
  Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) / 1024);

async function calibrate({ sink, config }: Bench): Promise<number> {
  const line = 'Some words of an email, as they are in a newsletter of a week.\r\n';
  const content = Buffer.from(`Subject: x\r\n\r\n${line.repeat(Math.ceil(BARE_BYTES / line.length))}`);
  await sink.reset();
  await sendBare({ port: sink.port, connections: config.SMTP_CONNECTIONS, emails: BARE_EMAILS, content });
  const { count, first, last } = await sink.read();
  return perSecond(count, last - first);
}

interface Run {
  recipients: number;
  tracked: boolean;
}

async function runCampaign(bench: Bench, { recipients, tracked }: Run): Promise<void> {
  const { ctx, sink } = bench;
  const postgresPid = await readPostmasterPid(bench);
  const project = await makeProject(ctx);
  await ctx.prisma.project.update({ where: { id: project.id }, data: { tracking: tracked ? 'ENABLED' : 'DISABLED' } });
  await addContacts(ctx, project.id, recipients);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  await ctx.pool.query('CHECKPOINT');
  const bare = await calibrate(bench);
  const campaign = await createCampaign(ctx, project.id, {
    name: 'Bench',
    subject: 'Hello {{ firstName }}',
    body: BODY,
    from: `news@${project.domain}`,
    audienceType: 'ALL',
    type: 'MARKETING',
  });
  const worker = await startPart(bench, 'worker');
  await sleep(2000);
  const idleMb = peakMbOf(worker.pid);
  await sink.reset();
  const cpuBefore = { worker: cpuMsOf(worker.pid), postgres: cpuMsOf(postgresPid), sink: (await sink.read()).cpuUs };
  const sampling = new AbortController();
  const samples = process.env.BENCH_STATEMENTS ? sampleStatements(bench, sampling.signal) : null;
  const started = Date.now();
  await sendCampaign(ctx, project.id, campaign.id);
  for (let status = ''; status !== 'SENT'; await sleep(POLL_INTERVAL_MS)) {
    const { rows } = await ctx.pool.query<{ status: string }>(`SELECT status FROM campaigns WHERE id = $1`, [
      campaign.id,
    ]);
    status = rows[0]?.status ?? '';
  }
  const total = Date.now() - started;
  const { count, first, last, cpuUs } = await sink.read();
  const cpu = {
    worker: ((cpuMsOf(worker.pid) - cpuBefore.worker) * 1000) / recipients,
    postgres: ((cpuMsOf(postgresPid) - cpuBefore.postgres) * 1000) / recipients,
    sink: (cpuUs - cpuBefore.sink) / recipients,
  };
  const peakMb = peakMbOf(worker.pid);
  worker.kill('SIGTERM');
  await once(worker, 'exit');
  const rate = perSecond(count, last - first);
  const wholeRate = perSecond(recipients, total);
  printTable([
    { what: 'bare pipelined client', 'per second': bare },
    { what: 'first to last email', 'per second': rate, ratio: (rate / bare).toFixed(3) },
    { what: 'request to SENT', 'per second': wholeRate, ratio: (wholeRate / bare).toFixed(3) },
  ]);
  console.log(
    `${recipients} recipients, ${bench.config.DKIM_SIGNING ? 'signed' : 'unsigned'}, ${tracked ? 'tracked' : 'untracked'}: ` +
      `arrived ${count}, first email after ${first - started} ms, worker peak ${peakMb} MB (idle ${idleMb} MB), CPU per email: ` +
      `worker ${cpu.worker.toFixed(0)} µs, PostgreSQL ${cpu.postgres.toFixed(0)} µs, sink ${cpu.sink.toFixed(0)} µs`,
  );
  sampling.abort();
  for (const [query, count] of [...((await samples) ?? [])].sort((one, other) => other[1] - one[1]).slice(0, 10))
    console.log(`${count} samples: ${query}`);
}

/** Samples the statements that PostgreSQL executes until the signal aborts. @returns the samples by statement */
async function sampleStatements({ ctx }: Bench, signal: AbortSignal): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  while (!signal.aborted) {
    const { rows } = await ctx.pool.query<{ query: string }>(
      `SELECT left(regexp_replace(query, '\\s+', ' ', 'g'), 90) AS query FROM pg_stat_activity
        WHERE state = 'active' AND wait_event IS NULL AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
    );
    for (const { query } of rows) counts.set(query, (counts.get(query) ?? 0) + 1);
    await sleep(SAMPLE_INTERVAL_MS);
  }
  return counts;
}

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
for (let round = 0; round < Number(process.env.BENCH_ROUNDS ?? 1); round++) {
  for (const signing of (process.env.BENCH_SIGNING ?? 'false').split(',')) {
    for (const recipients of sizes.length > 0 ? sizes : [50_000]) {
      for (const tracked of (process.env.BENCH_TRACKING ?? 'false,true').split(',')) {
        const bench = await startBench({ DKIM_SIGNING: signing });
        try {
          if (process.env.BENCH_DELAY_MS) await bench.sink.delay(Number(process.env.BENCH_DELAY_MS));
          await runCampaign(bench, { recipients, tracked: tracked === 'true' });
        } finally {
          await bench.stop();
        }
      }
    }
  }
}
process.exit(0);
