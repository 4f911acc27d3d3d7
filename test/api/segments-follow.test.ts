/** Tracked segments follow changes: entry and exit events without computing the segment as a whole. */
import { describe, expect, test } from 'vitest';
import { followChanges, startSegmentFollower } from '../../src/domain/segments/follow.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { memberOf, segmentHelpers, where } from '../helpers/segment-api.js';

const api = useApi();
const { contact, events, segment } = segmentHelpers(api);

const track = (project: TestProject, email: string, event: string) =>
  api.as(project, 'POST', '/events/track', { email, event });
const loggedContacts = async (project: TestProject): Promise<number> =>
  (await api.ctx.pool.query('SELECT 1 FROM segment_rechecks WHERE project_id = $1', [project.id])).rowCount ?? 0;
const countOf = async (project: TestProject, id: string): Promise<number> =>
  (await api.as(project, 'GET', `/segments/${id}`)).json().memberCount;

describe('a tracked segment follows', () => {
  test('created and changed contacts, with one event per entry and exit', async () => {
    const project = await api.project();
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    const a = await contact(project, 'a@x.test', { plan: 'pro' });
    await contact(project, 'b@x.test', { plan: 'pro' });
    await contact(project, 'c@x.test', { plan: 'free' });
    await followChanges(api.ctx);
    await followChanges(api.ctx);
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test', 'segment.pro.entry b@x.test']);
    expect([await countOf(project, id), await loggedContacts(project)]).toEqual([2, 0]);

    await api.as(project, 'PATCH', `/contacts/${a}`, { data: { plan: 'free' } });
    await followChanges(api.ctx);
    expect((await events(project)).at(-1)).toBe('segment.pro.exit a@x.test');
    expect(await countOf(project, id)).toBe(1);
    // The compute finds no further changes.
    expect((await api.as(project, 'POST', `/segments/${id}/compute`)).json()).toEqual({
      added: 0,
      removed: 0,
      total: 1,
    });
  });

  test('events that its condition names, and no others', async () => {
    const project = await api.project();
    await segment(project, {
      name: 'Buyers',
      trackMembership: true,
      condition: where({ field: 'event.bought', operator: 'triggered' }),
    });
    await contact(project, 'a@x.test');
    await followChanges(api.ctx);
    await track(project, 'a@x.test', 'viewed');
    expect(await loggedContacts(project)).toBe(0);
    await track(project, 'a@x.test', 'bought');
    await followChanges(api.ctx);
    expect(await events(project)).toEqual(['segment.buyers.entry a@x.test']);
  });

  test('the events and members of segments that its condition names', async () => {
    const project = await api.project();
    const buyers = await segment(project, { condition: where({ field: 'event.bought', operator: 'triggered' }) });
    const chosen = await segment(project, { type: 'STATIC' });
    await segment(project, { name: 'Both', trackMembership: true, condition: memberOf(buyers.id) });
    await segment(project, { name: 'Chosen too', trackMembership: true, condition: memberOf(chosen.id) });
    await contact(project, 'a@x.test');
    await followChanges(api.ctx);
    await track(project, 'a@x.test', 'bought');
    await api.as(project, 'POST', `/segments/${chosen.id}/members`, { emails: ['a@x.test'] });
    await followChanges(api.ctx);
    await api.as(project, 'DELETE', `/segments/${chosen.id}/members`, { emails: ['a@x.test'] });
    await followChanges(api.ctx);
    expect(await events(project)).toEqual([
      'segment.both.entry a@x.test',
      'segment.chosen-too.entry a@x.test',
      'segment.chosen-too.exit a@x.test',
    ]);
  });

  test('its own new condition at the next round of the background task', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test', { plan: 'free' });
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    await runMaintenanceTask(api.ctx, 'segments');
    await api.as(project, 'PATCH', `/segments/${id}`, {
      condition: where({ field: 'data.plan', operator: 'equals', value: 'free' }),
    });
    await runMaintenanceTask(api.ctx, 'segments');
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test']);
  });

  test('changes within seconds in a worker', async () => {
    const project = await api.project();
    await segment(project, { name: 'Pro', trackMembership: true });
    const follower = startSegmentFollower(api.ctx);
    try {
      await contact(project, 'a@x.test', { plan: 'pro' });
      await eventually(async () => expect(await events(project)).toEqual(['segment.pro.entry a@x.test']));
    } finally {
      await follower.stop();
    }
  });
});

