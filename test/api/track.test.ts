import { describe, expect, it } from 'vitest';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { errorOf, newUser, refusal } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '20' });
const { track, tracked, contact, contacts, events } = eventHelpers(api);

const untouched = async (project: TestProject): Promise<void> => {
  expect([await contacts(project), await events(project)]).toEqual([0, []]);
};

describe('POST /v1/track', () => {
  it('creates contact and event, and returns { success, data: { contact, event, timestamp } }', async () => {
    const project = await api.project();
    const response = await track(project, { data: { plan: 'pro' } });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        success: true,
        data: { contact: expect.any(String), event: expect.any(String), timestamp: expect.any(String) },
      },
    ]);
    const { data } = response.json();
    const event = await api.ctx.prisma.event.findUniqueOrThrow({ where: { id: data.event } });
    expect(event).toMatchObject({
      projectId: project.id,
      contactId: data.contact,
      emailId: null,
      name: 'signed up',
      data: { plan: 'pro' },
    });
    expect(event.createdAt.toISOString()).toBe(data.timestamp);
    expect(Math.abs(Date.parse(data.timestamp) - Date.now())).toBeLessThan(60_000);
    expect(await contact(project)).toMatchObject({
      id: data.contact,
      subscribed: true,
      snoozedUntil: null,
      data: { plan: 'pro' },
    });
  });

  it('creates a new event each time the same event is tracked, for one contact', async () => {
    const project = await api.project();
    const [first, second] = [await tracked(project), await tracked(project)];
    expect(second.contact).toBe(first.contact);
    expect(second.event).not.toBe(first.event);
    expect(await events(project)).toEqual([
      ['signed up', {}],
      ['signed up', {}],
    ]);
  });

  it('ignores `subscribed` for known contacts, and not for new ones, if the project says so', async () => {
    const project = await api.project();
    await tracked(project, { subscribed: true });
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { trackMayChangeSubscription: false } });
    await tracked(project, { subscribed: false, data: { plan: 'pro' } });
    expect(await contact(project)).toMatchObject({ subscribed: true, data: { plan: 'pro' } });
    await tracked(project, { email: 'new@x.test', subscribed: false });
    expect(
      await api.ctx.prisma.contact.findFirst({ where: { projectId: project.id, email: 'new@x.test' } }),
    ).toMatchObject({ subscribed: false });
  });

  it('leaves `POST /events/track`, which needs the secret key, out of that setting', async () => {
    const project = await api.project();
    await tracked(project, { subscribed: true });
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { trackMayChangeSubscription: false } });
    const body = { email: 'ada@x.test', event: 'signed up', subscribed: false };
    expect((await api.as(project, 'POST', '/events/track', body)).statusCode).toBe(201);
    expect(await contact(project)).toMatchObject({ subscribed: false });
  });

  it('trims and lowercases the address', async () => {
    const project = await api.project();
    const { contact: id } = await tracked(project);
    expect((await tracked(project, { email: '  ADA@X.Test ' })).contact).toBe(id);
    expect(await contacts(project)).toBe(1);
  });

  it('separates the contacts of two projects', async () => {
    const [mine, yours] = [await api.project(), await api.project()];
    expect((await tracked(mine)).contact).not.toBe((await tracked(yours)).contact);
    expect([await events(mine), await events(yours)]).toEqual([[['signed up', {}]], [['signed up', {}]]]);
  });

  it('ignores unknown fields', async () => {
    const project = await api.project();
    await tracked(project, { timestamp: '2001-01-01T00:00:00Z', contact: 'x', id: 'y' });
    expect(await events(project)).toEqual([['signed up', {}]]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['no email', { email: undefined }, 'email', 'required'],
    ['an email that is not an address', { email: 'ada' }, 'email', 'invalid_string'],
    ['an email that is empty', { email: '' }, 'email', 'invalid_string'],
    [
      'an email of 255 characters',
      { email: `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(57)}.test` },
      'email',
      'too_big',
    ],
    ['an email that is a number', { email: 7 }, 'email', 'invalid_type'],
    ['an email that is null', { email: null }, 'email', 'invalid_type'],
    ['no event', { event: undefined }, 'event', 'required'],
    ['an event that is a number', { event: 7 }, 'event', 'invalid_type'],
    ['an event that is null', { event: null }, 'event', 'invalid_type'],
    ['an event that is empty', { event: '' }, 'event', 'too_small'],
    ['an event of blanks', { event: ' \t\n ' }, 'event', 'too_small'],
    ['an event of 256 characters', { event: 'x'.repeat(256) }, 'event', 'too_big'],
    ['an event of 256 emoji', { event: '😀'.repeat(256) }, 'event', 'too_big'],
    ['an event with NUL', { event: 'a\0b' }, 'event', 'invalid_string'],
    ['subscribed that is a text', { subscribed: 'true' }, 'subscribed', 'invalid_type'],
    ['subscribed that is null', { subscribed: null }, 'subscribed', 'invalid_type'],
    ['data that is a list', { data: [] }, 'data', 'invalid_type'],
    ['data that is a text', { data: 'x' }, 'data', 'invalid_type'],
    ['data that is null', { data: null }, 'data', 'invalid_type'],
    ['data with NUL deep inside', { data: { a: { b: '\0' } } }, 'data.a.b', 'invalid_string'],
  ])('rejects %s with 422 and writes nothing', async (_what, body, field, code) => {
    const project = await api.project();
    const response = await track(project, body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', field]);
    expect(errorOf(response)).toMatchObject({ message: 'Request validation failed', errors: [{ code }] });
    await untouched(project);
  });

  it('returns every invalid field', async () => {
    const response = await track(await api.project(), { email: 'ada', event: '', subscribed: 1 });
    expect(errorOf(response).errors?.map(({ field }) => field)).toEqual(['email', 'event', 'subscribed']);
  });
});

