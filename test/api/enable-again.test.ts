/** What a disabled project can do, how it is enabled again, and what counts afterwards. */
import { describe, expect, test } from 'vitest';
import { claimDue } from '../../src/domain/emails/sql/claim.js';
import { disableProject } from '../../src/domain/reputation/sql.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { openInstance, closeInstance } from '../helpers/probe.js';
import { addFigures, CRITICAL, fold, reputationHelpers, stateOf, type FigureSpec } from '../helpers/reputation.js';
import { newUser, refusal, request, type TestUser } from '../helpers/session.js';
import { insertTemplate } from '../helpers/workflow-graph.js';

const api = useApi();
const { look, isDisabled, memberOf, enable } = reputationHelpers(api);

describe('a disabled project', () => {
  test('allows reading and rejects every change with 403 PROJECT_DISABLED immediately on every instance', async () => {
    const project = await api.project();
    const others = await Promise.all([openInstance(api.config.DATABASE_URL), openInstance(api.config.DATABASE_URL)]);
    try {
      const apps = [api.app, ...others.map(({ app }) => app)];
      const send = (app: (typeof apps)[number]) =>
        request(app, 'POST', '/v1/send', {
          body: { to: 'a@x.test', from: `a@${project.domain}`, subject: 's', body: 'b' },
          headers: { authorization: `Bearer ${project.secret}` },
        });
      for (const app of apps) expect((await send(app)).statusCode).toBe(200);
      await addFigures(api.ctx, project.id, CRITICAL);
      await look();
      for (const app of apps) {
        expect(refusal(await send(app))).toEqual([403, 'PROJECT_DISABLED']);
        expect(
          refusal(
            await request(app, 'POST', '/v1/track', {
              body: { email: 'a@x.test', event: 'e' },
              headers: { authorization: `Bearer ${project.public}` },
            }),
          ),
        ).toEqual([403, 'PROJECT_DISABLED']);
        for (const url of ['/contacts', '/campaigns', '/suppressions', '/events'])
          expect(
            (await request(app, 'GET', url, { headers: { authorization: `Bearer ${project.secret}` } })).statusCode,
          ).toBe(200);
      }
      for (const [method, url] of [
        ['POST', '/suppressions'],
        ['DELETE', '/suppressions/a@x.test'],
        ['POST', '/campaigns'],
        ['POST', '/contacts'],
      ] as const) {
        expect(
          refused(await api.as(project, method, url, method === 'POST' ? { email: 'a@x.test' } : undefined)),
          url,
        ).toEqual({ status: 403, code: 'PROJECT_DISABLED' });
      }
      // A POST may be a query.
      const questions = {
        '/v1/verify': { email: 'a@x.test' },
        '/contacts/lookup': { emails: ['a@x.test'] },
        '/campaigns/audience': { audienceType: 'ALL', type: 'MARKETING' },
      };
      for (const [url, body] of Object.entries(questions))
        expect((await api.as(project, 'POST', url, body)).statusCode, url).toBe(200);
    } finally {
      for (const instance of others) await closeInstance(instance);
    }
  });

  test.each(['OWNER', 'ADMIN'] as const)(
    'is enabled again by its %s with PATCH { disabled: false }, and works',
    async (role) => {
      const project = await api.project();
      const user = await memberOf(project, role);
      await addFigures(api.ctx, project.id, CRITICAL);
      await look();
      const response = await enable(user, project);
      expect([response.statusCode, response.json()]).toEqual([
        200,
        expect.objectContaining({ id: project.id, disabled: false, disabledReason: null }),
      ]);
      expect((await api.as(project, 'POST', '/contacts', { email: 'a@x.test' })).statusCode).toBe(201);
      expect((await user.call('GET', `/projects/${project.id}/security`)).json()).toMatchObject({
        disabled: false,
        disabledAt: null,
        level: 'critical',
        autoDisable: { countsFrom: expect.stringMatching(/Z$/) },
      });
    },
  );

  test('is not enabled by a member, a stranger, or a request that changes something else too', async () => {
    const project = await api.project();
    const [owner, member, stranger] = [await memberOf(project), await memberOf(project, 'MEMBER'), await newUser(api)];
    await addFigures(api.ctx, project.id, CRITICAL);
    await look();
    expect(refusal(await enable(member, project))).toEqual([403, 'FORBIDDEN']);
    expect(refusal(await enable(stranger, project))).toEqual([404, 'PROJECT_NOT_FOUND']);
    // A client that sends back a project that it read earlier.
    for (const body of [{ name: 'Test', disabled: false }, { disabled: true }, {}])
      expect(refusal(await enable(owner, project, body))).toEqual([403, 'PROJECT_DISABLED']);
    expect(refusal(await enable(owner, project, { disabled: 'false' }))).toEqual([422, 'VALIDATION_ERROR', 'disabled']);
    expect(await isDisabled(project.id)).toBe(true);
  });

  test('PATCH { disabled: false } does not change an enabled project or its counts', async () => {
    const project = await api.project();
    const owner = await memberOf(project);
    const response = await enable(owner, project, { disabled: false, name: 'Renamed' });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      expect.objectContaining({ disabled: false, name: 'Renamed' }),
    ]);
    expect(await api.ctx.prisma.reputationMark.count({ where: { projectId: project.id } })).toBe(0);
  });
});

