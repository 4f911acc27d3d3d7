/**
 * Segments over 1,000,000 contacts and 1,000,000 events: `npx tsx bench/segments.ts [contacts] [events]`. Ten trees,
 * each counted and its first page read through the API, warm; the first question after the columns were made; and the
 * same count by PostgreSQL alone. Then the compute of a tracked segment. Calibrations in the same run: a plain count of
 * all contacts, and a page of them by the index.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import { contactsWhere } from '../src/domain/conditions/sql/conditions.js';
import { countWhere } from '../src/domain/segments/sql/segments.js';
import { wideQuery } from '../src/db/wide-query.js';
import { requestColumns } from '../src/domain/columns/sql/columns.js';
import { buildColumns } from '../src/domain/columns/build.js';
import { createColumnCache } from '../src/domain/columns/cache.js';
import { resolveStored } from '../src/domain/conditions/resolve.js';
import { newId } from '../src/ids.js';
import { printTable } from './harness.js';
import { loadAverage, ms, once, show, startScaleBench, time, type ScaleBench } from './segments-setup.js';
import { benchTrees } from './segments-trees.js';

const STATIC_MEMBERS = 50_000;
const TRACKED_MEMBERS = 100_000;

const idOf = (created: unknown): string => {
  if (typeof created === 'object' && created !== null && 'id' in created && typeof created.id === 'string')
    return created.id;
  throw new Error('No segment was created');
};

async function calibrate({ ctx, project }: ScaleBench): Promise<void> {
  const count = await time(() =>
    wideQuery(ctx.pool, (tx) => tx.query('SELECT count(*) FROM contacts WHERE project_id = $1', [project.id])),
  );
  const page = await time(() =>
    ctx.pool.query('SELECT * FROM contacts WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 20', [
      project.id,
    ]),
  );
  printTable([
    { 'calibration, median (best) in ms': 'a plain count of all contacts', time: show(count) },
    { 'calibration, median (best) in ms': 'a page of contacts by the index', time: show(page) },
  ]);
}

/** A static segment of contacts that lie scattered. */
async function staticSegment({ ctx, project, call }: ScaleBench): Promise<string> {
  const id = idOf(await call('POST', '/segments', { name: `Static ${newId()}`, type: 'STATIC' }));
  await ctx.pool.query(
    'INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1, $2, id FROM contacts WHERE project_id = $1 ORDER BY hashtext(email) LIMIT $3',
    [project.id, id, STATIC_MEMBERS],
  );
  await ctx.pool.query('VACUUM ANALYZE segment_members');
  return id;
}

async function makeColumns({ ctx, project }: ScaleBench): Promise<void> {
  const { pool } = ctx;
  await pool.query('DELETE FROM contact_stores WHERE project_id = $1', [project.id]);
  const segmentFree = performance.now();
  await requestColumns(pool, project.id, 1);
  await buildColumns(pool);
  const { rows } = await pool.query<{ size: string }>(
    `SELECT pg_size_pretty(pg_total_relation_size('contact_columns')) AS size`,
  );
  console.log(`The columns of all contacts, made in ${ms(performance.now() - segmentFree)} ms: ${rows[0]?.size}`);
}

async function trees(bench: ScaleBench): Promise<void> {
  const { ctx, project, call } = bench;
  const staticId = await staticSegment(bench);
  const table: Array<Record<string, string | number>> = [];
  for (const { name, attributes, tree } of benchTrees(staticId, new Date())) {
    const id = idOf(await call('POST', '/segments', { name, condition: tree }));
    const alone = await time(
      () =>
        wideQuery(ctx.pool, async (tx) =>
          countWhere(tx, contactsWhere(project.id, await resolveStored(tx, tree, { projectId: project.id }))),
        ),
      { warm: 1, runs: 3 },
    );
    ctx.columns = createColumnCache();
    const first = await once(() => call('POST', `/segments/${id}/refresh`));
    const count = await time(() => call('POST', `/segments/${id}/refresh`));
    const page = await time(() => call('GET', `/segments/${id}/contacts`));
    const answer = await call('POST', `/segments/${id}/refresh`);
    const aim = attributes ? 60 : 250;
    table.push({
      tree: name,
      ...(typeof answer === 'object' && answer),
      'count, ms': show(count),
      'first page, ms': show(page),
      aim,
      'first question, ms': ms(first),
      'PostgreSQL alone, ms': show(alone),
      ratio: (alone.best / count.best).toFixed(1),
    });
  }
  printTable(table);
}

async function compute({ ctx, project, call }: ScaleBench): Promise<void> {
  const { pool } = ctx;
  // Contacts that are marked for this alone, so that a tenth of them can be changed.
  await pool.query(
    `UPDATE contacts SET data = data || '{"tracked":1}' WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 ORDER BY hashtext(email || 't') LIMIT $2)`,
    [project.id, TRACKED_MEMBERS],
  );
  await buildColumns(pool);
  const id = idOf(
    await call('POST', '/segments', {
      name: `Tracked ${newId()}`,
      trackMembership: true,
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.tracked', operator: 'equals', value: 1 }] }] },
    }),
  );
  const table: Array<Record<string, unknown>> = [];
  const run = async (what: string): Promise<void> => {
    const events = async (): Promise<number> =>
      (
        await pool.query<{ count: number }>(
          `SELECT count(*) AS count FROM events WHERE project_id = $1 AND name LIKE 'segment.%'`,
          [project.id],
        )
      ).rows[0]?.count ?? 0;
    const before = await events();
    let answer: unknown;
    const took = await once(async () => (answer = await call('POST', `/segments/${id}/compute`)));
    table.push({
      compute: what,
      ms: ms(took),
      ...(typeof answer === 'object' && answer),
      events: (await events()) - before,
    });
  };
  await run('first, 100,000 members');
  await run('no change');
  await pool.query(
    `UPDATE contacts SET data = data - 'tracked' WHERE id IN (SELECT contact_id FROM segment_members WHERE segment_id = $1 LIMIT $2)`,
    [id, TRACKED_MEMBERS / 20],
  );
  await pool.query(
    `UPDATE contacts SET data = data || '{"tracked":1}' WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 AND NOT data ? 'tracked' LIMIT $2)`,
    [project.id, TRACKED_MEMBERS / 20],
  );
  await run('10 % changed: 5,000 leave, 5,000 join');
  await run('no change');
  printTable(table.map((row) => row as Record<string, string | number>));
}

const [contacts = 1_000_000, events = 1_000_000] = process.argv.slice(2).map(Number);
const bench = await startScaleBench({ contacts, events });
try {
  console.log(loadAverage());
  await calibrate(bench);
  await makeColumns(bench);
  await trees(bench);
  await compute(bench);
  console.log(loadAverage());
} finally {
  await bench.stop();
}
process.exit(0);