describe('the name of an event', () => {
  it.each([
    'x',
    'a b',
    'order.placed',
    '注文',
    'заказ',
    'طلب',
    'e\u0301',
    '😀',
    '👩‍👩‍👧',
    'a/b?c#d%20',
    "'; DROP TABLE events; --",
    '\\',
    '{{ x }}',
    'names',
    'x'.repeat(255),
    '漢'.repeat(255),
    '😀'.repeat(255),
  ])('can be in any script: %s', async (event) => {
    const project = await api.project();
    await tracked(project, { event });
    expect(await events(project)).toEqual([[event, {}]]);
  });

  it('is trimmed', async () => {
    const project = await api.project();
    await tracked(project, { event: ' \t signed  up \n' });
    await tracked(project, { event: `  ${'x'.repeat(255)}  ` });
    expect(await events(project)).toEqual([
      ['signed  up', {}],
      ['x'.repeat(255), {}],
    ]);
  });

  it.each([
    'email.sent',
    'email.received',
    'email.',
    'email.anything.at all',
    'email.\n',
    '  email.sent ',
    'contact.subscribed',
    'contact.unsubscribed',
    ' contact.subscribed',
    'segment.vip.entry',
    'segment.vip.exit',
    'segment.big-spenders-2.entry',
    'segment.kunden-ü.exit',
  ])(
    'that is reserved returns 422 with the sub-code reserved_event on both endpoints, and writes nothing: %s',
    async (event) => {
      const project = await api.project();
      for (const response of [
        await track(project, { event }),
        await api.as(project, 'POST', '/events/track', { email: 'ada@x.test', event }),
      ]) {
        expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'event']);
        expect(errorOf(response).errors).toEqual([expect.objectContaining({ field: 'event', code: 'reserved_event' })]);
      }
      await untouched(project);
    },
  );

  it.each([
    'email',
    'emails.sent',
    'my email.sent',
    'Email.sent',
    'contact.created',
    'contact.subscribed.again',
    'contact.resubscribed',
    'segment',
    'segment.entry',
    'segment..entry',
    'segment.vip',
    'segment.vip.entered',
    'segment.a.b.entry',
    'segment.vip.entry2',
    'xsegment.vip.exit',
  ])('that only looks like a reserved one is accepted: %s', async (event) => {
    const project = await api.project();
    await tracked(project, { event });
    expect(await events(project)).toEqual([[event, {}]]);
  });
});

describe('authentication', () => {
  it('a secret key on /v1/track returns 401 INVALID_API_KEY with the required key', async () => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/v1/track', { email: 'ada@x.test', event: 'e' });
    expect(refusal(response)).toEqual([401, 'INVALID_API_KEY']);
    expect(errorOf(response).message).toMatch(/public key.*not a secret key/);
    await untouched(project);
  });

  it.each([
    ['no key', {}],
    ['an unknown key', { authorization: `Bearer pk_${'0'.repeat(64)}` }],
    ['a malformed key', { authorization: 'Bearer pk_1' }],
    ['no scheme', { authorization: `pk_${'0'.repeat(64)}` }],
  ])('%s returns 401 INVALID_API_KEY', async (_what, headers) => {
    const response = await api.app.inject({
      method: 'POST',
      url: '/v1/track',
      headers,
      payload: { email: 'ada@x.test', event: 'e' },
    });
    expect(refusal(response)).toEqual([401, 'INVALID_API_KEY']);
  });

  it('a session alone returns 401 on /v1/track', async () => {
    const project = await api.project();
    const user = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'OWNER' } });
    expect(
      refusal(
        await user.call('POST', '/v1/track', { email: 'ada@x.test', event: 'e' }, { 'x-project-id': project.id }),
      ),
    ).toEqual([401, 'INVALID_API_KEY']);
  });

  it('/events/track accepts the secret key, and returns 201 with the resource itself', async () => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/events/track', {
      email: 'ada@x.test',
      event: 'opened the app',
      data: { plan: 'pro' },
    });
    expect([response.statusCode, response.json()]).toEqual([
      201,
      { contact: (await contact(project)).id, event: expect.any(String), timestamp: expect.any(String) },
    ]);
    expect(await events(project)).toEqual([['opened the app', { plan: 'pro' }]]);
  });

  it('/events/track accepts a session that names its project', async () => {
    const project = await api.project();
    const user = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: user.id, role: 'MEMBER' } });
    expect(
      (await user.call('POST', '/events/track', { email: 'ada@x.test', event: 'e' }, { 'x-project-id': project.id }))
        .statusCode,
    ).toBe(201);
    expect(refusal(await user.call('POST', '/events/track', { email: 'ada@x.test', event: 'e' }))).toEqual([
      400,
      'BAD_REQUEST',
    ]);
    expect(await events(project)).toEqual([['e', {}]]);
  });

  it('/events/track rejects the public key with 401 INVALID_API_KEY', async () => {
    const project = await api.project();
    expect(
      refusal(
        await api.as(
          project,
          'POST',
          '/events/track',
          { email: 'ada@x.test', event: 'e' },
          { authorization: `Bearer ${project.public}` },
        ),
      ),
    ).toEqual([401, 'INVALID_API_KEY']);
  });

  it('a disabled project returns 403 PROJECT_DISABLED', async () => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect(refusal(await track(project))).toEqual([403, 'PROJECT_DISABLED']);
    await untouched(project);
  });

  it('browsers can call it from any origin', async () => {
    const response = await track(await api.project(), {}, { origin: 'https://shop.example.test' });
    expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([200, '*']);
  });
});
