import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi } from '../helpers/api.js';
import { campaignHelpers, content, refused } from '../helpers/campaign-api.js';
import { memberOf, PRO, segmentHelpers, where } from '../helpers/segment-api.js';

const api = useApi();
const { contact, contactsOf, segment } = segmentHelpers(api);
const { draft, setState } = campaignHelpers(api);

describe('POST /segments', () => {
  test('creates a dynamic segment by default and counts its members', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test', { plan: 'pro' });
    await contact(project, 'b@x.test', { plan: 'free' });
    const response = await api.as(project, 'POST', '/segments', {
      name: ' Pro users! ',
      description: 'Who pays',
      condition: { ...PRO, unknown: 1 },
    });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({
      id: expect.any(String),
      projectId: project.id,
      name: 'Pro users!',
      description: 'Who pays',
      slug: 'pro-users',
      type: 'DYNAMIC',
      condition: PRO,
      trackMembership: false,
      memberCount: 1,
      computedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    expect((await api.as(project, 'GET', `/segments/${response.json().id}`)).json()).toEqual(response.json());
  });

  test('accepts 100 filters with 1,000 dates each', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test', { since: '2021-02-03T23:00:00Z' });
    await contact(project, 'b@x.test', { since: '2031-02-03' });
    const days = Array.from({ length: 1000 }, (_, day) =>
      new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10),
    );
    const filters = Array.from({ length: 99 }, (_, index) => ({
      field: `data.none${index}`,
      operator: 'notIn',
      value: days,
    }));
    const condition = {
      logic: 'AND',
      groups: [{ filters: [{ field: 'data.since', operator: 'in', value: days }, ...filters] }],
    };
    expect((await api.as(project, 'POST', '/segments', { name: 'Dates', condition })).json()).toMatchObject({
      memberCount: 1,
    });
  });

  test('returns 400 and stores nothing if the expanded condition has too many values for a statement', async () => {
    const project = await api.project();
    const value = Array.from({ length: 20 }, (_, index) => ({ index }));
    const filters = Array.from({ length: 99 }, (_, index) => ({
      field: `data${'.deep'.repeat(20)}.${index}`,
      operator: 'in',
      value,
    }));
    const first = await segment(project, { condition: { logic: 'OR', groups: [{ filters }] } });
    const second = await api.as(project, 'POST', '/segments', {
      name: 'Both',
      condition: { logic: 'OR', groups: [{ filters }, ...memberOf(first.id).groups] },
    });
    expect(refused(second)).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect((await api.as(project, 'GET', '/segments')).json()).toHaveLength(1);
  });

  test.each([
    ['missing', {}],
    ['null', { condition: null }],
    ['a text', { condition: 'all' }],
    ['a list', { condition: [] }],
    ['missing with type DYNAMIC', { type: 'DYNAMIC' }],
  ])('returns the flat 400 for a dynamic segment whose condition is %s', async (_, body) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/segments', { name: 'S', ...body });
    expect([response.statusCode, response.json()]).toEqual([400, { error: expect.any(String) }]);
  });

  test.each([
    ['missing', {}],
    ['a tree', { condition: PRO }],
    ['nonsense', { condition: 'x' }],
  ])('ignores the condition of a static segment: %s', async (_, body) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/segments', { name: 'S', type: 'STATIC', ...body });
    expect([response.statusCode, response.json().condition, response.json().memberCount]).toEqual([201, null, 0]);
  });

  test.each([
    ['no name', { name: undefined }, 'name required'],
    ['an empty name', { name: '' }, 'name too_small'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name too_big'],
    ['a description of 501 characters', { description: 'x'.repeat(501) }, 'description too_big'],
    ['another type', { type: 'OTHER' }, 'type invalid_string'],
    ['a trackMembership that is not a boolean', { trackMembership: 'yes' }, 'trackMembership invalid_type'],
  ])('returns 422 with %s', async (_, body, error) => {
    const project = await api.project();
    expect(refused(await api.as(project, 'POST', '/segments', { name: 'S', condition: PRO, ...body }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
  });

  test('accepts a name of 100 and a description of 500 characters', async () => {
    const project = await api.project();
    expect(
      (
        await api.as(project, 'POST', '/segments', {
          name: 'x'.repeat(100),
          description: 'y'.repeat(500),
          condition: PRO,
        })
      ).statusCode,
    ).toBe(201);
  });

  test('derives the slug from the name, unique in the project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const slugs = [];
    for (const name of ['--VIP  Kunden (2030)--', 'vip kunden 2030', 'VIP/Kunden/2030', '!!!', 'Привет Мир'])
      slugs.push((await segment(project, { name })).slug);
    expect(slugs).toEqual(['vip-kunden-2030', 'vip-kunden-2030-2', 'vip-kunden-2030-3', 'segment', 'привет-мир']);
    expect((await segment(other, { name: 'VIP Kunden 2030' })).slug).toBe('vip-kunden-2030');
  });

  test('gives concurrently created segments with the same name different slugs', async () => {
    const project = await api.project();
    // More concurrent requests than connections: several are between lookup and insert at any moment.
    const created = await Promise.all(Array.from({ length: 12 }, () => segment(project, { name: 'Same' })));
    expect(new Set(created.map(({ slug }) => slug)).size).toBe(12);
  });
});

describe('GET /segments', () => {
  test('returns a bare array, newest first', async () => {
    const project = await api.project();
    expect((await api.as(project, 'GET', '/segments')).json()).toEqual([]);
    const ids = [];
    for (const name of ['A', 'B', 'C']) ids.unshift((await segment(project, { name })).id);
    expect((await api.as(project, 'GET', '/segments')).json().map(({ id }: { id: string }) => id)).toEqual(ids);
  });
});

describe('GET /segments/:id/contacts', () => {
  test('returns current pages of a dynamic segment, newest contact first', async () => {
    const project = await api.project();
    const { id } = await segment(project);
    for (const n of [1, 2, 3, 4, 5]) await contact(project, `p${n}@x.test`, { plan: 'pro' });
    await contact(project, 'free@x.test', { plan: 'free' });
    const page = async (query: string) => {
      const { data, ...rest } = (await api.as(project, 'GET', `/segments/${id}/contacts${query}`)).json();
      return { ...rest, emails: data.map(({ email }: { email: string }) => email) };
    };
    expect(await page('')).toEqual({
      page: 1,
      pageSize: 20,
      total: 5,
      totalPages: 1,
      emails: ['p5@x.test', 'p4@x.test', 'p3@x.test', 'p2@x.test', 'p1@x.test'],
    });
    expect(await page('?page=2&pageSize=2')).toEqual({
      page: 2,
      pageSize: 2,
      total: 5,
      totalPages: 3,
      emails: ['p3@x.test', 'p2@x.test'],
    });
    expect(await page('?page=4&pageSize=2')).toMatchObject({ total: 5, emails: [] });
    expect(await page('?pageSize=500')).toMatchObject({ pageSize: 100 });
    expect(refused(await api.as(project, 'GET', `/segments/${id}/contacts?page=0`))).toMatchObject({
      status: 422,
      errors: ['page too_small'],
    });
  });

  test('returns contacts like GET /contacts/:id', async () => {
    const project = await api.project();
    const { id } = await segment(project);
    const contactId = await contact(project, 'p@x.test', { plan: 'pro' });
    expect((await api.as(project, 'GET', `/segments/${id}/contacts`)).json().data).toEqual([
      (await api.as(project, 'GET', `/contacts/${contactId}`)).json(),
    ]);
  });

  test('includes the conditions of other segments', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test', { plan: 'pro', city: 'Ulm' });
    await contact(project, 'b@x.test', { plan: 'pro' });
    await contact(project, 'c@x.test');
    const pro = await segment(project);
    const hand = await segment(project, { type: 'STATIC' });
    await api.as(project, 'POST', `/segments/${hand.id}/members`, { emails: ['a@x.test', 'c@x.test'] });
    const both = await segment(project, {
      condition: where(
        { field: `segment.${pro.id}`, operator: 'memberOfSegment' },
        { field: `segment.${hand.id.toUpperCase()}`, operator: 'memberOfSegment' },
      ),
    });
    expect(await contactsOf(project, both.id)).toEqual(['a@x.test']);
    const neither = await segment(project, {
      condition: where({ field: `segment.${both.id}`, operator: 'notMemberOfSegment' }),
    });
    expect(await contactsOf(project, neither.id)).toEqual(['c@x.test', 'b@x.test']);
    await api.as(project, 'PATCH', `/segments/${pro.id}`, {
      condition: where({ field: 'data.plan', operator: 'notExists' }),
    });
    expect(await contactsOf(project, both.id)).toEqual(['c@x.test']);
  });
});

