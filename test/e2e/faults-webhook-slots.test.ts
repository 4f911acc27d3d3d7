/** Unresponsive receivers of one project must not delay other executions. The server runs in real time. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_CONCURRENT_REQUESTS } from '../../src/domain/executions/webhook/retry.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { transaction } from '../../src/db/pool.js';
import { newId } from '../../src/ids.js';
import { insertAudience } from '../helpers/audience.js';
import { eventually } from '../helpers/eventually.js';
import { useJourneys } from '../helpers/executions.js';
import { insertProject } from '../helpers/project.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { devServerEnvironment } from '../helpers/temporal.js';
import {
  condition,
  executionRow,
  exit,
  historyOf,
  insertGraph,
  sendTemplate,
  insertTemplate,
  updateContact,
  waitFor,
  webhook,
} from '../helpers/workflow-graph.js';

const journeys = useJourneys({ WEBHOOK_ALLOW_PRIVATE: 'true', DNS_SERVERS: '' }, devServerEnvironment);
let dead: Receiver;
let alive: Receiver;

beforeAll(async () => {
  [dead, alive] = await Promise.all([startReceiver(), startReceiver()]);
});

afterAll(() => Promise.all([dead.stop(), alive.stop()]));

test(
  'many unresponsive receivers of one project do not delay executions of another project',
  { tags: 'faults' },
  async () => {
    const { ctx } = journeys;
    let [open, maxOpen] = [0, 0];
    dead.answer((response) => {
      maxOpen = Math.max(maxOpen, ++open);
      response.once('close', () => open--);
    });
    const begun = Date.now();
    const victim = await insertAudience(ctx, MAX_CONCURRENT_REQUESTS + 100);
    const spec = {
      steps: { hook: webhook(`${dead.origin}/never`), out: exit('done') },
      edges: ['TRIGGER > hook', 'hook > out'],
    };
    const graph = await insertGraph(ctx, victim.id, spec);
    const contacts = await ctx.prisma.contact.findMany({ where: { projectId: victim.id }, select: { id: true } });
    await transaction(ctx.pool, (tx) =>
      insertEvents(
        tx,
        contacts.map(({ id: contactId }) => ({
          id: newId(),
          projectId: victim.id,
          contactId,
          name: graph.eventName,
          data: {},
        })),
      ),
    );
    // The maximum of one project. The others wait without a slot.
    await eventually(() => expect(dead.requests.length).toBeGreaterThanOrEqual(MAX_CONCURRENT_REQUESTS / 2), {
      within: 90_000,
    });

    const project = await insertProject(ctx);
    const template = await insertTemplate(ctx, project);
    const { executionId } = await journeys.begin(
      {
        steps: {
          check: condition('data.plan', 'equals', 'pro'),
          mark: updateContact({ seen: true }),
          hello: sendTemplate(template),
          hook: webhook(`${alive.origin}/hook`),
          wait: waitFor('never', 1),
          out: exit('done'),
        },
        edges: [
          'TRIGGER > check',
          'check > mark : yes',
          'mark > hello',
          'hello > hook',
          'hook > wait',
          'wait > out : timeout',
        ],
      },
      { project, contact: { data: { plan: 'pro' } } },
    );
    await eventually(async () => expect((await executionRow(ctx, executionId)).status).toBe('EXITED'));
    // Its request got a slot at the first attempt, and slots were free all the time, so that no request waited in the
    // queue.
    const { events } = await journeys.handle(executionId).fetchHistory();
    const started = events?.flatMap(
      ({ activityTaskStartedEventAttributes }) => activityTaskStartedEventAttributes ?? [],
    );
    expect(started?.map(({ attempt }) => attempt)).toEqual([1]);
    expect(maxOpen).toBeLessThan(MAX_CONCURRENT_REQUESTS);
    expect(alive.requests).toHaveLength(1);
    expect((await historyOf(ctx, executionId)).map(({ step, status }) => `${step} ${status}`).join(', ')).toBe(
      'TRIGGER COMPLETED, check COMPLETED, mark COMPLETED, hello COMPLETED, hook COMPLETED, wait COMPLETED, out COMPLETED',
    );
    // A wait for a slot does not count as an attempt. All requests succeed once the receiver responds.
    dead.answer((response) => response.end('ok'));
    const deadSeconds = (Date.now() - begun) / 1000;
    await eventually(
      async () =>
        expect(await ctx.prisma.workflowExecution.count({ where: { workflowId: graph.id, status: 'EXITED' } })).toBe(
          contacts.length,
        ),
      { within: 120_000, every: 500 },
    );
    const { rows } = await ctx.pool.query<{ attempt: number }>(
      `SELECT DISTINCT (e.output ->> 'attempt')::int AS attempt
         FROM step_executions e JOIN workflow_executions x ON x.id = e.execution_id
         WHERE x.workflow_id = $1 AND e.step_type = 'WEBHOOK'`,
      [graph.id],
    );
    // A request to the unresponsive receiver takes ten seconds, and the last one began before it responded.
    expect(Math.max(...rows.map(({ attempt }) => attempt))).toBeLessThanOrEqual(2 + deadSeconds / 10);
  },
);
