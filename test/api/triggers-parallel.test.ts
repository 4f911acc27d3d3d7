/** Concurrent events, starts, and waits: each workflow starts as often as it must, and no event is missed. */
import type { PoolClient } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { claimDue } from '../../src/domain/emails/sql/claim.js';
import { settle } from '../../src/domain/emails/sql/delivery.js';
import { lockContactEvents, markWaiting } from '../../src/domain/executions/sql/wait.js';
import { insertEvents, type NewEvent } from '../../src/domain/events/insert.js';
import { retryDeadlocks } from '../../src/domain/lock-timeout.js';
import { advance } from '../../src/domain/executions/advance.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { eventHelpers } from '../helpers/events.js';
import { eventually } from '../helpers/eventually.js';
import { triggerHelpers } from '../helpers/triggers.js';
import { emit, executionRow, pathOf, startByApi, waitFor } from '../helpers/workflow-graph.js';

const api = useApi({ DATABASE_POOL: '12' });
const { track, insertContact } = eventHelpers(api);
const { workflow, begun, waiting, pokesOf } = triggerHelpers(() => api.ctx);

const ADA = 'ada@x.test';

let project: TestProject;
let ada: string;

beforeEach(async () => {
  project = await api.project();
  ada = await insertContact(project, { email: ADA });
});

