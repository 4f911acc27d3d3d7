/**
 * Segments over 1,000,000 contacts and 1,000,000 events, next to 40 other projects:
 * `npx tsx bench/segments.ts [contacts] [events]`. For each of ten trees: an ad hoc count and first page in PostgreSQL,
 * then the stored count, three pages, and a refresh of the saved segment through the API. Then a tracked segment: its
 * computes, and the time from changes of contacts to the events. Calibrations in the same run: a plain count of all contacts, and a page of
 * contacts by the index.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import { contactsWhere } from '../src/domain/conditions/sql/conditions.js';
import { resolveStored } from '../src/domain/conditions/resolve.js';
import { wideQuery } from '../src/db/wide-query.js';
import { followChanges } from '../src/domain/segments/follow.js';
import { countWhere, selectWhere } from '../src/domain/segments/sql/segments.js';
import { newId } from '../src/ids.js';
import { printTable } from './harness.js';
import { loadAverage, ms, once, formatTiming, startScaleBench, time, type ScaleBench } from './segments-setup.js';
import { benchTrees } from './segments-trees.js';

const STATIC_MEMBERS = 50_000;
const TRACKED_MEMBERS = 100_000;
const PAGE_SIZE = 20;

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
    { 'calibration, median (best) in ms': 'a plain count of all contacts', time: formatTiming(count) },
    { 'calibration, median (best) in ms': 'a page of contacts by the index', time: formatTiming(page) },
  ]);
}

/** A static segment with contacts spread over the whole project. */
async function staticSegment({ ctx, project, call }: ScaleBench): Promise<string> {
  const id = idOf(await call('POST', '/segments', { name: `Static ${newId()}`, type: 'STATIC' }));
  await ctx.pool.query(
    `INSERT INTO segment_members (project_id, segment_id, contact_id)
     SELECT $1, $2, id FROM contacts WHERE project_id = $1 ORDER BY hashtext(email) LIMIT $3`,
    [project.id, id, STATIC_MEMBERS],
  );
  await ctx.pool.query('VACUUM ANALYZE segment_members');
  await call('POST', `/segments/${id}/refresh`);
  return id;
}

async function trees(bench: ScaleBench): Promise<void> {
  const { ctx, project, call } = bench;
  const staticId = await staticSegment(bench);
  const table: Array<Record<string, string | number>> = [];
  for (const { name, tree } of benchTrees(staticId, new Date())) {
    const predicate = await resolveStored(ctx.pool, tree, { projectId: project.id });
    let total = 0;
    const count = await time(
      () =>
        wideQuery(ctx.pool, async (tx) => {
          total = await countWhere(tx, contactsWhere(project.id, predicate));
        }),
      { warm: 1, runs: 5 },
    );
    const page = await time(() =>
      wideQuery(ctx.pool, (tx) => selectWhere(tx, project.id, predicate, { limit: PAGE_SIZE, offset: 0, total })),
    );
    const id = idOf(await call('POST', '/segments', { name, condition: tree }));
    const saved = await time(() => call('GET', `/segments/${id}`));
    const first = await time(() => call('GET', `/segments/${id}/contacts`));
    const lastPage = Math.max(1, Math.ceil(total / PAGE_SIZE));
    const later = await time(() => call('GET', `/segments/${id}/contacts?page=${Math.min(50, lastPage)}`));
    const last = await time(() => call('GET', `/segments/${id}/contacts?page=${lastPage}`));
    const refresh = await once(() => call('POST', `/segments/${id}/refresh`));
    table.push({
      tree: name,
      contacts: total,
      'count, ms': formatTiming(count),
      'page, ms': formatTiming(page),
      'stored count, ms': formatTiming(saved),
      'page 1 of the segment, ms': formatTiming(first),
      'page up to 50, ms': formatTiming(later),
      'last page, ms': formatTiming(last),
      'refresh, ms': ms(refresh),
    });
  }
  printTable(table);
  const first = await time(() => call('GET', `/segments/${staticId}/contacts`));
  const last = await time(() => call('GET', `/segments/${staticId}/contacts?page=${STATIC_MEMBERS / PAGE_SIZE}`));
  printTable([
    {
      'static segment': `${STATIC_MEMBERS} members`,
      'page 1, ms': formatTiming(first),
      'last page, ms': formatTiming(last),
    },
  ]);
}

async function tracked({ ctx, project, call }: ScaleBench): Promise<void> {
  const { pool } = ctx;
  // A mark that only this segment uses, so that a tenth of its members can be changed.
  await pool.query(
    `UPDATE contacts SET data = data || '{"tracked":1}'
      WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 ORDER BY hashtext(email || 't') LIMIT $2)`,
    [project.id, TRACKED_MEMBERS],
  );
  const id = idOf(
    await call('POST', '/segments', {
      name: `Tracked ${newId()}`,
      trackMembership: true,
      condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.tracked', operator: 'equals', value: 1 }] }] },
    }),
  );
  const table: Array<Record<string, string | number>> = [];
  const segmentEvents = async (): Promise<number> =>
    (
      await pool.query<{ count: number }>(
        `SELECT count(*) AS count FROM events WHERE project_id = $1 AND name LIKE 'segment.%'`,
        [project.id],
      )
    ).rows[0]?.count ?? 0;
  const measure = async (what: string, run: () => Promise<unknown>): Promise<void> => {
    const before = await segmentEvents();
    const took = await once(run);
    table.push({ 'tracked segment': what, ms: ms(took), events: (await segmentEvents()) - before });
  };
  const compute = (): Promise<unknown> => call('POST', `/segments/${id}/compute`);
  await measure('first compute, 100,000 members', compute);
  await measure('compute without a change', compute);
  await measure('write: 5,000 members lose the mark', () =>
    pool.query(
      `UPDATE contacts SET data = data - 'tracked'
        WHERE id IN (SELECT contact_id FROM segment_members WHERE segment_id = $1 LIMIT $2)`,
      [id, TRACKED_MEMBERS / 20],
    ),
  );
  await measure('follow: 5,000 leave', () => followChanges(ctx));
  await pool.query(
    `UPDATE contacts SET data = data || '{"tracked":1}'
      WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 AND NOT data ? 'tracked' LIMIT $2)`,
    [project.id, TRACKED_MEMBERS / 20],
  );
  await measure('follow: 5,000 join', () => followChanges(ctx));
  await pool.query(
    `UPDATE contacts SET data = data || '{"other":1}'
      WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 LIMIT $2)`,
    [project.id, TRACKED_MEMBERS],
  );
  await measure('follow: 100,000 contacts change, none joins or leaves', () => followChanges(ctx));
  await measure('compute without a change', compute);
  await call('PATCH', `/segments/${id}`, { trackMembership: false });
  printTable(table);
}

const [contacts = 1_000_000, events = 1_000_000] = process.argv.slice(2).map(Number);
const bench = await startScaleBench({ contacts, events });
try {
  console.log(loadAverage());
  await calibrate(bench);
  await trees(bench);
  await tracked(bench);
  console.log(loadAverage());
} finally {
  await bench.stop();
}
process.exit(0);
