import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';

const api = useApi();

const keys = (count: number, prefix = 'key') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, index]));

async function create(project: TestProject, body: Record<string, unknown> = {}) {
  const response = await api.as(project, 'POST', '/contacts', { email: `${newId()}@x.test`, ...body });
  expect(response.statusCode).toBe(201);
  return response.json();
}

const get = async (project: TestProject, id: string) => (await api.as(project, 'GET', `/contacts/${id}`)).json();

const eventsOf = (contactId: string) =>
  api.ctx.prisma.event.findMany({ where: { contactId }, orderBy: { id: 'asc' }, select: { name: true, data: true } });

const flip = (subscribed: boolean, extra = {}) => ({
  name: subscribed ? 'contact.subscribed' : 'contact.unsubscribed',
  data: { source: 'api', ...extra },
});

const inOneHour = () => new Date(Date.now() + 3_600_000).toISOString();

describe('timezone', () => {
  it('is a field of the contact and of its data, and null removes it', async () => {
    const project = await api.project();
    const { id, ...created } = (
      await api.as(project, 'POST', '/contacts', {
        email: 'a@x.test',
        timezone: 'Asia/Kathmandu',
        data: { plan: 'pro' },
      })
    ).json();
    expect(created).toMatchObject({ timezone: 'Asia/Kathmandu', data: { plan: 'pro', timezone: 'Asia/Kathmandu' } });
    const change = async (body: object) => (await api.as(project, 'PATCH', `/contacts/${id}`, body)).json();
    expect(await change({ timezone: 'Europe/Berlin' })).toMatchObject({ timezone: 'Europe/Berlin' });
    expect(await change({ data: { timezone: 'UTC' } })).toMatchObject({ timezone: 'UTC' });
    expect(await change({ data: { timezone: 5 } })).toMatchObject({ timezone: null, data: { timezone: 5 } });
    expect(await change({ timezone: 'UTC', data: { timezone: null } })).toMatchObject({ timezone: 'UTC' });
    const removed = await change({ timezone: null });
    expect(removed).toMatchObject({ timezone: null, data: { plan: 'pro' } });
    expect(removed.data).not.toHaveProperty('timezone');
    expect((await api.as(project, 'GET', '/contacts')).json().data).toMatchObject([{ id, timezone: null }]);
  });

  it.each(['Mars/Olympus', 'foo+3', '+02:00', 'BST', 'SystemV/AST4', '', 'x'.repeat(65)])(
    '%j is rejected and changes nothing',
    async (timezone) => {
      const project = await api.project();
      const response = await api.as(project, 'POST', '/contacts', { email: 'a@x.test', timezone });
      expect(response.statusCode).toBe(422);
      expect(response.json().error.errors).toMatchObject([{ field: 'timezone' }]);
      expect((await api.as(project, 'GET', '/contacts')).json().total).toBe(0);
    },
  );
});

