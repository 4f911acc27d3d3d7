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
  test('adds the contacts of the addresses, whatever their case, each once, and says which have none', async () => {
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

  test('creates missing contacts when asked to, subscribed or not as it says; known ones stay as they are', async () => {
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
    ['an address that is none', { emails: ['a@x.test', 'nope'] }, 'emails.1 invalid_string'],
    ['createMissing that is no boolean', { emails: ['a@x.test'], createMissing: 1 }, 'createMissing invalid_type'],
  ])('is a 422 with %s', async (_, body, error) => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    expect(refused(await members(project, 'POST', id, body))).toEqual({
      status: 422,
      code: 'VALIDATION_ERROR',
      errors: [error],
    });
  });

  test('takes 500 addresses, and parallel calls with the same ones make each contact and member once', async () => {
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
  test('ends memberships, and says how many', async () => {
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

test('members of a dynamic segment can be neither added nor removed: 400', async () => {
  const project = await api.project();
  const { id } = await segment(project);
  for (const method of ['POST', 'DELETE'] as const)
    expect(refused(await members(project, method, id, { emails: ['a@x.test'], createMissing: true }))).toEqual({
      status: 400,
      code: 'BAD_REQUEST',
    });
  expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(0);
});

test('members of a tracked static segment have their entry and exit events at once', async () => {
  const project = await api.project();
  const { id } = await segment(project, { name: 'Hand', type: 'STATIC', trackMembership: true });
  await members(project, 'POST', id, { emails: ['a@x.test'], createMissing: true });
  await members(project, 'POST', id, { emails: ['a@x.test'] });
  await members(project, 'DELETE', id, { emails: ['a@x.test'] });
  await members(project, 'DELETE', id, { emails: ['a@x.test'] });
  expect(await events(project)).toEqual(['segment.hand.entry a@x.test', 'segment.hand.exit a@x.test']);
});

describe('POST /segments/:id/compute', () => {
  test('writes who has joined and left, with one event each', async () => {
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
  ])('is a 400 for a segment that is %s', async (_, body) => {
    const project = await api.project();
    const { id } = await segment(project, body);
    expect(refused(await call(project, id, 'compute'))).toEqual({ status: 400, code: 'BAD_REQUEST' });
  });

  test('fires each entry and exit once, however many computes run at the same time', async () => {
    const project = await api.project();
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed, data) SELECT uuid_v7(), $1, n || '@x.test', true, '{"plan":"pro"}' FROM generate_series(1, 300) n`,
      [project.id],
    );
    const { id } = await segment(project, { name: 'Pro', trackMembership: true });
    // As many as there are connections, so that all of them are in the middle of it together, by request and in the
    // background.
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

  test('meets contacts that are being deleted without an error', async () => {
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

  test('of a segment that is no longer tracked has forgotten its members, so that tracking it again fires their entries anew', async () => {
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
  test('counts anew, and writes neither events nor members', async () => {
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

  test('counts the members of a static segment: those of deleted contacts are gone', async () => {
    const project = await api.project();
    const { id } = await segment(project, { type: 'STATIC' });
    await members(project, 'POST', id, { emails: ['a@x.test', 'b@x.test'], createMissing: true });
    const [first] = await api.ctx.prisma.contact.findMany({ where: { projectId: project.id } });
    await api.as(project, 'DELETE', `/contacts/${first?.id}`);
    expect((await call(project, id, 'refresh')).json()).toEqual({ memberCount: 1 });
  });
});

describe('the background', () => {
  test('computes tracked dynamic segments every 5 minutes, those of disabled projects not, and one that fails stops no other', async () => {
    const [project, disabled] = [await api.project(), await api.project()];
    for (const of of [project, disabled]) await contact(of, 'a@x.test', { plan: 'pro' });
    const gone = await segment(project, { name: 'Gone' });
    const broken = await segment(project, { name: 'Broken', trackMembership: true, condition: memberOf(gone.id) });
    // As no request can: the segment that the condition names is no longer there.
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

  test('brings the time into it: who was within yesterday may be no longer today', async () => {
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
