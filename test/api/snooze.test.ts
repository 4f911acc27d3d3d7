import { describe, expect, it, onTestFinished } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { endSnoozes } from '../../src/domain/contacts/sql/subscription.js';
import { runMaintenanceTask, startFrequentTasks } from '../../src/domain/maintenance/maintenance.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';

const api = useApi({ DATABASE_POOL: '10' });
const { insertContact, events } = eventHelpers(api);

const PAST = (): Date => new Date(Date.now() - 1000);
const FUTURE = new Date('2099-01-01T00:00:00.000Z');
const EXPIRED = ['contact.subscribed', { source: 'snooze_expired', reason: 'snooze_expired' }];

const round = () => runMaintenanceTask(api.ctx, 'snooze');
const snoozed = (project: TestProject, until = PAST()) =>
  insertContact(project, { subscribed: false, snoozedUntil: until });
const read = (id: string) => api.ctx.prisma.contact.findUniqueOrThrow({ where: { id } });

describe('the end of a snooze', () => {
  it('is found by every worker, every 5 seconds', async () => {
    const id = await snoozed(await api.project());
    const workers = [startFrequentTasks(api.ctx), startFrequentTasks(api.ctx)].flat();
    onTestFinished(async () => void (await Promise.all(workers.map((loop) => loop.stop()))));
    await eventually(async () => expect(await read(id)).toMatchObject({ subscribed: true, snoozedUntil: null }));
    expect(await round()).toEqual({ everyMs: 5000 });
  });

  it('subscribes the contact again, with contact.subscribed, source, and reason snooze_expired', async () => {
    const project = await api.project();
    const id = await snoozed(project);
    const before = await read(id);
    await round();
    const after = await read(id);
    expect(after).toMatchObject({ subscribed: true, snoozedUntil: null });
    expect(after.updatedAt.getTime()).toBeGreaterThanOrEqual(before.updatedAt.getTime());
    expect(await events(project)).toEqual([EXPIRED]);
    expect(await api.ctx.prisma.event.findFirstOrThrow({ where: { projectId: project.id } })).toMatchObject({
      contactId: id,
    });
  });

  it('applies to a snooze set through the API', async () => {
    const project = await api.project();
    const id = await insertContact(project);
    expect((await api.as(project, 'PATCH', `/contacts/${id}`, { snoozedUntil: FUTURE.toISOString() })).statusCode).toBe(
      200,
    );
    await round();
    expect(await read(id)).toMatchObject({ subscribed: false, snoozedUntil: FUTURE });
    await api.ctx.pool.query(`UPDATE contacts SET snoozed_until = now() - interval '1 second' WHERE id = $1`, [id]);
    await round();
    expect(await events(project)).toEqual([
      ['contact.unsubscribed', { source: 'api', snoozedUntil: FUTURE.toISOString() }],
      EXPIRED,
    ]);
  });

  it('does not change snoozed, unsubscribed, and subscribed contacts', async () => {
    const project = await api.project();
    const ids = [
      await snoozed(project, FUTURE),
      await insertContact(project, { subscribed: false }),
      await insertContact(project),
    ];
    const before = await Promise.all(ids.map(read));
    await round();
    expect(await Promise.all(ids.map(read))).toEqual(before);
    expect(await events(project)).toEqual([]);
  });

  it('happens once: a second round does nothing', async () => {
    const project = await api.project();
    await snoozed(project);
    await round();
    await round();
    expect(await events(project)).toEqual([EXPIRED]);
  });

  // Ten concurrent rounds on their own connections, over more contacts than one statement processes.
  it('happens exactly once for each contact with concurrent rounds', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, snoozed_until) SELECT uuid_v7(), $1, 's' || n || '@x.test', false, now() - interval '1 hour' FROM generate_series(1, 6000) n`,
      [project.id],
    );
    await Promise.all(Array.from({ length: 10 }, round));
    await round();
    const { rows } = await api.ctx.pool.query(
      `SELECT (SELECT count(*) FROM contacts WHERE project_id = $1 AND subscribed AND snoozed_until IS NULL) AS awake, count(*) AS events, count(DISTINCT contact_id) AS contacts FROM events WHERE project_id = $1`,
      [project.id],
    );
    expect(rows).toEqual([{ awake: 6000, events: 6000, contacts: 6000 }]);
  });

  // A transaction of the test holds the row: the round neither waits for it nor overrides it.
  it('does not wait for a contact that is being changed, and keeps the written value', async () => {
    const project = await api.project();
    const [held, other] = [await snoozed(project), await snoozed(project)];
    await transaction(api.ctx.pool, async (tx) => {
      await tx.query(`UPDATE contacts SET snoozed_until = NULL WHERE id = $1`, [held]);
      await round();
      expect(await read(other)).toMatchObject({ subscribed: true });
    });
    await round();
    expect(await read(held)).toMatchObject({ subscribed: false, snoozedUntil: null });
    expect(await events(project)).toEqual([EXPIRED]);
  });

  it('is rolled back with its event', async () => {
    const project = await api.project();
    const id = await snoozed(project);
    const broken = transaction(api.ctx.pool, async (tx) => {
      expect(await endSnoozes(tx, 10)).toBe(1);
      throw new Error('on purpose');
    });
    await expect(broken).rejects.toThrow('on purpose');
    expect((await read(id)).subscribed).toBe(false);
    expect(await events(project)).toEqual([]);
  });
});
