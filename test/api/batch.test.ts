/** `POST /v1/batch`: several requests of `POST /v1/send` in one (research, ahead.md, section 3.5). */
import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';

const api = useApi();

const item = (project: TestProject, to: unknown, change: Record<string, unknown> = {}) => ({
  to,
  from: `shop@${project.domain}`,
  subject: 'Hello',
  body: '<p>Hello</p>',
  ...change,
});
const batch = (project: TestProject, emails: unknown[], mode?: 'all' | 'each', headers: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url: '/v1/batch',
    headers: { authorization: `Bearer ${project.secret}`, ...headers },
    payload: { emails, mode } as object,
  });
const stored = (project: TestProject) =>
  api.ctx.prisma.email.findMany({ where: { projectId: project.id }, orderBy: { id: 'asc' } });
const contacts = (project: TestProject) => api.ctx.prisma.contact.count({ where: { projectId: project.id } });

interface Reply {
  data: Array<{ success: boolean; data?: { emails: Array<{ email: string }> }; error?: { code: string } }>;
}

describe('the mode all', () => {
  test('accepts every request, each with its own content, time, and recipients, and returns the results in order', async () => {
    const project = await api.project();
    const scheduledFor = new Date(Date.now() + 3_600_000).toISOString();
    const attachments = [{ filename: 'a.txt', content: Buffer.from('a').toString('base64') }];
    const response = await batch(project, [
      item(project, 'ada@x.test', { subject: 'One', data: { plan: 'free', city: 'Bonn' } }),
      item(project, ['eve@x.test', 'bob@x.test'], { subject: 'Two', scheduledFor, group: 'order 1' }),
      item(project, 'ada@x.test', { subject: 'Three', data: { plan: 'pro' }, attachments }),
    ]);
    expect(response.statusCode, response.body).toBe(200);
    const { data } = response.json<Reply>();
    expect(data).toEqual([
      { success: true, data: { emails: [anEmail('ada@x.test')], timestamp: expect.any(String) } },
      {
        success: true,
        data: {
          emails: [anEmail('eve@x.test'), anEmail('bob@x.test')],
          timestamp: expect.any(String),
          status: 'SCHEDULED',
          scheduledFor,
        },
      },
      { success: true, data: { emails: [anEmail('ada@x.test')], timestamp: expect.any(String) } },
    ]);
    const ids = data.flatMap(({ data: sent }) => sent?.emails.map(({ email }) => email) ?? []);
    expect((await stored(project)).map(({ id, status, toEmail }) => [id, status, toEmail])).toEqual([
      [ids[0], 'PENDING', 'ada@x.test'],
      [ids[1], 'SCHEDULED', 'eve@x.test'],
      [ids[2], 'SCHEDULED', 'bob@x.test'],
      [ids[3], 'PENDING', 'ada@x.test'],
    ]);
    const ada = await api.ctx.prisma.contact.findFirstOrThrow({
      where: { projectId: project.id, email: 'ada@x.test' },
    });
    expect(ada.data).toEqual({ plan: 'pro', city: 'Bonn' });
    expect(await api.ctx.prisma.attachment.count({ where: { projectId: project.id } })).toBe(1);
  });

  const anEmail = (address: string) => ({
    contact: { id: expect.any(String), email: address },
    email: expect.any(String),
  });

  test('names every invalid field, and writes nothing', async () => {
    const project = await api.project();
    const response = await batch(project, [
      item(project, 'ada@x.test'),
      item(project, 'eve@x.test', { subject: undefined }),
      item(project, 'bob@x.test', { body: '{{#if' }),
    ]);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([
      expect.objectContaining({ field: 'emails.1.subject', code: 'required' }),
      expect.objectContaining({ field: 'emails.2.body' }),
    ]);
    expect([await stored(project), await contacts(project)]).toEqual([[], 0]);
  });

  test.each<[string, (project: TestProject) => Promise<Record<string, unknown>>, number, string]>([
    ['a template that does not exist', async () => ({ template: newId() }), 404, 'TEMPLATE_NOT_FOUND'],
    ['a foreign domain', async () => ({ from: 'a@foreign.test' }), 403, 'INTERNAL_SERVER_ERROR'],
    [
      'a marketing template for a contact that is not subscribed',
      async (project) => ({ template: await marketing(project) }),
      400,
      'CONTACT_UNSUBSCRIBED',
    ],
    [
      'too much data',
      async () => ({
        data: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`a${index}`, 'x'.repeat(1200)])),
      }),
      422,
      'VALIDATION_ERROR',
    ],
  ])('rejects all for %s, names the request, and writes nothing', async (_name, change, status, code) => {
    const project = await api.project();
    const response = await batch(project, [
      item(project, 'ada@x.test'),
      item(project, 'eve@x.test'),
      item(project, 'bob@x.test', await change(project)),
    ]);
    expect([response.statusCode, response.json().error.code], response.body).toEqual([status, code]);
    expect(response.body).toContain('emails.2');
    expect([await stored(project), await contacts(project)]).toEqual([[], 0]);
  });

  async function marketing(project: TestProject): Promise<string> {
    const content = { subject: 's', body: 'b', from: `a@${project.domain}` };
    const response = await api.as(project, 'POST', '/templates', { name: 'News', type: 'MARKETING', ...content });
    return response.json().id;
  }

  test('with one key, 50 identical batches at the same time are one batch, and the others return its result', async () => {
    const project = await api.project();
    const emails = [item(project, 'ada@x.test'), item(project, 'ada@x.test'), item(project, 'eve@x.test')];
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => batch(project, emails, 'all', { 'idempotency-key': 'order 17' })),
    );
    const first = replies.filter(({ statusCode }) => statusCode === 200);
    expect(first).toHaveLength(1);
    const data = first[0]?.json<Reply>().data;
    for (const reply of replies.filter((one) => one !== first[0])) {
      expect(reply.statusCode, reply.body).toBe(409);
      expect(reply.json().error).toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
        details: { key: 'order 17', originalRequest: 'POST /v1/batch', originalResponse: { data } },
      });
    }
    expect(await stored(project)).toHaveLength(3);
  });
});

