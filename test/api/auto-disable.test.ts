/** Critical rates disable the project (contract, section 2, "Security") and cancel everything that runs for it. */
import { describe, expect, test } from 'vitest';
import { applyFeedback } from '../../src/domain/feedback/sql/feedback.js';
import { begin, finish, snapshot } from '../../src/domain/campaigns/run.js';
import { sendCampaign } from '../../src/domain/campaigns/send.js';
import { withLockTimeout } from '../../src/domain/lock-timeout.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { stopProject } from '../../src/domain/projects/stop.js';
import { startReputationWatch, watchReputation } from '../../src/domain/reputation/watch.js';
import { newId } from '../../src/ids.js';
import { sendDue } from '../helpers/send-due.js';
import { useApi } from '../helpers/api.js';
import { sendLane } from '../helpers/send-lane.js';
import { campaignHelpers, TOMORROW } from '../helpers/campaign-api.js';
import { eventually } from '../helpers/eventually.js';
import { about, feedbackHelpers } from '../helpers/feedback.js';
import { addFigures, CRITICAL, fold, reputationHelpers, stateOf, type FigureSpec } from '../helpers/reputation.js';
import { executionRow, insertContact, insertGraph, startByEvent, waitFor } from '../helpers/workflow-graph.js';

const api = useApi();
const { sent } = feedbackHelpers(api);
const { draft, contact } = campaignHelpers(api);

const { look, isDisabled, suspects, memberOf } = reputationHelpers(api);

describe('the reputation check', () => {
  test('repeats while a worker runs, and ends with it', async () => {
    const [first, second] = [await api.project(), await api.project()];
    const watch = startReputationWatch(api.ctx);
    for (const { id } of [first, second]) {
      await addFigures(api.ctx, id, CRITICAL);
      await eventually(async () => expect(await isDisabled(id)).toBe(true));
    }
    await watch.stop();
  });

  test.each<[string, FigureSpec[], boolean]>([
    ['10 bounces of 100 emails', [CRITICAL], true],
    ['9 bounces of 100 emails', [{ sent: 100, bounces: 9 }], false],
    ['50 bounces of 99 emails', [{ sent: 99, bounces: 50 }], false],
    [
      'a rate of 9.99 % over 7 days and 1 % over all time',
      [
        { sent: 100_000, daysAgo: 30 },
        { sent: 10_000, bounces: 999 },
      ],
      false,
    ],
    [
      'a rate of 10 % over 7 days and 1 % over all time',
      [
        { sent: 100_000, daysAgo: 30 },
        { sent: 10_000, bounces: 1000 },
      ],
      true,
    ],
    [
      'a rate of 8 % over all time and less over 7 days',
      [
        { sent: 1000, bounces: 119, daysAgo: 30 },
        { sent: 500, bounces: 1 },
      ],
      true,
    ],
    [
      'a rate of 7.9 % over all time and less over 7 days',
      [
        { sent: 1000, bounces: 118, daysAgo: 30 },
        { sent: 500, bounces: 1, transient: 50 },
      ],
      false,
    ],
    ['4 complaints of 100 emails', [{ sent: 100, complaints: 4 }], false],
    ['5 complaints of 100 emails', [{ sent: 100, complaints: 5 }], true],
    ['complaints of 0.12 % over all time', [{ sent: 5000, complaints: 6 }], true],
    ['complaints of 0.1199 % over all time', [{ sent: 100_000, complaints: 119 }], false],
    [
      'complaints of 0.15 % over 7 days and less over all time',
      [
        { sent: 100_000, daysAgo: 30 },
        { sent: 4000, complaints: 6 },
      ],
      true,
    ],
    ['100 transient bounces of 100 emails', [{ sent: 100, transient: 100 }], false],
  ])('with %s', async (_what, figures, disabled) => {
    const project = await api.project();
    for (const one of figures) await addFigures(api.ctx, project.id, one);
    await look();
    expect(await isDisabled(project.id)).toBe(disabled);
    // Folding makes no difference.
    const folded = await api.project();
    for (const one of figures) await addFigures(api.ctx, folded.id, one);
    await fold(api.ctx);
    await look();
    expect(await isDisabled(folded.id)).toBe(disabled);
    expect(await suspects()).toBe(0);
  });

  test('shows the reason and the time in the project and on its security page', async () => {
    const project = await api.project();
    const owner = await memberOf(project);
    await addFigures(api.ctx, project.id, CRITICAL);
    await look();
    const disabledReason = '10 of 100 emails of the last 7 days bounced permanently (10 %). The limit is 10 %.';
    expect((await owner.call('GET', '/users/@me/projects')).json()).toEqual([
      expect.objectContaining({ id: project.id, disabled: true, disabledReason }),
    ]);
    expect((await owner.call('GET', `/projects/${project.id}/security`)).json()).toMatchObject({
      level: 'critical',
      disabled: true,
      disabledReason,
      disabledAt: expect.stringMatching(/Z$/),
    });
  });

  test('disables only the critical project', async () => {
    const [bad, good] = [await api.project(), await api.project()];
    await addFigures(api.ctx, bad.id, CRITICAL);
    await addFigures(api.ctx, good.id, { sent: 100, bounces: 1 });
    await look();
    expect([await isDisabled(bad.id), await isDisabled(good.id)]).toEqual([true, false]);
  });

  test('a project also becomes critical without new emails, when earlier good days leave the week', async () => {
    const project = await api.project();
    await addFigures(api.ctx, project.id, { sent: 100_000, daysAgo: 6 });
    await addFigures(api.ctx, project.id, { ...CRITICAL, daysAgo: 1 });
    await fold(api.ctx);
    await look();
    expect(await isDisabled(project.id)).toBe(false);
    await api.ctx.pool.query(`UPDATE project_days SET day = day - 1 WHERE project_id = $1`, [project.id]);
    await look();
    expect(await isDisabled(project.id)).toBe(false);
    await runMaintenanceTask(api.ctx, 'expiry');
    await look();
    expect(await isDisabled(project.id)).toBe(true);
  });

  test('without AUTO_PROJECT_DISABLE disables no project and still removes the suspects', async () => {
    const project = await api.project();
    await addFigures(api.ctx, project.id, CRITICAL);
    await watchReputation({ ...api.ctx, config: { ...api.config, AUTO_PROJECT_DISABLE: false } });
    expect([await isDisabled(project.id), await suspects()]).toEqual([false, 0]);
  });

  test('accepts a deleted project and new feedback during the check', async () => {
    const project = await api.project();
    await api.ctx.pool.query(`INSERT INTO reputation_suspects (project_id) VALUES ($1), ($2)`, [newId(), project.id]);
    await look();
    expect([await isDisabled(project.id), await suspects()]).toEqual([false, 0]);
  });
});

