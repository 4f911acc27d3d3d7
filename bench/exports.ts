/**
 * Exports and large imports: `npm run build && npx tsx bench/exports.ts [contacts] [megabytes]`. One project with
 * 1,000,000 contacts next to 40 small projects, an API and a worker in processes of their own.
 *
 * 1. The contacts are exported as CSV and downloaded.
 * 2. The file is imported with its own mapping, which must change nothing.
 * 3. A file of 50 MB is imported with a mapping into an empty project: as a dry run, then for real.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createWriteStream, openAsBlob, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { makeProject, perSecond, printTable, startBench, type Bench, type BenchProject } from './harness.js';

const CONTACTS = Number(process.argv[2] ?? 1_000_000);
const FILE_MB = Number(process.argv[3] ?? 50);
const API_PORT = 18_431;
const MEGABYTE = 1024 * 1024;

interface Part {
  child: ChildProcess;
  /** Megabytes of memory now, and the most since the last reset. */
  rss: () => { now: number; peak: number };
  resetPeak: () => void;
}

/** Starts a process of the build and waits until a line of its log contains a text. */
async function startPart({ config }: Bench, file: string, readyText: string): Promise<Part> {
  const main = fileURLToPath(new URL(`../dist/src/${file}`, import.meta.url));
  const variables = Object.entries(config).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)] as const] : [],
  );
  const child = spawn(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      ...Object.fromEntries(variables),
      PORT: String(API_PORT),
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.includes(readyText)) resolve();
      if (/"level":"?(warn|error|40|50)/.test(line)) console.error(line);
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}.`)));
  });
  const field = (name: string): number => {
    const status = readFileSync(`/proc/${child.pid}/status`, 'latin1');
    return Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024);
  };
  return {
    child,
    rss: () => ({ now: field('VmRSS'), peak: field('VmHWM') }),
    // Resets VmHWM (proc(5)).
    resetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
  };
}

const Job = z.object({
  state: z.string(),
  failedReason: z.string().nullable(),
  result: z.looseObject({ url: z.string().nullish(), mapping: z.unknown().optional() }).nullable(),
});

const base = `http://127.0.0.1:${API_PORT}`;
const request = async (
  project: BenchProject,
  target: string,
  { headers, ...init }: { method?: string; body?: string | FormData; headers?: Record<string, string> } = {},
): Promise<unknown> => {
  const response = await fetch(`${base}${target}`, {
    ...init,
    headers: { authorization: `Bearer ${project.secret}`, ...headers },
  });
  if (!response.ok) throw new Error(`${target}: ${response.status} ${await response.text()}`);
  return response.json();
};
const Accepted = z.object({ jobId: z.string() });

async function waitForJob(project: BenchProject, jobId: string) {
  for (;;) {
    const job = Job.parse(await request(project, `/jobs/${jobId}`));
    if (job.state === 'completed') return job;
    if (job.state !== 'waiting' && job.state !== 'active') throw new Error(`${job.state}: ${job.failedReason}`);
    await sleep(50);
  }
}

async function importFile(project: BenchProject, file: string, fields: Record<string, string>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', await openAsBlob(file), 'contacts.csv');
  const { jobId } = Accepted.parse(await request(project, '/contacts/import', { method: 'POST', body: form }));
  return waitForJob(project, jobId);
}

/** A number that changes with any change of any contact. */
async function checksum({ ctx }: Bench, projectId: string): Promise<string> {
  const { rows } = await ctx.pool.query<{ sum: string }>(
    `SELECT count(*) || ' ' || sum(hashtextextended(c::text, 0)::numeric) AS sum FROM contacts c WHERE project_id = $1`,
    [projectId],
  );
  return rows[0]?.sum ?? '';
}