const times = <T>(count: number, act: (n: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n)));
const fill = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
/** Waits until a session waits for a lock in this database. */
const lockWait = () =>
  eventually(async () =>
    expect(
      (
        await api.ctx.pool.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount,
    ).toBe(1),
  );

async function inTransaction(work: (tx: PoolClient) => Promise<void>): Promise<void> {
  const tx = await api.ctx.pool.connect();
  try {
    await tx.query('BEGIN');
    await work(tx);
  } finally {
    await tx.query('ROLLBACK');
    tx.release();
  }
}

describe.each([true, false])('with re-entry %s', (allowReentry) => {
  test('50 concurrent events start one execution, and are all stored', async () => {
    const graph = await workflow(project.id, 'signed up', { allowReentry });
    const answers = await times(50, () => track(project, { email: ADA, event: 'signed up' }));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(fill(50, 200));
    expect(await api.ctx.prisma.event.count({ where: { contactId: ada, name: 'signed up' } })).toBe(50);
    expect((await begun(graph)).map(({ email, starts }) => [email, starts])).toEqual([[ADA, 1]]);
  });

  test('50 events on separate connections start one execution', async () => {
    const graph = await workflow(project.id, 'signed up', { allowReentry });
    await times(50, () => emit(api.ctx, project.id, ada, 'signed up'));
    expect((await begun(graph)).map(({ starts }) => starts)).toEqual([1]);
  });

  test('50 concurrent events and 50 API starts start one execution, and at most one start returns it', async () => {
    const graph = await workflow(project.id, 'signed up', { allowReentry });
    const [events, starts] = await Promise.all([
      times(50, () => track(project, { email: ADA, event: 'signed up' })),
      times(50, () => api.as(project, 'POST', `/workflows/${graph.id}/executions`, { contactId: ada })),
    ]);
    expect(events.map(({ statusCode }) => statusCode)).toEqual(fill(50, 200));
    const executions = await begun(graph);
    expect(executions.map((execution) => execution.starts)).toEqual([1]);
    const told = starts
      .filter(({ statusCode }) => statusCode === 201)
      .map((answer) => answer.json<{ id: string }>().id);
    expect(told).toEqual(executions.filter(({ event }) => event === null).map(({ id }) => id));
    expect(starts.filter(({ statusCode }) => statusCode === 409)).toHaveLength(50 - told.length);
  });
});

test('with re-entry, events during the end of executions start one after the other', async () => {
  const graph = await workflow(project.id, 'signed up', { allowReentry: true });
  let overlapping = 0;
  let rounds = 0;
  for (; rounds < 10; rounds++) {
    await Promise.all([
      times(5, () => track(project, { email: ADA, event: 'signed up' })),
      api.ctx.pool.query(
        `UPDATE workflow_executions SET status = 'COMPLETED', completed_at = now() WHERE workflow_id = $1 AND status = 'RUNNING'`,
        [graph.id],
      ),
    ]);
    const active = (await begun(graph)).filter(({ status }) => status === 'RUNNING');
    if (active.length > 1) overlapping++;
  }
  expect(overlapping).toBe(0);
  const executions = await begun(graph);
  expect(executions.length).toBeGreaterThan(1);
  expect(executions.length).toBeLessThanOrEqual(rounds * 2);
  expect(executions.map(({ starts }) => starts)).toEqual(fill(executions.length, 1));
});

describe('an event and a wait that is being opened', () => {
  /** Creates an execution that is about to open a wait for `bought`. */
  async function aboutToWait(): Promise<string> {
    const graph = await workflow(project.id, 'never', {
      steps: { wait: waitFor('bought') },
      edges: ['TRIGGER > wait'],
    });
    return startByApi(api.ctx, graph, ada);
  }
  const run = (executionId: string) => advance(api.ctx, { projectId: project.id, executionId, now: Date.now() });

  test('if the event is written but not committed, the wait blocks until the commit and then receives it', async () => {
    const id = await aboutToWait();
    await inTransaction(async (tx) => {
      await insertEvents(tx, [{ projectId: project.id, contactId: ada, name: 'bought' }]);
      const advanced = run(id);
      await lockWait();
      await tx.query('COMMIT');
      expect(await advanced).toMatchObject({ kind: 'ended' });
    });
    expect(await pathOf(api.ctx, id)).toBe('TRIGGER COMPLETED, wait COMPLETED');
  });

  test('if the wait is open but not committed, the event blocks until the commit and then pokes it', async () => {
    const id = await aboutToWait();
    await inTransaction(async (tx) => {
      // Does what beginWait does, up to its commit. The first steps are done manually: only the wait's transaction
      // matters.
      const stepExecutionId = newId();
      await api.ctx.prisma.stepExecution.create({
        data: {
          id: stepExecutionId,
          projectId: project.id,
          executionId: id,
          stepId: newId(),
          stepType: 'WAIT_FOR_EVENT',
          stepName: 'wait',
          status: 'RUNNING',
        },
      });
      await api.ctx.prisma.workflowExecution.update({ where: { id }, data: { stepExecutionId } });
      expect(await lockContactEvents(tx, project.id, ada)).toBe(true);
      expect(
        await markWaiting(tx, {
          projectId: project.id,
          executionId: id,
          stepExecutionId,
          wakeAt: null,
          waitingFor: 'bought',
          output: { summary: 'Waits.' },
        }),
      ).toBe(true);
      const event = emit(api.ctx, project.id, ada, 'bought');
      await lockWait();
      await tx.query('COMMIT');
      await event;
    });
    expect(await executionRow(api.ctx, id)).toMatchObject({ status: 'WAITING', waitingFor: 'bought' });
    expect(await pokesOf(id)).toBe(1);
  });

  test('60 concurrent events and 60 waits all meet', async () => {
    const graph = await workflow(project.id, 'never', {
      steps: { wait: waitFor('bought') },
      edges: ['TRIGGER > wait'],
    });
    const contacts = await times(60, () => insertContact(project));
    const executions = await times(60, (n) => startByApi(api.ctx, graph, contacts[n] ?? ''));
    await Promise.all(executions.flatMap((id, n) => [run(id), emit(api.ctx, project.id, contacts[n] ?? '', 'bought')]));
    // Poked executions read their row again, as their Temporal workflows would.
    for (const id of executions) if ((await pokesOf(id)) > 0) await run(id);
    const statuses = await times(60, async (n) => (await executionRow(api.ctx, executions[n] ?? '')).status);
    expect(statuses).toEqual(fill(60, 'COMPLETED'));
  });
});

describe('an event and an edit of its workflow', () => {
  test('a concurrently deleted workflow starts nothing, and the event is stored', async () => {
    const graph = await workflow(project.id, 'signed up');
    await inTransaction(async (tx) => {
      await tx.query('DELETE FROM workflows WHERE id = $1', [graph.id]);
      const event = track(project, { email: ADA, event: 'signed up' });
      await lockWait();
      await tx.query('COMMIT');
      expect((await event).statusCode).toBe(200);
    });
    expect(await api.ctx.prisma.event.count({ where: { contactId: ada, name: 'signed up' } })).toBe(1);
    expect(await begun(graph)).toEqual([]);
  });

  test('a workflow that gets another event concurrently starts by that one only', async () => {
    const graph = await workflow(project.id, 'signed up');
    await inTransaction(async (tx) => {
      await tx.query('SELECT FROM workflows WHERE id = $1 FOR UPDATE', [graph.id]);
      await tx.query(`UPDATE workflows SET event_name = 'signed off' WHERE id = $1`, [graph.id]);
      const event = track(project, { email: ADA, event: 'signed up' });
      await lockWait();
      await tx.query('COMMIT');
      expect((await event).statusCode).toBe(200);
    });
    expect(await begun(graph)).toEqual([]);
    await track(project, { email: ADA, event: 'signed off' });
    expect(await begun(graph)).toHaveLength(1);
  });
});

test('concurrent tracking, sending, and settling of the same contacts and workflows lose nothing', async () => {
  const CONTACTS = 40;
  const names = ['signed up', 'email.sent', 'contact.subscribed', 'contact.unsubscribed'];
  const graphs = [];
  for (const name of names)
    graphs.push(await workflow(project.id, name, { allowReentry: true }), await workflow(project.id, name));
  const emails = Array.from({ length: CONTACTS }, (_, n) => `c${n}@x.test`);
  const ids = await times(CONTACTS, (n) => insertContact(project, { email: emails[n] }));
  // Each contact is already in another workflow, which waits for its email.
  const other = await workflow(project.id, 'never');
  const waits = await times(CONTACTS, (n) => waiting(other, ids[n] ?? '', 'email.sent'));
  const { pool } = api.ctx;
  const deadlocks = async (): Promise<number> =>
    (
      await pool.query<{ deadlocks: number }>(
        `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
      )
    ).rows[0]?.deadlocks ?? 0;
  const before = await deadlocks();

  const written = { tracked: 0, sent: 0, direct: 0, settled: 0 };
  const direct = async (events: NewEvent[]): Promise<void> => {
    await retryDeadlocks(() => insertEvents(pool, events));
    written.direct += events.length;
  };
  await Promise.all([
    ...emails.map(async (email, n) => {
      expect((await track(project, { email, event: 'signed up', subscribed: n % 2 === 0 })).statusCode).toBe(200);
      written.tracked++;
    }),
    times(10, async (n) => {
      const to = n % 2 === 0 ? emails : emails.toReversed();
      const response = await api.as(project, 'POST', '/v1/send', {
        to,
        from: `hi@${project.domain}`,
        subject: 's',
        body: 'b',
        subscribed: n % 3 === 0,
      });
      expect(response.statusCode, response.body).toBe(200);
      written.sent += to.length;
    }),
    times(10, (n) =>
      direct(
        (n % 2 === 0 ? ids : ids.toReversed()).flatMap((contactId) =>
          (n % 4 < 2 ? names : names.toReversed()).map((name) => ({ projectId: project.id, contactId, name })),
        ),
      ),
    ),
    // A worker's queue, without a mail server.
    times(3, async () => {
      const workerId = newId();
      for (let idle = 0; idle < 20;) {
        const claimed = await claimDue(pool, { workerId, limit: 20, results: [] });
        idle = claimed.length === 0 ? idle + 1 : 0;
        const results = claimed.map(({ id }) => ({
          id,
          status: 'SENT' as const,
          error: null,
          response: '250 ok',
          retryMs: 0,
        }));
        const settled = await retryDeadlocks(() => settle(pool, workerId, results));
        written.settled += settled.length;
      }
    }),
  ]);

  expect(written).toMatchObject({ tracked: CONTACTS, sent: CONTACTS * 10, direct: CONTACTS * 10 * names.length });
  expect(await api.ctx.prisma.event.count({ where: { projectId: project.id, name: 'signed up' } })).toBe(CONTACTS * 11);
  expect(await api.ctx.prisma.event.count({ where: { projectId: project.id, name: 'email.sent' } })).toBe(
    CONTACTS * 10 + written.settled,
  );
  for (const graph of graphs) {
    const executions = await begun(graph);
    expect(new Set(executions.map(({ contactId }) => contactId)).size).toBe(CONTACTS);
    expect(executions).toHaveLength(CONTACTS);
  }
  for (const id of waits) expect(await pokesOf(id)).toBeGreaterThan(0);
  expect((await deadlocks()) - before).toBe(0);
}, 90_000);

test('plans made on empty tables read a few rows for an event among 3,000 waits and 1,000 workflows', async () => {
  const names = [...Array.from({ length: 50 }, (_, n) => `many ${n}`), 'one'];
  const tx = await api.ctx.pool.connect();
  try {
    // New statistics of autovacuum between two of these statements would change the plans.
    for (const table of ['workflows', 'workflow_executions', 'contacts', 'events'])
      await tx.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    const emptied = await api.project();
    const contactId = await insertContact(emptied);
    for (const count of [50, 1])
      await insertEvents(
        tx,
        names.slice(-count).map((name) => ({ projectId: emptied.id, contactId, name })),
      );
    await tx.query(
      `INSERT INTO workflows (id, project_id, name, enabled, event_name) SELECT uuid_v7(), $1, 'w', true, 'event ' || n FROM generate_series(1, 1000) n`,
      [project.id],
    );
    await tx.query(
      `INSERT INTO contacts (id, project_id, email, subscribed) SELECT uuid_v7(), $1, 'w' || n || '@x.test', true FROM generate_series(1, 3000) n`,
      [project.id],
    );
    await tx.query(
      `INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, status, waiting_for)
       SELECT uuid_v7(), $1, (SELECT id FROM workflows WHERE project_id = $1 LIMIT 1), id, 'WAITING', 'bought' FROM contacts WHERE project_id = $1 AND email LIKE 'w%'`,
      [project.id],
    );
    // The rows that this connection has read of the two tables and their indexes; updated only between transactions.
    const read = async (): Promise<number> => {
      const { rows } = await tx.query<{ read: number }>(
        `SELECT sum(pg_stat_get_xact_tuples_returned(c.oid))::int AS read FROM pg_class c
          WHERE c.oid IN (SELECT indexrelid FROM pg_index WHERE indrelid IN ('workflows'::regclass, 'workflow_executions'::regclass)) OR c.oid IN ('workflows'::regclass, 'workflow_executions'::regclass)`,
      );
      return rows[0]?.read ?? 0;
    };
    await tx.query('BEGIN');
    const before = await read();
    await insertEvents(tx, [{ projectId: project.id, contactId: ada, name: 'bought' }]);
    await insertEvents(tx, [{ projectId: project.id, contactId: ada, name: 'event 7' }]);
    const needed = (await read()) - before;
    await tx.query('COMMIT');
    expect(needed).toBeGreaterThan(0);
    expect(needed).toBeLessThan(30);
    const { id } = await api.ctx.prisma.workflow.findFirstOrThrow({
      where: { projectId: project.id, eventName: 'event 7' },
    });
    expect((await begun({ id })).map(({ email }) => email)).toEqual([ADA]);
  } finally {
    tx.release();
  }
});

describe('an event about an email', () => {
  const emailSent = (): NewEvent => ({ projectId: project.id, contactId: ada, emailId: newId(), name: 'email.sent' });

  test('does not wait for a locked contact if no step of the project waits for it', async () => {
    await workflow(project.id, 'signed up', { steps: { reply: waitFor('email.opened', 3600) } });
    await inTransaction(async (tx) => {
      await tx.query(`SELECT FROM contacts WHERE id = $1 FOR UPDATE`, [ada]);
      await insertEvents(api.ctx.pool, [emailSent()]);
    });
    expect(await api.ctx.prisma.event.count({ where: { contactId: ada, name: 'email.sent' } })).toBe(1);
  });

  test('waits for a locked contact if a step of the project waits for it', async () => {
    await workflow(project.id, 'signed up', { steps: { reply: waitFor('email.sent', 3600) } });
    let inserted: Promise<void> | undefined;
    await inTransaction(async (tx) => {
      await tx.query(`SELECT FROM contacts WHERE id = $1 FOR UPDATE`, [ada]);
      inserted = insertEvents(api.ctx.pool, [emailSent()]);
      await lockWait();
    });
    await inserted;
    expect(await api.ctx.prisma.event.count({ where: { contactId: ada, name: 'email.sent' } })).toBe(1);
  });
});

describe('an event is rejected, although it has no foreign key,', () => {
  test.each([
    ['its project', () => ({ projectId: newId(), contactId: null, name: 'signed up' })],
    ['its contact', () => ({ projectId: project.id, contactId: newId(), name: 'signed up' })],
  ])('if %s does not exist', async (_, event) => {
    await expect(insertEvents(api.ctx.pool, [event()])).rejects.toMatchObject({ code: '23503' });
  });
});
