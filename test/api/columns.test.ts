/** Columns of contacts: that they answer, for whom, and that no change ever escapes them. */
import type { PoolClient } from 'pg';
import { describe, expect, test } from 'vitest';
import type { Predicate } from '../../src/db/predicate.js';
import { COLUMN_FORMAT, EARLIEST_ID, requestColumns } from '../../src/domain/columns/sql/columns.js';
import { contactsWhere } from '../../src/domain/conditions/sql/conditions.js';
import { countWhere } from '../../src/domain/segments/sql/segments.js';
import { snapshot } from '../../src/db/snapshot.js';
import { countByColumns } from '../../src/domain/columns/answer.js';
import { buildColumns } from '../../src/domain/columns/build.js';
import { startColumnKeeper } from '../../src/domain/columns/keeper.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { segmentHelpers, where } from '../helpers/segment-api.js';

const api = useApi();
const { contact, contactsOf, segment } = segmentHelpers(api);

const IS_PRO: Predicate = { kind: 'data', path: 'plan', is: { test: 'oneOf', values: ['pro'] } };

const askForColumns = (project: TestProject) =>
  api.ctx.pool.query('INSERT INTO contact_stores (project_id, format, built_to) VALUES ($1, $2, $3)', [
    project.id,
    COLUMN_FORMAT,
    EARLIEST_ID,
  ]);

/** Made when all transactions of the server have ended that were under way: those of other tests' databases, too. */
async function makeColumns(project: TestProject, chunk = 10): Promise<void> {
  await askForColumns(project);
  await finishColumns(project, chunk);
}

const finishColumns = (project: TestProject, chunk = 10): Promise<void> =>
  eventually(async () => {
    await buildColumns(api.ctx.pool, { chunk });
    const { rows } = await api.ctx.pool.query('SELECT FROM contact_stores WHERE project_id = $1 AND built_to IS NULL', [
      project.id,
    ]);
    expect(rows).toHaveLength(1);
  });

/** What the columns count, and what PostgreSQL does at the same moment. */
const bothCounts = (
  project: TestProject,
  predicate: Predicate = IS_PRO,
): Promise<{ columns: number | null; sql: number }> =>
  snapshot(api.ctx.pool, async (tx) => ({
    columns: await countByColumns({ cache: api.ctx.columns, tx, projectId: project.id, predicate }),
    sql: await countWhere(tx, contactsWhere(project.id, predicate)),
  }));

async function contacts(
  project: TestProject,
  count: number,
  data: Record<string, string | number> = { plan: 'pro' },
): Promise<string[]> {
  const ids = [];
  for (let number = 0; number < count; number++)
    ids.push(await contact(project, `${number}@${Object.values(data).join('').slice(0, 20)}.test`, data));
  return ids;
}

const chunksOf = async (project: TestProject): Promise<number[]> => {
  const { rows } = await api.ctx.pool.query<{ contacts: number }>(
    'SELECT contacts FROM contact_chunks WHERE project_id = $1 ORDER BY first_id',
    [project.id],
  );
  return rows.map((row) => row.contacts);
};
const changesOf = async (project: TestProject): Promise<number> =>
  (await api.ctx.pool.query('SELECT 1 FROM contact_changes WHERE project_id = $1', [project.id])).rowCount ?? 0;

