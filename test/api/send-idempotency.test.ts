import { describe, expect, it } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { errorOf, refusal } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '20' });

const send = (project: TestProject, key: string | undefined, body: Record<string, unknown> = {}) =>
  api.as(
    project,
    'POST',
    '/v1/send',
    { to: 'ada@x.test', from: `team@${project.domain}`, subject: 'Hello', body: '<p>Hi</p>', ...body },
    key === undefined ? {} : { 'idempotency-key': key },
  );
const emails = (project: TestProject) => api.ctx.prisma.email.count({ where: { projectId: project.id } });

describe('Idempotency-Key on POST /v1/send', () => {
  it.each([
    ['is empty', ''],
    ['has 256 characters', 'x'.repeat(256)],
    ['is not ASCII', 'schlüssel'],
    ['has a tab', 'a\tb'],
  ])('that %s returns 422 with the header, and nothing is sent', async (_name, key) => {
    const project = await api.project();
    expect(refusal(await send(project, key))).toEqual([422, 'VALIDATION_ERROR', 'Idempotency-Key']);
    expect(await emails(project)).toBe(0);
  });

  it('accepts 255 printable characters, and is optional', async () => {
    const project = await api.project();
    for (const key of ['x'.repeat(255), '!"#$ ~', undefined, undefined])
      expect((await send(project, key)).statusCode).toBe(200);
    expect(await emails(project)).toBe(4);
  });

  it('returns 409 IDEMPOTENCY_KEY_REUSED for a repeat with any body, with the original response', async () => {
    const project = await api.project();
    const before = Date.now();
    const original = await send(project, 'order-1', { to: ['b@x.test', 'a@x.test', 'b@x.test'] });
    expect(original.statusCode).toBe(200);
    for (const body of [{ to: ['b@x.test', 'a@x.test', 'b@x.test'] }, { to: 'else@x.test', subject: 'Other' }]) {
      const repeat = await send(project, 'order-1', body);
      const error = errorOf(repeat);
      expect([repeat.statusCode, error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
      expect(error.details).toStrictEqual({
        key: 'order-1',
        originalRequest: 'POST /v1/send',
        originalRequestAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        originalStatusCode: 200,
        originalResponse: original.json().data,
      });
      expect(Math.abs(Date.parse(String(error.details?.originalRequestAt)) - before)).toBeLessThan(60_000);
    }
    expect(await emails(project)).toBe(3);
  });

  it('returns 409 for a repeat, even if the request would be rejected by now', async () => {
    const project = await api.project();
    const template = (
      await api.as(project, 'POST', '/templates', {
        name: 'T',
        subject: 's',
        body: 'b',
        from: `team@${project.domain}`,
      })
    ).json().id;
    const body = { template, subscribed: true };
    expect((await send(project, 'k', body)).statusCode).toBe(200);
    await api.ctx.prisma.contact.updateMany({ where: { projectId: project.id }, data: { subscribed: false } });
    expect(refusal(await send(project, 'k', { template }))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await api.as(project, 'DELETE', `/templates/${template}`)).statusCode).toBe(204);
    expect(refusal(await send(project, 'k', body))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    expect(refusal(await send(project, 'k'))).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(refusal(await send(project, 'another'))).toEqual([403, 'INTERNAL_SERVER_ERROR']);
  });

  it('compares byte by byte', async () => {
    const project = await api.project();
    for (const key of ['Order', 'order', 'order ~', 'order  ~'])
      expect((await send(project, key)).statusCode, key).toBe(200);
    expect((await send(project, 'Order')).statusCode).toBe(409);
  });

  it('belongs to the project: another project has its own', async () => {
    const [mine, yours] = [await api.project(), await api.project()];
    expect((await send(mine, 'same')).statusCode).toBe(200);
    expect((await send(yours, 'same')).statusCode).toBe(200);
  });

  it('stays free after a rejected request', async () => {
    const project = await api.project();
    const marketing = (
      await api.as(project, 'POST', '/templates', {
        name: 'T',
        subject: 's',
        body: 'b',
        from: `team@${project.domain}`,
      })
    ).json().id;
    const REFUSED: Array<[number, Record<string, unknown>]> = [
      [422, { to: 'ada' }],
      [422, { data: { text: 'x'.repeat(70_000) } }],
      [422, { attachments: [{ filename: 'a.txt', content: '%%%' }] }],
      [404, { template: '00000000-0000-4000-8000-000000000000' }],
      [403, { from: 'a@unknown.test' }],
      [400, { template: marketing }],
    ];
    for (const [status, body] of REFUSED) expect((await send(project, 'k', body)).statusCode).toBe(status);
    expect((await send(project, 'k')).statusCode).toBe(200);
    expect((await send(project, 'k')).statusCode).toBe(409);
  });

  it('is free again after it has expired', async () => {
    const project = await api.project();
    const first = (await send(project, 'k')).json().data;
    await api.ctx.pool.query(
      `UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE project_id = $1`,
      [project.id],
    );
    const second = await send(project, 'k');
    expect(second.statusCode).toBe(200);
    expect(errorOf(await send(project, 'k')).details?.originalResponse).toEqual(second.json().data);
    expect(second.json().data).not.toEqual(first);
  });

  it('lasts for 24 hours', async () => {
    const project = await api.project();
    await send(project, 'k');
    const { rows } = await api.ctx.pool.query<{ hours: number }>(
      `SELECT extract(epoch FROM expires_at - created_at)::float8 / 3600 AS hours FROM idempotency_keys WHERE project_id = $1`,
      [project.id],
    );
    expect(rows[0]?.hours).toBeCloseTo(24, 3);
  });

  // The race is forced by starting all requests before the first one commits.
  it('accepts exactly one of 20 parallel requests', async () => {
    const project = await api.project();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        send(project, 'race', {
          to: `r${index}@x.test`,
          ...(index % 2 === 0 && { attachments: [{ filename: 'a.txt', content: 'aGk=' }] }),
        }),
      ),
    );
    expect(responses.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 19 }, () => 409),
    ]);
    expect(await emails(project)).toBe(1);
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(1);
    const original = responses.find(({ statusCode }) => statusCode === 200)?.json().data;
    for (const response of responses.filter(({ statusCode }) => statusCode === 409))
      expect(errorOf(response).details?.originalResponse).toEqual(original);
  });

  it('is claimed by a waiting request when the one before it is rolled back', async () => {
    const project = await api.project();
    const bad = { data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 1])) };
    await send(project, undefined, {
      data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`o${index}`, 1])),
    });
    // Half of them claim the key and are rolled back by the contact's size, while the others wait for the claim.
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => send(project, 'race', index % 2 === 0 ? bad : {})),
    );
    const good = responses.filter((_, index) => index % 2 === 1).map(({ statusCode }) => statusCode);
    expect(good.sort((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
    expect(new Set(responses.filter((_, index) => index % 2 === 0).map(({ statusCode }) => statusCode)).has(200)).toBe(
      false,
    );
  });
});