describe('POST /contacts', () => {
  it('creates a subscribed contact by default: 201 with _meta', async () => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/contacts', { email: ' Ada@Example.TEST ', data: { plan: 'pro' } });
    expect(response.statusCode).toBe(201);
    const contact = response.json();
    expect(contact).toEqual({
      id: expect.any(String),
      email: 'ada@example.test',
      subscribed: true,
      snoozedUntil: null,
      timezone: null,
      data: { plan: 'pro' },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: contact.createdAt,
      _meta: { isNew: true, isUpdate: false },
    });
    expect(await eventsOf(contact.id)).toEqual([]);
  });

  it('updates a known contact by its address, in any case: 200, data merged, subscription unchanged', async () => {
    const project = await api.project();
    const { id } = await create(project, {
      email: 'a@x.test',
      subscribed: false,
      data: { plan: 'pro', city: 'Paris', team: 'red' },
    });
    const response = await api.as(project, 'POST', '/contacts', {
      email: 'A@X.test',
      data: { plan: null, city: '', team: { value: 'blue', persistent: true }, code: { value: 1, persistent: false } },
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      id,
      subscribed: false,
      data: { city: 'Paris', team: 'blue' },
      _meta: { isNew: false, isUpdate: true },
    });
    expect(response.json().data).not.toHaveProperty('plan');
    expect(response.json().data).not.toHaveProperty('code');
    expect(await eventsOf(id)).toEqual([]);
  });

  it('writes an event only if the subscription changes', async () => {
    const project = await api.project();
    const { id } = await create(project, { email: 'a@x.test' });
    for (const subscribed of [true, false, false, true])
      await api.as(project, 'POST', '/contacts', { email: 'a@x.test', subscribed });
    expect(await eventsOf(id)).toEqual([flip(false), flip(true)]);
  });

  it('silently removes reserved keys and those of the prototype', async () => {
    const project = await api.project();
    const payload = `{"email":"a@x.test","data":{"id":"1","svc_id":"1","svc_email":"1","email":"1","unsubscribeUrl":"1","subscribeUrl":"1","manageUrl":"1","__proto__":{"a":1},"constructor":"1","prototype":"1","ok":"1"}}`;
    const response = await api.app.inject({
      method: 'POST',
      url: '/contacts',
      headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode).toBe(201);
    expect(response.json().data).toEqual({ ok: '1' });
  });

  it.each([
    ["o'neil+tag@x.test", "o'neil+tag@x.test"],
    ['50%off=a&b@x.test', '50%off=a&b@x.test'],
    ['a@xn--e1afmkfd.xn--p1ai', 'a@xn--e1afmkfd.xn--p1ai'],
    ['A@Пример.РФ', 'a@xn--e1afmkfd.xn--p1ai'],
    ['a@münchen.test', 'a@xn--mnchen-3ya.test'],
  ])('accepts the address %s and converts its domain to ASCII', async (given, stored) => {
    const project = await api.project();
    expect((await create(project, { email: given })).email).toBe(stored);
    expect((await api.as(project, 'POST', '/contacts', { email: stored })).statusCode).toBe(200);
  });

  it.each([
    ['no body', undefined],
    ['an empty object', {}],
    ['null', { email: null }],
    ['no email and other errors', { subscribed: 'yes', data: 1 }],
  ])('returns the flat 400 for a missing email (%s)', async (_what, body) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/contacts', body);
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: expect.stringContaining('email') });
  });

  it.each([
    [{ email: '' }, 'email', 'invalid_string'],
    [{ email: 'no-at-sign' }, 'email', 'invalid_string'],
    [{ email: 'a@b@c.test' }, 'email', 'invalid_string'],
    ...[
      'a..b@x.test',
      '.a@x.test',
      'a b@x.test',
      'a@localhost',
      'a@127.0.0.1',
      'a@[127.0.0.1]',
      'a@-x.test',
      'a@x-.test',
      'a@x..test',
      'ü@x.test',
      'a@ü/x.test',
      `${'x'.repeat(65)}@x.test`,
    ].map((email): [object, string, string] => [{ email }, 'email', 'invalid_string']),
    [{ email: 7 }, 'email', 'invalid_type'],
    [{ email: `${'x'.repeat(250)}@x.test` }, 'email', 'too_big'],
    [{ email: 'a@x.test', subscribed: 'true' }, 'subscribed', 'invalid_type'],
    [{ email: 'a@x.test', data: 'x' }, 'data', 'invalid_type'],
    [{ email: 'a@x.test', data: [] }, 'data', 'invalid_type'],
    [{ email: 'a@x.test', data: { note: 'a\u0000b' } }, 'data.note', 'invalid_string'],
    [{ email: 'a@x.test', data: keys(101) }, 'data', 'too_big'],
    [{ email: 'a@x.test', data: { text: 'x'.repeat(65_537) } }, 'data', 'too_big'],
    [[], '', 'invalid_type'],
  ])('rejects %j', async (body, field, code) => {
    const project = await api.project();
    const response = await api.as(project, 'POST', '/contacts', body);
    expect(response.statusCode).toBe(422);
    expect(response.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      statusCode: 422,
      errors: [expect.objectContaining({ field, code })],
    });
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
  });

  it('rejects data that would exceed 100 keys, and changes nothing', async () => {
    const project = await api.project();
    const before = await create(project, { email: 'a@x.test', data: keys(60) });
    const response = await api.as(project, 'POST', '/contacts', {
      email: 'a@x.test',
      subscribed: false,
      data: keys(60, 'more'),
    });
    expect(response.statusCode).toBe(422);
    expect(response.json().error.errors).toEqual([expect.objectContaining({ field: 'data', code: 'too_big' })]);
    const { _meta, ...contact } = before;
    expect(await get(project, before.id)).toEqual(contact);
    expect(await eventsOf(before.id)).toEqual([]);
  });

  it('creates one contact for concurrent requests with the same address', async () => {
    const project = await api.project();
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        api.as(project, 'POST', '/contacts', { email: 'a@x.test', data: { [`k${index}`]: index } }),
      ),
    );
    expect(responses.filter((response) => response.statusCode === 201)).toHaveLength(1);
    expect(responses.filter((response) => response.statusCode === 200)).toHaveLength(11);
    const [contact, ...others] = await api.ctx.prisma.contact.findMany({ where: { projectId: project.id } });
    expect(others).toEqual([]);
    expect(Object.keys(contact?.data ?? {})).toHaveLength(12);
  });

  it('keeps the same address of two projects apart', async () => {
    const [one, other] = [await api.project(), await api.project()];
    expect((await create(one, { email: 'a@x.test' })).id).not.toBe((await create(other, { email: 'a@x.test' })).id);
  });

  it('ends a snooze when the subscription is written', async () => {
    const project = await api.project();
    const { id } = await create(project, { email: 'a@x.test' });
    await api.as(project, 'PATCH', `/contacts/${id}`, { snoozedUntil: inOneHour() });
    const response = await api.as(project, 'POST', '/contacts', { email: 'a@x.test', subscribed: false });
    expect(response.json()).toMatchObject({ subscribed: false, snoozedUntil: null });
  });
});

