/** `POST /users/@me/projects/:id/reset` (contract, section 2), and what is canceled with a disabled project. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Queryable } from '../../src/db/pool.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { withLockTimeout } from '../../src/domain/lock-timeout.js';
import { stopProject } from '../../src/domain/projects/stop.js';
import { newId } from '../../src/ids.js';
import { insertProject, useApi, type TestProject } from '../helpers/api.js';
import { eventually } from '../helpers/eventually.js';
import { fillProject, rowsOf } from '../helpers/project-content.js';
import { newUser, refusal, type TestUser } from '../helpers/session.js';
import { insertContact, insertGraph } from '../helpers/workflow-graph.js';

const api = useApi();

/** The tables of which a project keeps its rows. */
const KEPT = [
  'billing_subscriptions',
  'cleared_days',
  'domains',
  'key_uses',
  'memberships',
  'project_days',
  'project_hours',
  'project_usage',
  'rate_windows',
  'reputation_marks',
  'reputation_suspects',
  'send_buckets',
  'stat_deltas',
  'suppressions',
  'usage_notices',
  'webhook_endpoints',
];

let owner: TestUser;

beforeAll(async () => {
  owner = await newUser(api);
});

/** Creates a project of the owner, with keys and a verified domain. */
async function ownedProject(): Promise<TestProject> {
  const project = await insertProject(api.ctx);
  await api.ctx.prisma.membership.create({ data: { projectId: project.id, userId: owner.id, role: 'OWNER' } });
  return project;
}

const reset = (user: TestUser, id: string) => user.call('POST', `/users/@me/projects/${id}/reset`);

/** Returns the intents of these Temporal workflows, such as `cancel campaign:…`. */
async function intentsOf(workflowIds: string[]): Promise<string[]> {
  const rows = await api.ctx.prisma.outbox.findMany({
    where: { workflowId: { in: workflowIds } },
    orderBy: { workflowId: 'asc' },
  });
  return rows.map(({ action, workflowId }) => `${action} ${workflowId}`);
}

const total = async (project: TestProject, url: string): Promise<number> =>
  (await api.as(project, 'GET', url)).json<{ total: number }>().total;

