import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { errorOf, refusal } from '../helpers/session.js';

const api = useApi();

const mail = (project: TestProject, body: Record<string, unknown> = {}) => ({
  to: 'ada@x.test',
  from: `team@${project.domain}`,
  subject: 'Hello',
  body: '<p>Hi</p>',
  ...body,
});
const send = (project: TestProject, body: Record<string, unknown> = {}) =>
  api.as(project, 'POST', '/v1/send', mail(project, body));

async function accepted(project: TestProject, body: Record<string, unknown> = {}) {
  const response = await send(project, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{
    data: { emails: Array<{ contact: { id: string; email: string }; email: string }>; timestamp: string };
  }>().data;
}

/** Returns the stored email of the first entry of a response, with its content. */
async function stored(project: TestProject, body: Record<string, unknown> = {}) {
  const { emails } = await accepted(project, body);
  const [first] = emails;
  if (!first) throw new Error('no email');
  return api.ctx.prisma.email.findUniqueOrThrow({ where: { id: first.email }, include: { message: true } });
}

async function template(project: TestProject, body: Record<string, unknown> = {}): Promise<string> {
  const response = await api.as(project, 'POST', '/templates', {
    name: 'T',
    subject: 'Template subject',
    body: '<p>Template body</p>',
    from: `template@${project.domain}`,
    fromName: 'Template',
    replyTo: 'reply@t.test',
    type: 'TRANSACTIONAL',
    ...body,
  });
  expect(response.statusCode, response.body).toBe(201);
  return response.json().id;
}

/** Expects that nothing of a rejected request is in the database. */
async function expectNothing(project: TestProject): Promise<void> {
  const where = { projectId: project.id };
  const { contact, email, message, event } = api.ctx.prisma;
  expect(
    await Promise.all([
      contact.count({ where }),
      email.count({ where }),
      message.count({ where }),
      event.count({ where }),
    ]),
  ).toEqual([0, 0, 0, 0]);
}

describe('POST /v1/send', () => {
  it('returns exactly { success, data: { emails: [{ contact: { id, email }, email }], timestamp } }', async () => {
    const project = await api.project();
    const response = await send(project);
    const contact = await api.ctx.prisma.contact.findFirstOrThrow({ where: { projectId: project.id } });
    const email = await api.ctx.prisma.email.findFirstOrThrow({ where: { projectId: project.id } });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toStrictEqual({
      success: true,
      data: {
        emails: [{ contact: { id: contact.id, email: 'ada@x.test' }, email: email.id }],
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
  });

  it('rejects a public key with 401 INVALID_API_KEY', async () => {
    const project = await api.project();
    expect(refusal(await api.as({ ...project, secret: project.public }, 'POST', '/v1/send', mail(project)))).toEqual([
      401,
      'INVALID_API_KEY',
    ]);
  });

  it('sends from a verified domain with an internationalized top-level domain, in either form', async () => {
    const project = await api.project({ domain: 'xn--e1afmkfd.xn--p1ai' });
    for (const from of ['team@xn--e1afmkfd.xn--p1ai', 'team@пример.рф'])
      expect((await send(project, { from })).statusCode).toBe(200);
  });
});

describe('to', () => {
  it('is an address, an object with a name, or an array of either, and the response has the same order', async () => {
    const project = await api.project();
    expect(
      (await accepted(project, { to: { email: 'grace@x.test', name: 'Grace' } })).emails.map(
        ({ contact }) => contact.email,
      ),
    ).toEqual(['grace@x.test']);
    const { emails } = await accepted(project, {
      to: ['z@x.test', { email: 'm@x.test', name: 'M' }, 'a@x.test', { email: 'b@x.test' }],
    });
    expect(emails.map(({ contact }) => contact.email)).toEqual(['z@x.test', 'm@x.test', 'a@x.test', 'b@x.test']);
    const rows = await api.ctx.prisma.email.findMany({
      where: { id: { in: emails.map(({ email }) => email) } },
      orderBy: { id: 'asc' },
    });
    expect(rows.map(({ toEmail, toName }) => [toEmail, toName])).toEqual([
      ['z@x.test', null],
      ['m@x.test', 'M'],
      ['a@x.test', null],
      ['b@x.test', null],
    ]);
  });

  it('is trimmed and lowercased', async () => {
    const project = await api.project();
    expect((await accepted(project, { to: '  Ada.L@X.Test ' })).emails[0]?.contact.email).toBe('ada.l@x.test');
  });

  it('the same address twice returns two emails to one contact', async () => {
    const project = await api.project();
    const { emails } = await accepted(project, { to: ['ada@x.test', 'ADA@x.test'] });
    expect(new Set(emails.map(({ email }) => email)).size).toBe(2);
    expect(new Set(emails.map(({ contact }) => contact.id)).size).toBe(1);
  });

  it('accepts 1,000 recipients and rejects 1,001', async () => {
    const project = await api.project();
    const many = (count: number) => Array.from({ length: count }, (_, index) => `r${index}@x.test`);
    expect(refusal(await send(project, { to: many(1001) }))).toEqual([422, 'VALIDATION_ERROR', 'to']);
    await expectNothing(project);
    const { emails } = await accepted(project, { to: many(1000) });
    expect(emails.map(({ contact }) => contact.email)).toEqual(many(1000));
  });

  const WRONG: Array<[string, unknown, string, string]> = [
    ['nothing', undefined, 'to', 'required'],
    ['null', null, 'to', 'invalid_type'],
    ['a number', 7, 'to', 'invalid_type'],
    ['an empty array', [], 'to', 'too_small'],
    ['no address', 'ada', 'to', 'invalid_string'],
    ['an empty text', '', 'to', 'invalid_string'],
    ['an address too long', `${'a'.repeat(250)}@x.test`, 'to', 'too_big'],
    ['a header injection', 'a@x.test\r\nBcc: b@x.test', 'to', 'invalid_string'],
    ['two addresses in one', 'a@x.test, b@x.test', 'to', 'invalid_string'],
    ['an object without an address', { name: 'Ada' }, 'to.email', 'required'],
    ['a wrong address in an array', ['a@x.test', 'ada'], 'to.1', 'invalid_string'],
    ['a wrong address in an object of an array', ['a@x.test', { email: 'ada' }], 'to.1.email', 'invalid_string'],
    ['a name with a newline', { email: 'a@x.test', name: 'A\nBcc: b@x.test' }, 'to.name', 'invalid_string'],
    ['a name that is a number', { email: 'a@x.test', name: 5 }, 'to.name', 'invalid_type'],
  ];
  it.each(WRONG)('rejects %s, and writes nothing', async (_name, to, field, code) => {
    const project = await api.project();
    const error = errorOf(await send(project, { to }));
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field, code }] });
    await expectNothing(project);
  });
});

