/**
 * Contact imports: `npx tsx bench/import.ts`. A file of 5 MB whose contacts are all new, all different, and all as they
 * are, from the request to the completed job, by a worker with Temporal; against a bare COPY and one merge of the same
 * rows into a table with the same indexes.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { from as copyFrom } from 'pg-copy-streams';
import { transaction } from '../src/db/pool.js';
import { MAX_IMPORT_BYTES, requestImport } from '../src/domain/imports/request.js';
import { getImportJob } from '../src/domain/jobs/view.js';
import { createLog } from '../src/log.js';
import { startWorker } from '../src/temporal/worker.js';
import { makeProject, perSecond, printTable, startBench, type Bench } from './harness.js';

const NAMES = ['Anna', 'Bo', 'Çelik', 'Dörte', 'Émile'];

interface Row {
  email: string;
  cells: [firstName: string, plan: string, orders: string];
}

/** As many rows as the bytes hold; another `round` changes a cell of each. */
function makeRows(bytes: number, round: number): Row[] {
  const rows: Row[] = [];
  for (let size = HEADER.length + 1; ;) {
    const n = rows.length;
    const row: Row = {
      email: `user${(n * 7919) % 1_000_003}@example.test`,
      cells: [NAMES[n % NAMES.length] ?? '', n % 3 === 0 ? 'pro' : 'free', String((n + round) % 90)],
    };
    size += Buffer.byteLength(lineOf(row)) + 1;
    if (size > bytes) return rows;
    rows.push(row);
  }
}

const HEADER = 'email,firstName,plan,orders';
const lineOf = ({ email, cells }: Row): string => `${email},${cells.join(',')}`;
const toCsv = (rows: Row[]): Buffer => Buffer.from(`${HEADER}\n${rows.map(lineOf).join('\n')}\n`);

/** The calibration. @returns milliseconds */
async function bare({ ctx }: Bench, projectId: string, rows: Row[]): Promise<number> {
  const begun = performance.now();
  await transaction(ctx.pool, async (tx) => {
    await tx.query('CREATE TEMP TABLE bare_rows (email text, data jsonb) ON COMMIT DROP');
    const lines = rows.map(
      ({ email, cells: [firstName, plan, orders] }) =>
        `${email}\t${JSON.stringify({ firstName, plan, orders: Number(orders) })}\n`,
    );
    await pipeline(Readable.from([lines.join('')]), tx.query(copyFrom('COPY bare_rows FROM STDIN')));
    await tx.query(
      `INSERT INTO bare_contacts AS c (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, email, true, data FROM bare_rows
       ON CONFLICT (project_id, email) DO UPDATE SET data = c.data || EXCLUDED.data, updated_at = now() WHERE c.data || EXCLUDED.data <> c.data`,
      [projectId],
    );
  });
  return performance.now() - begun;
}

/**
 * From the request to the completed job. @returns milliseconds, and the most memory that this process, API and worker
 * in one, had meanwhile
 */
async function measure({ ctx }: Bench, projectId: string, file: Buffer): Promise<{ ms: number; megabytes: number }> {
  let megabytes = 0;
  const begun = performance.now();
  const id = await requestImport(ctx, projectId, file);
  for (;;) {
    megabytes = Math.max(megabytes, Math.round(process.memoryUsage().rss / 2 ** 20));
    const { state, failedReason } = await getImportJob(ctx, projectId, id);
    if (state === 'completed') return { ms: performance.now() - begun, megabytes };
    if (state !== 'waiting' && state !== 'active') throw new Error(`The import has ended as ${state}: ${failedReason}`);
    await sleep(10);
  }
}

async function measureImports(bench: Bench): Promise<void> {
  const { ctx } = bench;
  await ctx.pool.query(
    'CREATE TABLE bare_contacts (LIKE contacts INCLUDING ALL, FOREIGN KEY (project_id) REFERENCES projects (id))',
  );
  const warm = await makeProject(ctx);
  await measure(bench, warm.id, toCsv(makeRows(100_000, 0)));

  const project = await makeProject(ctx);
  const table: Array<Record<string, string | number>> = [];
  for (const [name, round] of [
    ['all new', 0],
    ['all updates', 1],
    ['no change', 1],
  ] as const) {
    const rows = makeRows(MAX_IMPORT_BYTES, round);
    await ctx.pool.query('CHECKPOINT');
    const bareMs = await bare(bench, project.id, rows);
    await ctx.pool.query('CHECKPOINT');
    const { ms, megabytes } = await measure(bench, project.id, toCsv(rows));
    table.push({
      import: name,
      rows: rows.length,
      'rows/s': perSecond(rows.length, ms),
      'bare COPY and merge, rows/s': perSecond(rows.length, bareMs),
      ratio: (bareMs / ms).toFixed(2),
      'memory, MB': megabytes,
    });
  }
  printTable(table);

  const sizes: Array<Record<string, string | number>> = [];
  for (const bytes of [MAX_IMPORT_BYTES / 16, MAX_IMPORT_BYTES / 4, MAX_IMPORT_BYTES]) {
    const { id } = await makeProject(ctx);
    const { megabytes } = await measure(bench, id, toCsv(makeRows(bytes, 0)));
    sizes.push({ 'file, KB': Math.round(bytes / 1024), 'memory, MB': megabytes });
  }
  printTable(sizes);
}

const bench = await startBench();
try {
  const workflowsPath = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
  const worker = await startWorker(bench.config, createLog('error'), { workflows: { workflowsPath } });
  try {
    await measureImports(bench);
  } finally {
    await worker.stop();
  }
} finally {
  await bench.stop();
}
process.exit(0);
