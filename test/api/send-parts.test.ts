import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { errorOf, refusal } from '../helpers/session.js';

const api = useApi();
const MEGABYTE = 1024 * 1024;

const send = (project: TestProject, body: Record<string, unknown> = {}) =>
  api.as(project, 'POST', '/v1/send', {
    to: 'ada@x.test',
    from: `team@${project.domain}`,
    subject: 'Hello',
    body: '<p>Hi</p>',
    ...body,
  });
const emails = (project: TestProject) => api.ctx.prisma.email.count({ where: { projectId: project.id } });

async function expectRefused(change: Record<string, unknown>, field: string, code?: string): Promise<void> {
  const project = await api.project();
  const response = await send(project, change);
  expect(response.statusCode, response.body).toBe(422);
  expect(errorOf(response)).toMatchObject({ code: 'VALIDATION_ERROR', errors: [{ field, ...(code && { code }) }] });
  expect(await emails(project)).toBe(0);
  expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
}

/** Returns the stored content of an accepted email. */
async function stored(change: Record<string, unknown>) {
  const project = await api.project();
  const response = await send(project, change);
  expect(response.statusCode, response.body).toBe(200);
  return api.ctx.prisma.message.findFirstOrThrow({
    where: { projectId: project.id },
    include: { attachments: { orderBy: { position: 'asc' } } },
  });
}

describe('text', () => {
  it('is the text alternative, with its variables', async () => {
    const project = await api.project();
    const response = await send(project, { text: 'Hi {{ name }}\n\n& <welcome>', data: { name: 'Ada & Co' } });
    const id = response.json().data.emails[0].email;
    const content = (await api.as(project, 'GET', `/emails/${id}/content`)).json();
    expect(content).toMatchObject({ html: '<p>Hi</p>', text: 'Hi Ada & Co\n\n& <welcome>' });
  });

  it('with a syntax error is rejected', async () => expectRefused({ text: '{% if %' }, 'text'));
  it('that is empty is rejected', async () => expectRefused({ text: '' }, 'text'));
});

describe('tags', () => {
  it.each([
    ['11 tags', Array.from({ length: 11 }, (_, n) => `${n}`), 'tags'],
    ['an empty tag', [' '], 'tags.0'],
    ['a tag of 101 characters', ['x'.repeat(101)], 'tags.0'],
    ['a text', 'receipt', 'tags'],
  ])('%s is rejected', async (_name, tags, field) => expectRefused({ tags }, field));

  it('are trimmed, shown, and in lists', async () => {
    const project = await api.project();
    const response = await send(project, { tags: [' receipt ', 'receipt', 'Order 17'] });
    const id = response.json().data.emails[0].email;
    const tags = ['receipt', 'Order 17'];
    expect((await api.as(project, 'GET', `/emails/${id}`)).json()).toMatchObject({ tags });
    const { data } = (await api.as(project, 'GET', '/emails?tag=Order%2017')).json();
    expect(data).toMatchObject([{ id, tags }]);
  });
});