describe('content is required: a template, or subject and body', () => {
  it.each([
    ['subject', { subject: undefined }, ['subject']],
    ['body', { body: undefined }, ['body']],
    ['subject and body', { subject: undefined, body: undefined }, ['subject', 'body']],
    ['from', { from: undefined }, ['from']],
    ['all three', { subject: undefined, body: undefined, from: undefined }, ['subject', 'body', 'from']],
  ])('without a template, a missing %s returns 422 with its name', async (_name, change, fields) => {
    const project = await api.project();
    const response = await send(project, change);
    expect(response.statusCode).toBe(422);
    expect(errorOf(response).errors?.map(({ field, code }) => [field, code])).toEqual(
      fields.map((field) => [field, 'required']),
    );
    await expectNothing(project);
  });

  it.each([
    ['an empty subject', { subject: '' }, 'subject', 'too_small'],
    ['a subject of 999 characters', { subject: 'x'.repeat(999) }, 'subject', 'too_big'],
    ['a subject with LF', { subject: 'a\nb' }, 'subject', 'invalid_string'],
    ['a subject with CR', { subject: 'a\rBcc: b@x.test' }, 'subject', 'invalid_string'],
    ['a subject that is null', { subject: null }, 'subject', 'invalid_type'],
    ['a subject with NUL', { subject: 'a\0b' }, 'subject', 'invalid_string'],
    ['an empty body', { body: '' }, 'body', 'too_small'],
    ['a body that is a number', { body: 1 }, 'body', 'invalid_type'],
    ['a body with NUL', { body: '<p>\0</p>' }, 'body', 'invalid_string'],
    ['a subject that does not parse', { subject: 'Hi {{ name' }, 'subject', 'custom'],
    ['a body that does not parse', { body: '{% if name %}' }, 'body', 'custom'],
    ['a body that includes another template', { body: '{% include "x" %}' }, 'body', 'custom'],
    ['subscribed that is a text', { subscribed: 'true' }, 'subscribed', 'invalid_type'],
    ['data that is an array', { data: [] }, 'data', 'invalid_type'],
    ['data that is a text', { data: 'x' }, 'data', 'invalid_type'],
    ['a reply that is not an address', { reply: 'ada' }, 'reply', 'invalid_string'],
    ['a reply with a header in it', { reply: 'a@x.test\r\nBcc: b@x.test' }, 'reply', 'invalid_string'],
    ['a name with a newline', { name: 'A\r\nBcc: b@x.test' }, 'name', 'invalid_string'],
    ['a template that is not a UUID', { template: 'welcome' }, 'template', 'invalid_string'],
    ['a template that is a number', { template: 5 }, 'template', 'invalid_type'],
  ])('%s is rejected', async (_name, change, field, code) => {
    const project = await api.project();
    const response = await send(project, change);
    expect(response.statusCode).toBe(422);
    expect(errorOf(response)).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field, code }] });
    await expectNothing(project);
  });

  it('accepts a subject of 998 characters and a body of one', async () => {
    const project = await api.project();
    expect((await stored(project, { subject: 'x'.repeat(998), body: 'y' })).message).toMatchObject({
      subject: 'x'.repeat(998),
      body: 'y',
    });
  });

  it('unknown fields are ignored', async () => {
    const project = await api.project();
    await accepted(project, { nonsense: { deep: [1] } });
  });

  it('malformed JSON returns 400 BAD_REQUEST, another content type 415', async () => {
    const project = await api.project();
    const raw = (payload: string, type: string) =>
      api.app.inject({
        method: 'POST',
        url: '/v1/send',
        headers: { authorization: `Bearer ${project.secret}`, 'content-type': type },
        payload,
      });
    expect(refusal(await raw('{"to":', 'application/json'))).toEqual([400, 'BAD_REQUEST']);
    expect(refusal(await raw('to=a@x.test', 'application/xml'))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });
});