describe('the log of changed contacts', () => {
  test('is empty for projects without a tracked dynamic segment', async () => {
    const project = await api.project();
    await segment(project);
    await segment(project, { type: 'STATIC', trackMembership: true });
    await contact(project, 'a@x.test', { plan: 'pro' });
    await track(project, 'a@x.test', 'bought');
    expect(await loggedContacts(project)).toBe(0);
  });

  test('keeps its rows while a compute has locked a segment', async () => {
    const project = await api.project();
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    await contact(project, 'a@x.test', { plan: 'pro' });
    const compute = await api.ctx.pool.connect();
    try {
      await compute.query('BEGIN');
      await compute.query('SELECT FROM segments WHERE id = $1 FOR UPDATE', [id]);
      await followChanges(api.ctx);
      expect([await loggedContacts(project), await events(project)]).toEqual([1, []]);
      await compute.query('ROLLBACK');
    } finally {
      compute.release();
    }
    await followChanges(api.ctx);
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test']);
  });

  test('is discarded for a disabled project, and its segments are computed when it is enabled', async () => {
    const project = await api.project();
    await segment(project, { name: 'Pro', trackMembership: true });
    await runMaintenanceTask(api.ctx, 'segments');
    await contact(project, 'a@x.test', { plan: 'pro' });
    const setDisabled = (disabled: boolean) =>
      api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled } });
    await setDisabled(true);
    await followChanges(api.ctx);
    expect([await loggedContacts(project), await events(project)]).toEqual([0, []]);
    await setDisabled(false);
    await runMaintenanceTask(api.ctx, 'segments');
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test']);
  });

  test('follows valid segments although the condition of another one is invalid', async () => {
    const project = await api.project();
    const gone = await segment(project);
    await segment(project, { name: 'Broken', trackMembership: true, condition: memberOf(gone.id) });
    await segment(project, { name: 'Pro', trackMembership: true });
    // No request can delete a segment that another one names.
    await api.ctx.prisma.segment.delete({ where: { id: gone.id } });
    await contact(project, 'a@x.test', { plan: 'pro' });
    await followChanges(api.ctx);
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test']);
  });
});

test('concurrent followers, computes, and writes give each entry and exit one event, and lose none', async () => {
  const project = await api.project();
  const { id } = await segment(project, { name: 'Pro', trackMembership: true });
  await api.ctx.pool.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $1, n || '@x.test', true, '{"plan":"pro"}' FROM generate_series(1, 300) n`,
    [project.id],
  );
  const follow = () =>
    Promise.all([
      followChanges(api.ctx),
      followChanges(api.ctx),
      api.as(project, 'POST', `/segments/${id}/compute`),
      api.ctx.pool.query(
        `INSERT INTO contacts (id, project_id, email, subscribed, data) VALUES ($1, $2, $3, true, $4)`,
        [newId(), project.id, `${newId()}@x.test`, { plan: 'pro' }],
      ),
    ]);
  await follow();
  // The new contact may have been committed after the followers had read the log. It must have entered before it leaves.
  await followChanges(api.ctx);
  await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE project_id = $1 AND email < '2'`, [project.id]);
  await follow();
  await followChanges(api.ctx);
  const { rows } = await api.ctx.pool.query<{ entries: number; exits: number; members: number; matching: number }>(
    `SELECT (SELECT count(*) FROM events WHERE project_id = $1 AND name = 'segment.pro.entry') AS entries,
            (SELECT count(*) FROM events WHERE project_id = $1 AND name = 'segment.pro.exit') AS exits,
            (SELECT count(*) FROM segment_members WHERE segment_id = $2) AS members,
            (SELECT count(*) FROM contacts WHERE project_id = $1 AND data ->> 'plan' = 'pro') AS matching`,
    [project.id, id],
  );
  const [row] = rows;
  expect(row?.entries).toBe(302);
  expect(row?.members).toBe(row?.matching);
  expect(row?.exits).toBe(302 - (row?.members ?? 0));
});
