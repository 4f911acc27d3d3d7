import { describe, expect, it } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { errorOf, newUser, refusal, request } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '20' });
const { track, tracked, contacts, events } = eventHelpers(api);

const withKey = (project: TestProject, key: string, body: Record<string, unknown> = {}) =>
  track(project, body, { 'idempotency-key': key });
const dashboard = (project: TestProject, key: string, body: Record<string, unknown> = {}) =>
  api.as(
    project,
    'POST',
    '/events/track',
    { email: 'ada@x.test', event: 'signed up', ...body },
    { 'idempotency-key': key },
  );
const send = (project: TestProject, key: string) =>
  api.as(
    project,
    'POST',
    '/v1/send',
    { to: 'ada@x.test', from: `team@${project.domain}`, subject: 's', body: 'b' },
    { 'idempotency-key': key },
  );
const names = async (project: TestProject) => (await events(project)).map(([name]) => name);

describe('Idempotency-Key on POST /v1/track', () => {
  it.each([
    ['is empty', ''],
    ['has 256 characters', 'x'.repeat(256)],
    ['is not ASCII', 'schlüssel'],
    ['has a tab', 'a\tb'],
  ])('that %s returns 422 with the header, on both endpoints, and nothing is tracked', async (_name, key) => {
    const project = await api.project();
    for (const response of [await withKey(project, key), await dashboard(project, key)])
      expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'Idempotency-Key']);
    expect([await contacts(project), await names(project)]).toEqual([0, []]);
  });

  it('accepts 255 printable characters, and is optional', async () => {
    const project = await api.project();
    for (const key of ['x'.repeat(255), '!"#$ ~']) expect((await withKey(project, key)).statusCode).toBe(200);
    for (let i = 0; i < 2; i++) await tracked(project);
    expect(await names(project)).toHaveLength(4);
  });

  it('returns 409 IDEMPOTENCY_KEY_REUSED for a repeat with any body, with the original response', async () => {
    const project = await api.project();
    const original = (await withKey(project, 'order-1', { data: { plan: 'pro' } })).json().data;
    for (const body of [{ data: { plan: 'pro' } }, { email: 'else@x.test', event: 'other', subscribed: false }]) {
      const repeat = await withKey(project, 'order-1', body);
      expect([repeat.statusCode, errorOf(repeat).code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
      expect(errorOf(repeat).details).toStrictEqual({
        key: 'order-1',
        originalRequest: 'POST /v1/track',
        originalRequestAt: original.timestamp,
        originalStatusCode: 200,
        originalResponse: original,
      });
    }
    expect([await contacts(project), await names(project)]).toEqual([1, ['signed up']]);
  });

  it('is shared by the endpoints of one kind of credential: a repeat returns the first response', async () => {
    const project = await api.project();
    const { id, token } = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: id, role: 'MEMBER' } });
    const session = (key: string) =>
      request(api.app, 'POST', '/events/track', {
        body: { email: 'ada@x.test', event: 'signed up' },
        token,
        headers: { 'idempotency-key': key, 'x-project-id': project.id },
      });
    const originals = [
      ['dashboard', 'POST /events/track', 201, (await dashboard(project, 'dashboard')).json()],
      ['session', 'POST /events/track', 201, (await session('session')).json()],
      ['send', 'POST /v1/send', 200, (await send(project, 'send')).json().data],
    ] as const;
    for (const [key, originalRequest, originalStatusCode, originalResponse] of originals) {
      for (const repeat of [await dashboard(project, key), await session(key), await send(project, key)]) {
        expect([repeat.statusCode, errorOf(repeat).details]).toEqual([
          409,
          expect.objectContaining({ key, originalRequest, originalStatusCode, originalResponse }),
        ]);
      }
    }
    expect(await names(project)).toEqual(['signed up', 'signed up']);
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(1);
  });

  it('has a namespace for the public key, which neither reads nor blocks keys of the secret key', async () => {
    const project = await api.project();
    expect((await send(project, 'order-1')).statusCode).toBe(200);
    const publicRequest = await withKey(project, 'order-1');
    expect([publicRequest.statusCode, publicRequest.body]).toEqual([200, expect.not.stringContaining('ada@x.test')]);
    expect((await withKey(project, 'order-2')).statusCode).toBe(200);
    expect((await send(project, 'order-2')).statusCode).toBe(200);
    expect((await dashboard(project, 'order-2')).statusCode).toBe(409);
    for (const key of ['order-1', 'order-2']) {
      const repeat = await withKey(project, key);
      expect([repeat.statusCode, errorOf(repeat).details]).toEqual([
        409,
        expect.objectContaining({ key, originalRequest: 'POST /v1/track' }),
      ]);
    }
  });

  it('of a request with the secret key stays claimed across the upgrade that introduced the namespaces', async () => {
    const project = await api.project();
    await api.ctx.prisma.idempotencyKey.create({
      data: {
        projectId: project.id,
        key: 'order-1',
        request: 'POST /v1/send',
        response: { emails: [], timestamp: new Date().toISOString() },
        expiresAt: new Date(Date.now() + 60_000),
      },
    });
    expect((await send(project, 'order-1')).statusCode).toBe(409);
    expect((await withKey(project, 'order-1')).statusCode).toBe(200);
  });

  it('belongs to the project: another project has its own', async () => {
    const [mine, yours] = [await api.project(), await api.project()];
    expect([(await withKey(mine, 'same')).statusCode, (await withKey(yours, 'same')).statusCode]).toEqual([200, 200]);
  });

  it('stays free after a rejected request', async () => {
    const project = await api.project();
    await tracked(project, { data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`o${index}`, 1])) });
    const tooMuch = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1]));
    for (const body of [
      { email: 'ada' },
      { event: 'email.sent' },
      { data: { text: 'x'.repeat(70_000) } },
      { data: tooMuch },
    ])
      expect((await withKey(project, 'k', body)).statusCode).toBe(422);
    expect((await withKey(project, 'k')).statusCode).toBe(200);
    expect((await withKey(project, 'k')).statusCode).toBe(409);
  });

  it('returns 409 for a repeat, even if the contact has become too large in the meantime', async () => {
    const project = await api.project();
    const body = { data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1])) };
    expect((await withKey(project, 'k', body)).statusCode).toBe(200);
    await api.ctx.pool.query(
      `UPDATE contacts SET data = (SELECT jsonb_object_agg('o' || n, n) FROM generate_series(1, 60) n) WHERE project_id = $1`,
      [project.id],
    );
    expect(refusal(await withKey(project, 'another', body))).toEqual([422, 'VALIDATION_ERROR', 'data']);
    expect(refusal(await withKey(project, 'k', body))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('outlives its event and its contact: the contact in the original response is then null', async () => {
    const project = await api.project();
    const original = (await withKey(project, 'k')).json().data;
    expect((await api.as(project, 'DELETE', `/contacts/${original.contact}`)).statusCode).toBe(204);
    expect(errorOf(await withKey(project, 'k')).details?.originalResponse).toEqual({ ...original, contact: null });
    expect([await contacts(project), await names(project)]).toEqual([0, []]);
  });

  it('is free again after it has expired', async () => {
    const project = await api.project();
    await withKey(project, 'k');
    await api.ctx.pool.query(
      `UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE project_id = $1`,
      [project.id],
    );
    const second = await withKey(project, 'k');
    expect(second.statusCode).toBe(200);
    expect(errorOf(await withKey(project, 'k')).details?.originalResponse).toEqual(second.json().data);
  });

  // All requests are in flight before the first one commits.
  it.each([
    ['the public key', withKey],
    ['the secret key', dashboard],
  ])('accepts exactly one of 40 parallel requests with %s, for any contact', async (_name, call) => {
    const project = await api.project();
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        call(project, 'race', { email: `c${index % 5}@x.test`, event: `e${index}` }),
      ),
    );
    const winners = responses.filter(({ statusCode }) => statusCode < 300);
    expect(winners).toHaveLength(1);
    expect([await contacts(project), (await names(project)).length]).toEqual([1, 1]);
    const original = winners[0]?.json().data ?? winners[0]?.json();
    for (const response of responses.filter((each) => each !== winners[0]))
      expect([response.statusCode, errorOf(response).details?.originalResponse]).toEqual([409, original]);
  });

  it('is claimed by a waiting request when the one before it is rolled back', async () => {
    const project = await api.project();
    await tracked(project, { data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`o${index}`, 1])) });
    const tooMuch = { data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1])) };
    // Half of them claim the key and are rolled back by the contact's size.
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => withKey(project, 'race', index % 2 === 0 ? tooMuch : {})),
    );
    const [bad, good] = [0, 1].map((rest) =>
      responses.filter((_, index) => index % 2 === rest).map(({ statusCode }) => statusCode),
    );
    expect(good?.sort((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(bad?.every((status) => status === 422 || status === 409)).toBe(true);
    expect(await names(project)).toEqual(['signed up', 'signed up']);
  });
});