describe('template', () => {
  it('supplies subject, body, from, sender name, and reply-to', async () => {
    const project = await api.project();
    const id = await template(project);
    const row = await stored(project, { template: id, subject: undefined, body: undefined, from: undefined });
    expect(row).toMatchObject({ templateId: id, type: 'TRANSACTIONAL', source: 'TRANSACTIONAL' });
    expect(row.message).toMatchObject({
      subject: 'Template subject',
      body: '<p>Template body</p>',
      from: `template@${project.domain}`,
      fromName: 'Template',
      replyTo: 'reply@t.test',
    });
  });

  it('is overridden by each explicit field of the request', async () => {
    const project = await api.project();
    const id = await template(project);
    const base = { template: id, subject: undefined, body: undefined, from: undefined };
    expect((await stored(project, { ...base, subject: 'S' })).message).toMatchObject({
      subject: 'S',
      body: '<p>Template body</p>',
    });
    expect((await stored(project, { ...base, body: 'B' })).message).toMatchObject({
      subject: 'Template subject',
      body: 'B',
    });
    expect((await stored(project, { ...base, reply: 'other@x.test' })).message).toMatchObject({
      replyTo: 'other@x.test',
    });
    // Another sender is sent without the template's name; the template's own address has it.
    expect((await stored(project, { ...base, from: `else@${project.domain}` })).message).toMatchObject({
      from: `else@${project.domain}`,
      fromName: null,
    });
    expect((await stored(project, { ...base, from: `template@${project.domain}` })).message).toMatchObject({
      fromName: 'Template',
    });
  });

  it.each([
    ['unknown', async () => newId()],
    ["another project's", async () => template(await api.project())],
  ])('%s returns 404 TEMPLATE_NOT_FOUND, and nothing is written', async (_name, make) => {
    const project = await api.project();
    expect(refusal(await send(project, { template: await make() }))).toEqual([404, 'TEMPLATE_NOT_FOUND']);
    await expectNothing(project);
  });

  it('whose stored source does not parse returns 422 with the field', async () => {
    const project = await api.project();
    const id = await template(project);
    await api.ctx.prisma.template.update({ where: { id }, data: { body: '{% for %}' } });
    expect(refusal(await send(project, { template: id, subject: undefined, body: undefined }))).toEqual([
      422,
      'VALIDATION_ERROR',
      'body',
    ]);
  });

  it('of type MARKETING to an unsubscribed contact returns 400 CONTACT_UNSUBSCRIBED, without rows', async () => {
    const project = await api.project();
    const id = await template(project, { type: 'MARKETING' });
    expect(refusal(await send(project, { template: id }))).toEqual([400, 'CONTACT_UNSUBSCRIBED']);
    await expectNothing(project);
    await api.as(project, 'POST', '/contacts', { email: 'yes@x.test', subscribed: true });
    expect(
      refusal(await send(project, { template: id, to: ['yes@x.test', 'no@x.test'], data: { plan: 'pro' } })),
    ).toEqual([400, 'CONTACT_UNSUBSCRIBED']);
    expect(
      await api.ctx.prisma.contact.findMany({ where: { projectId: project.id }, select: { email: true, data: true } }),
    ).toEqual([{ email: 'yes@x.test', data: {} }]);
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(0);
    await accepted(project, { template: id, to: 'yes@x.test' });
    await accepted(project, { template: id, to: 'new@x.test', subscribed: true });
    expect(refusal(await send(project, { template: id, to: 'yes@x.test', subscribed: false }))).toEqual([
      400,
      'CONTACT_UNSUBSCRIBED',
    ]);
    expect(
      (await api.ctx.prisma.contact.findFirstOrThrow({ where: { projectId: project.id, email: 'yes@x.test' } }))
        .subscribed,
    ).toBe(true);
  });

  it.each(['TRANSACTIONAL', 'HEADLESS'])('of type %s is also sent to an unsubscribed contact', async (type) => {
    const project = await api.project();
    expect(await stored(project, { template: await template(project, { type }) })).toMatchObject({ type });
  });
});

