/**
 * Concurrent requests share statements (src/db/shared-statement.ts): they must not affect each other.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createAcceptEvent } from '../../src/domain/events/track.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { refusal } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '20' });
const { track, tracked, contact, contacts, events, insertContact } = eventHelpers(api);

const times = <T>(count: number, item: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => item(index));
const names = async (project: TestProject) => (await events(project)).map(([name]) => name);

/**
 * Tracks one event with its own tracker, as another API instance does: it shares no statement with others, and they
 * meet only in the database.
 */
const onAnotherInstance = (
  project: TestProject,
  email: string,
  fields: { set?: Record<string, unknown>; subscribed?: boolean } = {},
) =>
  createAcceptEvent(api.ctx.pool)({
    projectId: project.id,
    contact: { id: newId(), email },
    set: fields.set ?? {},
    unset: [],
    subscribed: fields.subscribed,
    isPublic: true,
    event: { id: newId(), name: 'e', data: {} },
    idempotency: null,
  });

describe('concurrent requests', () => {
  it('100 for a new address create one contact and 100 events without errors', async () => {
    const project = await api.project();
    const answers = await Promise.all(times(100, () => tracked(project)));
    expect(new Set(answers.map((answer) => answer.contact)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.event)).size).toBe(100);
    expect([await contacts(project), (await names(project)).length]).toEqual([1, 100]);
  });

  it('100 for a new address with different data lose no field, and write one event per change', async () => {
    const project = await api.project();
    await Promise.all(
      times(100, (index) => tracked(project, { data: { [`k${index % 50}`]: index }, subscribed: index % 2 === 0 })),
    );
    const { data, subscribed } = await contact(project);
    expect(Object.keys(z.object({}).loose().parse(data))).toHaveLength(50);
    const log = await names(project);
    expect(log.filter((name) => name === 'signed up')).toHaveLength(100);
    const [on, off] = ['contact.subscribed', 'contact.unsubscribed'].map(
      (name) => log.filter((each) => each === name).length,
    );
    // Changes alternate: the numbers of the two kinds differ by at most one.
    const net = (on ?? 0) - (off ?? 0);
    expect(subscribed ? [0, 1] : [-1, 0]).toContain(net);
    expect(await contacts(project)).toBe(1);
  });

  it('100 with the same change of the subscription write one event', async () => {
    const project = await api.project();
    await tracked(project);
    await Promise.all(times(100, () => tracked(project, { subscribed: false, data: { plan: 'pro' } })));
    expect((await names(project)).filter((name) => name === 'contact.unsubscribed')).toHaveLength(1);
    expect(await contact(project)).toMatchObject({ subscribed: false, data: { plan: 'pro' } });
    expect((await names(project)).length).toBe(102);
  });

  it('that change a contact in both directions are listed in the order of the changes', async () => {
    const project = await api.project();
    const { contact: id } = await tracked(project);
    const ways = [
      (subscribed: boolean) => tracked(project, { subscribed }),
      (subscribed: boolean) =>
        api.as(project, 'POST', '/v1/send', {
          to: 'ada@x.test',
          from: `team@${project.domain}`,
          subject: 's',
          body: 'b',
          subscribed,
        }),
      (subscribed: boolean) => api.as(project, 'PATCH', `/contacts/${id}`, { subscribed }),
    ];
    await Promise.all(
      times(20, (index) => index % 2 === 0).flatMap((subscribed) =>
        ways.map((way): Promise<unknown> => way(subscribed)),
      ),
    );
    const flips = (await names(project)).filter((name) => name !== 'signed up');
    expect(flips.length).toBeGreaterThan(1);
    // The contact was subscribed at first.
    expect(flips).toEqual(flips.map((_, index) => (index % 2 === 0 ? 'contact.unsubscribed' : 'contact.subscribed')));
  });

  // Statements of 40 instances meet at the unique index and at the row's lock.
  it('for a new address on many instances create one contact without errors', async () => {
    const project = await api.project();
    const answers = await Promise.all(
      times(40, (index) => onAnotherInstance(project, 'ada@x.test', { set: { [`k${index}`]: index } })),
    );
    expect(new Set(answers.map((answer) => answer.kind === 'recorded' && answer.event.contactId)).size).toBe(1);
    expect(
      Object.keys(
        z
          .object({})
          .loose()
          .parse((await contact(project)).data),
      ),
    ).toHaveLength(40);
    expect(await names(project)).toHaveLength(40);
  });

  // Each statement has several contacts: without one order of locks, two of them would deadlock.
  it('for the same contacts in different orders, including sends, do not deadlock', async () => {
    const project = await api.project();
    const addresses = times(20, (index) => `c${index}@x.test`);
    const rounds = times(6, (round) => (round % 2 === 0 ? addresses : addresses.toReversed()));
    const statuses = await Promise.all([
      ...rounds.flatMap((order) =>
        order.map(async (email, index) => (await track(project, { email, data: { index } })).statusCode),
      ),
      ...rounds.map(
        async (order) =>
          (
            await api.as(project, 'POST', '/v1/send', {
              to: order,
              from: `team@${project.domain}`,
              subject: 's',
              body: 'b',
              data: { sent: true },
            })
          ).statusCode,
      ),
    ]);
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect([await contacts(project), (await names(project)).length]).toEqual([20, 120]);
  });

  it('a rejected request does not affect others', async () => {
    const project = await api.project();
    await tracked(project, { email: 'full@x.test', data: Object.fromEntries(times(100, (index) => [`k${index}`, 1])) });
    const responses = await Promise.all(
      times(30, (index) =>
        track(
          project,
          index % 10 === 5
            ? { email: 'full@x.test', data: { more: 1 } }
            : { email: `c${index}@x.test`, event: `e${index}` },
        ),
      ),
    );
    expect(responses.map((response) => response.statusCode)).toEqual(
      times(30, (index) => (index % 10 === 5 ? 422 : 200)),
    );
    expect(responses.filter((_, index) => index % 10 === 5).map(refusal)).toEqual(
      times(3, () => [422, 'VALIDATION_ERROR', 'data']),
    );
    expect([await contacts(project), (await names(project)).length]).toEqual([28, 28]);
  });

  it('of two projects stay in their projects', async () => {
    const [one, two] = [await api.project(), await api.project()];
    await Promise.all(
      times(40, (index) =>
        tracked(index % 2 === 0 ? one : two, { email: `c${index % 5}@x.test`, event: `p${index % 2}` }),
      ),
    );
    expect([await contacts(one), new Set(await names(one))]).toEqual([5, new Set(['p0'])]);
    expect([await contacts(two), new Set(await names(two))]).toEqual([5, new Set(['p1'])]);
  });

  it('while contacts are deleted are all accepted, and none is partly written', async () => {
    const project = await api.project();
    const id = await insertContact(project, { email: 'ada@x.test' });
    const [deleted, ...responses] = await Promise.all([
      api.as(project, 'DELETE', `/contacts/${id}`),
      ...times(50, (index) => track(project, { data: { [`k${index % 3}`]: index } })),
    ]);
    expect([deleted.statusCode, ...new Set(responses.map((response) => response.statusCode))]).toEqual([204, 200]);
    const rest = await api.ctx.prisma.event.findMany({ where: { projectId: project.id } });
    expect(new Set(rest.map((event) => event.contactId)).size).toBeLessThanOrEqual(1);
    expect(rest.some((event) => event.contactId === id)).toBe(false);
  });
});