describe('PATCH /segments/:id', () => {
  test('updates name, description, condition, and trackMembership, but not type and slug', async () => {
    const project = await api.project();
    await contact(project, 'free@x.test', { plan: 'free' });
    const { id } = await segment(project, { name: 'Old', description: 'd' });
    const condition = where({ field: 'data.plan', operator: 'equals', value: 'free' });
    const response = await api.as(project, 'PATCH', `/segments/${id}`, {
      name: 'New',
      description: null,
      condition,
      trackMembership: true,
      type: 'STATIC',
      slug: 'x',
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      id,
      name: 'New',
      description: null,
      slug: 'old',
      type: 'DYNAMIC',
      condition,
      trackMembership: true,
      memberCount: 1,
    });
    expect((await api.as(project, 'GET', `/segments/${id}`)).json()).toEqual(response.json());
    expect((await api.as(project, 'PATCH', `/segments/${id}`, {})).json()).toMatchObject({
      name: 'New',
      condition,
      trackMembership: true,
    });
  });

  test('ignores the condition of a static segment', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    expect(
      (await api.as(project, 'PATCH', `/segments/${id}`, { condition: PRO, type: 'DYNAMIC' })).json(),
    ).toMatchObject({ type: 'STATIC', condition: null });
  });

  test('accepts a static segment as returned, and rejects null as the condition of a dynamic segment', async () => {
    const project = await api.project();
    const { id: ofStatic } = await segment(project, { type: 'STATIC' });
    const shown = (await api.as(project, 'GET', `/segments/${ofStatic}`)).json();
    expect(shown.condition).toBeNull();
    const taken = await api.as(project, 'PATCH', `/segments/${ofStatic}`, { ...shown, name: 'Other' });
    expect(taken.statusCode).toBe(200);
    expect(taken.json()).toMatchObject({ id: ofStatic, name: 'Other', type: 'STATIC', condition: null });
    const { id } = await segment(project);
    expect(refused(await api.as(project, 'PATCH', `/segments/${id}`, { condition: null }))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: ['condition invalid_type'],
    });
  });

  test('returns 400 if the segment would name itself, directly or through other segments', async () => {
    const project = await api.project();
    const a = await segment(project, { name: 'A' });
    const b = await segment(project, { name: 'B', condition: memberOf(a.id) });
    const c = await segment(project, { name: 'C', condition: memberOf(b.id) });
    for (const { id } of [a, b, c])
      expect(refused(await api.as(project, 'PATCH', `/segments/${a.id}`, { condition: memberOf(id) }))).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
      });
    expect((await api.as(project, 'GET', `/segments/${a.id}`)).json().condition).toEqual(PRO);
  });

  test('never lets two concurrent updates make segments name each other', async () => {
    const project = await api.project();
    for (let round = 0; round < 10; round++) {
      const [a, b] = [await segment(project), await segment(project)];
      const responses = await Promise.all([
        api.as(project, 'PATCH', `/segments/${a.id}`, { condition: memberOf(b.id) }),
        api.as(project, 'PATCH', `/segments/${b.id}`, { condition: memberOf(a.id) }),
      ]);
      expect(responses.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([200, 400]);
    }
  });
});