describe('feedback', () => {
  test('50 concurrent bounces on separate connections disable the project once, and all of them count', async () => {
    const project = await api.project();
    const emails = await sent(project, 50);
    await addFigures(api.ctx, project.id, { sent: 200 });
    await Promise.all([
      ...emails.map(({ id }) =>
        withLockTimeout(api.ctx.pool, (tx) =>
          applyFeedback(tx, [about(id, { kind: 'bounced', bounceType: 'permanent', reason: null, at: new Date() })]),
        ),
      ),
      look(),
      fold(api.ctx),
      look(),
    ]);
    await look();
    const { disabled, disabledReason, disabledAt } = await stateOf(api.ctx, project.id);
    expect([disabled, disabledReason]).toEqual([true, expect.stringMatching(/bounced permanently/)]);
    await look();
    expect((await stateOf(api.ctx, project.id)).disabledAt).toEqual(disabledAt);
    await fold(api.ctx);
    const { rows } = await api.ctx.pool.query<{ bounces: number }>(
      `SELECT sum(hard_bounced)::int AS bounces FROM project_days WHERE project_id = $1`,
      [project.id],
    );
    expect(rows).toEqual([{ bounces: 50 }]);
    expect(await api.ctx.prisma.suppression.count({ where: { projectId: project.id } })).toBe(50);
  });

  test('concurrent checks of two workers have the same result', async () => {
    const projects = await Promise.all(Array.from({ length: 4 }, () => api.project()));
    for (const { id } of projects) await addFigures(api.ctx, id, CRITICAL);
    await Promise.all([look(), look(), look()]);
    for (const { id } of projects) expect(await isDisabled(id)).toBe(true);
    expect(await suspects()).toBe(0);
  });

  test('still counts for a disabled project, and its unsubscribe and tracking links work', async () => {
    const project = await api.project();
    const [email] = await sent(project, 1);
    if (!email?.contactId) throw new Error('unreachable');
    await addFigures(api.ctx, project.id, CRITICAL);
    await look();
    await withLockTimeout(api.ctx.pool, (tx) =>
      applyFeedback(tx, [about(email.id, { kind: 'complained', reason: null, at: new Date() })]),
    );
    expect(await api.ctx.prisma.suppression.count({ where: { projectId: project.id } })).toBe(1);
    const page = new URL(api.ctx.links.unsubscribeUrl(email.contactId, email.id)).pathname;
    for (const method of ['GET', 'POST'] as const)
      expect((await api.app.inject({ method, url: page })).statusCode).toBe(200);
    const { click, open } = linksOf(email.id);
    expect((await api.app.inject(click)).statusCode).toBe(302);
    expect((await api.app.inject(open)).statusCode).toBe(200);
  });
});

