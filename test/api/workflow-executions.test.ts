/** Lists of executions by contact, step, and cursor, skipped waits (additions, section 5), and concurrent ends. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { transaction } from '../../src/db/pool.js';
import { advance } from '../../src/domain/executions/advance.js';
import { cancelAllExecutions, cancelExecution } from '../../src/domain/executions/cancel.js';
import { failExecution } from '../../src/domain/executions/end.js';
import { moveBase } from '../../src/domain/executions/moves.js';
import { startFromTrigger } from '../../src/domain/executions/sql/start.js';
import { STARTED } from '../../src/domain/executions/words.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { refused } from '../helpers/campaign-api.js';
import { executionHelpers, executionsUrl } from '../helpers/execution-api.js';
import {
  delay,
  emit,
  executionRow,
  exit,
  historyOf,
  insertContact,
  insertGraph,
  pathOf,
  waitFor,
  webhook,
  type Graph,
  type GraphSpec,
} from '../helpers/workflow-graph.js';

const api = useApi();
const { intentsOf } = executionHelpers(api);

const Listed = z.object({
  data: z.array(z.looseObject({ id: z.string(), contactEmail: z.string(), currentStepName: z.string().nullable() })),
  page: z.number(),
  total: z.number(),
  totalPages: z.number(),
  cursor: z.string().nullable(),
  hasMore: z.boolean(),
});

const list = async (project: TestProject, graph: Graph, query = '') => {
  const response = await api.as(project, 'GET', executionsUrl(graph, query));
  expect(response.statusCode, response.body).toBe(200);
  return Listed.parse(response.json());
};
const idsOf = async (project: TestProject, graph: Graph, query: string) =>
  (await list(project, graph, query)).data.map(({ id }) => id);

const run = ({ projectId }: Graph, executionId: string, afterMs = 0) =>
  advance(api.ctx, { projectId, executionId, now: Date.now() + afterMs });

const DAY_MS = 24 * 3600 * 1000;

async function setUp(spec: Partial<GraphSpec> = {}) {
  const project = await api.project();
  const graph = await insertGraph(api.ctx, project.id, {
    allowReentry: true,
    steps: { rest: delay(1), bye: exit('done') },
    edges: ['TRIGGER > rest', 'rest > bye'],
    ...spec,
  });
  /** Inserts an execution of a new contact, started so many minutes ago. */
  const begin = async (email?: string, minutesAgo = 0): Promise<string> => {
    const contactId = await insertContact(api.ctx, project.id, { email });
    const { id } = await api.ctx.prisma.workflowExecution.create({
      data: {
        id: newId(),
        projectId: project.id,
        workflowId: graph.id,
        contactId,
        startedAt: new Date(Date.now() - minutesAgo * 60_000),
      },
    });
    return id;
  };
  return { project, graph, begin };
}

