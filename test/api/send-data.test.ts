import type { PoolClient } from 'pg';
import { describe, expect, it } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { refusal } from '../helpers/session.js';

const api = useApi({ DATABASE_POOL: '20' });

const send = (project: TestProject, body: Record<string, unknown> = {}) =>
  api.as(project, 'POST', '/v1/send', {
    to: 'ada@x.test',
    from: `team@${project.domain}`,
    subject: 'Hello',
    body: '<p>Hi</p>',
    ...body,
  });

async function accepted(project: TestProject, body: Record<string, unknown> = {}): Promise<string[]> {
  const response = await send(project, body);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails.map(({ email }) => email);
}

const contact = (project: TestProject, email = 'ada@x.test') =>
  api.ctx.prisma.contact.findUniqueOrThrow({ where: { projectId_email: { projectId: project.id, email } } });
const events = async (project: TestProject) =>
  (await api.ctx.prisma.event.findMany({ where: { projectId: project.id }, orderBy: { createdAt: 'asc' } })).map(
    ({ name, data }) => [name, data],
  );
/** Returns the variables of the accepted email. */
const variables = async (id: string | undefined) =>
  (await api.ctx.prisma.email.findUniqueOrThrow({ where: { id }, include: { message: true } })).message.variables;

describe('subscribed', () => {
  it('is false for a new contact by default, and a new contact writes no event', async () => {
    const project = await api.project();
    await accepted(project);
    await accepted(project, { to: 'new@x.test', subscribed: true });
    expect([(await contact(project)).subscribed, (await contact(project, 'new@x.test')).subscribed]).toEqual([
      false,
      true,
    ]);
    expect(await events(project)).toEqual([]);
  });

  it('leaves a known contact unchanged if omitted', async () => {
    const project = await api.project();
    await accepted(project, { subscribed: true });
    await accepted(project);
    expect((await contact(project)).subscribed).toBe(true);
    expect(await events(project)).toEqual([]);
  });

  it('changes the contact and writes contact.subscribed or contact.unsubscribed once, with source send', async () => {
    const project = await api.project();
    await accepted(project);
    await accepted(project, { to: ['ada@x.test', 'ada@x.test'], subscribed: true });
    await accepted(project, { subscribed: true });
    await accepted(project, { subscribed: false });
    expect((await contact(project)).subscribed).toBe(false);
    expect(await events(project)).toEqual([
      ['contact.subscribed', { source: 'send' }],
      ['contact.unsubscribed', { source: 'send' }],
    ]);
  });

  it('ends a snooze if given, and keeps it if omitted', async () => {
    const project = await api.project();
    await accepted(project);
    const snoozedUntil = new Date('2099-01-01T00:00:00.000Z');
    const { id } = await contact(project);
    await api.ctx.prisma.contact.update({ where: { id }, data: { snoozedUntil } });
    await accepted(project);
    expect((await contact(project)).snoozedUntil).toEqual(snoozedUntil);
    await accepted(project, { subscribed: false });
    expect((await contact(project)).snoozedUntil).toBeNull();
  });
});

