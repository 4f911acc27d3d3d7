/**
 * Shared by the parts of bench/executions: the system and its calibration, each in its own process, and workflows with
 * contacts.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { fork, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  condition,
  delay,
  exit,
  insertGraph,
  insertTemplate,
  sendTemplate,
  waitFor,
  type Graph,
  type GraphSpec,
} from '../../test/helpers/workflow-graph.js';
import { addContacts, makeProject, type Bench, type BenchProject } from '../harness.js';
import { environmentOf } from '../http.js';
import type { BareAnswer, BareOrder } from './bare-worker.js';

export interface Parts {
  bench: Bench;
  worker: ChildProcess;
  bare: ChildProcess;
}

const isAnswer = (value: unknown): value is BareAnswer =>
  typeof value === 'object' && value !== null && 'latencies' in value;

function forkProcess(file: string, env: Record<string, string>): ChildProcess {
  return fork(fileURLToPath(new URL(file, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

export async function startParts(bench: Bench, env: Record<string, string> = {}): Promise<Parts> {
  const bare = forkProcess('bare-worker.ts', { TEMPORAL_ADDRESS: bench.config.TEMPORAL_ADDRESS, ...env });
  await once(bare, 'message');
  const worker = forkProcess('../../src/main-worker.ts', { ...environmentOf(bench, 0), ...env });
  const parts = { bench, worker, bare };
  // Warms up both: code is compiled, and connections are opened.
  const journey = await prepare(bench, 'send', 200);
  await startExecutions(bench, journey, 200);
  await ended(bench, journey.graph, 200);
  await runCalibration(parts, { kind: 'start', workflow: 'empty', count: 200, inFlight: 50 });
  return parts;
}

export async function stopParts({ worker, bare }: Parts): Promise<void> {
  bare.disconnect();
  worker.kill('SIGTERM');
  await once(worker, 'exit');
}

/** Sends an order to the calibration. @returns its response */
export async function runCalibration({ bare }: Parts, what: BareOrder): Promise<BareAnswer> {
  bare.send(what);
  const [answer]: unknown[] = await once(bare, 'message');
  if (!isAnswer(answer)) throw new Error('The calibration says something else');
  return answer;
}

/** The memory of a process, in MB. */
export const memoryOf = ({ pid }: ChildProcess): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()) / 1024);

export interface Journey {
  project: BenchProject;
  graph: Graph;
}

const SHAPES = {
  /** trigger → condition → send → exit */
  send: (template: string): Pick<GraphSpec, 'steps' | 'edges'> => ({
    steps: { check: condition('data.plan', 'equals', 'pro'), hello: sendTemplate(template), out: exit('done') },
    edges: ['TRIGGER > check', 'check > hello : yes', 'hello > out'],
  }),
  /** The same, with a delay of one second. */
  delay: (template: string): Pick<GraphSpec, 'steps' | 'edges'> => ({
    steps: {
      check: condition('data.plan', 'equals', 'pro'),
      pause: delay(1, 'seconds'),
      hello: sendTemplate(template),
      out: exit('done'),
    },
    edges: ['TRIGGER > check', 'check > pause : yes', 'pause > hello', 'hello > out'],
  }),
  wait: (): Pick<GraphSpec, 'steps' | 'edges'> => ({
    steps: { wait: waitFor('item added'), out: exit('done') },
    edges: ['TRIGGER > wait', 'wait > out'],
  }),
};

/** Creates a project with contacts and a workflow that the event `begun` starts. */
export async function prepare({ ctx }: Bench, shape: keyof typeof SHAPES, contacts: number): Promise<Journey> {
  const project = await makeProject(ctx);
  await addContacts(ctx, project.id, contacts);
  await ctx.pool.query('VACUUM ANALYZE contacts');
  const template = await insertTemplate(ctx, project);
  return { project, graph: await insertGraph(ctx, project.id, { eventName: 'begun', ...SHAPES[shape](template) }) };
}

/** Inserts the event that starts the workflow for `count` contacts, in one statement. */
export async function startExecutions({ ctx }: Bench, { project }: Journey, count: number): Promise<void> {
  await ctx.pool.query(
    `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
     SELECT i.* FROM insert_events(ARRAY(
       SELECT (uuid_v7(), project_id, id, NULL, 'begun', '{"from":"bench"}', NULL, NULL)::new_event
         FROM contacts WHERE project_id = $1 ORDER BY id LIMIT $2)) i`,
    [project.id, count],
  );
}

/** Waits until `count` executions of a workflow have the given state. */
export async function reached({ ctx }: Bench, { id }: Graph, count: number, status: string): Promise<void> {
  for (;;) {
    const { rows } = await ctx.pool.query<{ count: number }>(
      `SELECT count(*) FROM workflow_executions WHERE workflow_id = $1 AND status = $2::execution_status`,
      [id, status],
    );
    if ((rows[0]?.count ?? 0) >= count) return;
    await sleep(50);
  }
}

export const ended = (bench: Bench, graph: Graph, count: number): Promise<void> =>
  reached(bench, graph, count, 'EXITED');
