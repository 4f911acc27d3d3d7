/** Executions while Temporal loses its database, and while workers are killed in every type of step. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { insertAudience, type Audience } from '../helpers/audience.js';
import { openCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { startReceiver } from '../helpers/receiver.js';
import {
  condition,
  delay,
  emit,
  exit,
  historyOf,
  insertGraph,
  insertTemplate,
  pathOf,
  sendTemplate,
  startByApi,
  updateContact,
  waitFor,
  webhook,
  type GraphSpec,
  type StepSpec,
} from '../helpers/workflow-graph.js';

interface Person {
  id: string;
  email: string;
}

async function people({ ctx }: Cluster, project: Audience, from: number, count: number): Promise<Person[]> {
  return ctx.prisma.contact.findMany({
    where: { projectId: project.id },
    select: { id: true, email: true },
    orderBy: { id: 'asc' },
    skip: from,
    take: count,
  });
}

/** The number of executions of a workflow by status. */
async function statuses({ ctx }: Cluster, workflowId: string): Promise<Record<string, number>> {
  const rows = await ctx.prisma.workflowExecution.groupBy({ by: ['status'], where: { workflowId }, _count: true });
  return Object.fromEntries(rows.map(({ status, _count }) => [status, _count]));
}

const executionsOf = ({ ctx }: Cluster, workflowId: string) =>
  ctx.prisma.workflowExecution.findMany({
    where: { workflowId },
    select: { id: true, contactId: true, status: true, exitReason: true },
  });

test(
  "events and timers find 100 waiting executions when Temporal's whole database is deleted",
  { tags: 'faults', timeout: 300_000 },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, temporal } = cluster;
    const project = await insertAudience(ctx, 100);
    const [forEvent, forTime] = [await people(cluster, project, 0, 50), await people(cluster, project, 50, 50)];
    const template = await insertTemplate(ctx, project);
    const waits = await insertGraph(ctx, project.id, {
      eventName: 'asked',
      steps: { wait: waitFor('bought'), out: exit('bought it') },
      edges: ['TRIGGER > wait', 'wait > out'],
    });
    const delays = await insertGraph(ctx, project.id, {
      eventName: 'timed',
      steps: { pause: delay(30, 'seconds'), hello: sendTemplate(template) },
      edges: ['TRIGGER > pause', 'pause > hello'],
    });
    for (const { id } of forEvent) await emit(ctx, project.id, id, 'asked');
    await eventually(async () => expect(await statuses(cluster, waits.id)).toEqual({ WAITING: 50 }));
    const [one] = await executionsOf(cluster, waits.id);
    // The timers start last, so that Temporal stops before they end.
    for (const { id } of forTime) await emit(ctx, project.id, id, 'timed');
    await eventually(async () => expect(await statuses(cluster, delays.id)).toEqual({ WAITING: 50 }));

    await temporal.stop();
    temporal.deleteData();
    expect(await statuses(cluster, delays.id)).toEqual({ WAITING: 50 });
    // Twenty events arrive while Temporal is down. They are stored, and no worker gets them.
    for (const { id } of forEvent.slice(0, 20)) await emit(ctx, project.id, id, 'bought');
    await temporal.start();
    await expect(temporal.client.workflow.getHandle(`execution:${one?.id}`).describe()).rejects.toThrow('not found');

    const patience = { within: 150_000, every: 500 };
    await eventually(
      async () => expect(await statuses(cluster, waits.id)).toEqual({ EXITED: 20, WAITING: 30 }),
      patience,
    );
    for (const { id } of forEvent.slice(20)) await emit(ctx, project.id, id, 'bought');
    await eventually(
      async () =>
        expect([await statuses(cluster, waits.id), await statuses(cluster, delays.id)]).toEqual([
          { EXITED: 50 },
          { COMPLETED: 50 },
        ]),
      patience,
    );

    for (const { id } of await executionsOf(cluster, waits.id))
      expect(await pathOf(ctx, id)).toBe('TRIGGER COMPLETED, wait COMPLETED, out COMPLETED');
    for (const { id } of await executionsOf(cluster, delays.id))
      expect(await pathOf(ctx, id)).toBe('TRIGGER COMPLETED, pause COMPLETED, hello COMPLETED');
    await eventually(() => expect(sink.mails).toHaveLength(50));
    expect(Object.fromEntries(sink.counts())).toEqual(Object.fromEntries(forTime.map(({ email }) => [email, 1])));
    await eventually(async () => {
      for (const { id } of await executionsOf(cluster, waits.id))
        expect((await temporal.client.workflow.getHandle(`execution:${id}`).describe()).status.name).toBe('COMPLETED');
    });
  },
);

