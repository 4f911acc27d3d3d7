/** `POST /contacts/query`. */
import { describe, expect, test } from 'vitest';
import { Surveys } from '../../src/domain/contacts/surveys.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { eventually } from '../helpers/eventually.js';

const api = useApi();

const PRO = { logic: 'AND', groups: [{ filters: [{ field: 'data.plan', operator: 'equals', value: 'pro' }] }] };

/** Creates contacts `c0@x.test`, `c1@x.test`, …, in this order; every second one has the plan "pro". */
async function projectWith(count: number): Promise<TestProject> {
  const project = await api.project();
  await api.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at)
     SELECT uuid_v7(), $1, 'c' || n || '@x.test', n % 3 > 0,
            jsonb_build_object('plan', CASE WHEN n % 2 = 0 THEN 'pro' ELSE 'free' END),
            '2030-01-01T00:00:00Z'::timestamptz + n / 4 * interval '1 s' FROM generate_series(0, $2::int - 1) n`,
    [project.id, count],
  );
  return project;
}

interface Queried {
  data: Array<{ id: string; email: string }>;
  cursor: string | null;
  position: number;
  total: number | null;
}

async function query(project: TestProject, body: Record<string, unknown>): Promise<Queried> {
  const response = await api.as(project, 'POST', '/contacts/query', body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<Queried>();
}

/** All pages by cursors. */
async function allPages(project: TestProject, body: Record<string, unknown>): Promise<string[]> {
  const emails: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await query(project, { ...body, ...(cursor !== undefined && { cursor }) });
    expect(page.position).toBe(emails.length);
    emails.push(...page.data.map(({ email }) => email));
    if (page.cursor === null) return emails;
    cursor = page.cursor;
  }
}

const ORDERS = [
  { sort: 'createdAt', dir: 'desc' },
  { sort: 'createdAt', dir: 'asc' },
  { sort: 'email', dir: 'desc' },
  { sort: 'email', dir: 'asc' },
];

/** One contact counts as many in all runs but the first, so that stored lists are read: of ids, or of ranks. */
describe.each([
  { size: 'small', manyContacts: 200_000, maxListed: 20_000 },
  { size: 'large', manyContacts: 1, maxListed: 20_000 },
  { size: 'large', manyContacts: 1, maxListed: 1 },
])('POST /contacts/query in a $size project that lists up to $maxListed matches', ({ manyContacts, maxListed }) => {
  const useSize = (): void => {
    api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log, manyContacts, maxListed);
  };
  /** Waits until the total is known. */
  const settled = async (project: TestProject, body: Record<string, unknown>): Promise<Queried> => {
    const page = await eventually(async () => {
      const found = await query(project, body);
      expect(found.total).not.toBeNull();
      return found;
    });
    return page;
  };

  test('returns the matches, their total, and the position, in the default order', async () => {
    useSize();
    const project = await projectWith(9);
    const { data, ...page } = await settled(project, { condition: PRO });
    expect(data.map(({ email }) => email)).toEqual(['c8@x.test', 'c6@x.test', 'c4@x.test', 'c2@x.test', 'c0@x.test']);
    expect(page).toEqual({ cursor: null, position: 0, total: 5 });
  });

  test.each(ORDERS)('finds the same contacts by cursors and by positions: $sort $dir', async (order) => {
    useSize();
    const project = await projectWith(23);
    for (const body of [{ ...order }, { ...order, condition: PRO }, { ...order, status: 'subscribed', search: 'C1' }]) {
      const { data: all, total } = await settled(project, body);
      const emails = all.map(({ email }) => email);
      expect(total).toBe(emails.length);
      expect(await allPages(project, { ...body, limit: 3 })).toEqual(emails);
      for (let position = 0; position <= emails.length; position += 2) {
        const page = await query(project, { ...body, position, limit: 4 });
        expect(page.data.map(({ email }) => email)).toEqual(emails.slice(position, position + 4));
        expect(page).toMatchObject({ position, total: emails.length });
        expect(page.cursor === null).toBe(position + 4 >= emails.length);
      }
    }
  });

  test('combines search, status, and a segment', async () => {
    useSize();
    const project = await projectWith(12);
    const segment = await api.as(project, 'POST', '/segments', { name: 'Pro', condition: PRO });
    const { id: segmentId } = segment.json<{ id: string }>();
    const found = await settled(project, { segmentId, status: 'unsubscribed', search: ' C' });
    expect(found.data.map(({ email }) => email)).toEqual(['c6@x.test', 'c0@x.test']);
    expect(await settled(project, { segmentId, status: 'snoozed' })).toMatchObject({ data: [], total: 0 });
  });

  test('returns only members of a static segment', async () => {
    useSize();
    const project = await projectWith(5);
    const created = await api.as(project, 'POST', '/segments', { name: 'Some', type: 'STATIC' });
    const { id: segmentId } = created.json<{ id: string }>();
    await api.as(project, 'POST', `/segments/${segmentId}/members`, { emails: ['c1@x.test', 'c3@x.test'] });
    const { data, total } = await settled(project, { segmentId });
    expect([total, ...data.map(({ email }) => email)]).toEqual([2, 'c3@x.test', 'c1@x.test']);
  });
});

describe('the stored list of a large project', () => {
  const large = async (count: number): Promise<TestProject> => {
    api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log, 1);
    return projectWith(count);
  };
  const listedIn = async (project: TestProject): Promise<number> =>
    (await api.ctx.pool.query(`SELECT FROM contact_lists WHERE project_id = $1`, [project.id])).rowCount ?? 0;

  test('is shared by both directions of an order', async () => {
    const project = await large(9);
    for (const dir of ['asc', 'desc']) await query(project, { condition: PRO, dir, position: 2 });
    await eventually(async () => expect(await listedIn(project)).toBe(1));
  });

  test('omits contacts that no longer match', async () => {
    const project = await large(9);
    await query(project, { condition: PRO, position: 1 });
    await eventually(async () => expect(await listedIn(project)).toBe(1));
    // The first page after the count lists the ids.
    await query(project, { condition: PRO, position: 1 });
    await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE project_id = $1 AND email = 'c4@x.test'`, [
      project.id,
    ]);
    const { data } = await query(project, { condition: PRO, position: 1, limit: 3 });
    expect(data.map(({ email }) => email)).toEqual(['c6@x.test', 'c2@x.test']);
  });

  test('leads to full pages if it has ranks', async () => {
    const project = await large(9);
    api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log, 1, 1);
    await query(project, { condition: PRO, position: 1 });
    await eventually(async () => expect(await listedIn(project)).toBe(1));
    await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE project_id = $1 AND email = 'c4@x.test'`, [
      project.id,
    ]);
    const { data } = await query(project, { condition: PRO, position: 1, limit: 3 });
    expect(data.map(({ email }) => email)).toEqual(['c6@x.test', 'c2@x.test', 'c0@x.test']);
  });

  test('is not read if it is older than a minute', async () => {
    const project = await large(9);
    await query(project, { condition: PRO, position: 1 });
    await eventually(async () => expect(await listedIn(project)).toBe(1));
    await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE project_id = $1 AND email = 'c4@x.test'`, [
      project.id,
    ]);
    await api.ctx.pool.query(`UPDATE contact_lists SET listed_at = now() - interval '61 s' WHERE project_id = $1`, [
      project.id,
    ]);
    api.ctx.surveys = new Surveys(api.ctx.pool, api.ctx.log, 1);
    await eventually(async () => expect((await query(project, { condition: PRO })).total).toBe(4));
  });
});

