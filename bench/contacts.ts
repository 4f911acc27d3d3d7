/**
 * Lists and figures over 1,000,000 contacts and 1,000,000 events: `npx tsx bench/contacts.ts [contacts] [events]`.
 * Pages of contacts at the beginning and far into the list, with and without a search; the fields of the contacts; the
 * lists and figures of events; all through the API, warm. Last, a field is deleted from every contact.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Surveys } from '../src/domain/contacts/surveys.js';
import { encodeCursor } from '../src/domain/pagination.js';
import { printTable } from './harness.js';
import {
  loadAverage,
  ms,
  once,
  formatTiming,
  startScaleBench,
  time,
  type ScaleBench,
  type Timing,
} from './segments-setup.js';

const LIMIT = 100;
const FAR = 10_000;

type Row = Record<string, string | number>;

/** A cursor to a page of the list, without going through all before it. */
async function cursorOf(
  { ctx, project }: ScaleBench,
  page: number,
  sort: 'created_at' | 'email',
  pattern = '%',
): Promise<string> {
  const { rows } = await ctx.pool.query<{ value: Date | string; id: string }>(
    `SELECT ${sort} AS value, id FROM contacts WHERE project_id = $1 AND email LIKE $4 ORDER BY ${sort} DESC, id DESC OFFSET $2 LIMIT $3`,
    [project.id, (page - 1) * LIMIT - 1, 1, pattern],
  );
  const [row] = rows;
  if (!row) throw new Error('There are not so many contacts');
  return encodeCursor({ value: row.value instanceof Date ? row.value.toISOString() : row.value, id: row.id });
}

async function pages(bench: ScaleBench, contacts: number): Promise<Row[]> {
  const { call } = bench;
  const far = Math.min(FAR, Math.floor(contacts / LIMIT));
  const table: Row[] = [];
  const compare = async (list: string, query: string, page: number, cursor: string): Promise<void> => {
    const first = await time(() => cold(bench, () => call('GET', `/contacts?limit=${LIMIT}${query}`)));
    const second = await time(() => call('GET', `/contacts?limit=${LIMIT}${query}&cursor=${cursor}`));
    table.push({
      'list of contacts': list,
      'page 1 with its total, ms': formatTiming(first),
      page,
      'that page, ms': formatTiming(second),
    });
  };
  await compare('the newest first', '', far, await cursorOf(bench, far, 'created_at'));
  await compare('by address, from the end', '&sort=email&dir=desc', far, await cursorOf(bench, far, 'email'));
  await compare(
    'subscribed',
    '&subscribed=true',
    Math.floor(far * 0.8),
    await cursorOf(bench, Math.floor(far * 0.8), 'created_at'),
  );
  await compare(
    'search "gmail" (30 %)',
    '&search=gmail',
    Math.floor(far * 0.25),
    await cursorOf(bench, Math.floor(far * 0.25), 'created_at', '%gmail%'),
  );
  await compare('search "123" (0.4 %)', '&search=123', 30, await cursorOf(bench, 30, 'created_at', '%123%'));
  await compare('search "q" (5 %)', '&search=q', 300, await cursorOf(bench, 300, 'created_at', '%q%'));
  return table;
}

/** Results that are reused for a while would be measured instead of the queries. */
function cold<T>({ ctx }: ScaleBench, run: () => Promise<T>): Promise<T> {
  ctx.surveys = new Surveys(ctx.pool, ctx.log);
  return run();
}

async function figures(bench: ScaleBench): Promise<Row[]> {
  const { ctx, project, call } = bench;
  const { rows } = await ctx.pool.query<{ contact: string }>(
    'SELECT contact_id AS contact FROM events WHERE project_id = $1 GROUP BY 1 ORDER BY count(*) DESC LIMIT 1',
    [project.id],
  );
  const requests: Array<[string, string]> = [
    ['GET', '/contacts/fields/lastLoginAt/usage'],
    ['GET', '/events'],
    ['GET', '/events?eventName=purchased'],
    ['GET', '/events?eventName=legacy'],
    ['GET', '/events?eventName=never'],
    ['GET', '/events/names'],
    ['GET', '/events/stats'],
    ['GET', '/events/purchased/usage'],
    ['GET', `/events/contact/${rows[0]?.contact ?? ''}`],
  ];
  const table: Row[] = [];
  for (const [method, url] of requests)
    table.push({
      request: `${method} ${url}`,
      ms: formatTiming(await timeOf(() => cold(bench, () => call('GET', url)))),
    });
  return table;
}

/** The first responses, which are from a sample, and the surveys of all contacts that they start. */
async function surveys(bench: ScaleBench): Promise<Row[]> {
  const { ctx, call } = bench;
  const hasActive = async (): Promise<boolean> => {
    const { rowCount } = await ctx.pool.query(
      `SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()
          AND backend_type = 'client backend'`,
    );
    return rowCount !== 0;
  };
  const table: Row[] = [];
  for (const url of ['', '/plan/values', '/company/values', '/email/values', '/createdAt/values']) {
    const times: Array<{ first: number; complete: number }> = [];
    for (let run = 0; run < 3; run++) {
      const begun = performance.now();
      await cold(bench, () => call('GET', `/contacts/fields${url}`));
      const first = performance.now() - begun;
      while (await hasActive()) await delay(20);
      times.push({ first, complete: performance.now() - begun });
    }
    const median = (values: number[]): string => ms(values.toSorted((a, b) => a - b)[1] ?? Number.NaN);
    table.push({
      request: `GET /contacts/fields${url}`,
      'first response, ms': median(times.map(({ first }) => first)),
      'survey of all contacts, ms': median(times.map(({ complete }) => complete)),
    });
  }
  return table;
}

/** Slow ones only a few times. */
async function timeOf(run: () => Promise<unknown>): Promise<Timing> {
  const first = await once(run);
  return first > 2000 ? time(run, { warm: 0, runs: 2 }) : time(run);
}

async function removals({ ctx, project, call }: ScaleBench): Promise<Row[]> {
  await ctx.pool.query(
    `UPDATE contacts SET data = data || '{"rare":1}' WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 ORDER BY hashtext(email) LIMIT 10000)`,
    [project.id],
  );
  const table: Row[] = [];
  for (const [method, url] of [
    ['DELETE', '/contacts/fields/rare'],
    ['DELETE', '/events/legacy'],
  ] as const) {
    let answer: unknown;
    table.push({
      request: `${method} ${url}`,
      ms: ms(await once(async () => (answer = await call(method, url)))),
      answer: JSON.stringify(answer),
    });
  }
  return table;
}

const [contacts = 1_000_000, events = 1_000_000] = process.argv.slice(2).map(Number);
const bench = await startScaleBench({ contacts, events });
try {
  console.log(loadAverage());
  printTable(await pages(bench, contacts));
  printTable(await surveys(bench));
  printTable(await figures(bench));
  printTable(await removals(bench));
  console.log(loadAverage());
} finally {
  await bench.stop();
}
process.exit(0);
