/** The shapes of `workflowExecution`, for record-histories.ts. */
import type { WorkflowHandle } from '@temporalio/client';
import { cancelExecution } from '../../src/domain/executions/cancel.js';
import { insertAudience } from './audience.js';
import { eventually } from './eventually.js';
import { startReceiver, type Answer } from './receiver.js';
import { ended, sure, type Script, type Stage } from './recording.js';
import {
  condition,
  delay,
  emit,
  executionRow,
  exit,
  insertContact,
  insertGraph,
  insertTemplate,
  sendTemplate,
  startByEvent,
  waitFor,
  webhook,
  type Graph,
  type GraphSpec,
} from './workflow-graph.js';

interface Begun {
  graph: Graph;
  contactId: string;
  executionId: string;
  handle: WorkflowHandle;
}

async function startExecution(
  { ctx, client }: Stage,
  spec: GraphSpec | ((project: { id: string; domain: string }) => Promise<GraphSpec>),
): Promise<Begun> {
  const project = await insertAudience(ctx, 0);
  const graph = await insertGraph(ctx, project.id, typeof spec === 'function' ? await spec(project) : spec);
  const contactId = await insertContact(ctx, project.id);
  const executionId = await startByEvent(ctx, graph, contactId, { plan: 'pro' });
  return { graph, contactId, executionId, handle: client.workflow.getHandle(`execution:${executionId}`) };
}

const waits = ({ ctx }: Stage, { executionId }: Begun): Promise<void> =>
  eventually(async () => sure((await executionRow(ctx, executionId)).status === 'WAITING'));

/** Calls a receiver that answers so. */
async function calling(
  stage: Stage,
  answer: Answer,
  meanwhile: (begun: Begun) => Promise<void> = async () => undefined,
): Promise<WorkflowHandle> {
  const receiver = await startReceiver();
  try {
    receiver.answer(answer);
    const begun = await startExecution(stage, {
      steps: { hook: webhook(`${receiver.origin}/`), bye: exit('called'), bad: exit('failed') },
      edges: ['TRIGGER > hook', 'hook > bye', 'hook > bad : error'],
    });
    await eventually(() => sure(receiver.requests.length > 0));
    await meanwhile(begun);
    return await ended(begun);
  } finally {
    await receiver.stop();
  }
}

export const EXECUTION_SCRIPTS: Record<string, Script> = {
  'execution-instant': async (stage) =>
    ended(
      await startExecution(stage, async (project) => ({
        steps: {
          check: condition('event.plan', 'equals', 'pro'),
          hello: sendTemplate(await insertTemplate(stage.ctx, project)),
          bye: exit('welcomed'),
        },
        edges: ['TRIGGER > check', 'check > hello : yes', 'hello > bye'],
      })),
    ),

  /** More instant steps than one call of `advance` makes. */
  'execution-many-steps': async (stage) => {
    const names = Array.from({ length: 60 }, (_, n) => `check${n}`);
    const steps = Object.fromEntries(names.map((name) => [name, condition('event.plan', 'exists')]));
    return ended(
      await startExecution(stage, {
        steps,
        edges: ['TRIGGER > check0', ...names.slice(1).map((name, n) => `check${n} > ${name} : yes`)],
      }),
    );
  },

  'execution-delay': async (stage) =>
    ended(
      await startExecution(stage, {
        steps: { one: delay(1, 'seconds'), two: delay(0.5, 'seconds') },
        edges: ['TRIGGER > one', 'one > two'],
      }),
    ),

  'execution-wait-event': async (stage) => {
    const begun = await startExecution(stage, {
      steps: { wait: waitFor('bought', 3600), bye: exit() },
      edges: ['TRIGGER > wait', 'wait > bye'],
    });
    await waits(stage, begun);
    // A poke that is for nothing first.
    await begun.handle.signal('poke');
    await emit(stage.ctx, begun.graph.projectId, begun.contactId, 'bought');
    return ended(begun);
  },

  'execution-wait-for-ever': async (stage) => {
    const begun = await startExecution(stage, { steps: { wait: waitFor('bought') }, edges: ['TRIGGER > wait'] });
    await waits(stage, begun);
    await emit(stage.ctx, begun.graph.projectId, begun.contactId, 'bought');
    return ended(begun);
  },

  'execution-wait-timeout': async (stage) =>
    ended(
      await startExecution(stage, {
        steps: { wait: waitFor('bought', 1), late: exit('late') },
        edges: ['TRIGGER > wait', 'wait > late : timeout'],
      }),
    ),

  'execution-webhook-retried': (stage) =>
    calling(stage, (response, _request, count) => response.writeHead(count === 0 ? 503 : 200).end()),

  'execution-webhook-refused': (stage) => calling(stage, (response) => response.writeHead(404).end()),

  'execution-cancelled': async (stage) => {
    const begun = await startExecution(stage, { steps: { rest: delay(1) }, edges: ['TRIGGER > rest'] });
    await waits(stage, begun);
    await cancelExecution(stage.ctx, begun.graph.projectId, begun.graph.id, begun.executionId);
    return ended(begun);
  },

  'execution-cancelled-in-webhook': (stage) =>
    calling(
      stage,
      () => undefined,
      async ({ handle }) => void (await handle.cancel()),
    ),

  /** The first of its runs: it continues as new. */
  'execution-long-loop': async (stage) => {
    const begun = await startExecution(stage, {
      steps: { rest: delay(0.02, 'seconds'), check: condition('event.stop', 'triggered'), bye: exit() },
      edges: ['TRIGGER > rest', 'rest > check', 'check > rest : no', 'check > bye : yes'],
    });
    const { runId } = await eventually(() => begun.handle.describe());
    const first = await ended({ handle: stage.client.workflow.getHandle(begun.handle.workflowId, runId) });
    await emit(stage.ctx, begun.graph.projectId, begun.contactId, 'stop');
    await ended(begun);
    return first;
  },
};
