/**
 * The same work in the first to the fifth project of a new database: `npx tsx bench/tenants.ts [rows] [statistics]`.
 *
 * Each project imports 50,000 contacts, tracks, sends, prepares a campaign, and reads segments and lists, once while the
 * database has statistics only of the older projects, and once more after ANALYZE. Prints the milliseconds of each
 * operation per project, and the ratio of the slowest to the fastest project.
 *
 * With the second argument `statistics`, the planner gets statistics of `project_id`, as it did before the migration
 * 20261122120000_statistics.
 */
import { buildApp, type App } from '../src/api/app.js';
import type { Context } from '../src/context.js';
import { createCampaign } from '../src/domain/campaigns/manage.js';
import { begin, snapshot } from '../src/domain/campaigns/run.js';
import { sendCampaign } from '../src/domain/campaigns/send.js';
import { requestImport } from '../src/domain/imports/request.js';
import { runImport } from '../test/helpers/jobs.js';
import { makeProject, printTable, startBench, type BenchProject } from './harness.js';
import { loadAverage } from './segments-setup.js';

const TENANTS = 5;
const REQUESTS = 100;
/** Each operation except the import and the campaign counts with the fastest of this many rounds. */
const ROUNDS = 3;
const LISTS = ['/contacts', '/contacts?sort=email', '/events', '/activity', '/suppressions', '/campaigns'];

interface Operation {
  name: string;
  rounds: number;
  work: () => Promise<void>;
}

async function request(app: App, project: BenchProject, url: string, body?: unknown): Promise<unknown> {
  const key = url === '/v1/track' ? project.public : project.secret;
  const response = await app.inject({
    method: body === undefined ? 'GET' : 'POST',
    url,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
  if (response.statusCode >= 300) throw new Error(`${url} returned ${response.statusCode}: ${response.body}`);
  return response.json();
}

async function repeat(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work(n);
}

/** @param label distinguishes the addresses and names of two passes over the same project */
function operationsOf(ctx: Context, app: App, project: BenchProject, rows: number, label: string): Operation[] {
  const address = (n: number): string => `user${(n * 7919) % rows}-${label}@example.test`;
  const lines = Array.from({ length: rows }, (_, n) => `${address(n)},${n % 3 === 0 ? 'pro' : 'free'},${n % 90}`);
  const file = Buffer.from(`email,plan,orders\n${lines.join('\n')}\n`);
  const condition = {
    logic: 'AND',
    groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
  };
  let segments = 0;
  return [
    {
      name: `import of ${rows} rows`,
      rounds: 1,
      work: async () => {
        const jobId = await requestImport(ctx, project.id, file);
        await runImport(ctx, { jobId, projectId: project.id });
      },
    },
    {
      name: `track, ${REQUESTS} requests`,
      rounds: ROUNDS,
      work: () =>
        repeat(REQUESTS, (n) =>
          request(app, project, '/v1/track', { email: address(n), event: 'viewed', data: { n } }),
        ),
    },
    {
      name: `send, ${REQUESTS} requests`,
      rounds: ROUNDS,
      work: () =>
        repeat(REQUESTS, (n) =>
          request(app, project, '/v1/send', {
            to: address(n),
            from: `hello@${project.domain}`,
            subject: 'Hello',
            body: 'Hello',
          }),
        ),
    },
    {
      name: 'campaign: snapshot of all contacts',
      rounds: 1,
      work: async () => {
        const { id } = await createCampaign(ctx, project.id, {
          name: 'News',
          subject: 'News',
          body: 'News',
          from: `news@${project.domain}`,
          audienceType: 'ALL',
          type: 'MARKETING',
        });
        await sendCampaign(ctx, project.id, id, undefined);
        const run = { campaignId: id, projectId: project.id, attempt: 1 };
        await begin(ctx, run);
        while (!(await snapshot(ctx, run)).done);
      },
    },
    {
      name: 'segment: creation and first pages',
      rounds: ROUNDS,
      work: async () => {
        const name = `Pro ${label} ${segments++}`;
        const created = await request(app, project, '/segments', { name, condition });
        if (typeof created !== 'object' || created === null || !('id' in created)) throw new Error('No id');
        const id = String(created.id);
        await repeat(5, () => request(app, project, `/segments/${id}/contacts`));
      },
    },
    {
      name: 'lists, 5 of each',
      rounds: ROUNDS,
      work: () => repeat(5 * LISTS.length, (n) => request(app, project, LISTS[n % LISTS.length] ?? '')),
    },
  ];
}

/** Restores the statistics that the migration removed. */
async function keepStatistics({ pool }: Context): Promise<void> {
  await pool.query(`DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT a.attrelid::regclass FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
              WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'project_id' LOOP
      EXECUTE format('ALTER TABLE %s ALTER COLUMN project_id SET STATISTICS -1', t);
    END LOOP; END $$`);
}

async function measure({ rounds, work }: Operation): Promise<number> {
  let best = Infinity;
  await repeat(rounds, async () => {
    const started = performance.now();
    await work();
    best = Math.min(best, performance.now() - started);
  });
  return best;
}

async function measureTenants(ctx: Context, app: App, rows: number): Promise<void> {
  const times = new Map<string, number[]>();
  const pass = async (project: BenchProject, label: string): Promise<void> => {
    for (const operation of operationsOf(ctx, app, project, rows, label)) {
      const name = `${operation.name}, ${label} ANALYZE`;
      const ms = await measure(operation);
      times.set(name, [...(times.get(name) ?? []), ms]);
      console.log(`${name}: ${Math.round(ms)} ms, ${loadAverage()}`);
    }
  };
  // Warms up the process with a project too small to matter.
  const small = await makeProject(ctx);
  for (const operation of operationsOf(ctx, app, small, 500, 'warm')) await operation.work();
  for (let tenant = 1; tenant <= TENANTS; tenant++) {
    console.log(`project ${tenant}`);
    const project = await makeProject(ctx);
    await pass(project, 'before');
    await ctx.pool.query('VACUUM ANALYZE');
    await pass(project, 'after');
    await ctx.pool.query('VACUUM ANALYZE');
  }
  printTable(
    Array.from(times, ([operation, values]) => ({
      operation,
      ...Object.fromEntries(values.map((value, index) => [`project ${index + 1}, ms`, Math.round(value)])),
      'slowest / fastest': (Math.max(...values) / Math.min(...values)).toFixed(2),
    })),
  );
}

const rows = Number(process.argv[2] ?? 50_000);
const bench = await startBench();
// Only the benchmark decides when the planner gets statistics.
await bench.ctx.pool.query('ALTER SYSTEM SET autovacuum = off');
await bench.ctx.pool.query('SELECT pg_reload_conf()');
const app = await buildApp(bench.ctx);
try {
  if (process.argv[3] === 'statistics') await keepStatistics(bench.ctx);
  await measureTenants(bench.ctx, app, rows);
} finally {
  await app.close();
  await bench.stop();
}
process.exit(0);