test('another worker completes the step of a killed worker, of any type, and nothing is done twice', async () => {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  const cluster = await openCluster({ env: { WEBHOOK_ALLOW_PRIVATE: 'true', DATABASE_POOL: '15' } });
  const { ctx, sink, worker } = cluster;
  const project = await insertAudience(ctx, 20);
  const template = await insertTemplate(ctx, project);
  const STEPS: Record<string, StepSpec | null> = {
    TRIGGER: null,
    EXIT: exit('in between'),
    CONDITION: condition('data.n', 'greaterThan', 0),
    SEND_EMAIL: sendTemplate(template),
    UPDATE_CONTACT: updateContact({ seen: true }, 'unsubscribe'),
    DELAY: delay(1, 'seconds'),
    WAIT_FOR_EVENT: waitFor('bought'),
    WEBHOOK: webhook(`${receiver.origin}/hook`),
  };
  const spec = (type: string, step: StepSpec | null): Pick<GraphSpec, 'steps' | 'edges'> => {
    if (!step) return { steps: { last: exit('done') }, edges: ['TRIGGER > last'] };
    // An EXIT step can only be stopped at the move that leads to it.
    if (type === 'EXIT') return { steps: { last: step }, edges: ['TRIGGER > last'] };
    return {
      steps: { it: step, last: exit('done') },
      edges: ['TRIGGER > it', type === 'CONDITION' ? 'it > last : yes' : 'it > last'],
    };
  };

  // Every move locks the step that it leads to. Holding these locks stops each execution in the middle of the
  // statement that does the work of its step.
  const holder = await ctx.pool.connect();
  const begun: Array<{ type: string; id: string; person: Person }> = [];
  const contacts = await people(cluster, project, 0, 20);
  try {
    await holder.query('BEGIN');
    for (const [type, step] of Object.entries(STEPS)) {
      const graph = await insertGraph(ctx, project.id, { eventName: `start ${type}`, ...spec(type, step) });
      await holder.query('SELECT FROM workflow_steps WHERE id = $1 FOR UPDATE', [graph.steps.last]);
      const person = contacts[begun.length];
      if (!person) throw new Error('Too few contacts');
      begun.push({ type, person, id: await startByApi(ctx, graph, person.id) });
    }
    const waiter = begun.find(({ type }) => type === 'WAIT_FOR_EVENT');
    await eventually(async () => expect((await historyOf(ctx, waiter?.id ?? '')).at(-1)?.status).toBe('WAITING'));
    await emit(ctx, project.id, waiter?.person.id ?? '', 'bought');
    await eventually(async () => {
      const { rowCount } = await ctx.pool.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'sendloom-worker' AND wait_event_type = 'Lock'`,
      );
      expect(rowCount).toBe(begun.length);
    });
    expect(receiver.requests).toHaveLength(1);
    await worker.kill('SIGKILL');
  } finally {
    // The sessions of the dead worker may or may not complete their statements. The next worker checks.
    await holder.query('COMMIT');
    holder.release();
  }
  await worker.start();

  await eventually(
    async () => {
      for (const { type, id } of begun)
        expect([type, (await ctx.prisma.workflowExecution.findUnique({ where: { id } }))?.status]).toEqual([
          type,
          'EXITED',
        ]);
    },
    { within: 120_000, every: 200 },
  );
  for (const { type, id } of begun) {
    const path = await pathOf(ctx, id);
    expect([type, path]).toEqual([
      type,
      STEPS[type] && type !== 'EXIT'
        ? 'TRIGGER COMPLETED, it COMPLETED, last COMPLETED'
        : 'TRIGGER COMPLETED, last COMPLETED',
    ]);
  }
  const personOf = (type: string): Person => begun.find((one) => one.type === type)?.person ?? { id: '', email: '' };
  await eventually(() => expect(sink.mails).toHaveLength(1));
  expect(sink.counts().get(personOf('SEND_EMAIL').email)).toBe(1);
  expect(await ctx.prisma.email.count({ where: { projectId: project.id } })).toBe(1);
  expect(await ctx.prisma.contact.findUnique({ where: { id: personOf('UPDATE_CONTACT').id } })).toMatchObject({
    subscribed: false,
    data: { seen: true },
  });
  expect(
    await ctx.prisma.event.count({ where: { contactId: personOf('UPDATE_CONTACT').id, name: 'contact.unsubscribed' } }),
  ).toBe(1);
  // The response was recorded before the step ended, so it was not requested again.
  expect(receiver.requests).toHaveLength(1);
}, 240_000);

test(
  '150 executions end correctly, and do nothing twice, while workers are killed in steps of every type',
  { tags: 'faults', timeout: 360_000 },
  async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.stop());
    const cluster = await openCluster({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });
    const { ctx, sink, worker } = cluster;
    const project = await insertAudience(ctx, 150);
    const contacts = await people(cluster, project, 0, 150);
    const template = await insertTemplate(ctx, project);
    const graph = await insertGraph(ctx, project.id, {
      steps: {
        mark: updateContact({ seen: true }),
        check: condition('data.seen', 'equals', true),
        pause: delay(1, 'seconds'),
        hello: sendTemplate(template),
        hook: webhook(`${receiver.origin}/{{ id }}`),
        wait: waitFor('bought'),
        leave: updateContact({}, 'unsubscribe'),
        out: exit('done'),
      },
      edges: [
        'TRIGGER > mark',
        'mark > check',
        'check > pause : yes',
        'pause > hello',
        'hello > hook',
        'hook > wait',
        'wait > leave',
        'leave > out',
      ],
    });
    const emitAll = async (name: string): Promise<void> => {
      for (const { id } of contacts) await emit(ctx, project.id, id, name);
    };
    const killing = async (): Promise<void> => {
      for (let kills = 0; kills < 2; kills++) {
        // At any time within the run: a kill at a fixed event would always hit the same step.
        await sleep(500 + Math.random() * 2000);
        await worker.kill('SIGKILL');
        await worker.start();
      }
    };
    await Promise.all([emitAll(graph.eventName), killing()]);
    // Events count from the start of the step before the wait, so all executions must have reached it.
    await eventually(
      async () =>
        expect(
          await ctx.prisma.workflowExecution.count({ where: { workflowId: graph.id, waitingFor: 'bought' } }),
        ).toBe(150),
      { within: 150_000, every: 200 },
    );
    await Promise.all([emitAll('bought'), killing()]);

    await eventually(async () => expect(await statuses(cluster, graph.id)).toEqual({ EXITED: 150 }), {
      within: 180_000,
      every: 500,
    });
    const executions = await executionsOf(cluster, graph.id);
    for (const { id } of executions) {
      const history = await historyOf(ctx, id);
      expect(history.map(({ step, status }) => `${step} ${status}`).join(', ')).toBe(
        'TRIGGER COMPLETED, mark COMPLETED, check COMPLETED, pause COMPLETED, hello COMPLETED, hook COMPLETED, wait COMPLETED, leave COMPLETED, out COMPLETED',
      );
    }
    const emails = () =>
      ctx.prisma.email.findMany({
        where: { projectId: project.id },
        select: { contactId: true, toEmail: true, status: true, ambiguous: true },
      });
    await eventually(
      async () => expect((await emails()).filter(({ status }) => status !== 'SENT' && status !== 'FAILED')).toEqual([]),
      { within: 60_000 },
    );
    const sent = await emails();
    expect(new Set(sent.map(({ contactId }) => contactId)).size).toBe(150);
    expect(sent).toHaveLength(150);
    const counts = sink.counts();
    // Mailed once, or ambiguous after a crash and then not again (AMBIGUOUS_SEND=skip).
    for (const { toEmail, ambiguous } of sent)
      expect([toEmail, ambiguous ? 'hidden' : counts.get(toEmail)]).toEqual([toEmail, ambiguous ? 'hidden' : 1]);
    expect([...counts.values()].filter((count) => count > 1)).toEqual([]);
    expect(await ctx.prisma.event.count({ where: { projectId: project.id, name: 'contact.unsubscribed' } })).toBe(150);
    // A request whose record was lost in a crash is repeated with the same id, which the receiver can recognize.
    const hooks = new Map<string, Set<string>>();
    for (const { url, headers } of receiver.requests)
      hooks.set(url, (hooks.get(url) ?? new Set()).add(headers['webhook-id'] ?? ''));
    expect(hooks.size).toBe(150);
    expect([...hooks.values()].filter((ids) => ids.size > 1)).toEqual([]);
  },
);
