/** Tracked events per second while the relay starts executions, compared with the same load without starts. */
import { freePort } from '../../packages/embedded/src/ports.js';
import { printTable } from '../harness.js';
import { child, environmentOf, load, row } from '../http.js';
import { startExecutions, prepare, type Parts } from './setup.js';

const CONTACTS = 20_000;

export async function track({ bench }: Parts, seconds: number): Promise<void> {
  const { project } = await prepare(bench, 'send', CONTACTS);
  const other = await prepare(bench, 'send', CONTACTS);
  const port = await freePort();
  const api = await child('../src/main-api.ts', environmentOf(bench, port), `http://127.0.0.1:${port}/health/live`);
  const order = {
    port,
    path: '/v1/track',
    key: project.public,
    domain: project.domain,
    connections: 50,
    ms: seconds * 1000,
    track: CONTACTS,
  };
  await load({ ...order, ms: 3000 });
  const quiet = await load(order);
  await startExecutions(bench, other, CONTACTS);
  const beside = await load(order);
  const { rows } = await bench.ctx.pool.query<{ done: number; left: number }>(
    `SELECT (SELECT count(*) FROM workflow_executions WHERE workflow_id = $1 AND status = 'EXITED') AS done, (SELECT count(*) FROM outbox) AS left`,
    [other.graph.id],
  );
  printTable([row('POST /v1/track, nothing to start', quiet), row('POST /v1/track while the relay drains', beside)]);
  console.log(
    `ratio ${(beside.count / beside.ms / (quiet.count / quiet.ms)).toFixed(2)}; executions a second meanwhile ${Math.round((rows[0]?.done ?? 0) / seconds)}, intents left ${rows[0]?.left}`,
  );
  // Remaining executions would run during the next part.
  await bench.ctx.pool.query(`DELETE FROM outbox`);
  await bench.ctx.pool.query(
    `UPDATE workflow_executions SET status = 'CANCELLED' WHERE workflow_id = $1 AND status = 'RUNNING'`,
    [other.graph.id],
  );
  api.kill('SIGTERM');
}
