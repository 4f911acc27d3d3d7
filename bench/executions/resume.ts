/** The time from a tracked event to the step after the wait, compared with a signal to a bare workflow. */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../packages/embedded/src/ports.js';
import { printTable } from '../harness.js';
import { child, environmentOf, percentile } from '../http.js';
import { startExecutions, ended, runCalibration, prepare, reached, type Parts } from './setup.js';

const WAITING = 1000;

export async function resume(parts: Parts, perSecond: number): Promise<void> {
  const { bench } = parts;
  const port = await freePort();
  const api = await child('../src/main-api.ts', environmentOf(bench, port), `http://127.0.0.1:${port}/health/live`);
  // The clock at the insert, shortly before the commit, not at the start of the transaction.
  await bench.ctx.pool.query('ALTER TABLE step_executions ALTER COLUMN began_at SET DEFAULT clock_timestamp()');

  await runCalibration(parts, { kind: 'open', workflow: 'waiter', count: WAITING, inFlight: 50 });
  const bare = await runCalibration(parts, {
    kind: 'signal',
    workflow: 'waiter',
    count: WAITING,
    inFlight: 50,
    perSecond,
  });

  const journey = await prepare(bench, 'wait', WAITING);
  await startExecutions(bench, journey, WAITING);
  await reached(bench, journey.graph, WAITING, 'WAITING');
  await sleep(3000);
  const told = new Map<string, number>();
  const tracked: number[] = [];
  await Promise.all(
    Array.from({ length: WAITING }, async (_, n) => {
      await sleep((n / perSecond) * 1000);
      const email = `user${n + 1}@example.test`;
      const at = Date.now();
      told.set(email, at);
      const headers = { authorization: `Bearer ${journey.project.public}`, 'content-type': 'application/json' };
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/track`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ email, event: 'item added' }),
      });
      if (status !== 200) throw new Error(`The event was refused: ${status}`);
      tracked.push(Date.now() - at);
    }),
  );
  await ended(bench, journey.graph, WAITING);
  const { rows } = await bench.ctx.pool.query<{ email: string; at: Date }>(
    `SELECT c.email, s.began_at AS at FROM step_executions s JOIN workflow_executions x ON x.id = s.execution_id JOIN contacts c ON c.id = x.contact_id
      WHERE x.workflow_id = $1 AND s.step_type = 'EXIT'`,
    [journey.graph.id],
  );
  const ours = rows.map(({ email, at }) => at.getTime() - (told.get(email) ?? 0)).sort((a, b) => a - b);
  const line = (what: string, latencies: number[]) => ({
    what,
    'p50 ms': percentile(latencies, 0.5),
    'p99 ms': percentile(latencies, 0.99),
  });
  printTable([
    line(`a bare signal to the next step, ${perSecond} per second`, bare.latencies),
    line(`POST /v1/track to the step after the wait, ${perSecond} per second`, ours),
    line(
      'of that, the response to the request',
      tracked.sort((a, b) => a - b),
    ),
  ]);
  const ratio = (p: number): string => (Number(percentile(ours, p)) / Number(percentile(bare.latencies, p))).toFixed(2);
  console.log(`ratio to the bare signal: p50 ${ratio(0.5)}, p99 ${ratio(0.99)}`);
  api.kill('SIGTERM');
}
