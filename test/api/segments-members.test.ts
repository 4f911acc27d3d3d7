import { describe, expect, test } from 'vitest';
import { computeTrackedSegments } from '../../src/domain/segments/compute.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { memberOf, segmentHelpers, where } from '../helpers/segment-api.js';

const api = useApi();
const { contact, contactsOf, events, segment } = segmentHelpers(api);

const members = (project: TestProject, method: 'POST' | 'DELETE', id: string, body: unknown) =>
  api.as(project, method, `/segments/${id}/members`, body);
const call = (project: TestProject, id: string, what: 'compute' | 'refresh') =>
  api.as(project, 'POST', `/segments/${id}/${what}`);
const countOf = async (project: TestProject, id: string): Promise<number> =>
  (await api.as(project, 'GET', `/segments/${id}`)).json().memberCount;
const setPlan = (id: string, plan: string) =>
  api.ctx.prisma.contact.update({ where: { id }, data: { data: { plan } } });

describe('POST /segments/:id/members', () => {
  test('adds each contact once, ignores the case of addresses, and returns unknown addresses', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    for (const email of ['a@x.test', 'b@x.test', 'c@x.test']) await contact(project, email);
    const response = await members(project, 'POST', id, { emails: [' A@X.test', 'a@x.test', 'b@x.test', 'no@x.test'] });
    expect([response.statusCode, response.json()]).toEqual([200, { added: 2, created: 0, notFound: ['no@x.test'] }]);
    expect((await members(project, 'POST', id, { emails: ['b@x.test', 'c@x.test'] })).json()).toEqual({
      added: 1,
      created: 0,
      notFound: [],
    });
    expect(await contactsOf(project, id)).toEqual(['c@x.test', 'b@x.test', 'a@x.test']);
    expect(await countOf(project, id)).toBe(3);
  });

  test('creates missing contacts with the requested subscription, and does not change existing contacts', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    const known = await contact(project, 'known@x.test', {}, false);
    expect(
      (await members(project, 'POST', id, { emails: ['known@x.test', 'new@x.test'], createMissing: true })).json(),
    ).toEqual({ added: 2, created: 1, notFound: [] });
    expect(
      (await members(project, 'POST', id, { emails: ['quiet@x.test'], createMissing: true, subscribed: false })).json(),
    ).toEqual({ added: 1, created: 1, notFound: [] });
    const contacts = await api.ctx.prisma.contact.findMany({
      where: { projectId: project.id },
      orderBy: { email: 'asc' },
      select: { id: true, email: true, subscribed: true },
    });
    expect(contacts.map(({ email, subscribed }) => [email, subscribed])).toEqual([
      ['known@x.test', false],
      ['new@x.test', true],
      ['quiet@x.test', false],
    ]);
    expect(contacts[0]?.id).toBe(known);
    expect(await api.ctx.prisma.event.count({ where: { projectId: project.id } })).toBe(0);
    expect(await countOf(project, id)).toBe(3);
  });

  test.each([
    ['501 addresses', { emails: Array.from({ length: 501 }, (_, n) => `a${n}@x.test`) }, 'emails too_big'],
    ['no addresses', {}, 'emails required'],
    ['an invalid address', { emails: ['a@x.test', 'nope'] }, 'emails.1 invalid_string'],
    ['a createMissing that is not a boolean', { emails: ['a@x.test'], createMissing: 1 }, 'createMissing invalid_type'],
  ])('returns 422 with %s', async (_, body, error) => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    expect(refused(await members(project, 'POST', id, body))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
  });

  test('accepts 500 addresses, and concurrent calls create each contact and member once', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    const emails = Array.from({ length: 500 }, (_, n) => `a${n}@x.test`);
    const answers = await Promise.all(
      [emails, [...emails].reverse(), emails].map(async (list) =>
        (await members(project, 'POST', id, { emails: list, createMissing: true })).json(),
      ),
    );
    expect(answers.map(({ added }) => added).sort((a, b) => a - b)).toEqual([0, 0, 500]);
    expect(answers.reduce((sum, { created }) => sum + created, 0)).toBe(500);
    expect(await countOf(project, id)).toBe(500);
  });
});