describe('GET /workflows/:id/executions', () => {
  test('has the address of the contact and the name of the current step, also of a deleted one', async () => {
    const { project, graph, begin } = await setUp();
    const [unstarted, ended, waiting] = [
      await begin('new@x.test', 3),
      await begin('old@x.test', 2),
      await begin('ada@x.test'),
    ];
    await run(graph, ended);
    await run(graph, ended, 2 * DAY_MS);
    await run(graph, waiting);
    const rows = async () =>
      (await list(project, graph)).data.map(({ id, contactEmail, currentStepName }) => [
        id,
        contactEmail,
        currentStepName,
      ]);
    const expected = [
      [waiting, 'ada@x.test', 'rest'],
      [ended, 'old@x.test', 'bye'],
      [unstarted, 'new@x.test', null],
    ];
    expect(await rows()).toEqual(expected);
    await api.ctx.prisma.workflowStep.delete({ where: { id: graph.steps.bye ?? '' } });
    expect(await rows()).toEqual(expected);
  });

  test('has the end of the delay that an execution is in', async () => {
    const { project, graph, begin } = await setUp();
    const [ended, waiting] = [await begin(undefined, 2), await begin()];
    await run(graph, ended);
    await run(graph, ended, 2 * DAY_MS);
    await run(graph, waiting);
    const { data } = await list(project, graph);
    const { wakeAt } = await executionRow(api.ctx, waiting);
    expect(data.map(({ id, wakeAt: time }) => [id, time])).toEqual([
      [waiting, wakeAt?.toISOString()],
      [ended, null],
    ]);
  });

  test('filters by the step at which executions are or ended, with and without a status', async () => {
    const { project, graph, begin } = await setUp();
    const [first, canceled, ended] = [await begin(undefined, 3), await begin(undefined, 2), await begin(undefined, 1)];
    for (const id of [first, canceled, ended]) await run(graph, id);
    await run(graph, ended, 2 * DAY_MS);
    await cancelExecution(api.ctx, project.id, graph.id, canceled);
    const { rest = '', bye = '' } = graph.steps;
    expect(await list(project, graph, `?stepId=${rest}`)).toMatchObject({ total: 2 });
    expect(await idsOf(project, graph, `?stepId=${rest}`)).toEqual([canceled, first]);
    expect(await idsOf(project, graph, `?stepId=${rest}&status=WAITING`)).toEqual([first]);
    expect(await idsOf(project, graph, `?stepId=${rest}&status=CANCELLED`)).toEqual([canceled]);
    expect(await idsOf(project, graph, `?stepId=${bye}`)).toEqual([ended]);
    expect(await idsOf(project, graph, `?stepId=${bye}&status=WAITING`)).toEqual([]);
    for (const stepId of [newId(), 'unknown']) expect(await idsOf(project, graph, `?stepId=${stepId}`)).toEqual([]);
  });

  test('searches a part of the address in any case, literally', async () => {
    const { project, graph, begin } = await setUp();
    const [ada, bob] = [await begin('ada_l@shop.test', 1), await begin('bob@shop.test')];
    expect(await idsOf(project, graph, '?search=SHOP')).toEqual([bob, ada]);
    expect(await idsOf(project, graph, '?search=%20Ada_')).toEqual([ada]);
    expect(await idsOf(project, graph, '?search=_@')).toEqual([]);
    expect(await idsOf(project, graph, '?search=%20')).toEqual([bob, ada]);
    expect(await idsOf(project, graph, '?search=bob&status=WAITING')).toEqual([]);
    expect(await list(project, graph, '?search=missing')).toMatchObject({ data: [], total: 0, cursor: null });
  });

  test('a search that many contacts match returns the same executions', async () => {
    const { project, graph, begin } = await setUp();
    await api.ctx.pool.query(
      `INSERT INTO contacts (id, project_id, email, subscribed)
       SELECT uuid_v7(), $1, 'many' || n || '@x.test', true FROM generate_series(1, 1001) n`,
      [project.id],
    );
    const found = [await begin('many@x.test', 2), await begin('many@y.test')];
    await begin('few@x.test', 1);
    expect(await list(project, graph, '?search=many')).toMatchObject({ total: 2 });
    expect(await idsOf(project, graph, '?search=many')).toEqual(found.reverse());
  });

  test.each(['', '&search=x.test', '&status=WAITING', '&step'])(
    'cursors read every execution once, while others start (%s)',
    async (filter) => {
      const { project, graph, begin } = await setUp();
      const ids = [];
      // Two executions per minute: the id decides between equal times as well.
      for (let n = 0; n < 7; n++) ids.unshift(await begin(`c${newId()}@x.test`, 10 - Math.floor(n / 2)));
      if (filter.startsWith('&st')) for (const id of ids) await run(graph, id);
      const query = filter === '&step' ? `&stepId=${graph.steps.rest}` : filter;
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: z.output<typeof Listed> = await list(
          project,
          graph,
          `?pageSize=2${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        if (cursor !== null) expect(page).toMatchObject({ page: 0, total: 0, totalPages: 0 });
        else expect(page).toMatchObject({ page: 1, total: 7, totalPages: 4 });
        expect(page.hasMore).toBe(page.cursor !== null);
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.cursor;
        const later = await begin(`later${newId()}@x.test`);
        if (filter.startsWith('&st')) await run(graph, later);
      } while (cursor !== null);
      expect(seen.toSorted()).toEqual(ids.toSorted());
    },
  );

  test.each(['cursor=nothing', `cursor=${Buffer.from('["id","0"]').toString('base64url')}`])(
    '%s returns 422',
    async (query) => {
      const { project, graph } = await setUp();
      expect(refused(await api.as(project, 'GET', executionsUrl(graph, `?${query}`)))).toMatchObject({
        status: 422,
        errors: ['cursor invalid_string'],
      });
    },
  );
});

describe('POST /workflows/:id/executions/:executionId/skip-wait', () => {
  const skip = (project: TestProject, graph: Graph, id: string) =>
    api.as(project, 'POST', executionsUrl(graph, `/${id}/skip-wait`));

  test('ends a DELAY, continues with the next step, and pokes the Temporal workflow', async () => {
    const { project, graph, begin } = await setUp({
      steps: { rest: delay(1), more: delay(2) },
      edges: ['TRIGGER > rest', 'rest > more'],
    });
    const id = await begin();
    await run(graph, id);
    const response = await skip(project, graph, id);
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toMatchObject({ id, status: 'RUNNING', currentStepId: graph.steps.more });
    expect(await intentsOf([id])).toMatchObject([{ action: 'signal', payload: { signal: 'poke' } }]);
    expect((await historyOf(api.ctx, id))[1]).toMatchObject({
      status: 'COMPLETED',
      summary: 'The wait was skipped through the API.',
    });
    expect(await run(graph, id)).toMatchObject({ kind: 'sleep', at: 'DELAY "more"' });
  });

  test('completes an execution whose last step is a DELAY', async () => {
    const { project, graph, begin } = await setUp({ steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
    const id = await begin();
    await run(graph, id);
    expect((await skip(project, graph, id)).json()).toMatchObject({ status: 'COMPLETED' });
    expect(await run(graph, id)).toEqual({ kind: 'ended', outcome: 'COMPLETED' });
  });

  const BRANCHES = ['TRIGGER > wait', 'wait > bought : event', 'wait > late : timeout'];
  const waiting = async (timeout: number | undefined, edges = BRANCHES) => {
    const { project, graph, begin } = await setUp({
      steps: { wait: waitFor('bought', timeout), bought: exit('bought'), late: exit('late') },
      edges,
    });
    const id = await begin();
    await run(graph, id);
    return { project, graph, id };
  };

  test('a WAIT_FOR_EVENT with a timeout continues on the branch timeout', async () => {
    const { project, graph, id } = await waiting(3600);
    expect((await skip(project, graph, id)).json()).toMatchObject({ status: 'EXITED', exitReason: 'late' });
  });

  test('a WAIT_FOR_EVENT with a timeout and without that branch completes, as after its time', async () => {
    const { project, graph, id } = await waiting(3600, ['TRIGGER > wait', 'wait > bought']);
    expect((await skip(project, graph, id)).json()).toMatchObject({ status: 'COMPLETED' });
  });

  test.each([[BRANCHES], [['TRIGGER > wait', 'wait > bought']]])(
    'a WAIT_FOR_EVENT without a timeout continues as if the event had occurred (%s)',
    async (edges) => {
      const { project, graph, id } = await waiting(undefined, edges);
      expect((await skip(project, graph, id)).json()).toMatchObject({
        status: 'EXITED',
        exitReason: 'bought',
        context: {},
      });
    },
  );

  test('an event that has just occurred decides', async () => {
    const { project, graph, id } = await waiting(3600);
    const { contactId } = await api.ctx.prisma.workflowExecution.findUniqueOrThrow({ where: { id } });
    await emit(api.ctx, project.id, contactId, 'bought', { total: 5 });
    expect((await skip(project, graph, id)).json()).toMatchObject({ exitReason: 'bought', context: { total: 5 } });
  });

  test.each([
    ['DELAY', () => setUp({ steps: { rest: delay(1), more: delay(1) }, edges: ['TRIGGER > rest', 'rest > more'] })],
    [
      'WAIT_FOR_EVENT',
      () => setUp({ steps: { rest: waitFor('bought'), more: delay(1) }, edges: ['TRIGGER > rest', 'rest > more'] }),
    ],
  ])('of parallel calls and the timer, one ends the wait of a %s', async (_type, create) => {
    const { project, graph, begin } = await create();
    const id = await begin();
    await run(graph, id);
    const responses = await Promise.all(Array.from({ length: 12 }, () => skip(project, graph, id)));
    expect(responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 409),
    ]);
    expect(await pathOf(api.ctx, id)).toBe('TRIGGER COMPLETED, rest COMPLETED, more RUNNING');
    expect(await intentsOf([id])).toHaveLength(1);
    await run(graph, id);
    const [late] = await Promise.all([skip(project, graph, id), run(graph, id, 2 * DAY_MS)]);
    expect([200, 409]).toContain(late.statusCode);
    expect(await pathOf(api.ctx, id)).toBe('TRIGGER COMPLETED, rest COMPLETED, more COMPLETED');
  });

  test('returns 409 at a WEBHOOK, before the first step, and after the end, and changes nothing', async () => {
    const { project, graph, begin } = await setUp({
      steps: { call: webhook('https://hooks.example.com') },
      edges: ['TRIGGER > call'],
    });
    const [calling, unstarted, ended] = [await begin(), await begin(), await begin()];
    await run(graph, calling);
    await run(graph, ended);
    await cancelExecution(api.ctx, project.id, graph.id, ended);
    const rows = () =>
      api.ctx.prisma.workflowExecution.findMany({ where: { workflowId: graph.id }, orderBy: { id: 'asc' } });
    const before = await rows();
    for (const id of [calling, unstarted, ended])
      expect(refused(await skip(project, graph, id))).toEqual({ status: 409, code: 'CONFLICT' });
    expect(await rows()).toEqual(before);
  });

  test('returns 404 for an unknown execution and for one of another workflow', async () => {
    const { project, graph, begin } = await setUp();
    const other = await insertGraph(api.ctx, project.id, { steps: {}, edges: [] });
    expect(refused(await skip(project, graph, newId()))).toEqual({ status: 404, code: 'EXECUTION_NOT_FOUND' });
    expect(refused(await skip(project, other, await begin()))).toEqual({ status: 404, code: 'EXECUTION_NOT_FOUND' });
  });
});

test.each([
  [
    'the cancellation',
    'CANCELLED',
    (graph: Graph, id: string) => cancelExecution(api.ctx, graph.projectId, graph.id, id),
  ],
  ['the cancellation of all', 'CANCELLED', (graph: Graph) => cancelAllExecutions(api.ctx, graph.projectId, graph.id)],
  [
    'a failure',
    'FAILED',
    ({ projectId }: Graph, executionId: string) => failExecution(api.ctx, { projectId, executionId, now: Date.now() }),
  ],
])('%s of an execution also ends a step that it was just reaching', async (_what, status, end) => {
  const { graph, begin } = await setUp();
  const executionId = await begin();
  const key = { projectId: graph.projectId, executionId };
  const start = { ...moveBase({ ...key, now: new Date() }), triggerId: newId(), summaries: STARTED };
  let ending: Promise<unknown> | undefined;
  await transaction(api.ctx.pool, async (tx) => {
    expect(await startFromTrigger(tx, start)).toMatchObject({ kind: 'reached' });
    ending = end(graph, executionId);
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await expect.poll(async () => (await api.ctx.pool.query(waiting)).rowCount).toBe(1);
  });
  await ending;
  expect(await executionRow(api.ctx, executionId)).toMatchObject({ status });
  expect(await pathOf(api.ctx, executionId)).toBe(`TRIGGER COMPLETED, rest ${status}`);
});
