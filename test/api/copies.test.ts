/** `cc` and `bcc` of `POST /v1/send`: copies with the content of the original (research, ahead.md, section 3.5). */
import { describe, expect, test } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { errorOf } from '../helpers/session.js';

const api = useApi();

const HOUR = 3_600_000;
const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

const send = (project: TestProject, body: Record<string, unknown> = {}) =>
  api.as(project, 'POST', '/v1/send', {
    to: { name: 'Ada', email: 'ada@x.test' },
    from: `team@${project.domain}`,
    subject: 'Hello {{ name }}',
    body: '<p>Hi {{ email }}</p>',
    data: { name: 'Ada' },
    ...body,
  });

const COPIES = { cc: [{ name: 'Grace Hopper', email: 'grace@x.test' }, 'eve@x.test'], bcc: 'archive@x.test' };

/** Sends an email with copies. @returns their ids, the original first */
async function sendCopies(project: TestProject, body: Record<string, unknown> = {}): Promise<string[]> {
  const response = await send(project, { ...COPIES, ...body });
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails.map(({ email }) => email);
}

const get = async (project: TestProject, path: string) => (await api.as(project, 'GET', path)).json();
const statusesOf = async (project: TestProject, ids: string[]) =>
  Promise.all(ids.map(async (id) => (await get(project, `/emails/${id}`)).status));

test('each address gets an email of its own, and only the recipient becomes a contact', async () => {
  const project = await api.project();
  const { data } = (await send(project, COPIES)).json();
  expect(data.emails).toMatchObject([
    { contact: { id: expect.any(String), email: 'ada@x.test' } },
    { contact: { id: null, email: 'grace@x.test' } },
    { contact: { id: null, email: 'eve@x.test' } },
    { contact: { id: null, email: 'archive@x.test' } },
  ]);
  expect((await get(project, '/contacts')).data).toHaveLength(1);
  const [original, ...copies] = data.emails.map(({ email }: { email: string }) => email);
  const shown = await get(project, `/emails/${original}`);
  expect(shown).toMatchObject({ cc: ['grace@x.test', 'eve@x.test'], copyOf: null, copies });
  for (const copy of copies)
    expect(await get(project, `/emails/${copy}`)).toMatchObject({
      copyOf: original,
      copies: [],
      subject: 'Hello Ada',
      messageId: shown.messageId,
    });
});

test('the content of a copy is that of its original, and names the addresses of cc only', async () => {
  const project = await api.project();
  const [original, ...copies] = await sendCopies(project);
  const content = await get(project, `/emails/${original}/content`);
  expect(content).toMatchObject({ subject: 'Hello Ada', html: '<p>Hi ada@x.test</p>' });
  const headers = Object.fromEntries(
    content.headers.map(({ name, value }: { name: string; value: string }) => [name, value]),
  );
  expect(headers).toMatchObject({ To: 'Ada <ada@x.test>', Cc: 'Grace Hopper <grace@x.test>, eve@x.test' });
  expect(JSON.stringify(content)).not.toContain('archive@x.test');
  for (const copy of copies) expect(await get(project, `/emails/${copy}/content`)).toEqual(content);
});

test('without addresses in cc, there is no header Cc', async () => {
  const project = await api.project();
  const [original] = await sendCopies(project, { cc: undefined });
  const { headers } = await get(project, `/emails/${original}/content`);
  expect(headers.map(({ name }: { name: string }) => name)).not.toContain('Cc');
});

describe('a scheduled email with copies', () => {
  test.each([0, 2])('is moved with them by the id of any of them (%i)', async (index) => {
    const project = await api.project();
    const ids = await sendCopies(project, { scheduledFor: inMs(HOUR) });
    const scheduledFor = inMs(2 * HOUR);
    expect((await api.as(project, 'PATCH', `/emails/${ids[index]}`, { scheduledFor })).statusCode).toBe(200);
    for (const id of ids) expect(await get(project, `/emails/${id}`)).toMatchObject({ scheduledFor });
  });

  test.each([0, 3])('is canceled with them by the id of any of them (%i)', async (index) => {
    const project = await api.project();
    const ids = await sendCopies(project, { scheduledFor: inMs(HOUR) });
    expect((await api.as(project, 'POST', `/emails/${ids[index]}/cancel`)).statusCode).toBe(200);
    expect(await statusesOf(project, ids)).toEqual(ids.map(() => 'CANCELLED'));
  });

  test('is canceled once by concurrent requests for all of them', async () => {
    const project = await api.project();
    const ids = await sendCopies(project, { scheduledFor: inMs(HOUR) });
    const responses = await Promise.all(ids.map((id) => api.as(project, 'POST', `/emails/${id}/cancel`)));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(ids.map(() => 200));
    const { data } = await get(project, '/events?eventName=email.cancelled');
    expect(data).toHaveLength(ids.length);
  });
});

test.each([
  ['more than one recipient', { to: ['ada@x.test', 'bob@x.test'], cc: 'eve@x.test' }, 'cc'],
  [
    '51 copies',
    {
      cc: Array.from({ length: 30 }, (_, n) => `cc${n}@x.test`),
      bcc: Array.from({ length: 21 }, (_, n) => `bcc${n}@x.test`),
    },
    'cc',
  ],
  ['an invalid address', { bcc: ['archive'] }, 'bcc'],
])('%s is rejected', async (_what, change, field) => {
  const project = await api.project();
  const response = await send(project, change);
  expect(response.statusCode).toBe(422);
  expect(errorOf(response)).toMatchObject({ errors: [{ field: expect.stringMatching(new RegExp(`^${field}`)) }] });
  expect((await get(project, '/emails')).total).toBe(0);
});

test.each([
  ['51 addresses in cc', { cc: Array.from({ length: 51 }, (_, n) => `cc${n}@x.test`) }, 'cc'],
  ['1,001 recipients', { cc: undefined, to: Array.from({ length: 1001 }, (_, n) => `r${n}@x.test`) }, 'to'],
])('the error of %s is that they are too many', async (_what, change, field) => {
  const response = await send(await api.project(), change);
  expect(errorOf(response)).toMatchObject({ errors: [{ field, code: 'too_big' }] });
});

test('50 copies are accepted, and count for billing', async () => {
  const project = await api.project();
  const bcc = Array.from({ length: 50 }, (_, n) => `bcc${n}@x.test`);
  expect(await sendCopies(project, { cc: undefined, bcc })).toHaveLength(51);
  expect((await get(project, '/emails')).total).toBe(51);
});

test.each(['text', 'cc', 'bcc'])('%s cannot be given with a marketing template', async (field) => {
  const project = await api.project();
  const content = { subject: 'S', body: '<p>B</p>', from: `team@${project.domain}` };
  const template = await api.as(project, 'POST', '/templates', { name: 'T', type: 'MARKETING', ...content });
  const response = await api.as(project, 'POST', '/v1/send', {
    to: 'ada@x.test',
    template: template.json().id,
    subscribed: true,
    [field]: 'eve@x.test',
  });
  expect(response.statusCode).toBe(422);
  expect(errorOf(response)).toMatchObject({
    errors: [{ field, message: 'can only be given with a transactional template' }],
  });
});
