/** `GET /workflows/:id/stats`: figures that always equal the rows of executions (additions, section 5). */
import { expect, test } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { advance } from '../../src/domain/executions/advance.js';
import { cancelAllExecutions, cancelExecution } from '../../src/domain/executions/cancel.js';
import { moveBase } from '../../src/domain/executions/moves.js';
import { startFromTrigger } from '../../src/domain/executions/sql/start.js';
import { STARTED } from '../../src/domain/executions/words.js';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { foldWorkflowFigures } from '../../src/domain/workflows/sql/figures.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import {
  condition,
  delay,
  exit,
  insertContact,
  insertGraph,
  sendTemplate,
  updateContact,
  waitFor,
  type Graph,
} from '../helpers/workflow-graph.js';

const api = useApi();

const DAY_MS = 24 * 3600 * 1000;

/** The figures of a step without any. */
const NONE = { waiting: 0, entered: 0, completed: 0, skipped: 0, failed: 0 };

async function statsOf(project: TestProject, { id }: { id: string }, query = '') {
  const response = await api.as(project, 'GET', `/workflows/${id}/stats${query}`);
  expect(response.statusCode, response.body).toBe(200);
  return response.json();
}

/** Counts the rows, as the statistics are defined. Times are the exact ends of quarters. */
async function countRows({ id, projectId }: Graph, from = '-infinity', until = 'infinity') {
  const { rows } = await api.ctx.pool.query(
    `WITH step AS (
       SELECT e.*, x.workflow_id FROM step_executions e JOIN workflow_executions x ON x.id = e.execution_id
        WHERE x.workflow_id = $1 AND x.project_id = $2
     ), inside AS (
       SELECT s.id,
              (SELECT count(*)::int FROM workflow_executions x
                WHERE x.workflow_id = $1 AND x.current_step_id = s.id AND x.status IN ('RUNNING', 'WAITING')) AS waiting,
              count(e.id) FILTER (WHERE e.started_at >= $3 AND e.started_at < $4)::int AS entered,
              count(e.id) FILTER (WHERE e.status = 'COMPLETED' AND e.completed_at >= $3 AND e.completed_at < $4)::int AS completed,
              count(e.id) FILTER (WHERE e.status = 'SKIPPED' AND e.completed_at >= $3 AND e.completed_at < $4)::int AS skipped,
              count(e.id) FILTER (WHERE e.status = 'FAILED' AND e.completed_at >= $3 AND e.completed_at < $4)::int AS failed
         FROM workflow_steps s LEFT JOIN step e ON e.step_id = s.id WHERE s.workflow_id = $1 GROUP BY s.id
     )
     SELECT (SELECT jsonb_build_object(
               'active', count(*) FILTER (WHERE status IN ('RUNNING', 'WAITING')),
               'completed', count(*) FILTER (WHERE status = 'COMPLETED' AND completed_at >= $3 AND completed_at < $4),
               'exited', count(*) FILTER (WHERE status = 'EXITED' AND completed_at >= $3 AND completed_at < $4),
               'failed', count(*) FILTER (WHERE status = 'FAILED' AND completed_at >= $3 AND completed_at < $4),
               'cancelled', count(*) FILTER (WHERE status = 'CANCELLED' AND completed_at >= $3 AND completed_at < $4))
               FROM workflow_executions WHERE workflow_id = $1) AS executions,
            (SELECT jsonb_object_agg(id, to_jsonb(inside) - 'id') FROM inside) AS steps,
            (SELECT jsonb_object_agg(t.id, jsonb_build_object('passed', (
                      SELECT count(*) FROM step e
                       WHERE e.transition_id = t.id AND e.started_at >= $3 AND e.started_at < $4)))
               FROM workflow_transitions t WHERE t.workflow_id = $1) AS transitions`,
    [id, projectId, from, until],
  );
  return rows[0];
}