/** Contacts with every kind of value: text with separators, numbers as text, dates, lists, nulls, and formulas. */
async function insertContacts({ ctx }: Bench, projectId: string, count: number): Promise<void> {
  await ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, snoozed_until, data)
     SELECT uuid_v7(), $1, 'user' || n || '@example.test', n % 7 <> 0,
            CASE WHEN n % 70 = 0 THEN timestamptz '2999-01-01' END,
            jsonb_strip_nulls(jsonb_build_object(
              'firstName', 'Name ' || n, 'phone', '+49 ' || n, 'number', lpad(n::text, 9, '0'), 'orders', n % 90,
              'revenue', n * 0.37, 'vip', n % 3 = 0, 'since', '2030-01-31T09:00:00Z',
              'note', CASE WHEN n % 11 = 0 THEN E'two\\r\\n"lines", and; more' END,
              'mixed', CASE WHEN n % 2 = 0 THEN to_jsonb(n) ELSE to_jsonb('=' || n) END))
            || CASE WHEN n % 13 = 0 THEN '{"tags": ["a", {"b": null}]}'::jsonb ELSE '{}' END
       FROM generate_series(1, $2) n`,
    [projectId, count],
  );
}

/** Writes a file of about this size. @returns the number of rows */
async function writeLargeFile(file: string, bytes: number): Promise<number> {
  let rows = 0;
  async function* lines(): AsyncGenerator<string> {
    yield 'E-Mail;Vorname;Kundennummer;Betrag;Notiz\n';
    for (let size = 0; size < bytes;) {
      const batch = Array.from({ length: 1000 }, (_, index) => {
        const n = rows + index;
        return `person${n}@example.test;"Anna; ${n}";${String(n).padStart(8, '0')};${n % 1000}.5;ignored ${n}\n`;
      }).join('');
      rows += 1000;
      size += batch.length;
      yield batch;
    }
  }
  await pipeline(Readable.from(lines()), createWriteStream(file));
  return rows;
}

const MAPPING = JSON.stringify({
  'E-Mail': { to: 'email' },
  Vorname: { to: 'data.firstName', type: 'string' },
  Kundennummer: { to: 'data.customerNumber', type: 'string' },
  Betrag: { to: 'data.amount', type: 'number' },
  Notiz: { to: null },
});

async function measure(bench: Bench, api: Part, worker: Part, folder: string): Promise<void> {
  const table: Array<Record<string, string | number>> = [];
  const timed = async <T>(name: string, rows: number, work: () => Promise<T>): Promise<T> => {
    await bench.ctx.pool.query('CHECKPOINT');
    const before = [api.rss().now, worker.rss().now];
    for (const part of [api, worker]) part.resetPeak();
    const begun = performance.now();
    const value = await work();
    const ms = performance.now() - begun;
    table.push({
      step: name,
      rows,
      seconds: Math.round(ms / 100) / 10,
      'rows/s': perSecond(rows, ms),
      'API before, MB': before[0] ?? 0,
      'API peak, MB': api.rss().peak,
      'worker before, MB': before[1] ?? 0,
      'worker peak, MB': worker.rss().peak,
    });
    return value;
  };

  const warm = await makeProject(bench.ctx);
  const small = path.join(folder, 'small.csv');
  await writeLargeFile(small, MEGABYTE);
  await importFile(warm, small, { mapping: MAPPING });

  const project = await makeProject(bench.ctx);
  for (let n = 0; n < 40; n++) await insertContacts(bench, (await makeProject(bench.ctx)).id, 100);
  await insertContacts(bench, project.id, CONTACTS);
  const before = await checksum(bench, project.id);

  const { result } = await timed('export', CONTACTS, async () => {
    const body = JSON.stringify({ kind: 'contacts', format: 'csv' });
    const headers = { 'content-type': 'application/json' };
    const { jobId } = Accepted.parse(await request(project, '/exports', { method: 'POST', body, headers }));
    return waitForJob(project, jobId);
  });
  const file = path.join(folder, 'export.csv');
  await timed('download', CONTACTS, async () => {
    const token = result?.url?.split('/').at(-1) ?? '';
    const { body } = await fetch(`${base}/exports/${token}`);
    if (!body) throw new Error('The download has no body');
    await pipeline(Readable.fromWeb(body), createWriteStream(file));
  });
  const { size } = await stat(file);
  await timed(`import of the export, ${Math.round(size / MEGABYTE)} MB`, CONTACTS, () =>
    importFile(project, file, { mapping: JSON.stringify(result?.mapping) }),
  );
  const isEqual = (await checksum(bench, project.id)) === before;

  const large = path.join(folder, 'large.csv');
  const rows = await writeLargeFile(large, FILE_MB * MEGABYTE);
  const target = await makeProject(bench.ctx);
  const dry = await timed(`dry run, ${FILE_MB} MB with mapping`, rows, () =>
    importFile(target, large, { mapping: MAPPING, dryRun: 'true' }),
  );
  const real = await timed(`import, ${FILE_MB} MB with mapping`, rows, () =>
    importFile(target, large, { mapping: MAPPING }),
  );
  printTable(table);
  console.log(`The import of the export changed ${isEqual ? 'nothing' : 'CONTACTS'}.`);
  console.log(
    `The dry run ${JSON.stringify(dry.result) === JSON.stringify(real.result) ? 'equals' : 'DIFFERS FROM'} the import.`,
  );
}

const bench = await startBench({ IMPORT_MAX_MB: '200', PUBLIC_URL: base });
const folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-exports-'));
const parts: Part[] = [];
try {
  const worker = await startPart(bench, 'main-worker.js', '"the worker is ready"');
  parts.push(worker);
  const api = await startPart(bench, 'main-api.js', '"the API is ready"');
  parts.push(api);
  await measure(bench, api, worker, folder);
} finally {
  for (const { child } of parts) {
    child.removeAllListeners('exit');
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('close', resolve));
  }
  await bench.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit(0);
