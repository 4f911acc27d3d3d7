/**
 * The same work in the first to the fifth project of a new database:
 * `npx tsx bench/tenants.ts [rows] [databases] [statistics]`.
 *
 * Each project imports 20,000 contacts, tracks, sends, prepares a campaign, and reads segments and lists, once while the
 * database has statistics only of the older projects, and once more after ANALYZE. A single measurement varies by more
 * than the projects differ, so all of it is repeated in five databases. Prints the median milliseconds of each operation
 * per project, and the ratio of the slowest to the fastest project.
 *
 * With the third argument `statistics`, the planner gets statistics of `project_id`, as it did before the migration
 * 20261122120000_statistics.
 */
import { buildApp, type App } from '../src/api/app.js';
import type { ApiContext } from '../src/context.js';
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
function operationsOf(ctx: ApiContext, app: App, project: BenchProject, rows: number, label: string): Operation[] {
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
        await sendCampaign(ctx, project.id, id);
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
async function keepStatistics({ pool }: ApiContext): Promise<void> {
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

/** The milliseconds of each operation: of each project, in each database. */
type Times = Map<string, number[][]>;

async function measureTenants(ctx: ApiContext, app: App, rows: number, times: Times): Promise<void> {
  const pass = async (project: BenchProject, tenant: number, label: string): Promise<void> => {
    for (const operation of operationsOf(ctx, app, project, rows, label)) {
      const name = `${operation.name}, ${label} ANALYZE`;
      const ms = await measure(operation);
      const ofTenants = times.get(name) ?? Array.from({ length: TENANTS }, () => []);
      ofTenants[tenant]?.push(ms);
      times.set(name, ofTenants);
    }
  };
  // Warms up the process and its connections with a project too small to matter.
  const small = await makeProject(ctx);
  for (const label of ['warm', 'warmer'])
    for (const operation of operationsOf(ctx, app, small, 500, label)) await measure(operation);
  for (let tenant = 0; tenant < TENANTS; tenant++) {
    const project = await makeProject(ctx);
    await pass(project, tenant, 'before');
    await ctx.pool.query('VACUUM ANALYZE');
    await pass(project, tenant, 'after');
    await ctx.pool.query('VACUUM ANALYZE');
    // A checkpoint during a measurement would delay that project alone.
    await ctx.pool.query('CHECKPOINT');
  }
}

async function runInNewDatabase(rows: number, withStatistics: boolean, times: Times): Promise<void> {
  const { ctx, stop } = await startBench();
  // Only the benchmark decides when the planner gets statistics.
  await ctx.pool.query('ALTER SYSTEM SET autovacuum = off');
  await ctx.pool.query('SELECT pg_reload_conf()');
  const app = await buildApp(ctx);
  try {
    if (withStatistics) await keepStatistics(ctx);
    await measureTenants(ctx, app, rows, times);
  } finally {
    await app.close();
    await stop();
  }
}

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

const [rows = 20_000, databases = 5] = process.argv.slice(2, 4).map(Number);
const times: Times = new Map();
for (let number = 1; number <= databases; number++) {
  await runInNewDatabase(rows, process.argv[4] === 'statistics', times);
  console.log(`database ${number}, ${loadAverage()}`);
}
printTable(
  Array.from(times, ([operation, ofTenants]) => {
    const medians = ofTenants.map(median);
    return {
      operation,
      ...Object.fromEntries(medians.map((value, index) => [`project ${index + 1}, ms`, Math.round(value)])),
      'slowest / fastest': (Math.max(...medians) / Math.min(...medians)).toFixed(2),
    };
  }),
);
process.exit(0);