describe('headers', () => {
  it('are strings of at most 998 characters', async () => {
    const headers = { 'X-Order': '42', 'X-Long': 'x'.repeat(998), 'In-Reply-To': '<a@x.test>', 'X-Greeting': 'Grüße' };
    expect((await stored({ headers })).headers).toEqual(headers);
  });

  it.each([
    ['a value of 999 characters', { 'X-A': 'x'.repeat(999) }, 'headers.X-A'],
    ['a value with CRLF', { 'X-A': 'a\r\nBcc: b@x.test' }, 'headers.X-A'],
    ['a value with LF', { 'X-A': 'a\nb' }, 'headers.X-A'],
    ['a value with CR', { 'X-A': 'a\rb' }, 'headers.X-A'],
    ['a value that is a number', { 'X-A': 5 }, 'headers.X-A'],
    ['a name with CRLF', { 'X-A\r\nBcc': 'b@x.test' }, 'headers.X-A\r\nBcc'],
    ['a name with LF', { 'X-A\nB': 'b' }, 'headers.X-A\nB'],
    ['a name with a colon', { 'X-A: b\u0020': 'c' }, 'headers.X-A: b '],
    ['a name with a blank', { 'X A': 'c' }, 'headers.X A'],
    ['an empty name', { '': 'c' }, 'headers.'],
    ['a list of headers', ['X-A: b'], 'headers'],
  ])('%s is rejected', async (_name, headers, field) => expectRefused({ headers }, field));

  it.each([
    'From',
    'to',
    'CC',
    'Bcc',
    'Subject',
    'Sender',
    'Reply-To',
    'Date',
    'Message-ID',
    'MIME-Version',
    'Content-Type',
    'content-transfer-encoding',
    'Return-Path',
    'Received',
    'DKIM-Signature',
    'ARC-Seal',
    'Resent-From',
  ])('%s is set by the service, and is rejected', async (name) =>
    expectRefused({ headers: { [name]: 'x' } }, `headers.${name}`, 'custom'),
  );

  it("List-Unsubscribe is the sender's in transactional mail, and set by the service in other mail", async () => {
    const headers = {
      'List-Unsubscribe': '<https://shop.test/off>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    };
    expect((await stored({ headers })).headers).toEqual(headers);
    const project = await api.project();
    for (const type of ['MARKETING', 'HEADLESS'] as const) {
      const { id } = await api.ctx.prisma.template.create({
        data: {
          id: newId(),
          projectId: project.id,
          name: 't',
          subject: 's',
          body: 'b',
          from: `team@${project.domain}`,
          type,
        },
      });
      const response = await send(project, { template: id, subscribed: true, headers });
      expect([
        response.statusCode,
        response.json<{ error: { errors: Array<{ field: string }> } }>().error.errors.map(({ field }) => field),
      ]).toEqual([422, ['headers.List-Unsubscribe', 'headers.List-Unsubscribe-Post']]);
    }
  });

  it('named like a prototype change nothing', async () => {
    const project = await api.project();
    const payload = `{"to":"ada@x.test","from":"team@${project.domain}","subject":"s","body":"b","headers":{"__proto__":"x","X-A":"1"}}`;
    const response = await api.app.inject({
      method: 'POST',
      url: '/v1/send',
      headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode).toBeLessThan(500);
  });
});

describe('reply', () => {
  it('is the reply-to address', async () => {
    expect((await stored({ reply: ' Help@X.test ' })).replyTo).toBe('help@x.test');
  });
});

const text = (change: Record<string, unknown> = {}) => ({
  filename: 'a.txt',
  content: Buffer.from('hello').toString('base64'),
  ...change,
});

describe('attachments', () => {
  it('are stored decoded, in order, with the defaults of type and disposition', async () => {
    const { attachments } = await stored({
      attachments: [
        text(),
        text({ filename: 'Übersicht ✓.png', contentType: 'image/png', contentId: 'logo', disposition: 'inline' }),
        text({ content: '', filename: 'empty' }),
        text({ content: 'aGVs\r\nbG8' }),
      ],
    });
    expect(
      attachments.map(({ filename, contentType, contentId, inline, content }) => [
        filename,
        contentType,
        contentId,
        inline,
        Buffer.from(content).toString(),
      ]),
    ).toEqual([
      ['a.txt', 'application/octet-stream', null, false, 'hello'],
      ['Übersicht ✓.png', 'image/png', 'logo', true, 'hello'],
      ['empty', 'application/octet-stream', null, false, ''],
      ['a.txt', 'application/octet-stream', null, false, 'hello'],
    ]);
  });

  it('accept 10 and reject 11', async () => {
    const many = (count: number) => ({ attachments: Array.from({ length: count }, () => text()) });
    expect((await stored(many(10))).attachments).toHaveLength(10);
    await expectRefused(many(11), 'attachments', 'too_big');
  });

  it('accept 10 MB in total, counted decoded, and reject one byte more', async () => {
    const bytes = (count: number) => Buffer.alloc(count).toString('base64');
    expect(
      (await stored({ attachments: [text({ content: bytes(6 * MEGABYTE) }), text({ content: bytes(4 * MEGABYTE) })] }))
        .attachments,
    ).toHaveLength(2);
    await expectRefused(
      { attachments: [text({ content: bytes(6 * MEGABYTE) }), text({ content: bytes(4 * MEGABYTE + 1) })] },
      'attachments',
      'too_big',
    );
  });

  it.each([
    ['content that is not base64', { content: 'hello world!' }, 'content', 'invalid_string'],
    ['content in the URL alphabet', { content: '-_-_' }, 'content', 'invalid_string'],
    ['content cut short', { content: 'aGVsb' }, 'content', 'invalid_string'],
    ['no content', { content: undefined }, 'content', 'required'],
    ['content that is a number', { content: 1 }, 'content', 'invalid_type'],
    ['no filename', { filename: undefined }, 'filename', 'required'],
    ['an empty filename', { filename: '' }, 'filename', 'too_small'],
    ['a filename of 256 characters', { filename: 'x'.repeat(256) }, 'filename', 'too_big'],
    ['a filename with CRLF', { filename: 'a\r\nX: b' }, 'filename', 'invalid_string'],
    ['a filename with a quote', { filename: 'a".txt' }, 'filename', 'invalid_string'],
    ['a malformed media type', { contentType: 'text' }, 'contentType', 'invalid_string'],
    ['a type with a header in it', { contentType: 'text/plain\r\nX: b' }, 'contentType', 'invalid_string'],
    ['an unknown disposition', { disposition: 'hidden' }, 'disposition', 'invalid_string'],
    ['inline without contentId', { disposition: 'inline' }, 'contentId', 'required'],
    ['a contentId with brackets', { disposition: 'inline', contentId: '<a>' }, 'contentId', 'invalid_string'],
  ])('%s is rejected', async (_name, change, field, code) =>
    expectRefused({ attachments: [text(), text(change)] }, `attachments.1.${field}`, code),
  );

  it.each([
    ['a list', {}],
    ['objects', ['a']],
  ])('that are not %s are rejected', async (_name, attachments) => {
    const project = await api.project();
    expect(refusal(await send(project, { attachments }))).toMatchObject([
      422,
      'VALIDATION_ERROR',
      expect.stringMatching(/^attachments/),
    ]);
  });
});

describe('sizes', () => {
  it('a message larger than 40 MB as an email returns 413, and nothing is written', async () => {
    const project = await api.project();
    expect(refusal(await send(project, { body: 'x'.repeat(21 * MEGABYTE) }))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect(await emails(project)).toBe(0);
  });

  it('a request body above 60 MB returns 413, and one below it is accepted', async () => {
    const project = await api.project();
    expect(refusal(await send(project, { ignored: 'x'.repeat(60 * MEGABYTE) }))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await send(project, { ignored: 'x'.repeat(50 * MEGABYTE) })).statusCode).toBe(200);
  });
});