const JOURNEY = {
  allowReentry: true,
  steps: {
    check: condition('contact.data.plan', 'equals', 'pro'),
    tag: updateContact({ seen: true }),
    wait: delay(1),
    event: waitFor('bought', 3600),
    bye: exit('done'),
  },
  edges: [
    'TRIGGER > check',
    'check > tag : yes',
    'check > event : no',
    'tag > wait',
    'wait > bye',
    'event > bye : timeout',
  ],
};

async function begin(graph: Graph, data: Record<string, unknown> = {}): Promise<string> {
  const contactId = await insertContact(api.ctx, graph.projectId, { data });
  const { id } = await api.ctx.prisma.workflowExecution.create({
    data: { id: newId(), projectId: graph.projectId, workflowId: graph.id, contactId },
  });
  return id;
}

const run = ({ projectId }: Graph, executionId: string, afterMs = 0) =>
  advance(api.ctx, { projectId, executionId, now: Date.now() + afterMs });

const fold = () => foldWorkflowFigures(api.ctx.pool, 100_000);

async function setUp() {
  const project = await api.project();
  return { project, graph: await insertGraph(api.ctx, project.id, JOURNEY) };
}

test('a new workflow has zeros for each step and transition', async () => {
  const { project, graph } = await setUp();
  const { executions, steps, transitions } = await statsOf(project, graph);
  expect(executions).toEqual({ active: 0, completed: 0, exited: 0, failed: 0, cancelled: 0 });
  expect(steps).toEqual(Object.fromEntries(Object.values(graph.steps).map((id) => [id, NONE])));
  expect(Object.values(transitions)).toEqual(JOURNEY.edges.map(() => ({ passed: 0 })));
});

test('counts executions, what happened at each step, and passed transitions, before and after a fold', async () => {
  const { project, graph } = await setUp();
  const [pro, second, free] = [
    await begin(graph, { plan: 'pro' }),
    await begin(graph, { plan: 'pro' }),
    await begin(graph),
  ];
  for (const id of [pro, second, free]) await run(graph, id);
  await run(graph, pro, DAY_MS + 1000);
  await cancelExecution(api.ctx, project.id, graph.id, second);
  const before = await statsOf(project, graph);
  expect(before.executions).toEqual({ active: 1, completed: 0, exited: 1, failed: 0, cancelled: 1 });
  const figures = (name: string) => before.steps[graph.steps[name] ?? ''];
  expect(figures('TRIGGER')).toEqual({ ...NONE, entered: 3, completed: 3 });
  expect(figures('check')).toEqual({ ...NONE, entered: 3, completed: 3 });
  expect(figures('tag')).toEqual({ ...NONE, entered: 2, completed: 2 });
  expect(figures('wait')).toEqual({ ...NONE, entered: 2, completed: 1 });
  expect(figures('event')).toEqual({ ...NONE, entered: 1, waiting: 1 });
  expect(figures('bye')).toEqual({ ...NONE, entered: 1, completed: 1 });
  const edges = await api.ctx.prisma.workflowTransition.findMany({ where: { workflowId: graph.id } });
  const passed = (from: string, to: string) =>
    before.transitions[
      edges.find(({ fromStepId, toStepId }) => fromStepId === graph.steps[from] && toStepId === graph.steps[to])?.id ??
        ''
    ];
  expect([passed('TRIGGER', 'check'), passed('check', 'tag'), passed('check', 'event'), passed('wait', 'bye')]).toEqual(
    [{ passed: 3 }, { passed: 2 }, { passed: 1 }, { passed: 1 }],
  );
  expect(before).toEqual(await countRows(graph));
  expect(await fold()).toBeGreaterThan(0);
  expect(await statsOf(project, graph)).toEqual(before);
});