describe('GET, PATCH and DELETE /contacts/:id', () => {
  it.each(['GET', 'PATCH', 'DELETE'] as const)(
    '%s returns the same 404 for a malformed id, an unknown id, and an id of another project',
    async (method) => {
      const [project, other] = [await api.project(), await api.project()];
      const foreign = await create(other);
      const bodies = [];
      for (const id of ['lookup', newId(), foreign.id]) {
        const response = await api.as(
          project,
          method,
          `/contacts/${id}`,
          method === 'PATCH' ? { subscribed: false } : undefined,
        );
        expect(response.statusCode).toBe(404);
        const { requestId: _requestId, ...error } = response.json().error;
        bodies.push(error);
      }
      expect(bodies[0]).toMatchObject({ code: 'CONTACT_NOT_FOUND' });
      expect(bodies[1]).toEqual(bodies[0]);
      expect(bodies[2]).toEqual(bodies[0]);
      expect(await get(other, foreign.id)).toMatchObject({ id: foreign.id, subscribed: true });
    },
  );

  it('returns a contact without _meta', async () => {
    const project = await api.project();
    const { _meta, ...contact } = await create(project, { data: { plan: 'pro' } });
    expect(await get(project, contact.id)).toEqual(contact);
  });

  it.each(['GET', 'POST'] as const)('rejects the public key at %s with 401', async (method) => {
    const project = await api.project();
    const response = await api.app.inject({
      method,
      url: '/contacts',
      headers: { authorization: `Bearer ${project.public}` },
    });
    expect(response.statusCode).toBe(401);
    expect(response.json().error.code).toBe('INVALID_API_KEY');
  });
});