describe('after it was enabled again', () => {
  async function enabledAgain(
    figures: FigureSpec = { sent: 1000, bounces: 300, complaints: 50 },
  ): Promise<{ project: TestProject; owner: TestUser }> {
    const project = await api.project();
    const owner = await memberOf(project);
    await addFigures(api.ctx, project.id, figures);
    await look();
    expect(await isDisabled(project.id)).toBe(true);
    expect((await enable(owner, project)).statusCode).toBe(200);
    return { project, owner };
  }

  test('the same figures do not disable it again: not after a fold, by a bounce, or by housekeeping', async () => {
    const { project } = await enabledAgain();
    await look();
    await fold(api.ctx);
    await look();
    await addFigures(api.ctx, project.id, { sent: 10, bounces: 9 });
    await runMaintenanceTask(api.ctx, 'expiry');
    await look();
    expect(await isDisabled(project.id)).toBe(false);
  });

  test('new figures do, with the same thresholds: 100 emails, and 10 % of them', async () => {
    const { project } = await enabledAgain();
    await addFigures(api.ctx, project.id, { sent: 99, bounces: 30 });
    await look();
    expect(await isDisabled(project.id)).toBe(false);
    await addFigures(api.ctx, project.id, { sent: 1 });
    await runMaintenanceTask(api.ctx, 'expiry');
    await fold(api.ctx);
    await runMaintenanceTask(api.ctx, 'expiry');
    await look();
    expect((await stateOf(api.ctx, project.id)).disabledReason).toBe(
      '30 of 100 emails of the last 7 days bounced permanently (30 %). The limit is 10 %.',
    );
  });

  test('a week later, its 7 days count as usual, and all time begins at the enabling', async () => {
    const { project } = await enabledAgain();
    await fold(api.ctx);
    await api.ctx.pool.query(`UPDATE project_days SET day = day - 10 WHERE project_id = $1`, [project.id]);
    await api.ctx.pool.query(`UPDATE reputation_marks SET at = at - interval '10 days' WHERE project_id = $1`, [
      project.id,
    ]);
    await addFigures(api.ctx, project.id, { sent: 1000, bounces: 79 });
    await look();
    expect(await isDisabled(project.id)).toBe(false);
    await addFigures(api.ctx, project.id, { bounces: 1 });
    await look();
    expect((await stateOf(api.ctx, project.id)).disabledReason).toBe(
      '80 of 1000 emails of all time bounced permanently (8 %). The limit is 8 %.',
    );
  });

  test('it can be disabled and enabled any number of times', async () => {
    const { project, owner } = await enabledAgain();
    for (let round = 0; round < 3; round++) {
      await addFigures(api.ctx, project.id, CRITICAL);
      await look();
      expect([round, await isDisabled(project.id)]).toEqual([round, true]);
      await enable(owner, project);
      await look();
      expect([round, await isDisabled(project.id)]).toEqual([round, false]);
    }
  });

  test('a check that evaluated it before does not disable it afterwards', async () => {
    const { project } = await enabledAgain();
    expect(await disableProject(api.ctx.pool, { projectId: project.id, reason: 'stale', enabledAt: null })).toBe(false);
    expect(await isDisabled(project.id)).toBe(false);
  });

  test('canceled work stays canceled, and emails queued earlier are not sent', async () => {
    const project = await api.project();
    const owner = await memberOf(project);
    const template = await insertTemplate(api.ctx, project);
    const accepted = await api.as(project, 'POST', '/v1/send', { to: 'b@x.test', template });
    const mail = accepted.json<{ data: { emails: Array<{ email: string }> } }>().data.emails[0]?.email ?? '';
    await addFigures(api.ctx, project.id, CRITICAL);
    await look();
    await enable(owner, project);
    expect(
      (await claimDue(api.ctx.pool, { workerId: newId(), limit: 1000, results: [] })).map(({ id }) => id),
    ).not.toContain(mail);
    expect(await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: mail } })).toMatchObject({
      status: 'CANCELLED',
      error: 'The project was disabled because of its reputation',
    });
  });
});