test('counts a skipped email as skipped and a failed one as failed', async () => {
  const project = await api.project();
  const template = (domain: string) =>
    api.ctx.prisma.template.create({
      data: {
        id: newId(),
        projectId: project.id,
        name: 'n',
        subject: 's',
        body: 'b',
        from: `a@${domain}`,
        type: 'MARKETING',
      },
    });
  const { id: skipped } = await template(project.domain);
  const { id: failing } = await template('unverified.test');
  const graph = await insertGraph(api.ctx, project.id, {
    steps: { first: sendTemplate(skipped), second: sendTemplate(failing) },
    edges: ['TRIGGER > first', 'first > second'],
  });
  const unsubscribed = await begin(graph);
  await api.ctx.prisma.contact.updateMany({ where: { projectId: project.id }, data: { subscribed: false } });
  await run(graph, unsubscribed);
  await run(graph, await begin(graph));
  const { executions, steps } = await statsOf(project, graph);
  expect(executions).toMatchObject({ active: 0, completed: 1, failed: 1 });
  expect(steps[graph.steps.first ?? '']).toEqual({ ...NONE, entered: 2, completed: 1, skipped: 1 });
  expect(steps[graph.steps.second ?? '']).toEqual({ ...NONE, entered: 2, skipped: 1, failed: 1 });
});

test('figures equal the rows after parallel moves, cancellations, deletions, and folds', async () => {
  const { project, graph } = await setUp();
  const ids: string[] = [];
  for (let n = 0; n < 24; n++) ids.push(await begin(graph, n % 3 === 0 ? {} : { plan: 'pro' }));
  await Promise.all([
    // Repeated moves of the same execution: the losing one changes nothing.
    ...ids.flatMap((id) => [run(graph, id), run(graph, id), run(graph, id, 2 * DAY_MS)]),
    ...ids.slice(0, 6).map((id) => cancelExecution(api.ctx, project.id, graph.id, id).catch(() => null)),
    fold(),
    fold(),
  ]);
  const gone = await api.ctx.prisma.workflowExecution.findMany({ where: { id: { in: ids.slice(3, 9) } } });
  await Promise.all([
    ...gone.map(({ contactId }) => api.as(project, 'DELETE', `/contacts/${contactId}`)),
    ...ids.slice(12).map((id) => run(graph, id, 2 * DAY_MS)),
    fold(),
  ]);
  const expected = await countRows(graph);
  expect(expected.executions.exited).toBeGreaterThan(0);
  expect(await statsOf(project, graph)).toEqual(expected);
  while ((await fold()) > 0);
  expect(await statsOf(project, graph)).toEqual(expected);
  await cancelAllExecutions(api.ctx, project.id, graph.id);
  expect(await statsOf(project, graph)).toEqual(await countRows(graph));
});

test('a move that is rolled back counts nothing', async () => {
  const { project, graph } = await setUp();
  const executionId = await begin(graph);
  const before = await statsOf(project, graph);
  const start = { ...moveBase({ projectId: project.id, executionId, now: new Date() }), triggerId: newId() };
  const crash = transaction(api.ctx.pool, async (tx) => {
    expect(await startFromTrigger(tx, { ...start, summaries: STARTED })).toMatchObject({ kind: 'reached' });
    throw new Error('crash');
  });
  await expect(crash).rejects.toThrow('crash');
  expect(await statsOf(project, graph)).toEqual(before);
});

test('the deletion of a step moves its executions in the figures, with and without splice', async () => {
  const { project, graph } = await setUp();
  const [pro, free] = [await begin(graph, { plan: 'pro' }), await begin(graph)];
  await run(graph, pro);
  await run(graph, free);
  await api.as(project, 'PATCH', `/workflows/${graph.id}`, { enabled: false });
  for (const step of ['wait?splice=true', 'event']) {
    const [name = '', query = ''] = step.split('?');
    const url = `/workflows/${graph.id}/steps/${graph.steps[name]}${query && `?${query}`}`;
    expect((await api.as(project, 'DELETE', url)).statusCode).toBe(204);
  }
  const stats = await statsOf(project, graph);
  expect(stats).toEqual(await countRows(graph));
  expect(stats.executions).toMatchObject({ active: 1, exited: 1 });
  expect(stats.steps[graph.steps.bye ?? '']).toMatchObject({ waiting: 1, entered: 1 });
  await fold();
  expect(await statsOf(project, graph)).toEqual(stats);
});

