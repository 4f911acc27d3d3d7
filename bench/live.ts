/**
 * The cost and the delay of live streams: campaigns without and with 50 listeners in turn, in the same run, and a
 * listener that connects again and again.
 *
 *   npx tsx bench/live.ts [recipients] [pairs]       100000 and 2 by default; build with `npm run build` first
 *
 * During each campaign, probes (tracked events) are committed 20 times per second. The delay is the time from the commit
 * of a probe to its arrival at a listener. The listeners are a process of their own with the lowest priority. The rate
 * of campaigns varies by a third between runs without listeners, so compare at least 5 pairs. Linux only: CPU is read
 * from /proc.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { openStream } from '../packages/client/src/index.js';
import { freePort } from '../packages/embedded/src/ports.js';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
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
import { cpuMsOf, startPart } from './processes.js';

const LISTENERS = 50;
const PROBE_INTERVAL_MS = 50;
const POLL_INTERVAL_MS = 20;
/** The time for the last probes to arrive. */
const MAX_WAIT_MS = 5000;
const RECONNECTIONS = 100;
const RECONNECTION_EVENTS = 10_000;
const BODY = `<html><body><h1>Hello {{ firstName }}</h1><p>Some words of an email, as in a newsletter of a week.</p></body></html>`;

interface Figures {
  listeners: number;
  /** Emails per second, from the first to the last. */
  rate: number;
  durationMs: number;
  /** The CPU time of the campaign by process: the API, the worker, the sink, the listeners, and their connections. */
  cpuMs: Record<string, number>;
  /** From the commit of a probe to its arrival, over all listeners, sorted. */
  delays: number[];
  /** Probes that did not arrive, over all listeners. */
  missing: number;
  messages: number;
}

interface Processes {
  api: number;
  worker: number;
  listeners: ChildProcess;
}

/** Returns the CPU time so far by process. PostgreSQL's processes are named after the program that they serve. */
async function readCpuMs({ ctx, sink }: Bench, { api, worker, listeners }: Processes): Promise<Record<string, number>> {
  const { rows } = await ctx.pool.query<{ pid: number; name: string }>(
    `SELECT pid, 'pg ' || coalesce(nullif(replace(application_name, 'sendloom-', ''), ''), backend_type) AS name
       FROM pg_stat_activity`,
  );
  const sums: Record<string, number> = {
    api: cpuMsOf(api),
    worker: cpuMsOf(worker),
    listeners: cpuMsOf(listeners.pid ?? 0),
    sink: (await sink.read()).cpuUs / 1000,
  };
  for (const { pid, name } of rows) sums[name] = (sums[name] ?? 0) + cpuMsOf(pid);
  return sums;
}

const INSERT_PROBE = `INSERT INTO events (id, project_id, name, data, created_at) VALUES ($1, $2, 'probe', '{}', clock_timestamp())`;

/** The monotonic clock, which all processes share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const ListenerReply = z.object({
  opened: z.number().optional(),
  arrived: z.number().default(0),
  messages: z.number().default(0),
  arrivals: z.array(z.tuple([z.string(), z.number()])).default([]),
});

async function requestListeners(listeners: ChildProcess, message: object): Promise<z.infer<typeof ListenerReply>> {
  listeners.send(message);
  const [reply]: unknown[] = await once(listeners, 'message');
  return ListenerReply.parse(reply);
}

async function runCampaign(
  bench: Bench,
  url: string,
  processes: Processes,
  run: { recipients: number; listeners: number },
): Promise<Figures> {
  const { ctx, sink } = bench;
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, run.recipients);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  await ctx.pool.query('CHECKPOINT');
  const campaign = await createCampaign(ctx, project.id, {
    name: 'Bench',
    subject: 'Hello {{ firstName }}',
    body: BODY,
    from: `news@${project.domain}`,
    audienceType: 'ALL',
    type: 'MARKETING',
  });
  await requestListeners(processes.listeners, {
    open: { url, projectId: project.id, secret: project.secret, count: run.listeners },
  });
  await sleep(2000);
  await sink.reset();
  const commits = new Map<string, number>();
  const before = await readCpuMs(bench, processes);
  const started = Date.now();
  await sendCampaign(ctx, project.id, campaign.id);
  let nextProbe = Date.now();
  for (let status = ''; status !== 'SENT'; await sleep(POLL_INTERVAL_MS)) {
    // The same probes without listeners, so that only the listeners differ.
    if (Date.now() >= nextProbe) {
      nextProbe += PROBE_INTERVAL_MS;
      const id = newId();
      await ctx.pool.query(INSERT_PROBE, [id, project.id]);
      commits.set(id, now());
    }
    const { rows } = await ctx.pool.query<{ status: string }>(`SELECT status FROM campaigns WHERE id = $1`, [
      campaign.id,
    ]);
    status = rows[0]?.status ?? '';
  }
  const durationMs = Date.now() - started;
  const after = await readCpuMs(bench, processes);
  const expected = commits.size * run.listeners;
  const waitingSince = Date.now();
  while (
    (await requestListeners(processes.listeners, {})).arrived < expected &&
    Date.now() - waitingSince < MAX_WAIT_MS
  )
    await sleep(50);
  const { count, first, last } = await sink.read();
  const { messages, arrivals } = await requestListeners(processes.listeners, { close: true });
  return {
    listeners: run.listeners,
    rate: perSecond(count, last - first),
    durationMs,
    cpuMs: Object.fromEntries(Object.entries(after).map(([name, ms]) => [name, Math.max(0, ms - (before[name] ?? 0))])),
    delays: arrivals.map(([id, at]) => at - (commits.get(id) ?? at)).toSorted((a, b) => a - b),
    missing: expected - arrivals.length,
    messages,
  };
}

/** One listener connects again and again while events are written. @returns the missing and the repeated events */
async function runReconnections({ ctx }: Bench, url: string, project: BenchProject) {
  const options = { baseUrl: url, key: project.secret, projectId: project.id, topics: ['activity'] as const };
  const received: string[] = [];
  const written: string[] = [];
  let lastEventId: string | undefined;
  let connections = 0;
  const write = async (): Promise<void> => {
    while (written.length < RECONNECTION_EVENTS) {
      const { rows } = await ctx.pool.query<{ id: string }>(
        `INSERT INTO events (id, project_id, name, created_at)
         SELECT uuid_v7(), $1, 'written', now() FROM generate_series(1, 10) RETURNING id, pg_sleep(random() * 0.02)`,
        [project.id],
      );
      written.push(...rows.map(({ id }) => id));
      await sleep(50);
    }
  };
  const first = openStream({
    ...options,
    onStatus: (status) => status === 'open' && void Promise.all([write(), write(), write()]),
  });
  for (let stream = first; received.length < RECONNECTION_EVENTS || received.length < written.length;) {
    connections++;
    // The first connections end after about 100 entries, wherever that is in a page.
    const limit = connections <= RECONNECTIONS ? received.length + RECONNECTION_EVENTS / RECONNECTIONS : Infinity;
    for await (const message of stream) {
      received.push(message.data.id);
      lastEventId = message.lastEventId;
      if (received.length >= limit || (received.length >= RECONNECTION_EVENTS && received.length >= written.length))
        break;
    }
    stream = openStream({ ...options, lastEventId });
  }
  const seen = new Set(received);
  return {
    connections,
    written: written.length,
    missing: written.filter((id) => !seen.has(id)).length,
    repeated: received.length - seen.size,
  };
}