describe('the mode each', () => {
  test('has an error for each request that breaks the schema, and accepts the others', async () => {
    const project = await api.project();
    const emails = [item(project, 'ada@x.test'), item(project, 'nope'), 'no object', item(project, 'eve@x.test')];
    const response = await batch(project, emails, 'each');
    expect(response.statusCode, response.body).toBe(200);
    const { data } = response.json<Reply>();
    expect(data.map(({ success }) => success)).toEqual([true, false, false, true]);
    expect(data[1]?.error).toMatchObject({ code: 'VALIDATION_ERROR', statusCode: 422, errors: [{ field: 'to' }] });
    expect((await stored(project)).map(({ toEmail }) => toEmail)).toEqual(['ada@x.test', 'eve@x.test']);
    expect((await batch(project, emails, 'all')).statusCode).toBe(422);
    expect((await batch(project, [item(project, 'nope')], 'each')).statusCode).toBe(200);
    expect((await batch(project, [], 'each')).statusCode).toBe(422);
    const many = Array.from({ length: 11 }, (_, n) =>
      item(
        project,
        Array.from({ length: 100 }, (__, m) => `${n}-${m}@x.test`),
      ),
    );
    expect((await batch(project, [...many, 'no object'], 'each')).statusCode).toBe(422);
    expect(await stored(project)).toHaveLength(2);
  });

  test('returns a result or an error per request', async () => {
    const project = await api.project();
    const response = await batch(
      project,
      [item(project, 'ada@x.test'), item(project, 'eve@x.test', { template: newId() }), item(project, 'bob@x.test')],
      'each',
    );
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json<Reply>().data.map(({ success, error }) => [success, error?.code])).toEqual([
      [true, undefined],
      [false, 'TEMPLATE_NOT_FOUND'],
      [true, undefined],
    ]);
    expect((await stored(project)).map(({ toEmail }) => toEmail).sort()).toEqual(['ada@x.test', 'bob@x.test']);
  });

  test('with a key, a repeat accepts only what was not accepted before', async () => {
    const project = await api.project();
    const key = { 'idempotency-key': 'reminders' };
    const template = newId();
    const emails = [item(project, 'ada@x.test'), item(project, 'eve@x.test', { template })];
    await batch(project, emails, 'each', key);
    await api.ctx.prisma.template.create({
      data: {
        id: template,
        projectId: project.id,
        name: 'T',
        type: 'TRANSACTIONAL',
        subject: 's',
        body: 'b',
        from: `a@${project.domain}`,
      },
    });
    const repeats = await Promise.all(Array.from({ length: 10 }, () => batch(project, emails, 'each', key)));
    const accepted = repeats.flatMap((reply) => reply.json<Reply>().data.filter(({ success }) => success));
    expect(accepted).toHaveLength(1);
    expect(repeats[0]?.json<Reply>().data[0]?.error).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      details: {
        key: 'reminders',
        originalRequest: 'POST /v1/batch',
        originalResponse: { emails: [{ contact: { email: 'ada@x.test' } }] },
      },
    });
    expect((await stored(project)).map(({ toEmail }) => toEmail)).toEqual(['ada@x.test', 'eve@x.test']);
  });

  test('rejects a key that a batch of the mode all or another request has used', async () => {
    const project = await api.project();
    const key = { 'idempotency-key': 'order 18' };
    const emails = [item(project, 'ada@x.test')];
    expect((await batch(project, emails, 'all', key)).statusCode).toBe(200);
    const repeat = await batch(project, emails, 'each', key);
    expect([repeat.statusCode, repeat.json().error.code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await stored(project)).toHaveLength(1);
  });

  test('keeps its key from other requests', async () => {
    const project = await api.project();
    const key = { 'idempotency-key': 'order 19' };
    const emails = [item(project, 'ada@x.test')];
    expect((await batch(project, emails, 'each', key)).statusCode).toBe(200);
    const replies = [
      await batch(project, emails, 'all', key),
      await api.app.inject({
        method: 'POST',
        url: '/v1/send',
        headers: { authorization: `Bearer ${project.secret}`, ...key },
        payload: item(project, 'ada@x.test'),
      }),
    ];
    for (const reply of replies) {
      expect(reply.statusCode, reply.body).toBe(409);
      expect(reply.json().error).toMatchObject({
        code: 'IDEMPOTENCY_KEY_REUSED',
        details: { key: 'order 19', originalRequest: 'POST /v1/batch', originalResponse: null },
      });
    }
    expect(await stored(project)).toHaveLength(1);
  });
});

test.each([
  ['no request', [], 'emails'],
  [
    '101 requests',
    Array.from({ length: 101 }, () => ({ to: 'a@x.test', from: 'a@x.test', subject: 's', body: 'b' })),
    'emails',
  ],
  [
    'more than 1,000 recipients',
    Array.from({ length: 2 }, (_, n) => ({
      to: Array.from({ length: 501 }, (_, i) => `a${n}-${i}@x.test`),
      subject: 's',
    })),
    'emails',
  ],
])('%s returns 422 in both modes', async (_name, emails, field) => {
  const project = await api.project();
  for (const mode of ['all', 'each'] as const) {
    const response = await batch(project, emails, mode);
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toContainEqual(expect.objectContaining({ field }));
  }
  expect(await stored(project)).toEqual([]);
});
