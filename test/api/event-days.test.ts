/** The counts of events by day: exact with concurrent writes, deletions, and folds. */
import { expect, test } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { foldEvents } from '../../src/domain/events/sql/days.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { newId } from '../../src/ids.js';
import { activityHelpers } from '../helpers/activity.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';

const api = useApi();
const { get, contact } = activityHelpers(api);
const { tracked, insertEvents } = eventHelpers(api);

type Counts = Record<string, number>;

/** By name and day, from the rows. */
async function counted(project: TestProject): Promise<Counts> {
  const { rows } = await api.ctx.pool.query<{ key: string; count: number }>(
    `SELECT name || ' ' || (created_at AT TIME ZONE 'UTC')::date AS key, count(*) AS count FROM events WHERE project_id = $1 GROUP BY 1`,
    [project.id],
  );
  return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
}

/** By name and day, from the rollup. */
async function rolledUp(project: TestProject): Promise<Counts> {
  const { rows } = await api.ctx.pool.query<{ key: string; count: number }>(
    `SELECT name || ' ' || day AS key, sum(count)::bigint AS count FROM (SELECT name, day, count FROM event_days WHERE project_id = $1 UNION ALL SELECT name, day, count FROM event_deltas WHERE project_id = $1) r
      GROUP BY 1 HAVING sum(count) <> 0`,
    [project.id],
  );
  return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
}

test('tracked events, changed subscriptions, and deletions are counted exactly while folds run', async () => {
  const project = await api.project();
  const tracking = new AbortController();
  const folding = (async () => {
    while (!tracking.signal.aborted) await foldEvents(api.ctx.pool, 7);
  })();
  await Promise.all(
    Array.from({ length: 6 }, async (_, worker) => {
      for (let n = 0; n < 12; n++) {
        const email = `w${worker}n${n % 5}@x.test`;
        const { contact: id } = await tracked(project, {
          email,
          event: `name ${n % 3}`,
          ...(n % 4 === 0 && { subscribed: n % 8 === 0 }),
        });
        if (n % 6 === 5) await api.as(project, 'DELETE', `/contacts/${id}`);
        if (worker === 0 && n === 7) await api.as(project, 'DELETE', `/events/${encodeURIComponent('name 1')}`);
      }
    }),
  );
  tracking.abort();
  await folding;
  expect(Object.keys(await counted(project)).length).toBeGreaterThan(2);
  expect(await rolledUp(project)).toEqual(await counted(project));
  await runMaintenanceTask(api.ctx, 'figures');
  expect(await rolledUp(project)).toEqual(await counted(project));
  expect((await api.ctx.pool.query(`SELECT FROM event_deltas WHERE project_id = $1`, [project.id])).rowCount).toBe(0);
});

test('events of a transaction that is rolled back are not counted', async () => {
  const project = await api.project();
  await expect(
    transaction(api.ctx.pool, async (tx) => {
      await tx.query(`INSERT INTO events (id, project_id, name) VALUES ($1, $2, 'a')`, [newId(), project.id]);
      throw new Error('no');
    }),
  ).rejects.toThrow('no');
  expect(await rolledUp(project)).toEqual({});
});

test('an event counts on the UTC day of its time', async () => {
  const project = await api.project();
  await insertEvents(
    project,
    ['2026-03-09T23:59:59.999Z', '2026-03-10T00:00:00.000Z', '2026-03-10T23:59:59.999Z'].map((at) => ({
      name: 'a',
      createdAt: new Date(at),
    })),
  );
  expect(await rolledUp(project)).toEqual({ 'a 2026-03-09': 1, 'a 2026-03-10': 2 });
});

test('GET /events/stats and the total of GET /events agree before and after a fold, and for hours', async () => {
  const project = await api.project();
  const on = (at: string, name: string) => ({ name, createdAt: new Date(at) });
  await insertEvents(project, [
    on('2026-03-09T12:00:00Z', 'a'),
    on('2026-03-09T18:00:00Z', 'a'),
    on('2026-03-10T12:00:00Z', 'a'),
    on('2026-03-10T13:00:00Z', 'b'),
    on('2026-03-11T05:00:00Z', 'a'),
    on('2026-03-11T07:00:00Z', 'b'),
  ]);
  const range = 'startDate=2026-03-09T15:00:00Z&endDate=2026-03-11T06:00:00Z';
  for (let round = 0; round < 2; round++) {
    expect(await get(project, '/events/stats')).toEqual([
      { name: 'a', count: 4 },
      { name: 'b', count: 2 },
    ]);
    expect(await get(project, `/events/stats?${range}`)).toEqual([
      { name: 'a', count: 3 },
      { name: 'b', count: 1 },
    ]);
    expect(await get(project, '/events?limit=1')).toMatchObject({ total: 6 });
    expect(await get(project, '/events?limit=1&eventName=b')).toMatchObject({ total: 2 });
    await foldEvents(api.ctx.pool, 100);
  }
});

test('GET /events/days counts the most frequent names by UTC day, before and after a fold', async () => {
  const project = await api.project();
  const ago = (days: number, name: string) => ({ name, createdAt: new Date(Date.now() - days * 86_400_000) });
  await insertEvents(project, [ago(0, 'a'), ago(2, 'a'), ago(2, 'a'), ago(1, 'b'), ago(3, 'c'), ago(40, 'old')]);
  for (let round = 0; round < 2; round++) {
    expect(await get(project, '/events/days?days=3')).toEqual({
      days: [2, 1, 0].map((count) => ago(count, '').createdAt.toISOString().slice(0, 10)),
      events: [
        { name: 'a', counts: [2, 0, 1] },
        { name: 'b', counts: [0, 1, 0] },
      ],
    });
    expect(await get(project, '/events/days?limit=1')).toMatchObject({ events: [{ name: 'a' }] });
    await foldEvents(api.ctx.pool, 100);
  }
  expect(await get(project, '/events/days')).toMatchObject({ days: { length: 30 } });
  expect(await get(await api.project(), '/events/days')).toMatchObject({ events: [] });
});

test('a name whose events are deleted is no longer counted', async () => {
  const project = await api.project();
  await tracked(project, { event: 'gone' });
  await tracked(project, { event: 'kept' });
  await foldEvents(api.ctx.pool, 100);
  expect((await api.as(project, 'DELETE', '/events/gone')).json()).toEqual({ deletedCount: 1 });
  expect(await get(project, '/events/stats')).toEqual([{ name: 'kept', count: 1 }]);
  expect(await get(project, '/analytics/top-events')).toMatchObject([{ name: 'kept' }]);
});

test('a project deleted with unfolded events leaves no counts, and a later fold succeeds', async () => {
  const project = await api.project();
  const id = await contact(project);
  await insertEvents(project, [{ contactId: id }]);
  await api.ctx.pool.query(`DELETE FROM events WHERE project_id = $1`, [project.id]);
  await api.ctx.pool.query(`DELETE FROM projects WHERE id = $1`, [project.id]);
  await foldEvents(api.ctx.pool, 10_000);
  expect(await rolledUp(project)).toEqual({});
});