const percentile = (sorted: number[], share: number): number =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const median = (values: number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
};

/** Runs the campaigns, in pairs of which the second one begins with listeners. */
async function runPairs(
  bench: Bench,
  url: string,
  processes: Processes,
  { recipients, pairs }: { recipients: number; pairs: number },
): Promise<void> {
  // It would run for some campaigns and not for others.
  await bench.ctx.pool.query('ALTER SYSTEM SET autovacuum = off');
  await bench.ctx.pool.query('SELECT pg_reload_conf()');
  const runs: Figures[] = [];
  // The first campaigns warm the processes up.
  for (const listeners of [0, LISTENERS])
    await runCampaign(bench, url, processes, { recipients: Math.min(recipients, 20_000), listeners });
  for (let pair = 0; pair < pairs; pair++) {
    for (const listeners of pair % 2 === 0 ? [0, LISTENERS] : [LISTENERS, 0])
      runs.push(await runCampaign(bench, url, processes, { recipients, listeners }));
  }
  const shareOf = ({ cpuMs, durationMs }: Figures, name: string): number =>
    Number((((cpuMs[name] ?? 0) / durationMs) * 100).toFixed(1));
  const names = [...new Set(runs.flatMap(({ cpuMs }) => Object.keys(cpuMs)))].filter((name) =>
    runs.some((run) => shareOf(run, name) >= 1),
  );
  printTable(
    runs.map((run) => ({
      listeners: run.listeners,
      'emails/s': run.rate,
      'campaign ms': run.durationMs,
      missing: run.missing,
      'p50 ms': percentile(run.delays, 0.5),
      'p99 ms': percentile(run.delays, 0.99),
      'max ms': Math.round(run.delays.at(-1) ?? 0),
      messages: run.messages,
      ...Object.fromEntries(names.map((name) => [`${name} %`, shareOf(run, name)])),
    })),
  );
  const valuesOf = (listeners: number, value: (run: Figures) => number): number[] =>
    runs.filter((run) => run.listeners === listeners).map(value);
  const growthOf = (name: string): string => {
    const cpuOf = (run: Figures): number => (run.cpuMs[name] ?? 0) / run.durationMs;
    return ((mean(valuesOf(LISTENERS, cpuOf)) - mean(valuesOf(0, cpuOf))) * 100).toFixed(1);
  };
  const ratios = runs.flatMap((run, index) => {
    const other = runs[index % 2 === 0 ? index + 1 : index - 1];
    return run.listeners === 0 || !other ? [] : [run.rate / other.rate];
  });
  const delays = runs.flatMap((run) => run.delays).toSorted((a, b) => a - b);
  console.log(
    `With ${LISTENERS} listeners, the API uses ${growthOf('api')}% of a core more, and its connections to PostgreSQL ` +
      `${growthOf('pg api')}%. The rate is ${median(ratios).toFixed(3)} (median of pairs; ` +
      `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}) of that without. ` +
      `Delay: p50 ${percentile(delays, 0.5)} ms, p99 ${percentile(delays, 0.99)} ms, max ${percentile(delays, 1)} ms.`,
  );
}

const [recipients = 100_000, pairs = 2] = process.argv.slice(2).map(Number);
const bench = await startBench({ DKIM_SIGNING: 'false' });
try {
  const port = await freePort();
  const worker = await startPart(bench, 'worker');
  const api = await startPart(bench, 'api', { PORT: String(port), HOST: '127.0.0.1' });
  const listeners = fork(fileURLToPath(new URL('live-listeners.mjs', import.meta.url)), { execArgv: [] });
  const url = `http://127.0.0.1:${port}`;
  await runPairs(bench, url, { api: api.pid, worker: worker.pid, listeners }, { recipients, pairs });
  listeners.disconnect();
  console.log('Reconnections:', await runReconnections(bench, url, await makeProject(bench.ctx)));
  for (const part of [api, worker]) {
    part.kill('SIGTERM');
    await once(part, 'exit');
  }
} finally {
  await bench.stop();
}
process.exit(0);
