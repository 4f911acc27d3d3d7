import { describe, expect, it } from 'vitest';
import { useApi } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { refusal } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '20' });
const { track, tracked, contact, contacts, events, insertContact } = eventHelpers(api);

describe('subscribed on /v1/track', () => {
  it('is true for a new contact by default, and a new contact writes only the tracked event', async () => {
    const project = await api.project();
    await tracked(project);
    await tracked(project, { email: 'bob@x.test', subscribed: false });
    await tracked(project, { email: 'eve@x.test', subscribed: true });
    expect([
      (await contact(project)).subscribed,
      (await contact(project, 'bob@x.test')).subscribed,
      (await contact(project, 'eve@x.test')).subscribed,
    ]).toEqual([true, false, true]);
    expect((await events(project)).map(([name]) => name)).toEqual(['signed up', 'signed up', 'signed up']);
  });

  it('leaves a known contact unchanged if omitted', async () => {
    const project = await api.project();
    await insertContact(project, { email: 'ada@x.test', subscribed: false });
    const before = await contact(project);
    await tracked(project);
    expect(await contact(project)).toEqual(before);
    expect(await events(project)).toEqual([['signed up', {}]]);
  });

  it('changes the contact and writes contact.subscribed or contact.unsubscribed once, with source track', async () => {
    const project = await api.project();
    const { contact: id } = await tracked(project);
    for (const subscribed of [true, false, false, true]) await tracked(project, { subscribed });
    const flips = await api.ctx.prisma.event.findMany({
      where: { projectId: project.id, name: { startsWith: 'contact.' } },
      orderBy: { id: 'asc' },
    });
    expect(flips.map(({ name, data, contactId }) => [name, data, contactId])).toEqual([
      ['contact.unsubscribed', { source: 'track' }, id],
      ['contact.subscribed', { source: 'track' }, id],
    ]);
    expect((await contact(project)).subscribed).toBe(true);
  });

  it('ends a snooze if given, and keeps it if omitted', async () => {
    const project = await api.project();
    const snoozedUntil = new Date('2099-01-01T00:00:00.000Z');
    await insertContact(project, { email: 'ada@x.test', subscribed: false, snoozedUntil });
    await tracked(project);
    expect(await contact(project)).toMatchObject({ subscribed: false, snoozedUntil });
    await tracked(project, { subscribed: false });
    expect(await contact(project)).toMatchObject({ subscribed: false, snoozedUntil: null });
  });
});

describe('timezone on /v1/track', () => {
  it('is stored on the contact and not in the event, and an unknown one is ignored', async () => {
    const project = await api.project();
    const { event } = await tracked(project, { timezone: 'Australia/Lord_Howe', data: { plan: 'pro' } });
    await tracked(project, { timezone: 'Mars/Olympus' });
    expect((await contact(project)).data).toEqual({ plan: 'pro', timezone: 'Australia/Lord_Howe' });
    const { data } = await api.ctx.prisma.event.findUniqueOrThrow({ where: { id: event } });
    expect(data).toEqual({ plan: 'pro' });
  });
});

describe('data on /v1/track', () => {
  it('stores primitives, lists, and plain objects on contact and event, and keeps other fields', async () => {
    const project = await api.project();
    const data = { plan: 'pro', age: 0, vip: false, tags: ['a', 1], address: { city: 'Köln', value: 1 } };
    await tracked(project, { data: { kept: 'yes', plan: 'free' } });
    await tracked(project, { data });
    expect((await contact(project)).data).toEqual({ kept: 'yes', ...data });
    expect((await events(project)).at(-1)).toEqual(['signed up', data]);
  });

  it('null deletes a field, an empty string is ignored, and neither is in the event', async () => {
    const project = await api.project();
    await tracked(project, { data: { plan: 'pro', name: 'Ada' } });
    await tracked(project, { data: { plan: null, name: '', unknown: null, empty: '' } });
    expect((await contact(project)).data).toEqual({ name: 'Ada' });
    expect((await events(project)).at(-1)).toEqual(['signed up', {}]);
  });

  it('{ value, persistent: false } is stored with the event and never changes the stored field', async () => {
    const project = await api.project();
    await tracked(project, { data: { code: 'stored' } });
    await tracked(project, {
      data: {
        code: { value: '1234', persistent: false },
        once: { value: { deep: [1] }, persistent: false },
        plan: { value: 'pro', persistent: true },
      },
    });
    expect((await contact(project)).data).toEqual({ code: 'stored', plan: 'pro' });
    expect((await events(project)).at(-1)).toEqual(['signed up', { code: '1234', once: { deep: [1] }, plan: 'pro' }]);
  });

  it('an object that only resembles { value, persistent } is a plain object, and is stored', async () => {
    const project = await api.project();
    const data = {
      a: { value: 1 },
      b: { value: 1, persistent: 'false' },
      c: { value: 1, persistent: false, more: 1 },
      d: { persistent: false },
    };
    await tracked(project, { data });
    expect((await contact(project)).data).toEqual(data);
  });

  it('reserved keys and prototype keys are removed from the contact and from the event', async () => {
    const project = await api.project();
    const reserved = [
      'id',
      'svc_id',
      'svc_email',
      'email',
      'unsubscribeUrl',
      'subscribeUrl',
      'manageUrl',
      'constructor',
      'prototype',
    ].map((key) => `${JSON.stringify(key)}:"x"`);
    const payload = `{"email":"ada@x.test","event":"e","data":{${reserved.join(',')},"__proto__":{"polluted":1},"plan":"pro"}}`;
    const response = await api.app.inject({
      method: 'POST',
      url: '/v1/track',
      headers: { authorization: `Bearer ${project.public}`, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode, response.body).toBe(200);
    expect((await contact(project)).data).toEqual({ plan: 'pro' });
    expect(await events(project)).toEqual([['e', { plan: 'pro' }]]);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  const keys = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, index]));
  const once = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, { value: index, persistent: false }]));

  it('accepts 100 keys and 64 KiB; more, including one-time values, return 422 and write nothing', async () => {
    const project = await api.project();
    for (const data of [
      keys(101),
      once(101),
      { text: 'x'.repeat(65_536) },
      { text: { value: 'x'.repeat(65_536), persistent: false } },
    ]) {
      expect(refusal(await track(project, { data }))).toEqual([422, 'VALIDATION_ERROR', 'data']);
    }
    expect([await contacts(project), await events(project)]).toEqual([0, []]);
    await tracked(project, { data: keys(100) });
    await tracked(project, { email: 'once@x.test', data: once(100) });
    await tracked(project, { email: 'big@x.test', data: { text: 'x'.repeat(65_000) } });
  });

  it('that would make a known contact too large returns 422, and writes neither contact nor event', async () => {
    const project = await api.project();
    await tracked(project, { data: keys(60) });
    const [before, log] = [await contact(project), await events(project)];
    expect(refusal(await track(project, { data: keys(60, 60), subscribed: false }))).toEqual([
      422,
      'VALIDATION_ERROR',
      'data',
    ]);
    expect([await contact(project), await events(project)]).toEqual([before, log]);
    await tracked(project, { data: keys(40, 60) });
  });

  it('that changes nothing keeps updatedAt', async () => {
    const project = await api.project();
    await tracked(project, { data: { plan: 'pro' } });
    const before = await contact(project);
    await tracked(project, { data: { plan: 'pro', once: { value: 1, persistent: false } }, subscribed: true });
    expect(await contact(project)).toEqual(before);
  });
});