describe('PATCH /contacts/:id', () => {
  it('changes the given fields, and keeps the rest', async () => {
    const project = await api.project();
    const contact = await create(project, { data: { plan: 'pro', city: 'Paris' } });
    const response = await api.as(project, 'PATCH', `/contacts/${contact.id}`, {
      email: ' New@X.Test',
      data: { plan: null, city: '', age: 3, id: 'no' },
    });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({
      id: contact.id,
      email: 'new@x.test',
      subscribed: true,
      data: { city: 'Paris', age: 3 },
      createdAt: contact.createdAt,
    });
    expect(Object.keys(response.json().data).toSorted()).toEqual(['age', 'city']);
    expect(response.json().updatedAt > contact.updatedAt).toBe(true);
    expect(await get(project, contact.id)).toEqual(response.json());
  });

  it.each([
    [{}],
    [undefined],
    [{ subscribed: true }],
    [{ data: { plan: 'pro', city: '' } }],
    [{ email: 'SAME@x.test' }],
    [{ unknown: 1 }],
  ])('updates updatedAt only for a real change: %j', async (body) => {
    const project = await api.project();
    const { _meta, ...contact } = await create(project, { email: 'same@x.test', data: { plan: 'pro' } });
    const response = await api.as(project, 'PATCH', `/contacts/${contact.id}`, body);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(contact);
    expect(await eventsOf(contact.id)).toEqual([]);
  });

  it('writes contact.unsubscribed and contact.subscribed when the subscription flips', async () => {
    const project = await api.project();
    const { id } = await create(project);
    for (const subscribed of [true, false, false, true])
      await api.as(project, 'PATCH', `/contacts/${id}`, { subscribed });
    expect(await eventsOf(id)).toEqual([flip(false), flip(true)]);
  });

  it('writes one event for concurrent requests with the same subscription', async () => {
    const project = await api.project();
    const { id } = await create(project);
    await Promise.all(
      Array.from({ length: 8 }, () => api.as(project, 'PATCH', `/contacts/${id}`, { subscribed: false })),
    );
    expect(await eventsOf(id)).toEqual([flip(false)]);
  });

  it('loses no key when concurrent requests write different ones', async () => {
    const project = await api.project();
    const { id } = await create(project);
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api.as(project, 'PATCH', `/contacts/${id}`, { data: { [`k${index}`]: index } }),
      ),
    );
    expect((await get(project, id)).data).toEqual(keys(8, 'k'));
  });

  it('rejects the address of another contact of the project with 409, and changes nothing', async () => {
    const project = await api.project();
    await create(project, { email: 'taken@x.test' });
    const { _meta, ...contact } = await create(project);
    const response = await api.as(project, 'PATCH', `/contacts/${contact.id}`, {
      email: 'Taken@x.test',
      subscribed: false,
      data: { a: 1 },
    });
    expect(response.statusCode).toBe(409);
    expect(response.json().error.code).toBe('CONFLICT');
    expect(await get(project, contact.id)).toEqual(contact);
    expect(await eventsOf(contact.id)).toEqual([]);
  });

  it('returns 409, never 500, when two contacts swap addresses concurrently', async () => {
    const project = await api.project();
    const [a, b] = [await create(project, { email: 'a@x.test' }), await create(project, { email: 'b@x.test' })];
    const responses = await Promise.all([
      api.as(project, 'PATCH', `/contacts/${a.id}`, { email: 'b@x.test' }),
      api.as(project, 'PATCH', `/contacts/${b.id}`, { email: 'a@x.test' }),
    ]);
    expect(responses.map((response) => response.statusCode)).toEqual([409, 409]);
  });

  it('accepts the address of a contact in another project', async () => {
    const [project, other] = [await api.project(), await api.project()];
    await create(other, { email: 'a@x.test' });
    const { id } = await create(project);
    expect((await api.as(project, 'PATCH', `/contacts/${id}`, { email: 'a@x.test' })).statusCode).toBe(200);
  });

  it.each([
    [{ email: 'no-at-sign' }, 'email', 'invalid_string'],
    [{ email: null }, 'email', 'invalid_type'],
    [{ email: '' }, 'email', 'invalid_string'],
    [{ subscribed: null }, 'subscribed', 'invalid_type'],
    [{ subscribed: 1 }, 'subscribed', 'invalid_type'],
    [{ data: null }, 'data', 'invalid_type'],
    [{ data: keys(61, 'more') }, 'data', 'too_big'],
    [{ data: { text: 'x'.repeat(65_000), more: 'x'.repeat(600) } }, 'data', 'too_big'],
    [{ snoozedUntil: 'tomorrow' }, 'snoozedUntil', 'invalid_string'],
    [{ snoozedUntil: 5 }, 'snoozedUntil', 'invalid_type'],
    [{ snoozedUntil: '2020-01-01T00:00:00Z' }, 'snoozedUntil', 'custom'],
    [{ snoozedUntil: '2999-01-01T00:00:00Z', subscribed: true }, 'snoozedUntil', 'custom'],
  ])('rejects %j, and changes nothing', async (body, field, code) => {
    const project = await api.project();
    const { _meta, ...contact } = await create(project, { data: keys(40) });
    const response = await api.as(project, 'PATCH', `/contacts/${contact.id}`, body);
    expect(response.statusCode).toBe(422);
    expect(response.json().error).toMatchObject({
      code: 'VALIDATION_ERROR',
      errors: [expect.objectContaining({ field, code })],
    });
    expect(await get(project, contact.id)).toEqual(contact);
  });

  it('snoozes a contact: unsubscribed until then, with the event', async () => {
    const project = await api.project();
    const { id } = await create(project);
    const snoozedUntil = inOneHour();
    const response = await api.as(project, 'PATCH', `/contacts/${id}`, { snoozedUntil });
    expect(response.json()).toMatchObject({ subscribed: false, snoozedUntil });
    expect(await eventsOf(id)).toEqual([flip(false, { snoozedUntil })]);
  });

  it.each([
    [{ subscribed: true }, { subscribed: true, snoozedUntil: null }, [flip(true)]],
    [{ subscribed: false }, { subscribed: false, snoozedUntil: null }, []],
    [{ snoozedUntil: null }, { subscribed: false, snoozedUntil: null }, []],
    [{ snoozedUntil: null, subscribed: true }, { subscribed: true, snoozedUntil: null }, [flip(true)]],
  ])('ends a snooze with %j', async (body, expected, events) => {
    const project = await api.project();
    const { id } = await create(project);
    const snoozedUntil = inOneHour();
    await api.as(project, 'PATCH', `/contacts/${id}`, { snoozedUntil });
    expect((await api.as(project, 'PATCH', `/contacts/${id}`, { data: { a: 1 } })).json()).toMatchObject({
      snoozedUntil,
    });
    expect((await api.as(project, 'PATCH', `/contacts/${id}`, body)).json()).toMatchObject(expected);
    expect(await eventsOf(id)).toEqual([flip(false, { snoozedUntil }), ...events]);
  });
});