describe('data', () => {
  it('stores primitives, lists, and plain objects on every recipient, and keeps other fields', async () => {
    const project = await api.project();
    await accepted(project, { data: { kept: 'yes', plan: 'free' } });
    await accepted(project, {
      to: ['ada@x.test', 'bob@x.test'],
      data: { plan: 'pro', age: 0, vip: false, tags: ['a'], address: { city: 'Köln' } },
    });
    expect((await contact(project)).data).toEqual({
      kept: 'yes',
      plan: 'pro',
      age: 0,
      vip: false,
      tags: ['a'],
      address: { city: 'Köln' },
    });
    expect((await contact(project, 'bob@x.test')).data).toEqual({
      plan: 'pro',
      age: 0,
      vip: false,
      tags: ['a'],
      address: { city: 'Köln' },
    });
  });

  it('null deletes a field, and an empty string is ignored', async () => {
    const project = await api.project();
    await accepted(project, { data: { plan: 'pro', name: 'Ada' } });
    await accepted(project, { data: { plan: null, name: '', unknown: null, empty: '' } });
    expect((await contact(project)).data).toEqual({ name: 'Ada' });
  });

  it('{ value, persistent: false } is a variable of this send only, and never changes the stored field', async () => {
    const project = await api.project();
    await accepted(project, { data: { code: 'stored' } });
    const [id] = await accepted(project, {
      data: {
        code: { value: '1234', persistent: false },
        once: { value: { deep: 1 }, persistent: false },
        plan: { value: 'pro', persistent: true },
      },
    });
    expect((await contact(project)).data).toEqual({ code: 'stored', plan: 'pro' });
    expect(await variables(id)).toEqual({ code: '1234', once: { deep: 1 }, plan: 'pro' });
  });

  it('reserved keys are silently removed', async () => {
    const project = await api.project();
    const reserved = Object.fromEntries(
      ['id', 'svc_id', 'svc_email', 'email', 'unsubscribeUrl', 'subscribeUrl', 'manageUrl'].map((key) => [key, 'x']),
    );
    const [id] = await accepted(project, { data: { ...reserved, plan: 'pro' } });
    expect((await contact(project)).data).toEqual({ plan: 'pro' });
    expect(await variables(id)).toEqual({ plan: 'pro' });
  });

  it("a prototype's keys are dropped and change nothing", async () => {
    const project = await api.project();
    const payload = `{"to":"ada@x.test","from":"team@${project.domain}","subject":"s","body":"b","data":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":1,"plan":"pro"}}`;
    const response = await api.app.inject({
      method: 'POST',
      url: '/v1/send',
      headers: { authorization: `Bearer ${project.secret}`, 'content-type': 'application/json' },
      payload,
    });
    expect(response.statusCode, response.body).toBe(200);
    expect((await contact(project)).data).toEqual({ plan: 'pro' });
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
  });

  const keys = (count: number, from = 0) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, index]));

  it('accepts 100 keys and 64 KiB; more return 422 with the field data, and nothing is changed', async () => {
    const project = await api.project();
    for (const data of [keys(101), { text: 'x'.repeat(65_536) }]) {
      expect(refusal(await send(project, { data }))).toEqual([422, 'VALIDATION_ERROR', 'data']);
    }
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
    await accepted(project, { data: keys(100) });
    await accepted(project, { to: 'big@x.test', data: { text: 'x'.repeat(65_000) } });
  });

  it('that would make a known contact too large returns 422, and changes no recipient', async () => {
    const project = await api.project();
    await accepted(project, { data: keys(60) });
    const before = await contact(project);
    expect(
      refusal(await send(project, { to: ['fresh@x.test', 'ada@x.test'], data: keys(60, 60), subscribed: true })),
    ).toEqual([422, 'VALIDATION_ERROR', 'data']);
    expect(await contact(project)).toEqual(before);
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(1);
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(1);
    // Keys that the same request removes make room.
    await accepted(project, {
      data: { ...keys(40, 60), ...Object.fromEntries(Object.keys(keys(10)).map((key) => [key, null])) },
    });
  });
});

