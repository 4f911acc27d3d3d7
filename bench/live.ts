/**
 * The cost and the delay of live streams: campaigns without and with 50 listeners in turn, in the same run, and a
 * listener that connects again and again.
 *
 *   npx tsx bench/live.ts [recipients] [pairs]       100000 and 2 by default; build with `npm run build` first
 *
 * During a campaign with listeners, probes (tracked events) are committed 20 times per second. The delay is the time
 * from the commit of a probe to its arrival at a listener. The listeners run in this process, and their CPU time is not
 * counted. Linux only: CPU is read from /proc.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
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
  apiCpuMs: number;
  /** The CPU time of the API's connections in PostgreSQL. */
  databaseCpuMs: number;
  delays: number[];
  /** Probes that did not arrive, over all listeners. */
  missing: number;
  messages: number;
}

/** The CPU time of the PostgreSQL processes that serve the API. */
async function readDatabaseCpuMs({ ctx }: Bench): Promise<Map<number, number>> {
  const { rows } = await ctx.pool.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'sendloom-api'`,
  );
  return new Map(rows.map(({ pid }) => [pid, cpuMsOf(pid)]));
}

const growthOf = (before: Map<number, number>, after: Map<number, number>): number =>
  [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0);

const INSERT_PROBE = `INSERT INTO events (id, project_id, name, data, created_at) VALUES ($1, $2, 'probe', '{}', clock_timestamp())`;

/** Opens listeners that note when each probe arrives. */
function listen(url: string, { id, secret }: BenchProject, count: number) {
  const arrivals: Array<{ id: string; at: number }> = [];
  let messages = 0;
  const abort = new AbortController();
  const opened = new AbortController();
  let openCount = 0;
  if (count === 0) opened.abort();
  const listeners = Array.from({ length: count }, async () => {
    const stream = openStream({
      baseUrl: url,
      key: secret,
      projectId: id,
      topics: ['activity', 'campaigns', 'jobs', 'domains', 'reputation'],
      signal: abort.signal,
      onStatus(status) {
        openCount += status === 'open' ? 1 : 0;
        if (openCount === count) opened.abort();
      },
    });
    for await (const message of stream) {
      messages++;
      if (message.topic === 'activity' && message.data.metadata.eventName === 'probe')
        arrivals.push({ id: message.data.id, at: performance.now() });
    }
  });
  return {
    arrivals,
    messages: () => messages,
    async opened() {
      if (!opened.signal.aborted) await once(opened.signal, 'abort');
    },
    async close() {
      abort.abort();
      await Promise.all(listeners);
    },
  };
}

async function runCampaign(bench: Bench, url: string, apiPid: number, run: { recipients: number; listeners: number }) {
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
  const listening = listen(url, project, run.listeners);
  await listening.opened();
  await sleep(2000);
  await sink.reset();
  const commits = new Map<string, number>();
  const before = { api: cpuMsOf(apiPid), database: await readDatabaseCpuMs(bench) };
  const started = Date.now();
  await sendCampaign(ctx, project.id, campaign.id, undefined);
  let nextProbe = Date.now();
  for (let status = ''; status !== 'SENT'; await sleep(POLL_INTERVAL_MS)) {
    // The same probes without listeners, so that only the listeners differ.
    if (Date.now() >= nextProbe) {
      nextProbe += PROBE_INTERVAL_MS;
      const id = newId();
      await ctx.pool.query(INSERT_PROBE, [id, project.id]);
      commits.set(id, performance.now());
    }
    const { rows } = await ctx.pool.query<{ status: string }>(`SELECT status FROM campaigns WHERE id = $1`, [
      campaign.id,
    ]);
    status = rows[0]?.status ?? '';
  }
  const durationMs = Date.now() - started;
  const figures = { apiCpuMs: cpuMsOf(apiPid) - before.api, after: await readDatabaseCpuMs(bench) };
  const waitingSince = Date.now();
  while (listening.arrivals.length < commits.size * run.listeners && Date.now() - waitingSince < MAX_WAIT_MS)
    await sleep(50);
  const { count, first, last } = await sink.read();
  await listening.close();
  return {
    listeners: run.listeners,
    rate: perSecond(count, last - first),
    durationMs,
    apiCpuMs: figures.apiCpuMs,
    databaseCpuMs: growthOf(before.database, figures.after),
    delays: listening.arrivals.map(({ id, at }) => at - (commits.get(id) ?? at)).sort((a, b) => a - b),
    missing: commits.size * run.listeners - listening.arrivals.length,
    messages: listening.messages(),
  } satisfies Figures;
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

const median = (values: number[]): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  );

const [recipients = 100_000, pairs = 2] = process.argv.slice(2).map(Number);
const bench = await startBench({ DKIM_SIGNING: 'false' });
try {
  const port = await freePort();
  const worker = await startPart(bench, 'worker');
  const api = await startPart(bench, 'api', { PORT: String(port), HOST: '127.0.0.1' });
  const url = `http://127.0.0.1:${port}`;
  const runs: Figures[] = [];
  // The first campaign warms the worker up.
  await runCampaign(bench, url, api.pid, { recipients: Math.min(recipients, 20_000), listeners: 0 });
  for (let pair = 0; pair < pairs; pair++) {
    for (const listeners of pair % 2 === 0 ? [0, LISTENERS] : [LISTENERS, 0])
      runs.push(await runCampaign(bench, url, api.pid, { recipients, listeners }));
  }
  printTable(
    runs.map(({ listeners, rate, durationMs, apiCpuMs, databaseCpuMs, delays, missing, messages }) => ({
      listeners,
      'emails/s': rate,
      'campaign ms': durationMs,
      'API % of a core': Number(((apiCpuMs / durationMs) * 100).toFixed(1)),
      'its PostgreSQL %': Number(((databaseCpuMs / durationMs) * 100).toFixed(1)),
      probes: delays.length,
      missing,
      'p50 ms': percentile(delays, 0.5),
      'p99 ms': percentile(delays, 0.99),
      'max ms': Math.round(delays.at(-1) ?? 0),
      messages,
    })),
  );
  const rateOf = (listeners: number): number =>
    median(runs.filter((run) => run.listeners === listeners).map(({ rate }) => rate));
  console.log(
    `With ${LISTENERS} listeners, the rate is ${(rateOf(LISTENERS) / rateOf(0)).toFixed(3)} of that without.`,
  );
  console.log('Reconnections:', await runReconnections(bench, url, await makeProject(bench.ctx)));
  for (const part of [api, worker]) {
    part.kill('SIGTERM');
    await once(part, 'exit');
  }
} finally {
  await bench.stop();
}
process.exit(0);