describe('a project with columns', () => {
  test('shows the same contacts and counts, the newest first, as one without', async () => {
    const project = await api.project();
    await contacts(project, 25);
    await contacts(project, 5, { plan: 'free' });
    const { id } = await segment(project);
    const before = [
      await contactsOf(project, id),
      (await api.as(project, 'GET', `/segments/${id}/contacts?page=3&pageSize=7`)).json(),
    ];
    await makeColumns(project);
    expect(await chunksOf(project)).toEqual([10, 10, 10]);
    expect([
      await contactsOf(project, id),
      (await api.as(project, 'GET', `/segments/${id}/contacts?page=3&pageSize=7`)).json(),
    ]).toEqual(before);
    expect((await api.as(project, 'POST', `/segments/${id}/refresh`)).json()).toEqual({ memberCount: 25 });
    expect(await bothCounts(project)).toEqual({ columns: 25, sql: 25 });
  });

  test('lists contacts with the same totals as one without, changed ones included', async () => {
    const project = await api.project();
    const [first = ''] = await contacts(project, 25);
    await contacts(project, 5, { plan: 'free' });
    await api.as(project, 'PATCH', `/contacts/${first}`, { subscribed: false });
    const filters = [
      '',
      '?search=PRO',
      '?search=1@',
      '?search=nobody',
      '?search=%25',
      '?status=subscribed',
      '?status=unsubscribed&search=0@',
      '?subscribed=false',
      '?status=snoozed',
    ];
    const totals = () =>
      Promise.all(
        filters.map(
          async (filter) => (await api.as(project, 'GET', `/contacts${filter}`)).json<{ total: number }>().total,
        ),
      );
    expect(await totals()).toEqual([30, 25, 4, 0, 0, 29, 1, 1, 0]);
    await makeColumns(project);
    expect(await totals()).toEqual([30, 25, 4, 0, 0, 29, 1, 1, 0]);
    await api.as(project, 'PATCH', `/contacts/${first}`, { subscribed: true });
    await api.as(project, 'POST', '/contacts', { email: '11@pro.test.test', subscribed: false });
    expect(await totals()).toEqual([31, 26, 5, 0, 0, 30, 0, 1, 0]);
  });

  test('shows contacts live: created, changed and deleted ones, before and after the columns are made anew', async () => {
    const project = await api.project();
    const [first = '', second = ''] = await contacts(project, 12);
    const { id } = await segment(project);
    await makeColumns(project, 5);
    await api.as(project, 'PATCH', `/contacts/${first}`, { data: { plan: 'free' } });
    await api.as(project, 'DELETE', `/contacts/${second}`);
    await api.as(project, 'POST', '/contacts', { email: 'new@x.test', data: { plan: 'pro' } });
    const expected = ['new@x.test', ...Array.from({ length: 10 }, (_, index) => `${11 - index}@pro.test`)];
    expect(await contactsOf(project, id)).toEqual(expected);
    expect(await bothCounts(project)).toEqual({ columns: 11, sql: 11 });
    expect(await changesOf(project)).toBe(3);

    await buildColumns(api.ctx.pool, { chunk: 5, enough: 1 });
    expect([await changesOf(project), await chunksOf(project)]).toEqual([0, [4, 5, 3]]);
    expect(await contactsOf(project, id)).toEqual(expected);
    expect(await bothCounts(project)).toEqual({ columns: 11, sql: 11 });
  });

  test('makes more chunks as it grows, and none of contacts that are gone', async () => {
    const project = await api.project();
    const ids = await contacts(project, 6);
    await makeColumns(project, 3);
    await contacts(project, 7, { plan: 'other' });
    await api.ctx.pool.query('DELETE FROM contacts WHERE id = ANY ($1::uuid[])', [ids.slice(2, 6)]);
    await buildColumns(api.ctx.pool, { chunk: 3, enough: 1 });
    expect((await chunksOf(project)).reduce((sum, count) => sum + count, 0)).toBe(9);
    await api.ctx.pool.query('DELETE FROM contacts WHERE project_id = $1', [project.id]);
    await buildColumns(api.ctx.pool, { chunk: 3, enough: 1 });
    expect(await chunksOf(project)).toEqual([0]);
    expect(await bothCounts(project, { kind: 'not', of: IS_PRO })).toEqual({ columns: 0, sql: 0 });
    await contacts(project, 2);
    expect(await bothCounts(project)).toEqual({ columns: 2, sql: 2 });
  });

  test('is answered by PostgreSQL what fits into no column', async () => {
    const project = await api.project();
    await contacts(project, 3, { plan: 'x'.repeat(1001) });
    await contact(
      project,
      'many@x.test',
      Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key${index}`, index])),
    );
    await makeColumns(project);
    const long = where({ field: 'data.plan', operator: 'startsWith', value: 'xxx' });
    expect((await segment(project, { condition: long })).memberCount).toBe(3);
    expect((await bothCounts(project, { kind: 'data', path: 'plan', is: { test: 'exists' } })).columns).toBeNull();
    // Lists and objects are known to be there, but not what is in them.
    expect(
      (await bothCounts(project, { kind: 'data', path: 'key1', is: { test: 'oneOf', values: [[1]] } })).columns,
    ).toBeNull();
    expect(await bothCounts(project, { kind: 'data', path: 'key1', is: { test: 'exists' } })).toEqual({
      columns: 1,
      sql: 1,
    });
    expect(await bothCounts(project, { kind: 'subscribed' })).toEqual({ columns: 4, sql: 4 });
  });

  test.each<[string, string, Record<string, unknown>]>([
    ['a text of 1,001 characters', 'plan', { plan: 'x'.repeat(1001) }],
    [
      'a value seven objects deep, at a path that is a key of others',
      'a.b.c.d.e.f.g',
      { a: { b: { c: { d: { e: { f: { g: 1 } } } } } } },
    ],
    [
      'an object that deep, with such a path',
      'a.b.c.d.e.f.g.h',
      { a: { b: { c: { d: { e: { f: { g: { h: 1 } } } } } } } },
    ],
  ])('counts the only contact whose value fits into no column: %s', async (_what, path, data) => {
    const project = await api.project();
    await contacts(project, 3, { [path]: 'short' });
    await api.as(project, 'POST', '/contacts', { email: 'one@x.test', data });
    await contacts(project, 2, { other: 1 });
    await makeColumns(project, 100);
    const { id, memberCount } = await segment(project, {
      condition: where({ field: `data.${path}`, operator: 'exists' }),
    });
    expect([memberCount, (await contactsOf(project, id)).length]).toEqual([4, 4]);
    expect(await bothCounts(project, { kind: 'data', path: 'other', is: { test: 'exists' } })).toEqual({
      columns: 2,
      sql: 2,
    });
  });

  test('is not answered by its columns before they are complete', async () => {
    const project = await api.project();
    await contacts(project, 4);
    await askForColumns(project);
    expect(await bothCounts(project)).toEqual({ columns: null, sql: 4 });
  });

  test('leaves nothing behind when it is deleted', async () => {
    const project = await api.project();
    await contacts(project, 4);
    await makeColumns(project);
    await contacts(project, 2, { plan: 'late' });
    await api.ctx.prisma.project.delete({ where: { id: project.id } });
    expect([await chunksOf(project), await changesOf(project)]).toEqual([[], 0]);
  });
});

describe('columns come to be', () => {
  test('by the first question about a project of many contacts', async () => {
    const [many, few] = [await api.project(), await api.project()];
    await contacts(many, 3);
    await contacts(few, 2);
    for (const project of [many, few]) await requestColumns(api.ctx.pool, project.id, 3);
    const { rows } = await api.ctx.pool.query(
      'SELECT project_id AS id FROM contact_stores WHERE project_id = ANY ($1::uuid[])',
      [[many.id, few.id]],
    );
    expect(rows).toEqual([{ id: many.id }]);
  });

  test('by a worker, without being told', async () => {
    const project = await api.project();
    await contacts(project, 3);
    const keeper = startColumnKeeper(api.ctx);
    try {
      await askForColumns(project);
      await eventually(async () => expect(await bothCounts(project)).toEqual({ columns: 3, sql: 3 }));
    } finally {
      await keeper.stop();
    }
  });

  test('not before all transactions have ended that may not have noted their changes', async () => {
    const project = await api.project();
    const [id = ''] = await contacts(project, 4);
    const writer = await api.ctx.pool.connect();
    try {
      await writer.query('BEGIN');
      await writer.query(`UPDATE contacts SET data = '{}' WHERE id = $1`, [id]);
      await askForColumns(project);
      await buildColumns(api.ctx.pool);
      expect([await chunksOf(project), await changesOf(project)]).toEqual([[], 0]);
      await writer.query('COMMIT');
    } finally {
      writer.release();
    }
    await finishColumns(project);
    expect(await bothCounts(project)).toEqual({ columns: 3, sql: 3 });
  });

  test('and a transaction with an older view of the database notes its changes all the same', async () => {
    const project = await api.project();
    const [id = ''] = await contacts(project, 4);
    await snapshot(api.ctx.pool, async (tx) => {
      await tx.query('SELECT 1');
      await makeColumns(project);
      await tx.query(`UPDATE contacts SET data = '{}' WHERE id = $1`, [id]);
    });
    expect(await changesOf(project)).toBe(1);
    expect(await bothCounts(project)).toEqual({ columns: 3, sql: 3 });
  });
});

/** A random statement on the contacts of a project. */
async function changeSomething(tx: PoolClient, project: TestProject, number: number): Promise<void> {
  const some = '(SELECT id FROM contacts WHERE project_id = $1 ORDER BY random() LIMIT 3)';
  switch (number % 4) {
    case 0:
      return void (await tx.query(
        `INSERT INTO contacts (id, project_id, email, subscribed, data) VALUES ($2::uuid, $1, $2::text, true, '{"plan":"pro"}')`,
        [project.id, newId()],
      ));
    case 1:
      return void (await tx.query(
        `DELETE FROM contacts WHERE id IN (SELECT id FROM contacts WHERE project_id = $1 ORDER BY random() LIMIT 1 FOR UPDATE SKIP LOCKED)`,
        [project.id],
      ));
    default:
      return void (await tx.query(
        `UPDATE contacts SET data = jsonb_build_object('plan', CASE WHEN random() < 0.5 THEN 'pro' ELSE 'free' END) WHERE id IN (SELECT id FROM contacts WHERE id IN ${some} FOR UPDATE SKIP LOCKED)`,
        [project.id],
      ));
  }
}

test('columns and PostgreSQL count the same at every moment, while contacts change and columns are made, and made anew', async () => {
  const project = await api.project();
  await contacts(project, 60);
  await askForColumns(project);
  const work = { busy: true };
  const writers = [0, 1, 2].map(async (writer) => {
    for (let number = writer; work.busy; number++) {
      const tx = await api.ctx.pool.connect();
      try {
        // Some in transactions that see more than one moment, some that don't, and some that are undone.
        await tx.query(number % 3 === 0 ? 'BEGIN ISOLATION LEVEL REPEATABLE READ' : 'BEGIN');
        await changeSomething(tx, project, number);
        await changeSomething(tx, project, number + 1);
        await tx.query(number % 5 === 0 ? 'ROLLBACK' : 'COMMIT');
      } catch {
        // Two of them met in one row.
        await tx.query('ROLLBACK');
      } finally {
        tx.release();
      }
    }
  });
  const builder = (async () => {
    while (work.busy) await buildColumns(api.ctx.pool, { chunk: 7, enough: 5 });
  })();

  let answered = 0;
  try {
    const until = Date.now() + 20_000;
    while (answered < 150 && Date.now() < until) {
      const { columns, sql } = await bothCounts(project);
      if (columns === null) continue;
      answered += 1;
      expect(columns).toBe(sql);
    }
  } finally {
    work.busy = false;
    await Promise.all([...writers, builder]);
  }
  expect(answered).toBeGreaterThan(20);
});