function linksOf(emailId: string): { click: string; open: string } {
  const links = api.ctx.links.tracking.of(emailId);
  return {
    click: new URL(links.clickUrl('https://example.test/') ?? '').pathname,
    open: new URL(links.pixelUrl()).pathname,
  };
}

describe('what runs for a disabled project', () => {
  /**
   * Creates a sending campaign with one queued email, a scheduled campaign, a waiting execution, and an accepted email.
   */
  async function busy() {
    const project = await api.project();
    await contact(project, 'ada@x.test');
    const [sending, scheduled] = [await draft(project), await draft(project)];
    await sendCampaign(api.ctx, project.id, sending);
    await sendCampaign(api.ctx, project.id, scheduled, { scheduledFor: TOMORROW() });
    const run = { campaignId: sending, projectId: project.id, attempt: 1 };
    await begin(api.ctx, run);
    const { messageId } = await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id: sending } });
    const queued = newId();
    await api.ctx.prisma.email.create({
      data: {
        id: queued,
        projectId: project.id,
        campaignId: sending,
        messageId: messageId ?? '',
        source: 'CAMPAIGN',
        type: 'MARKETING',
        toEmail: 'ada@x.test',
      },
    });
    const graph = await insertGraph(api.ctx, project.id, {
      steps: { wait: waitFor('bought') },
      edges: ['TRIGGER > wait'],
    });
    const execution = await startByEvent(api.ctx, graph, await insertContact(api.ctx, project.id));
    const accepted = await api.as(project, 'POST', '/v1/send', {
      to: 'b@x.test',
      from: `a@${project.domain}`,
      subject: 's',
      body: 'b',
    });
    const mail = accepted.json<{ data: { emails: Array<{ email: string }> } }>().data.emails[0]?.email ?? '';
    await api.ctx.prisma.outbox.deleteMany();
    return { project, sending, scheduled, queued, graph, execution, mail };
  }
  const statusOf = async (id: string) => (await api.ctx.prisma.email.findUniqueOrThrow({ where: { id } })).status;

  test('is canceled: campaigns, executions, and queued emails, with intents for their Temporal workflows', async () => {
    const { project, sending, scheduled, queued, execution, mail } = await busy();
    await addFigures(api.ctx, project.id, CRITICAL);
    await look();
    const campaigns = await api.ctx.prisma.campaign.findMany({ where: { projectId: project.id } });
    expect(campaigns.map(({ status }) => status)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await executionRow(api.ctx, execution)).toMatchObject({ status: 'CANCELLED' });
    expect([await statusOf(queued), await statusOf(mail)]).toEqual(['CANCELLED', 'CANCELLED']);
    const { rows } = await api.ctx.pool.query<{ workflowId: string }>(
      `SELECT workflow_id AS "workflowId" FROM outbox WHERE action = 'cancel' ORDER BY 1`,
    );
    expect(rows.map(({ workflowId }) => workflowId)).toEqual(
      [`campaign:${sending}:1`, `campaign:${scheduled}:1`, `execution:${execution}`].sort(),
    );
  });

  test('is canceled by the next check if the previous one only disabled the project', async () => {
    const { project, queued, execution, mail } = await busy();
    await addFigures(api.ctx, project.id, CRITICAL);
    // The state after a worker was killed between the two steps.
    await api.ctx.prisma.project.update({
      where: { id: project.id },
      data: { disabled: true, disabledReason: 'it was critical' },
    });
    await look();
    expect([await statusOf(queued), await statusOf(mail), (await executionRow(api.ctx, execution)).status]).toEqual([
      'CANCELLED',
      'CANCELLED',
      'CANCELLED',
    ]);
    expect([await suspects(), (await stateOf(api.ctx, project.id)).disabledReason]).toEqual([0, 'it was critical']);
  });

  test('is retried by the next check if its rows are locked, and other projects do not wait for it', async () => {
    const { project, execution } = await busy();
    const other = await api.project();
    for (const { id } of [project, other]) await addFigures(api.ctx, id, CRITICAL);
    const holder = await api.ctx.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(`SELECT FROM projects WHERE id = $1 FOR KEY SHARE`, [project.id]);
      await expect(look()).rejects.toThrow(/has locked this/);
      // The update that disables the project waits for no lock.
      expect([await isDisabled(project.id), await isDisabled(other.id), await suspects()]).toEqual([true, true, 1]);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    await look();
    expect([(await executionRow(api.ctx, execution)).status, await suspects()]).toEqual(['CANCELLED', 0]);
  });

  test('an email that was accepted before and committed after is not sent', async () => {
    const { project, mail } = await busy();
    await addFigures(api.ctx, project.id, CRITICAL);
    await look();
    // Simulates a request that was in flight in the meantime.
    await api.ctx.prisma.email.update({ where: { id: mail }, data: { status: 'PENDING', error: null } });
    const mails = await sendDue(api.ctx);
    expect(await api.ctx.prisma.email.findUniqueOrThrow({ where: { id: mail } })).toMatchObject({
      status: 'CANCELLED',
      error: expect.stringMatching(/project was disabled/),
      sentAt: null,
    });
    expect(mails).toEqual([]);
  });

  test('no email of a campaign is sent after the project is disabled, even before the cancellation', async () => {
    const { project, sending } = await busy();
    const run = { campaignId: sending, projectId: project.id, attempt: 1 };
    await snapshot(api.ctx, run);
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect(await sendLane(api.ctx, run)).toMatchObject({ reason: 'inactive', recipients: [] });
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: false } });
    expect((await sendLane(api.ctx, run)).recipients).toContain('ada@x.test');
  });

  test('a campaign of a disabled project ends itself, even without the reputation watch', async () => {
    const { project, sending, queued } = await busy();
    await api.ctx.prisma.campaign.update({ where: { id: sending }, data: { snapshotDone: true } });
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    const run = { campaignId: sending, projectId: project.id, attempt: 1 };
    expect(await finish(api.ctx, run)).toMatchObject({ finished: false });
    expect([
      await statusOf(queued),
      (await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id: sending } })).status,
    ]).toEqual(['CANCELLED', 'CANCELLED']);
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    expect((await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id: sending } })).status).toBe('CANCELLED');
  });

  test('a campaign requested before does not start, and one that completes concurrently is CANCELLED', async () => {
    const project = await api.project();
    await contact(project, 'ada@x.test');
    const [late, ending] = [await draft(project), await draft(project)];
    await sendCampaign(api.ctx, project.id, ending);
    const run = { campaignId: ending, projectId: project.id, attempt: 1 };
    await begin(api.ctx, run);
    await api.ctx.prisma.campaign.update({ where: { id: ending }, data: { snapshotDone: true } });
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    await expect(sendCampaign(api.ctx, project.id, late)).rejects.toMatchObject({
      code: 'PROJECT_DISABLED',
      status: 403,
    });
    expect(await finish(api.ctx, run)).toMatchObject({ finished: true });
    const statuses = await api.ctx.prisma.campaign.findMany({
      where: { projectId: project.id },
      select: { id: true, status: true, sentAt: true },
    });
    expect(new Map(statuses.map((row) => [row.id, row]))).toEqual(
      new Map([
        [late, { id: late, status: 'DRAFT', sentAt: null }],
        [ending, { id: ending, status: 'CANCELLED', sentAt: null }],
      ]),
    );
  });

  test('starting a campaign waits while the project is being stopped, and is then rejected', async () => {
    const project = await api.project();
    await contact(project, 'ada@x.test');
    const id = await draft(project);
    const stopping = await api.ctx.pool.connect();
    let starting: Promise<unknown>;
    try {
      await stopping.query('BEGIN');
      expect(await stopProject(stopping, project.id, 'The project was disabled')).toBe(true);
      await stopping.query(`UPDATE projects SET disabled = true WHERE id = $1`, [project.id]);
      starting = sendCampaign(api.ctx, project.id, id).catch((error: unknown) => error);
      // It waits for a lock, so it has read old data.
      await eventually(async () => {
        const { rowCount } = await api.ctx.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        expect(rowCount).toBeGreaterThan(0);
      });
      await stopping.query('COMMIT');
    } finally {
      stopping.release();
    }
    expect(await starting).toMatchObject({ code: 'PROJECT_DISABLED' });
    expect((await api.ctx.prisma.campaign.findUniqueOrThrow({ where: { id } })).status).toBe('DRAFT');
  });
});
