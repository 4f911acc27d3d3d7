/** Projects with many contacts, in which stored and recent results replace queries over all contacts. */
import { beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { Surveys } from '../../src/domain/contacts/surveys.js';
import { lockMembers } from '../../src/domain/segments/sql/lists.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { segmentHelpers } from '../helpers/segment-api.js';

const api = useApi();
const { contact, contactsOf, segment } = segmentHelpers(api);

// One contact counts as many.
beforeAll(() => {
  api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log, 1);
});

const addPros = async (project: TestProject, names: string[]): Promise<void> => {
  for (const name of names) await contact(project, `${name}@x.test`, { plan: 'pro' });
};

const get = async (project: TestProject, url: string) => {
  const response = await api.as(project, 'GET', url);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
};

/** Makes the stored count and list of a segment this old. */
const age = async (segmentId: string, interval: string): Promise<void> => {
  await api.ctx.pool.query(`UPDATE segments SET counted_at = now() - $2::interval WHERE id = $1`, [
    segmentId,
    interval,
  ]);
  await api.ctx.pool.query(`UPDATE segment_lists SET listed_at = now() - $2::interval WHERE segment_id = $1`, [
    segmentId,
    interval,
  ]);
};

describe('GET /segments/:id/contacts', () => {
  test('returns every page of the stored list, newest contact first', async () => {
    const project = await api.project();
    await addPros(project, ['p1', 'p2', 'p3', 'p4', 'p5']);
    await contact(project, 'free@x.test', { plan: 'free' });
    const { id } = await segment(project);
    const page = async (number: number): Promise<unknown> => {
      const { data, total, totalPages } = await get(project, `/segments/${id}/contacts?page=${number}&pageSize=2`);
      return { total, totalPages, emails: data.map(({ email }: { email: string }) => email) };
    };
    expect(await page(1)).toEqual({ total: 5, totalPages: 3, emails: ['p5@x.test', 'p4@x.test'] });
    expect(await page(2)).toEqual({ total: 5, totalPages: 3, emails: ['p3@x.test', 'p2@x.test'] });
    expect(await page(3)).toEqual({ total: 5, totalPages: 3, emails: ['p1@x.test'] });
    expect(await page(4)).toEqual({ total: 5, totalPages: 3, emails: [] });
  });

  test('returns no listed contact that was deleted or no longer matches', async () => {
    const project = await api.project();
    await addPros(project, ['p1', 'p2', 'p3']);
    const { id } = await segment(project);
    await api.ctx.pool.query(`DELETE FROM contacts WHERE project_id = $1 AND email = 'p1@x.test'`, [project.id]);
    await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE project_id = $1 AND email = 'p2@x.test'`, [
      project.id,
    ]);
    expect(await contactsOf(project, id)).toEqual(['p3@x.test']);
  });

  test('refreshes an old list in the background', async () => {
    const project = await api.project();
    await addPros(project, ['p1']);
    const { id } = await segment(project);
    await addPros(project, ['p2']);
    await age(id, '1 minute');
    // The lock holds the refresh back until the old list was returned.
    await transaction(api.ctx.pool, async (tx) => {
      await tx.query('SELECT FROM segments WHERE id = $1 FOR UPDATE', [id]);
      expect(await contactsOf(project, id)).toEqual(['p1@x.test']);
    });
    await expect.poll(() => contactsOf(project, id)).toEqual(['p2@x.test', 'p1@x.test']);
    expect(await get(project, `/segments/${id}`)).toMatchObject({ memberCount: 2 });
  });

  test('never returns a list that is older than an hour', async () => {
    const project = await api.project();
    await addPros(project, ['p1']);
    const { id } = await segment(project);
    await addPros(project, ['p2']);
    await age(id, '2 hours');
    expect(await get(project, `/segments/${id}/contacts`)).toMatchObject({
      total: 2,
      data: [{ email: 'p2@x.test' }, { email: 'p1@x.test' }],
    });
  });

  test('lists a segment that was never listed', async () => {
    const project = await api.project();
    await addPros(project, ['p1', 'p2']);
    const { id } = await segment(project);
    await api.ctx.pool.query('DELETE FROM segment_lists WHERE segment_id = $1', [id]);
    expect(await contactsOf(project, id)).toEqual(['p2@x.test', 'p1@x.test']);
  });

  test('returns the current list after a change of the condition and after a refresh', async () => {
    const project = await api.project();
    await addPros(project, ['p1']);
    const { id } = await segment(project, {
      condition: {
        logic: 'AND',
        groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'free' }] }],
      },
    });
    expect(await contactsOf(project, id)).toEqual([]);
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }],
    };
    expect((await api.as(project, 'PATCH', `/segments/${id}`, { condition })).json()).toMatchObject({ memberCount: 1 });
    expect(await contactsOf(project, id)).toEqual(['p1@x.test']);
    await addPros(project, ['p2']);
    expect((await api.as(project, 'POST', `/segments/${id}/refresh`)).json()).toEqual({ memberCount: 2 });
    expect(await contactsOf(project, id)).toEqual(['p2@x.test', 'p1@x.test']);
  });

  test('returns every page of a static segment with many members, also after a change of its members', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    await api.ctx.pool.query(
      `WITH added AS (
         INSERT INTO contacts (id, project_id, email, subscribed, created_at)
         SELECT gen_random_uuid(), $1, 'm' || n || '@x.test', true, now() + n * interval '1 ms'
           FROM generate_series(1, 4000) n RETURNING id)
       INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1, $2, id FROM added`,
      [project.id, id],
    );
    await api.as(project, 'POST', `/segments/${id}/refresh`);
    const lastPage = async (): Promise<unknown> => {
      const { data, total } = await get(project, `/segments/${id}/contacts?page=40&pageSize=100`);
      return { total, emails: data.map(({ email }: { email: string }) => email).slice(-2) };
    };
    expect(await lastPage()).toEqual({ total: 4000, emails: ['m2@x.test', 'm1@x.test'] });
    // Pages come from the list: it has no other contacts.
    await api.ctx.pool.query(
      `UPDATE segment_lists SET contact_ids = substring(contact_ids FROM 1 FOR 3999 * 16) WHERE segment_id = $1`,
      [id],
    );
    expect(await lastPage()).toEqual({ total: 4000, emails: ['m3@x.test', 'm2@x.test'] });
    await contact(project, 'new@x.test', {});
    await api.as(project, 'DELETE', `/segments/${id}/members`, { emails: ['m2@x.test'] });
    await api.as(project, 'POST', `/segments/${id}/members`, { emails: ['new@x.test'] });
    expect(await lastPage()).toEqual({ total: 4000, emails: ['m3@x.test', 'm1@x.test'] });
  });

  test('a change of the members of a static segment waits for its listing', async () => {
    const project = await api.project();
    await addPros(project, ['p1']);
    const { id } = await segment(project, { type: 'STATIC' });
    let isAdded = false;
    const adding = await transaction(api.ctx.pool, async (tx) => {
      await lockMembers(tx, id);
      const call = api.as(project, 'POST', `/segments/${id}/members`, { emails: ['p1@x.test'] });
      const added = call.then(() => {
        isAdded = true;
      });
      await expect
        .poll(async () => {
          const { rows } = await api.ctx.pool.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return rows.length;
        })
        .toBeGreaterThan(0);
      expect(isAdded).toBe(false);
      // In an object: the transaction must not wait for the call.
      return { added };
    });
    await adding.added;
    expect(await contactsOf(project, id)).toEqual(['p1@x.test']);
  });

  test('returns the current members of a static segment', async () => {
    const project = await api.project();
    await addPros(project, ['p1', 'p2']);
    const { id } = await segment(project, { type: 'STATIC' });
    await api.as(project, 'POST', `/segments/${id}/members`, { emails: ['p1@x.test'] });
    expect(await contactsOf(project, id)).toEqual(['p1@x.test']);
    await api.as(project, 'POST', `/segments/${id}/members`, { emails: ['p2@x.test'] });
    expect(await contactsOf(project, id)).toEqual(['p2@x.test', 'p1@x.test']);
  });
});

describe('surveys', () => {
  test('return a sample until the first survey is complete', async () => {
    const project = await api.project();
    await addPros(project, ['p1']);
    const { totals } = api.ctx.surveys;
    let complete = (): void => {};
    const done = new Promise<void>((resolve) => (complete = resolve));
    const read = (key: string): Promise<number> =>
      totals.read(
        project.id,
        key,
        async () => {
          await done;
          return 2;
        },
        async () => 1,
      );
    const key = newId();
    expect(await read(key)).toBe(1);
    expect(await read(key)).toBe(1);
    complete();
    await expect.poll(() => read(key)).toBe(2);
  });

  test('return the fields and values of sampled contacts like those of all', async () => {
    const project = await api.project();
    await contact(project, 'free@x.test', { plan: 'free', age: 7 }, false);
    await addPros(project, ['p1', 'p2']);
    for (const url of ['', '/plan/values', '/subscribed/values', '/email/values', '/age/values']) {
      const sampled = await get(project, `/contacts/fields${url}`);
      api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log);
      const all = await get(project, `/contacts/fields${url}`);
      api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log, 1);
      if (url !== '') expect(sampled).toEqual(all);
      else
        expect(sampled.fields.map(({ field, type }: { field: string; type: string }) => ({ field, type }))).toEqual(
          all.fields.map(({ field, type }: { field: string; type: string }) => ({ field, type })),
        );
    }
  });
});

describe('GET /contacts', () => {
  test('counts subscribed and unsubscribed contacts', async () => {
    const project = await api.project();
    await addPros(project, ['p1', 'p2']);
    await contact(project, 'out@x.test', {}, false);
    expect(await get(project, '/contacts?subscribed=true')).toMatchObject({ total: 2 });
    expect(await get(project, '/contacts?subscribed=false')).toMatchObject({ total: 1 });
    expect(await get(project, '/contacts?subscribed=true&search=p1')).toMatchObject({ total: 1 });
  });
});