// The race is forced by 100 concurrent requests over 20 connections.
describe('concurrently', () => {
  it('100 sends to one new address create one contact and 100 emails, and none fails', async () => {
    const project = await api.project();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => send(project, { data: { [`k${index % 10}`]: index } })),
    );
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const { id, data } = await contact(project);
    expect(Object.keys(data as object)).toHaveLength(10);
    expect(new Set(responses.map((response) => response.json().data.emails[0].contact.id))).toEqual(new Set([id]));
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(1);
    expect(await api.ctx.prisma.email.count({ where: { projectId: project.id, contactId: id } })).toBe(100);
  });

  it('sends to the same addresses in opposite orders do not deadlock', async () => {
    const project = await api.project();
    const to = Array.from({ length: 20 }, (_, index) => `r${index}@x.test`);
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        send(project, {
          to: index % 2 === 0 ? to : to.toReversed(),
          data: { turn: index },
          subscribed: index % 3 === 0,
        }),
      ),
    );
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(20);
  });

  /**
   * The race: the request has passed its inserts (both contacts exist) and waits for the lock on `a`. Meanwhile, `b` is
   * deleted, and another sender re-creates it without committing. With `a` locked, the request creates `b` and waits
   * for that sender, which now needs `a`.
   */
  it('a request that PostgreSQL ends to resolve a deadlock is accepted at its second attempt', async () => {
    const project = await api.project();
    await accepted(project, { to: ['a@x.test', 'b@x.test'] });
    const [holder, sender, observer] = [
      await api.ctx.pool.connect(),
      await api.ctx.pool.connect(),
      await api.ctx.pool.connect(),
    ];
    try {
      const deadlocks = async (): Promise<number> =>
        (
          await observer.query<{ deadlocks: number }>(
            `SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`,
          )
        ).rows[0]?.deadlocks ?? 0;
      const isAwaited = async (client: PoolClient): Promise<void> => {
        const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await eventually(async () => {
          const { rowCount } = await observer.query(
            `SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))`,
            [rows[0]?.pid],
          );
          expect(rowCount).toBe(1);
        });
      };
      const before = await deadlocks();
      const lockA = `SELECT FROM contacts WHERE project_id = $1 AND email = 'a@x.test' FOR UPDATE`;
      await holder.query('BEGIN');
      await holder.query(lockA, [project.id]);
      const response = send(project, { to: ['a@x.test', 'b@x.test'] });
      await isAwaited(holder);
      await observer.query(`UPDATE emails SET contact_id = NULL WHERE project_id = $1`, [project.id]);
      await observer.query(`DELETE FROM contacts WHERE project_id = $1 AND email = 'b@x.test'`, [project.id]);
      await sender.query('BEGIN');
      // So that the request detects the deadlock, after its 1 s, and not this transaction.
      await sender.query(`SET LOCAL deadlock_timeout = '1min'`);
      await sender.query(
        `INSERT INTO contacts (id, project_id, email, subscribed) VALUES ($1, $2, 'b@x.test', false)`,
        [newId(), project.id],
      );
      await holder.query('COMMIT');
      await isAwaited(sender);
      await sender.query(lockA, [project.id]);
      await sender.query('COMMIT');
      expect((await response).statusCode).toBe(200);
      expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(4);
      await eventually(async () => expect(await deadlocks()).toBe(before + 1));
    } finally {
      // Closing the connection rolls back an open transaction.
      for (const client of [holder, sender, observer]) client.release(true);
    }
  });

  /**
   * The race: the project is deleted, without a commit, when the requests come. Their key is valid, and their first
   * write waits for the deletion.
   */
  it('requests overtaken by the deletion of their project return 404 PROJECT_NOT_FOUND', async () => {
    const project = await api.project();
    const [deleter, observer] = [await api.ctx.pool.connect(), await api.ctx.pool.connect()];
    try {
      await deleter.query('BEGIN');
      const { rows } = await deleter.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      await deleter.query('DELETE FROM projects WHERE id = $1', [project.id]);
      const content = { name: 'n', subject: 's', body: 'b', from: `team@${project.domain}` };
      const responses = [
        send(project),
        api.as(project, 'POST', '/contacts', { email: 'a@x.test' }),
        api.as(project, 'POST', '/templates', content),
      ];
      await eventually(async () => {
        // The use of the key is recorded next to the requests.
        const { rowCount } = await observer.query(
          `SELECT FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid)) AND query NOT LIKE '%key_uses%'`,
          [rows[0]?.pid],
        );
        expect(rowCount).toBe(responses.length);
      });
      await deleter.query('COMMIT');
      for (const response of await Promise.all(responses))
        expect(refusal(response)).toEqual([404, 'PROJECT_NOT_FOUND']);
    } finally {
      for (const client of [deleter, observer]) client.release(true);
    }
  });

  it('opposite changes of the subscription write alternating events that end as the contact does', async () => {
    const project = await api.project();
    await accepted(project);
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => send(project, { subscribed: index % 2 === 0 })),
    );
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    const names = (await events(project)).map(([name]) => name);
    const flips = {
      subscribed: names.filter((name) => name === 'contact.subscribed').length,
      unsubscribed: names.filter((name) => name === 'contact.unsubscribed').length,
    };
    // The contact was unsubscribed at first: each change is counted once.
    expect(flips.subscribed - flips.unsubscribed).toBe((await contact(project)).subscribed ? 1 : 0);
    expect(names.length).toBeGreaterThan(0);
  });
});