describe('DELETE /segments/:id/members', () => {
  test('removes members and returns their number', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    await members(project, 'POST', id, { emails: ['a@x.test', 'b@x.test'], createMissing: true });
    await contact(project, 'other@x.test');
    const response = await members(project, 'DELETE', id, { emails: ['A@x.test', 'other@x.test', 'no@x.test'] });
    expect([response.statusCode, response.json()]).toEqual([200, { removed: 1 }]);
    expect(await contactsOf(project, id)).toEqual(['b@x.test']);
    expect(await countOf(project, id)).toBe(1);
  });
});

test('adding or removing members of a dynamic segment returns 400', async () => {
  const project = await api.project();
  const { id } = await segment(project);
  for (const method of ['POST', 'DELETE'] as const)
    expect(refused(await members(project, method, id, { emails: ['a@x.test'], createMissing: true }))).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    });
  expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
});

test('adding and removing members of a tracked static segment writes entry and exit events immediately', async () => {
  const project = await api.project();
  const { id } = await segment(project, { name: 'Hand', type: 'STATIC', trackMembership: true });
  await members(project, 'POST', id, { emails: ['a@x.test'], createMissing: true });
  await members(project, 'POST', id, { emails: ['a@x.test'] });
  await members(project, 'DELETE', id, { emails: ['a@x.test'] });
  await members(project, 'DELETE', id, { emails: ['a@x.test'] });
  expect(await events(project)).toEqual(['segment.hand.entry a@x.test', 'segment.hand.exit a@x.test']);
});

describe('POST /segments/:id/compute', () => {
  test('writes new and former members, with one event each', async () => {
    const project = await api.project();
    const a = await contact(project, 'a@x.test', { plan: 'pro' });
    const b = await contact(project, 'b@x.test', { plan: 'pro' });
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    const first = await call(project, id, 'compute');
    expect([first.statusCode, first.json()]).toEqual([200, { added: 2, removed: 0, total: 2 }]);
    expect((await call(project, id, 'compute')).json()).toEqual({ added: 0, removed: 0, total: 2 });
    await setPlan(a, 'free');
    await contact(project, 'c@x.test', { plan: 'pro' });
    expect((await call(project, id, 'compute')).json()).toEqual({ added: 1, removed: 1, total: 2 });
    await setPlan(b, 'free');
    expect((await call(project, id, 'compute')).json()).toEqual({ added: 0, removed: 1, total: 1 });
    expect(await countOf(project, id)).toBe(1);
    expect(await events(project)).toEqual([
      'segment.pro.entry a@x.test',
      'segment.pro.entry b@x.test',
      'segment.pro.entry c@x.test',
      'segment.pro.exit a@x.test',
      'segment.pro.exit b@x.test',
    ]);
    expect(await api.ctx.prisma.event.findFirst({ where: { projectId: project.id } })).toMatchObject({
      data: { segmentId: id, segmentName: 'Pro' },
    });
  });

  test.each([
    ['not tracked', {}],
    ['static', { type: 'STATIC', trackMembership: true }],
  ])('returns 400 for a segment that is %s', async (_, body) => {
    const project = await api.project();
    const { id } = await segment(project, body);
    expect(refused(await call(project, id, 'compute'))).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });

  test('writes each entry and exit event once under concurrent computes', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, n || '@x.test', true, '{"plan":"pro"}' FROM generate_series(1, 300) n`,
      [project.id],
    );
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    // As many computes as connections, so that all of them overlap.
    const round = () =>
      Promise.all([...Array.from({ length: 4 }, () => call(project, id, 'compute')), computeTrackedSegments(api.ctx)]);
    await round();
    await api.ctx.pool.query(`UPDATE contacts SET data = '{}' WHERE project_id = $1 AND email < '2'`, [project.id]);
    await round();
    const { rows } = await api.ctx.pool.query<{ name: string; events: number; contacts: number }>(
      `SELECT name, count(*) AS events, count(DISTINCT contact_id) AS contacts FROM events WHERE project_id = $1 GROUP BY name ORDER BY name`,
      [project.id],
    );
    expect(rows).toEqual([
      { name: 'segment.pro.entry', events: 300, contacts: 300 },
      { name: 'segment.pro.exit', events: 111, contacts: 111 },
    ]);
    expect(await countOf(project, id)).toBe(189);
  });

  test('succeeds while contacts are being deleted', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, n || '@x.test', true, '{"plan":"pro"}' FROM generate_series(1, 200) n`,
      [project.id],
    );
    const { id } = await segment(project, { trackMembership: true });
    const contacts = await api.ctx.prisma.contact.findMany({
      where: { projectId: project.id },
      select: { id: true },
      orderBy: { id: 'desc' },
      take: 60,
    });
    const deletions = contacts.map((one) => api.as(project, 'DELETE', `/contacts/${one.id}`));
    const computes = await Promise.all([1, 2, 3].map(() => call(project, id, 'compute')));
    expect(computes.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect((await Promise.all(deletions)).map(({ statusCode }) => statusCode)).toEqual(contacts.map(() => 204));
    expect((await call(project, id, 'compute')).json()).toMatchObject({ total: 140 });
  });

  test('writes the entry events again after tracking was switched off and on', async () => {
    const project = await api.project();
    await contact(project, 'a@x.test', { plan: 'pro' });
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    await call(project, id, 'compute');
    await api.as(project, 'PATCH', `/segments/${id}`, { trackMembership: false });
    expect(await contactsOf(project, id)).toEqual(['a@x.test']);
    await api.as(project, 'PATCH', `/segments/${id}`, { trackMembership: true });
    expect((await call(project, id, 'compute')).json()).toEqual({ added: 1, removed: 0, total: 1 });
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test', 'segment.pro.entry a@x.test']);
  });
});