describe('from', () => {
  it.each([
    ['a string', { from: 'team@' }, null],
    ['a string and the deprecated name', { from: 'team@', name: 'Old' }, 'Old'],
    [
      'an object with a name, which wins over the deprecated name',
      { from: { email: 'team@', name: 'New' }, name: 'Old' },
      'New',
    ],
    [
      'an object without a name, where the deprecated name does not count',
      { from: { email: 'team@' }, name: 'Old' },
      null,
    ],
  ])('is %s', async (_name, { from, ...rest }, fromName) => {
    const project = await api.project();
    const sender = typeof from === 'string' ? from + project.domain : { ...from, email: from.email + project.domain };
    expect((await stored(project, { ...rest, from: sender })).message).toMatchObject({
      from: `team@${project.domain}`,
      fromName,
    });
  });

  it('returns 403 INTERNAL_SERVER_ERROR unless its domain itself is verified, and writes nothing', async () => {
    const project = await api.project({ domain: 'mail.acme.test' });
    const pending = await api.project({ verified: false });
    for (const [owner, from] of [
      [pending, `a@${pending.domain}`],
      [project, 'a@acme.test'],
      [project, 'a@news.mail.acme.test'],
      [project, 'a@mail.acme.test.evil.test'],
      [project, `a@${pending.domain}`],
    ] as const) {
      const response = await send(owner, { from });
      const error = errorOf(response);
      expect([response.statusCode, error.code], from).toEqual([403, 'INTERNAL_SERVER_ERROR']);
      expect(error.message).toMatch(/is not verified.*DNS verification/);
      await expectNothing(owner);
    }
    await accepted(project, { from: 'A@Mail.Acme.Test' });
  });

  it('of a template whose domain is no longer verified is rejected likewise', async () => {
    const project = await api.project();
    const id = await template(project);
    await api.ctx.prisma.domain.updateMany({ where: { projectId: project.id }, data: { status: 'PENDING' } });
    expect(refusal(await send(project, { template: id, from: undefined }))).toEqual([403, 'INTERNAL_SERVER_ERROR']);
  });
});