test('from and to select quarters of an hour, also within one day, across days, and open at one end', async () => {
  const { project, graph } = await setUp();
  for (let n = 0; n < 40; n++) {
    const id = await begin(graph);
    await run(graph, id);
    const at = new Date(Date.UTC(2026, 2, 1, 22) + n * 100 * 60_000);
    // Deleting and inserting counts the rows at their new times.
    await api.ctx.pool.query(
      `WITH gone AS (DELETE FROM step_executions WHERE execution_id = $1 RETURNING *)
       INSERT INTO step_executions
         (id, project_id, execution_id, step_id, transition_id, step_type, step_name, status, started_at, completed_at)
       SELECT g.id, g.project_id, g.execution_id, g.step_id, g.transition_id, g.step_type, g.step_name, g.status, $2,
              CASE WHEN g.completed_at IS NOT NULL THEN $2::timestamptz + interval '20 minutes' END
         FROM gone g`,
      [id, at],
    );
  }
  const all = await countRows(graph);
  const check = async () => {
    expect(await statsOf(project, graph)).toEqual(all);
    for (const [query, from, until] of [
      ['?from=2026-03-02&to=2026-03-02', '2026-03-02', '2026-03-03'],
      ['?from=2026-03-02T01:15:00Z&to=2026-03-02T05:29:59.999Z', '2026-03-02T01:15Z', '2026-03-02T05:30Z'],
      ['?from=2026-03-01T23:07:00Z&to=2026-03-03T10:16:00Z', '2026-03-01T23:00Z', '2026-03-03T10:30Z'],
      ['?from=2026-03-02T12:00:00%2B02:00', '2026-03-02T10:00Z', 'infinity'],
      ['?to=2026-03-02T11:59:00Z', '-infinity', '2026-03-02T12:00Z'],
      ['?from=2026-03-02T23:30:00Z&to=2026-03-03T00:29:00Z', '2026-03-02T23:30Z', '2026-03-03T00:30Z'],
    ] as const)
      expect([query, await statsOf(project, graph, query)]).toEqual([query, await countRows(graph, from, until)]);
  };
  await check();
  await fold();
  await check();
});

test('the retention of events and emails changes no figures', async () => {
  const { project, graph } = await setUp();
  await run(graph, await begin(graph, { plan: 'pro' }));
  const before = await statsOf(project, graph);
  await runMaintenanceTask(api.ctx, 'retention');
  await runMaintenanceTask(api.ctx, 'figures');
  expect(await api.ctx.prisma.workflowDelta.count({ where: { projectId: project.id } })).toBe(0);
  expect(await statsOf(project, graph)).toEqual(before);
});

test('a deleted workflow and a deleted project leave no figures', async () => {
  const { project, graph } = await setUp();
  await run(graph, await begin(graph));
  await cancelAllExecutions(api.ctx, project.id, graph.id);
  await fold();
  expect((await api.as(project, 'DELETE', `/workflows/${graph.id}`)).statusCode).toBe(204);
  await fold();
  expect(await api.ctx.prisma.workflowFigure.count({ where: { projectId: project.id } })).toBe(0);
  const other = await setUp();
  await run(other.graph, await begin(other.graph));
  await api.ctx.pool.query('DELETE FROM projects WHERE id = $1', [other.project.id]);
  await fold();
  expect(await api.ctx.prisma.workflowDelta.count({ where: { projectId: other.project.id } })).toBe(0);
});

test.each([
  ['from=2026-03-02&to=2026-03-01', 'from'],
  ['from=yesterday', 'from'],
  ['to=2026-13-01', 'to'],
  ['to=', 'to'],
])('%s returns 422', async (query, field) => {
  const { project, graph } = await setUp();
  const response = await api.as(project, 'GET', `/workflows/${graph.id}/stats?${query}`);
  expect(refused(response)).toMatchObject({ status: 422, errors: [expect.stringMatching(`^${field} `)] });
});

test('an unknown and a malformed id return 404', async () => {
  const project = await api.project();
  for (const id of [newId(), 'nothing'])
    expect(refused(await api.as(project, 'GET', `/workflows/${id}/stats`))).toEqual({
      status: 404,
      code: 'WORKFLOW_NOT_FOUND',
    });
});