describe('POST /segments/:id/refresh', () => {
  test('recounts the segment and writes no events or members', async () => {
    const project = await api.project();
    const { id } = await segment(project, { trackMembership: true });
    await contact(project, 'a@x.test', { plan: 'pro' });
    expect(await countOf(project, id)).toBe(0);
    const response = await call(project, id, 'refresh');
    expect([response.statusCode, response.json()]).toEqual([200, { memberCount: 1 }]);
    expect(await countOf(project, id)).toBe(1);
    expect(await events(project)).toEqual([]);
    expect(await api.ctx.prisma.segmentMember.count({ where: { segmentId: id } })).toBe(0);
  });

  test('counts the members of a static segment without deleted contacts', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    await members(project, 'POST', id, { emails: ['a@x.test', 'b@x.test'], createMissing: true });
    const [first] = await api.ctx.prisma.contact.findMany({ where: { projectId: project.id } });
    await api.as(project, 'DELETE', `/contacts/${first?.id}`);
    expect((await call(project, id, 'refresh')).json()).toEqual({ memberCount: 1 });
  });
});

describe('the background', () => {
  test('computes new tracked segments every 5 minutes, except in disabled projects, even if one fails', async () => {
    const [project, disabled] = [await api.project(), await api.project()];
    for (const of of [project, disabled]) await contact(of, 'a@x.test', { plan: 'pro' });
    const gone = await segment(project, { name: 'Gone' });
    const broken = await segment(project, { name: 'Broken', trackMembership: true, condition: memberOf(gone.id) });
    // No request can delete a segment that a condition names.
    await api.ctx.prisma.segment.delete({ where: { id: gone.id } });
    await segment(project, { name: 'Pro', trackMembership: true });
    await segment(project, { name: 'Untracked' });
    await segment(disabled, { name: 'Off', trackMembership: true });
    await api.ctx.prisma.project.update({ where: { id: disabled.id }, data: { disabled: true } });
    expect(await runMaintenanceTask(api.ctx, 'segments')).toEqual({ everyMs: 5 * 60_000 });
    expect(await events(project)).toEqual(['segment.pro.entry a@x.test']);
    expect(await events(disabled)).toEqual([]);
    expect(refused(await call(project, broken.id, 'compute'))).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });

  test('writes an exit event when a period of the condition has passed', async () => {
    const project = await api.project();
    const a = await contact(project, 'a@x.test');
    const { id } = await segment(project, {
      name: 'Fresh',
      trackMembership: true,
      condition: where({ field: 'createdAt', operator: 'within', value: 1, unit: 'days' }),
    });
    await runMaintenanceTask(api.ctx, 'segments');
    await api.ctx.prisma.contact.update({
      where: { id: a },
      data: { createdAt: new Date(Date.now() - 25 * 3_600_000) },
    });
    await runMaintenanceTask(api.ctx, 'segments');
    expect(await events(project)).toEqual(['segment.fresh.entry a@x.test', 'segment.fresh.exit a@x.test']);
    expect(await countOf(project, id)).toBe(0);
  });
});
