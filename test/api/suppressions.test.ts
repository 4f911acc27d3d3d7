/** The list of suppressed addresses: reading, adding, lifting. Not part of the specification. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { about, feedbackHelpers } from '../helpers/feedback.js';
import { newUser } from '../helpers/session.js';

const api = useApi();
const { sent, apply } = feedbackHelpers(api);

const List = z.strictObject({
  data: z.array(
    z.strictObject({
      email: z.string(),
      reason: z.string(),
      detail: z.string().nullable(),
      emailId: z.string().nullable(),
      createdAt: z.iso.datetime(),
    }),
  ),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
  total: z.number(),
});

async function list(project: TestProject, query = ''): Promise<z.infer<typeof List>> {
  const response = await api.as(project, 'GET', `/suppressions${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return List.parse(response.json());
}

const add = (project: TestProject, body: unknown) => api.as(project, 'POST', '/suppressions', body);
const path = (email: string): string => `/suppressions/${encodeURIComponent(email)}`;
const get = (project: TestProject, email: string) => api.as(project, 'GET', path(email));
const lift = (project: TestProject, email: string) => api.as(project, 'DELETE', path(email));

async function insert(
  project: TestProject,
  rows: Array<{ email: string; reason?: string; at?: string }>,
): Promise<void> {
  await api.ctx.prisma.suppression.createMany({
    data: rows.map(({ email, reason = 'bounce', at = '2026-01-01T00:00:00Z' }) => ({
      projectId: project.id,
      email,
      reason,
      createdAt: new Date(at),
    })),
  });
}

describe('POST /suppressions', () => {
  test('suppresses an address manually: 201, and it is on the list', async () => {
    const project = await api.project();
    const response = await add(project, { email: '  Ada@Example.TEST ', detail: 'asked on the phone' });
    expect(response.statusCode, response.body).toBe(201);
    expect(response.json()).toEqual({
      email: 'ada@example.test',
      reason: 'manual',
      detail: 'asked on the phone',
      emailId: null,
      createdAt: expect.stringMatching(/Z$/),
    });
    expect(await list(project)).toEqual({ data: [response.json()], cursor: null, hasMore: false, total: 1 });
    expect((await get(project, 'ada@example.test')).json()).toEqual(response.json());
  });

  test('of a suppressed address returns 200 and keeps its record, unless the new reason is stronger', async () => {
    const project = await api.project();
    const answers = [];
    for (const body of [
      { reason: 'bounce', detail: 'first' },
      { reason: 'manual', detail: 'weaker' },
      { reason: 'bounce', detail: 'the same' },
      { reason: 'complaint', detail: 'stronger' },
      { reason: 'bounce' },
    ]) {
      const response = await add(project, { email: 'ada@x.test', ...body });
      const { reason, detail } = response.json<{ reason: string; detail: string | null }>();
      answers.push([response.statusCode, reason, detail]);
    }
    expect(answers).toEqual([
      [201, 'bounce', 'first'],
      [200, 'bounce', 'first'],
      [200, 'bounce', 'first'],
      [200, 'complaint', 'stronger'],
      [200, 'complaint', 'stronger'],
    ]);
    expect((await list(project)).total).toBe(1);
  });

  test('20 concurrent requests create one suppression and return one 201', async () => {
    const project = await api.project();
    const statuses = (await Promise.all(Array.from({ length: 20 }, () => add(project, { email: 'ada@x.test' })))).map(
      ({ statusCode }) => statusCode,
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array.from({ length: 19 }, () => 200), 201]);
    expect((await list(project)).total).toBe(1);
  });

  test('does not change the contact: only the list stops mail', async () => {
    const project = await api.project();
    const { id } = (await api.as(project, 'POST', '/contacts', { email: 'ada@x.test' })).json<{ id: string }>();
    await add(project, { email: 'ada@x.test' });
    expect((await api.as(project, 'GET', `/contacts/${id}`)).json()).toMatchObject({ subscribed: true });
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(0);
  });

  test.each<[string, unknown, string]>([
    ['no body', undefined, 'email required'],
    ['no address', {}, 'email required'],
    ['an invalid address', { email: 'ada' }, 'email invalid_string'],
    ['a number', { email: 7 }, 'email invalid_type'],
    ['an unknown reason', { email: 'a@x.test', reason: 'because' }, 'reason'],
    ['a reason in capitals', { email: 'a@x.test', reason: 'BOUNCE' }, 'reason'],
    ['a detail of 1,001 characters', { email: 'a@x.test', detail: 'x'.repeat(1001) }, 'detail too_big'],
    ['NUL in the detail', { email: 'a@x.test', detail: 'a\0b' }, 'detail'],
    ['NUL in the address', { email: 'a\0b@x.test' }, 'email'],
  ])('%s returns 422, and nothing is written', async (_what, body, error) => {
    const project = await api.project();
    const answer = refused(await add(project, body));
    expect(answer).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(answer.errors?.[0]).toContain(error);
    expect((await list(project)).total).toBe(0);
  });
});

describe('GET /suppressions', () => {
  test('lists suppressions from feedback, with the reason, its text, and the email', async () => {
    const project = await api.project();
    const [bounced, complained, transient] = await sent(project, 3);
    if (!bounced || !complained || !transient) throw new Error('unreachable');
    const at = (day: number): Date => new Date(Date.UTC(2026, 2, day));
    await apply(
      about(bounced.id, { kind: 'bounced', bounceType: 'permanent', reason: '5.1.1 no such user', at: at(1) }),
      about(complained.id, { kind: 'complained', reason: 'abuse', at: at(2) }),
      about(transient.id, { kind: 'bounced', bounceType: 'transient', reason: 'full', at: at(3) }),
    );
    expect((await list(project)).data).toEqual([
      {
        email: complained.address,
        reason: 'complaint',
        detail: 'abuse',
        emailId: complained.id,
        createdAt: at(2).toISOString(),
      },
      {
        email: bounced.address,
        reason: 'bounce',
        detail: '5.1.1 no such user',
        emailId: bounced.id,
        createdAt: at(1).toISOString(),
      },
    ]);
    expect((await list(project, '?reason=bounce')).data.map(({ email }) => email)).toEqual([bounced.address]);
  });

  test('pages by cursor, newest first, with every address once, even if many have the same time', async () => {
    const project = await api.project();
    const rows = Array.from({ length: 45 }, (_, n) => ({
      email: `a${String(n).padStart(2, '0')}@x.test`,
      at: n < 30 ? '2026-01-02T00:00:00Z' : `2026-01-01T00:00:${n}.123Z`,
    }));
    await insert(project, rows);
    const seen: string[] = [];
    let cursor: string | null = '';
    const totals: number[] = [];
    for (let page = 0; cursor !== null; page++) {
      const { data, hasMore, total, ...next }: z.infer<typeof List> = await list(
        project,
        `?limit=20${cursor && `&cursor=${cursor}`}`,
      );
      seen.push(...data.map(({ email }) => email));
      totals.push(total);
      expect([hasMore, data.length]).toEqual([page < 2, page < 2 ? 20 : 5]);
      // The row that a cursor names may have been lifted.
      if (next.cursor) await lift(project, data.at(-1)?.email ?? '');
      cursor = next.cursor;
    }
    expect(totals).toEqual([45, 0, 0]);
    const expected = rows.toSorted((a, b) =>
      a.at === b.at ? b.email.localeCompare(a.email) : b.at.localeCompare(a.at),
    );
    expect(seen).toEqual(expected.map(({ email }) => email));
  });

  test('filters by reason and by a part of the address in any case, and counts the filtered rows', async () => {
    const project = await api.project();
    await insert(project, [
      { email: 'ada@one.test' },
      { email: 'ada@two.test', reason: 'complaint' },
      { email: 'bob@one.test', reason: 'manual' },
      { email: 'a_b%c@one.test' },
    ]);
    const found = async (query: string) => {
      const { data, total } = await list(project, query);
      expect(total).toBe(data.length);
      return data.map(({ email }) => email).sort();
    };
    expect(await found('?search=ADA')).toEqual(['ada@one.test', 'ada@two.test']);
    expect(await found('?search=ada&reason=complaint')).toEqual(['ada@two.test']);
    expect(await found('?search=_b%25')).toEqual(['a_b%c@one.test']);
    expect(await found('?search=%20')).toHaveLength(4);
    expect(await found('?reason=manual')).toEqual(['bob@one.test']);
    expect(await found('?search=missing')).toEqual([]);
  });

  test.each([
    ['?reason=spam', 'reason'],
    ['?reason=', 'reason'],
    ['?limit=0', 'limit'],
    ['?limit=x', 'limit'],
    ['?cursor=nope', 'cursor'],
    [`?cursor=${Buffer.from(JSON.stringify(['2026', 'a@x.test'])).toString('base64url')}`, 'cursor'],
    [`?cursor=${Buffer.from(JSON.stringify(['2026-01-01T00:00:00.000Z', 'invalid'])).toString('base64url')}`, 'cursor'],
    [
      `?cursor=${Buffer.from(JSON.stringify(['2026-01-01T00:00:00.000Z', 'a\0@x.test'])).toString('base64url')}`,
      'cursor',
    ],
    ['?search=a%00b', 'search'],
  ])('%s returns 422', async (query, field) => {
    const project = await api.project();
    const answer = refused(await api.as(project, 'GET', `/suppressions${query}`));
    expect(answer).toMatchObject({ status: 422, code: 'VALIDATION_ERROR' });
    expect(answer.errors?.[0]).toContain(field);
  });

  test('clamps a limit above 100 to 100', async () => {
    const project = await api.project();
    await insert(
      project,
      Array.from({ length: 101 }, (_, n) => ({ email: `a${n}@x.test` })),
    );
    expect((await list(project, '?limit=1000')).data).toHaveLength(100);
  });

  test('shows nothing of another project, and has no effect there', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await add(other, { email: 'ada@x.test' });
    expect((await list(project)).data).toEqual([]);
    for (const response of [await get(project, 'ada@x.test'), await lift(project, 'ada@x.test')])
      expect(refused(response)).toEqual({ status: 404, code: 'SUPPRESSION_NOT_FOUND' });
    expect((await list(other)).total).toBe(1);
  });
});

describe('GET and DELETE /suppressions/:email', () => {
  test.each(['ada@x.test', 'ADA@X.test', "o'neill+news&more=1%2@x.test", 'a/b?c#d@x.test', 'ada@käse.test'])(
    'accept the URL-encoded address in any case: %s',
    async (email) => {
      const project = await api.project();
      expect((await add(project, { email })).statusCode).toBe(201);
      expect((await get(project, email)).statusCode).toBe(200);
      const lifted = await lift(project, email);
      expect([lifted.statusCode, lifted.body]).toEqual([204, '']);
      for (const response of [await get(project, email), await lift(project, email)])
        expect(refused(response)).toEqual({ status: 404, code: 'SUPPRESSION_NOT_FOUND' });
    },
  );

  test('accepts an address of 254 characters', async () => {
    const project = await api.project();
    const email = `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(56)}.test`;
    expect(email).toHaveLength(254);
    await add(project, { email });
    expect((await get(project, email)).json()).toMatchObject({ email });
  });

  test.each(['missing@x.test', 'nope', 'a@b@c', '😀', `${'a'.repeat(300)}@x.test`])(
    '%s returns 404 SUPPRESSION_NOT_FOUND',
    async (text) => {
      const project = await api.project();
      for (const response of [await get(project, text), await lift(project, text)])
        expect(refused(response)).toEqual({ status: 404, code: 'SUPPRESSION_NOT_FOUND' });
    },
  );

  test('returns 404 for NUL in the address', async () => {
    const project = await api.project();
    for (const method of ['GET', 'DELETE'] as const)
      expect((await api.as(project, method, '/suppressions/a%00@x.test')).statusCode).toBe(404);
  });

  test('lifting does not subscribe the contact, and a repeated report does not restore it', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email) throw new Error('unreachable');
    const said = about(email.id, { kind: 'complained', reason: 'abuse', at: new Date() });
    await apply(said);
    expect((await lift(project, email.address)).statusCode).toBe(204);
    expect((await api.as(project, 'GET', `/contacts/${email.contactId}`)).json()).toMatchObject({ subscribed: false });
    await apply(said);
    expect((await list(project)).total).toBe(0);
  });
});

test('sessions have access with their project; each member has the same rights as the owner', async () => {
  const project = await api.project();
  const member = await newUser(api);
  await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: member.id, role: 'MEMBER' } });
  const headers = { 'x-project-id': project.id };
  expect((await member.call('POST', '/suppressions', { email: 'ada@x.test' }, headers)).statusCode).toBe(201);
  expect((await member.call('GET', '/suppressions', undefined, headers)).json()).toMatchObject({ total: 1 });
  expect((await member.call('DELETE', '/suppressions/ada@x.test', undefined, headers)).statusCode).toBe(204);
  expect(refused(await member.call('GET', '/suppressions'))).toEqual({ status: 400, code: 'BAD_REQUEST' });
});
