/** GET …/security: a project's reputation as its members see it (contract, section 2). */
import { describe, expect, test } from 'vitest';
import { applyFeedback } from '../../src/domain/feedback/sql/feedback.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { useApi } from '../helpers/api.js';
import { about, feedbackHelpers } from '../helpers/feedback.js';
import { addFigures, fold, type FigureSpec } from '../helpers/reputation.js';
import { newUser, ownProject, refusal, request, type TestUser } from '../helpers/session.js';

const api = useApi();
const { sent, apply } = feedbackHelpers(api);

const PATHS = ['/users/@me/projects/:id/security', '/projects/:id/security'];
const at = (path: string, id: string): string => path.replace(':id', id);

async function owned(): Promise<{ id: string; owner: TestUser }> {
  const owner = await newUser(api);
  return { id: (await ownProject(owner)).id, owner };
}

const NONE = { sent: 0, bounces: 0, transientBounces: 0, complaints: 0, bounceRate: 0, complaintRate: 0 };
const HEALTHY = { bounceLevel: 'healthy', complaintLevel: 'healthy' };

async function security(owner: TestUser, id: string) {
  const response = await owner.call('GET', `/projects/${id}/security`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{
    level: string;
    last24Hours: Record<string, unknown>;
    last7Days: Record<string, unknown>;
    allTime: Record<string, unknown>;
  }>();
}

describe('access', () => {
  test.each(PATHS)('%s returns the same to the owner, an admin, and a member, and 404 to a stranger', async (path) => {
    const { id, owner } = await owned();
    const [admin, member, stranger] = [await newUser(api), await newUser(api), await newUser(api)];
    await api.ctx.prisma.membership.createMany({
      data: [
        { projectId: id, userId: admin.id, role: 'ADMIN' },
        { projectId: id, userId: member.id, role: 'MEMBER' },
      ],
    });
    const views = await Promise.all([owner, admin, member].map((user) => user.call('GET', at(path, id))));
    expect(views.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
    expect(views.map((view) => view.json())).toEqual(views.map(() => views[0]?.json()));
    expect(refusal(await stranger.call('GET', at(path, id)))).toEqual([404, 'PROJECT_NOT_FOUND']);
    expect(refusal(await owner.call('GET', at(path, 'nope')))).toEqual([404, 'PROJECT_NOT_FOUND']);
  });

  test.each(PATHS)('%s requires the session: without one, and with a key, it returns 401', async (path) => {
    const project = await api.project();
    expect(refusal(await request(api.app, 'GET', at(path, project.id)))).toEqual([401, 'UNAUTHORIZED']);
    expect(refusal(await api.as(project, 'GET', at(path, project.id)))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('a disabled project returns it, with the reason', async () => {
    const { id, owner } = await owned();
    await api.ctx.prisma.project.update({
      where: { id },
      data: { disabled: true, disabledReason: 'why', disabledAt: new Date('2026-01-02T03:04:05.678Z') },
    });
    expect(await security(owner, id)).toMatchObject({
      disabled: true,
      disabledReason: 'why',
      disabledAt: '2026-01-02T03:04:05.678Z',
    });
  });
});

describe('the figures', () => {
  test('of a new project: nothing sent, and healthy', async () => {
    const { id, owner } = await owned();
    expect(await security(owner, id)).toEqual({
      projectId: id,
      level: 'healthy',
      disabled: false,
      disabledReason: null,
      disabledAt: null,
      last24Hours: NONE,
      last7Days: { ...NONE, ...HEALTHY },
      allTime: { ...NONE, ...HEALTHY },
      autoDisable: { enabled: true, countsFrom: null },
    });
  });

  test('of 24 hours, 7 days, and all time are separate, folded or not', async () => {
    const { id, owner } = await owned();
    const days: FigureSpec[] = [
      { sent: 100, bounces: 1, transient: 4 },
      { sent: 200, bounces: 2, complaints: 1, hoursAgo: 23 },
      // Recorded before the 24 hours, on a day within the 7.
      { sent: 400, bounces: 4, hoursAgo: 26, daysAgo: 2 },
      { sent: 800, bounces: 8, hoursAgo: 6 * 24, daysAgo: 6 },
      { sent: 1600, bounces: 16, complaints: 2, hoursAgo: 7 * 24, daysAgo: 7 },
      { sent: 3200, bounces: 32, hoursAgo: 400 * 24, daysAgo: 400 },
    ];
    for (const day of days) await addFigures(api.ctx, id, day);
    const expected = {
      last24Hours: {
        sent: 300,
        bounces: 3,
        transientBounces: 4,
        complaints: 1,
        bounceRate: 0.01,
        complaintRate: 1 / 300,
      },
      last7Days: {
        sent: 1500,
        bounces: 15,
        transientBounces: 4,
        complaints: 1,
        bounceRate: 0.01,
        complaintRate: 1 / 1500,
      },
      allTime: {
        sent: 6300,
        bounces: 63,
        transientBounces: 4,
        complaints: 3,
        bounceRate: 0.01,
        complaintRate: 3 / 6300,
      },
    };
    expect(await security(owner, id)).toMatchObject(expected);
    await fold(api.ctx);
    expect(await api.ctx.prisma.statDelta.count({ where: { projectId: id } })).toBe(0);
    expect(await security(owner, id)).toMatchObject(expected);
    // Housekeeping deletes figures that are older than the kept hours.
    await runMaintenanceTask(api.ctx, 'expiry');
    expect(await api.ctx.prisma.projectHour.count({ where: { projectId: id } })).toBe(3);
    expect(await security(owner, id)).toMatchObject(expected);
  });

  test('of one project exclude those of others', async () => {
    const [one, two] = [await owned(), await owned()];
    await addFigures(api.ctx, one.id, { sent: 500, bounces: 100 });
    expect(await security(two.owner, two.id)).toMatchObject({ level: 'healthy', allTime: NONE });
  });

  test('count bounces and complaints of real emails once, in any order and with repeats', async () => {
    const project = await api.project();
    const owner = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: owner.id, role: 'OWNER' } });
    const [a, b, c] = await sent(project, 3);
    if (!a || !b || !c) throw new Error('unreachable');
    const now = new Date();
    const said = [
      about(a.id, { kind: 'bounced', bounceType: 'permanent', reason: 'no such user', at: now }),
      about(b.id, { kind: 'bounced', bounceType: 'transient', reason: 'full', at: now }),
      about(c.id, { kind: 'complained', reason: 'abuse', at: now }),
      about(b.id, { kind: 'bounced', bounceType: 'permanent', reason: 'gone after all', at: now }),
    ];
    for (const one of said) await apply(one);
    await applyFeedback(api.ctx.pool, said.toReversed());
    expect(await security(owner, project.id)).toMatchObject({
      last24Hours: { bounces: 2, transientBounces: 0, complaints: 1 },
      last7Days: { bounces: 2, complaints: 1 },
      allTime: { bounces: 2, complaints: 1 },
    });
  });

  test.each<[string, FigureSpec[], object]>([
    [
      'a warning over 7 days',
      [
        { sent: 1000, daysAgo: 30 },
        { sent: 100, bounces: 5 },
      ],
      { level: 'warning', last7Days: { bounceLevel: 'warning', complaintLevel: 'healthy' }, allTime: HEALTHY },
    ],
    [
      'critical over 7 days',
      [
        { sent: 1000, daysAgo: 30 },
        { sent: 100, bounces: 10 },
      ],
      { level: 'critical', last7Days: { bounceLevel: 'critical' }, allTime: HEALTHY },
    ],
    [
      'a warning over all time',
      [{ sent: 100, bounces: 6, daysAgo: 30 }, { sent: 20 }],
      { level: 'warning', last7Days: HEALTHY, allTime: { bounceLevel: 'warning' } },
    ],
    [
      'complaints',
      [{ sent: 5000, complaints: 6 }],
      {
        level: 'critical',
        last7Days: { complaintLevel: 'warning', bounceLevel: 'healthy' },
        allTime: { complaintLevel: 'critical' },
      },
    ],
    ['99 emails', [{ sent: 99, bounces: 50 }], { level: 'healthy', last7Days: { ...HEALTHY, bounceRate: 50 / 99 } }],
    [
      'transient bounces',
      [{ sent: 100, transient: 100 }],
      { level: 'healthy', allTime: { ...HEALTHY, bounceRate: 0, transientBounces: 100 } },
    ],
  ])('the level of %s', async (_what, figures, expected) => {
    const { id, owner } = await owned();
    for (const one of figures) await addFigures(api.ctx, id, one);
    expect(await security(owner, id)).toMatchObject(expected);
  });
});