describe('a condition that names a segment', () => {
  test('returns the same 400 for a segment of another project, an unknown id, and a malformed id', async () => {
    const [project, other] = [await api.project(), await api.project()];
    const foreign = await segment(other);
    for (const id of [foreign.id, newId(), 'nope', "'; DROP TABLE segments; --"]) {
      const response = await api.as(project, 'POST', '/segments', { name: 'S', condition: memberOf(id) });
      expect([
        response.statusCode,
        response.json().error.code,
        response.json().error.message.replace(id, 'ID'),
      ]).toEqual([400, 'BAD_REQUEST', 'The condition references a segment that does not exist in this project: ID']);
    }
  });

  test('returns 400 if the expanded condition has more than 1,000 filters', async () => {
    const project = await api.project();
    let { id } = await segment(project);
    const twice = (of: string) => ({ logic: 'OR', groups: [...memberOf(of).groups, ...memberOf(of).groups] });
    for (let level = 0; level < 8; level++) ({ id } = await segment(project, { condition: twice(id) }));
    expect(refused(await api.as(project, 'POST', '/segments', { name: 'S', condition: twice(id) }))).toMatchObject({
      status: 400,
      code: 'BAD_REQUEST',
    });
  });
});

describe('DELETE /segments/:id', () => {
  test('returns 204 and removes the reference from drafts', async () => {
    const project = await api.project();
    const { id } = await segment(project);
    const campaignId = await draft(project, { audienceType: 'SEGMENT', segmentId: id });
    const response = await api.as(project, 'DELETE', `/segments/${id}`);
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(refused(await api.as(project, 'GET', `/segments/${id}`))).toMatchObject({
      status: 404,
      code: 'SEGMENT_NOT_FOUND',
    });
    expect(refused(await api.as(project, 'POST', `/campaigns/${campaignId}/send`))).toMatchObject({
      status: 404,
      code: 'SEGMENT_NOT_FOUND',
    });
  });

  test.each(['SCHEDULED', 'SENDING'] as const)(
    'returns 409 while a campaign to it, or whose condition names it, is %s',
    async (status) => {
      const project = await api.project();
      const { id } = await segment(project);
      for (const audience of [
        { audienceType: 'SEGMENT', segmentId: id },
        { audienceType: 'FILTERED', audienceCondition: memberOf(id) },
      ]) {
        const campaignId = await draft(project, content(project, audience));
        await setState(campaignId, status);
        expect(refused(await api.as(project, 'DELETE', `/segments/${id}`))).toEqual({ status: 409, code: 'CONFLICT' });
        await setState(campaignId, 'CANCELLED');
      }
      expect((await api.as(project, 'DELETE', `/segments/${id}`)).statusCode).toBe(204);
    },
  );

  test('returns 409 while the condition of another segment names it', async () => {
    const project = await api.project();
    const { id } = await segment(project);
    const other = await segment(project, { condition: memberOf(id) });
    expect(refused(await api.as(project, 'DELETE', `/segments/${id}`))).toEqual({ status: 409, code: 'CONFLICT' });
    expect((await api.as(project, 'DELETE', `/segments/${other.id}`)).statusCode).toBe(204);
    expect((await api.as(project, 'DELETE', `/segments/${id}`)).statusCode).toBe(204);
  });
});
