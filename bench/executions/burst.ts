/**
 * The time from an event to the step after the wait while the relay delivers a burst of starts of another project, and
 * the time from a start in a third project to its exit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { emit } from '../../test/helpers/workflow-graph.js';
import { printTable } from '../harness.js';
import { percentile } from '../http.js';
import { startExecutions, ended, prepare, reached, type Parts } from './setup.js';

const PROBES = 40;
const EVERY = 150;

export async function burst({ bench }: Parts, starts: number): Promise<void> {
  const { ctx } = bench;
  await ctx.pool.query('ALTER TABLE step_executions ALTER COLUMN began_at SET DEFAULT clock_timestamp()');
  const waiting = await prepare(bench, 'wait', PROBES);
  await startExecutions(bench, waiting, PROBES);
  await reached(bench, waiting.graph, PROBES, 'WAITING');
  const fresh = await prepare(bench, 'send', PROBES);
  const crowd = await prepare(bench, 'send', starts);
  await sleep(1000);

  const contactsOf = async (projectId: string): Promise<string[]> =>
    (
      await ctx.pool.query<{ id: string }>(`SELECT id FROM contacts WHERE project_id = $1 ORDER BY id`, [projectId])
    ).rows.map(({ id }) => id);
  const [waiters, starters] = [await contactsOf(waiting.project.id), await contactsOf(fresh.project.id)];
  const begun = Date.now();
  await startExecutions(bench, crowd, starts);
  const told = new Map<string, number>();
  for (let n = 0; n < PROBES; n++) {
    await sleep(EVERY);
    const [waiter = '', starter = ''] = [waiters[n], starters[n]];
    told.set(waiter, Date.now()).set(starter, Date.now());
    await Promise.all([
      emit(ctx, waiting.project.id, waiter, 'item added'),
      emit(ctx, fresh.project.id, starter, fresh.graph.eventName),
    ]);
  }
  await Promise.all([ended(bench, waiting.graph, PROBES), ended(bench, fresh.graph, PROBES)]);
  const drained = await ended(bench, crowd.graph, starts).then(() => Date.now() - begun);

  const latencies = async (workflowId: string): Promise<number[]> => {
    const { rows } = await ctx.pool.query<{ id: string; at: Date }>(
      `SELECT x.contact_id AS id, s.began_at AS at FROM step_executions s JOIN workflow_executions x ON x.id = s.execution_id WHERE x.workflow_id = $1 AND s.step_type = 'EXIT'`,
      [workflowId],
    );
    return rows.map(({ id, at }) => at.getTime() - (told.get(id) ?? 0)).sort((a, b) => a - b);
  };
  const line = (what: string, sorted: number[]) => ({
    what,
    'p50 ms': percentile(sorted, 0.5),
    'p99 ms': percentile(sorted, 0.99),
  });
  printTable([
    line('an event to the step after the wait', await latencies(waiting.graph.id)),
    line("another project's start to its exit", await latencies(fresh.graph.id)),
  ]);
  console.log(`during ${starts} starts of one project, which took ${Math.round(drained / 100) / 10} s`);
}