describe('POST /users/@me/projects/:id/reset', () => {
  test('deletes the content; keeps the project, keys, members, domains, and webhook endpoints', async () => {
    const [project, neighbour] = [await ownedProject(), await ownedProject()];
    const { running, emails, openJobs } = await fillProject(api.ctx, project.id);
    await fillProject(api.ctx, neighbour.id);
    const [before, others] = [await rowsOf(api.ctx, project.id), await rowsOf(api.ctx, neighbour.id)];
    const row = await api.ctx.prisma.project.findUniqueOrThrow({ where: { id: project.id } });
    expect(Object.entries(before).filter(([, count]) => count === 0)).toEqual([]);

    const response = await reset(owner, project.id);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toMatchObject({
      id: project.id,
      name: 'Test',
      public: project.public,
      secretLast4: project.secret.slice(-4),
      disabled: false,
    });

    expect(await api.ctx.prisma.project.findUnique({ where: { id: project.id } })).toEqual(row);
    const after = await rowsOf(api.ctx, project.id);
    expect(after.jobs).toBe(openJobs.length);
    expect(Object.keys(after).filter((table) => (after[table] ?? 0) > 0 && table !== 'jobs')).toEqual(KEPT);
    // The usage of canceled emails is returned in rows of its own, and the deleted figures and numbers of executions
    // are recorded.
    for (const table of KEPT)
      if (!['rate_windows', 'project_usage', 'cleared_days', 'stat_deltas'].includes(table))
        expect([table, after[table]]).toEqual([table, before[table]]);
    expect(
      (await api.ctx.pool.query(`SELECT sum(sent)::int AS sent FROM stat_deltas WHERE project_id = $1`, [project.id]))
        .rows,
    ).toEqual([{ sent: 1 }]);
    // Everything that ran is canceled, except the verification of the domain, which stays.
    expect(await intentsOf(running)).toEqual(
      running.filter((id) => !/^(domain|webhook):/.test(id)).map((id) => `cancel ${id}`),
    );
    const ran = await api.ctx.prisma.job.findMany({ where: { projectId: project.id } });
    for (const job of ran) expect(job).toMatchObject({ state: 'cancelled', errors: [] });
    expect(ran.map(({ id }) => id).sort()).toEqual(openJobs.sort());
    expect(await rowsOf(api.ctx, neighbour.id)).toEqual(others);

    // With the same keys, through the API.
    expect((await api.as(project, 'GET', '/activity/stats')).json()).toMatchObject({
      totalEvents: 0,
      totalEmailsSent: 0,
      totalWorkflowsStarted: 0,
    });
    for (const list of ['/contacts', '/templates', '/campaigns', '/workflows', '/events'])
      expect([list, await total(project, list)]).toEqual([list, 0]);
    expect((await api.as(project, 'GET', '/segments')).json()).toEqual([]);
    for (const id of emails) expect((await api.as(project, 'GET', `/emails/${id}`)).statusCode).toBe(404);
    const sent = await api.as(project, 'POST', '/v1/send', {
      to: 'new@x.test',
      from: `hi@${project.domain}`,
      subject: 's',
      body: 'b',
    });
    expect(sent.statusCode, sent.body).toBe(200);
    expect(
      (
        await api.as(
          project,
          'POST',
          '/v1/track',
          { email: 'new@x.test', event: 'e' },
          { authorization: `Bearer ${project.public}` },
        )
      ).statusCode,
    ).toBe(200);
  });

  test('an empty project can be reset, also twice', async () => {
    const { id } = await ownedProject();
    expect((await reset(owner, id)).statusCode).toBe(200);
    await fillProject(api.ctx, id);
    expect((await reset(owner, id)).statusCode).toBe(200);
    expect((await reset(owner, id)).statusCode).toBe(200);
    // The jobs that the previous reset canceled have ended by now.
    expect(
      Object.entries(await rowsOf(api.ctx, id)).filter(([table, count]) => count > 0 && !KEPT.includes(table)),
    ).toEqual([]);
  });

  test('admins can reset, members cannot (403 FORBIDDEN), and non-members get 404', async () => {
    const { id } = await ownedProject();
    const [admin, member, stranger] = [await newUser(api), await newUser(api), await newUser(api)];
    await api.ctx.prisma.membership.createMany({
      data: [
        { projectId: id, userId: admin.id, role: 'ADMIN' },
        { projectId: id, userId: member.id, role: 'MEMBER' },
      ],
    });
    await fillProject(api.ctx, id);
    const before = await rowsOf(api.ctx, id);
    expect(refusal(await reset(member, id))).toEqual([403, 'FORBIDDEN']);
    for (const unknown of [id, newId(), 'nothing'])
      expect(refusal(await reset(stranger, unknown))).toEqual([404, 'PROJECT_NOT_FOUND']);
    expect(await rowsOf(api.ctx, id)).toEqual(before);
    expect((await reset(admin, id)).statusCode).toBe(200);
    expect(await api.ctx.prisma.contact.count({ where: { projectId: id } })).toBe(0);
  });

  test('it requires the session: a secret key returns 401, and a disabled project 403 PROJECT_DISABLED', async () => {
    const project = await ownedProject();
    await insertContact(api.ctx, project.id);
    expect(refusal(await api.as(project, 'POST', `/users/@me/projects/${project.id}/reset`))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect(refusal(await reset(owner, project.id))).toEqual([403, 'PROJECT_DISABLED']);
    expect(await api.ctx.prisma.contact.count({ where: { projectId: project.id } })).toBe(1);
  });

  test('6,000 contacts with events, emails, and executions are deleted in pages during other requests', async () => {
    const project = await ownedProject();
    const { pool } = api.ctx;
    await insertGraph(api.ctx, project.id, { eventName: 'opened app', allowReentry: true, steps: {}, edges: [] });
    const message = newId();
    await api.ctx.prisma.message.create({
      data: {
        id: message,
        projectId: project.id,
        type: 'MARKETING',
        subject: 's',
        body: 'b',
        from: `a@${project.domain}`,
      },
    });
    await pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'c' || n || '@x.test', true FROM generate_series(1, 6000) n`,
      [project.id],
    );
    await pool.query(
      `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
       SELECT i.* FROM insert_events(ARRAY(
         SELECT (uuid_v7(), $1::uuid, id, NULL, 'opened app', '{}', NULL, NULL)::new_event
           FROM contacts WHERE project_id = $1)) i`,
      [project.id],
    );
    await pool.query(
      `INSERT INTO emails (id, project_id, message_id, contact_id, source, type, to_email) SELECT uuid_v7(), $1, $2, id, 'WORKFLOW', 'MARKETING', email FROM contacts WHERE project_id = $1`,
      [project.id, message],
    );
    const { rows: started } = await pool.query<{ id: string }>(
      `SELECT id FROM workflow_executions WHERE project_id = $1`,
      [project.id],
    );
    expect(started).toHaveLength(6000);

    const done = new AbortController();
    const answers = new Map<number, number>();
    const write = async (seat: number): Promise<void> => {
      for (let n = seat; !done.signal.aborted; n += 4) {
        const email = `c${(n % 6000) + 1}@x.test`;
        const { statusCode } =
          n % 2 === 0
            ? await api.as(
                project,
                'POST',
                '/v1/track',
                { email, event: 'opened app' },
                { authorization: `Bearer ${project.public}` },
              )
            : await api.as(project, 'POST', '/v1/send', {
                to: email,
                from: `hi@${project.domain}`,
                subject: 's',
                body: 'b',
              });
        answers.set(statusCode, (answers.get(statusCode) ?? 0) + 1);
      }
    };
    const writing = Promise.all([0, 1, 2, 3].map(write));
    const response = await reset(owner, project.id);
    done.abort();
    await writing;
    expect(response.statusCode, response.body).toBe(200);
    // No request was rejected or failed.
    expect([...answers.keys()]).toEqual([200]);
    // Only rows written after the last transaction are left.
    const left = await rowsOf(api.ctx, project.id);
    expect(left).toMatchObject({ workflows: 0, workflow_executions: 0, step_executions: 0 });
    expect(left.contacts).toBeLessThan(100);
    // The outbox has the cancellation of every execution.
    const { rows } = await pool.query<{ cancelled: number }>(
      `SELECT count(DISTINCT workflow_id)::int AS cancelled FROM outbox WHERE action = 'cancel' AND workflow_id = ANY ($1)`,
      [started.map(({ id }) => `execution:${id}`)],
    );
    expect(rows[0]?.cancelled).toBe(6000);
  }, 120_000);

  test('everything is canceled first, in its own transaction: after an interrupted reset, nothing runs', async () => {
    const project = await ownedProject();
    const { running, campaigns, workflow } = await fillProject(api.ctx, project.id);
    await api.ctx.prisma.workflow.update({ where: { id: workflow }, data: { enabled: true } });
    // A reader locks the contacts, so the reset stops there as after a crash.
    const holder = await api.ctx.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query('SELECT FROM contacts WHERE project_id = $1 FOR UPDATE', [project.id]);
      const resetting = reset(owner, project.id);
      await eventually(async () =>
        expect(await api.ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(0),
      );
      const campaign = (id: string) => api.ctx.prisma.campaign.findUnique({ where: { id }, select: { status: true } });
      expect([
        await campaign(campaigns.SCHEDULED),
        await campaign(campaigns.SENDING),
        await campaign(campaigns.SENT),
      ]).toEqual([{ status: 'CANCELLED' }, { status: 'CANCELLED' }, { status: 'SENT' }]);
      expect(
        await api.ctx.prisma.workflowExecution.count({
          where: { projectId: project.id, status: { in: ['RUNNING', 'WAITING'] } },
        }),
      ).toBe(0);
      expect(
        await api.ctx.prisma.job.count({ where: { projectId: project.id, state: { in: ['waiting', 'active'] } } }),
      ).toBe(0);
      expect(await api.ctx.prisma.workflow.findUnique({ where: { id: workflow }, select: { enabled: true } })).toEqual({
        enabled: false,
      });
      expect(await intentsOf(running)).toEqual(
        running.filter((id) => !/^(domain|webhook):/.test(id)).map((id) => `cancel ${id}`),
      );
      const answer = await resetting;
      expect(refusal(answer)).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(answer.json<{ error: { message: string } }>().error.message).toContain('Try again to delete the rest.');
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    expect((await reset(owner, project.id)).statusCode).toBe(200);
    expect(
      Object.entries(await rowsOf(api.ctx, project.id)).filter(([table, count]) => count > 0 && !KEPT.includes(table)),
    ).toEqual([]);
  });
});

describe('disabling a project', () => {
  /** Disables a project as the reputation check does. */
  const disable = (id: string) =>
    withLockTimeout(api.ctx.pool, async (tx) => {
      await tx.query('UPDATE projects SET disabled = true WHERE id = $1', [id]);
      return stopProject(tx, id, 'The project was disabled');
    });

  test('cancels its campaigns and executions with their pending emails, and leaves everything else', async () => {
    const [project, neighbour] = [await ownedProject(), await ownedProject()];
    const { running, campaigns, workflow, emails } = await fillProject(api.ctx, project.id);
    await fillProject(api.ctx, neighbour.id);
    const others = await api.ctx.prisma.workflowExecution.findMany({ where: { projectId: neighbour.id } });
    expect(await disable(project.id)).toBe(true);
    const { prisma } = api.ctx;
    const states = await prisma.campaign.findMany({
      where: { projectId: project.id },
      select: { id: true, status: true },
    });
    expect(Object.fromEntries(states.map(({ id, status }) => [id, status]))).toEqual({
      [campaigns.DRAFT]: 'DRAFT',
      [campaigns.SCHEDULED]: 'CANCELLED',
      [campaigns.SENDING]: 'CANCELLED',
      [campaigns.SENT]: 'SENT',
      [campaigns.CANCELLED]: 'CANCELLED',
    });
    const executions = await prisma.workflowExecution.findMany({
      where: { workflowId: workflow },
      select: {
        status: true,
        exitReason: true,
        stepExecutionId: true,
        steps: { select: { status: true, output: true } },
      },
      orderBy: { status: 'asc' },
    });
    expect(executions).toEqual([
      { status: 'COMPLETED', exitReason: null, stepExecutionId: null, steps: [] },
      { status: 'FAILED', exitReason: null, stepExecutionId: null, steps: [] },
      {
        status: 'CANCELLED',
        exitReason: 'The project was disabled',
        stepExecutionId: null,
        steps: [{ status: 'CANCELLED', output: { summary: 'The project was disabled' } }],
      },
    ]);
    const mail = await prisma.email.findMany({
      where: { id: { in: emails } },
      select: { source: true, status: true },
      orderBy: { source: 'asc' },
    });
    expect(mail).toEqual([
      { source: 'TRANSACTIONAL', status: 'PENDING' },
      { source: 'CAMPAIGN', status: 'CANCELLED' },
      { source: 'WORKFLOW', status: 'CANCELLED' },
    ]);
    expect(await intentsOf(running)).toEqual(
      running.filter((id) => /^(campaign|execution):/.test(id)).map((id) => `cancel ${id}`),
    );
    expect(await prisma.workflowExecution.findMany({ where: { projectId: neighbour.id } })).toEqual(others);
    expect(await disable(newId())).toBe(false);
  });

  test.each(['the event comes first', 'the project is disabled first'])(
    'an execution that an event starts concurrently is also canceled: %s',
    async (order) => {
      const project = await ownedProject();
      const workflow = await insertGraph(api.ctx, project.id, { eventName: 'went', steps: {}, edges: [] });
      const contactId = await insertContact(api.ctx, project.id);
      const waits = () =>
        eventually(async () =>
          expect(
            (
              await api.ctx.pool.query(
                `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
              )
            ).rowCount,
          ).toBe(1),
        );
      const insert = (db: Queryable) => insertEvents(db, [{ projectId: project.id, contactId, name: 'went' }]);
      const first = await api.ctx.pool.connect();
      try {
        await first.query('BEGIN');
        if (order === 'the event comes first') {
          // The event and its execution are written, but not committed, when the project is disabled.
          await insert(first);
          const disabling = disable(project.id);
          await waits();
          await first.query('COMMIT');
          await disabling;
          expect(
            await api.ctx.prisma.workflowExecution.findMany({
              where: { workflowId: workflow.id },
              select: { status: true },
            }),
          ).toEqual([{ status: 'CANCELLED' }]);
        } else {
          await first.query('UPDATE projects SET disabled = true WHERE id = $1', [project.id]);
          await stopProject(first, project.id, 'The project was disabled');
          const event = insert(api.ctx.pool);
          await waits();
          await first.query('COMMIT');
          await event;
          expect(await api.ctx.prisma.workflowExecution.count({ where: { workflowId: workflow.id } })).toBe(0);
        }
      } finally {
        first.release();
      }
    },
  );
});