describe('bad input', () => {
  const status = async (project: TestProject, body: unknown) =>
    refused(await api.as(project, 'POST', '/contacts/query', body));

  test.each([
    { limit: 0 },
    { limit: 501 },
    { position: -1 },
    { position: 1.5 },
    { sort: 'plan' },
    { dir: 'up' },
    { status: 'gone' },
    { condition: { logic: 'AND' } },
    { condition: { logic: 'AND', groups: [{ filters: [{ field: 'data.x', operator: 'is' }] }] } },
    { condition: PRO, segmentId: newId() },
    { cursor: 'x' },
  ])('returns 422 for %j', async (body) => {
    expect(await status(await api.project(), body)).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
  });

  test('returns 422 for a cursor of another order, and for a cursor with a position', async () => {
    const project = await projectWith(3);
    const { cursor } = await query(project, { limit: 1 });
    for (const body of [{ sort: 'email' }, { dir: 'asc' }, { position: 1 }])
      expect(await status(project, { ...body, cursor })).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
  });

  test("returns 404 for another project's segment and 400 for one in a condition", async () => {
    const [project, other] = [await api.project(), await api.project()];
    const created = await api.as(other, 'POST', '/segments', { name: 'Theirs', type: 'STATIC' });
    const { id } = created.json<{ id: string }>();
    expect(await status(project, { segmentId: id })).toEqual({ status: 404, code: 'SEGMENT_NOT_FOUND' });
    expect(await status(project, { segmentId: 'x' })).toEqual({ status: 404, code: 'SEGMENT_NOT_FOUND' });
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: `segment.${id}`, operator: 'memberOfSegment' }] }],
    };
    expect(await status(project, { condition })).toMatchObject({ status: 400 });
  });
});
