/**
 * Accepted requests per second of POST /v1/send and their latency, compared with a bare Fastify route with one insert in
 * the same run, and the time from the request to the inbox at 50 requests per second.
 *
 *   npx tsx bench/send.ts [seconds]
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../packages/embedded/src/ports.js';
import { makeProject, printTable, startBench, type Bench, type BenchProject } from './harness.js';
import { child, environmentOf, load, percentile, row } from './http.js';

async function measureSends(bench: Bench, project: BenchProject, seconds: number): Promise<void> {
  const bare = await freePort();
  const api = await freePort();
  const bareProcess = await child('bare.ts', environmentOf(bench, bare), `http://127.0.0.1:${bare}/`);
  const apiProcess = await child(
    '../src/main-api.ts',
    environmentOf(bench, api),
    `http://127.0.0.1:${api}/health/live`,
  );
  const common = { key: project.secret, domain: project.domain };

  await load({ ...common, port: api, path: '/v1/send', connections: 50, ms: 3000 });
  await load({ ...common, port: bare, path: '/bare', connections: 50, ms: 2000 });
  const calibration = await load({ ...common, port: bare, path: '/bare', connections: 50, ms: seconds * 1000 });
  const accepted = await load({ ...common, port: api, path: '/v1/send', connections: 50, ms: seconds * 1000 });
  const steady = await load({
    ...common,
    port: api,
    path: '/v1/send',
    connections: 50,
    ms: seconds * 1000,
    rate: 1000,
  });
  printTable([
    row('a bare route with one insert', calibration),
    row('POST /v1/send, maximum rate', accepted),
    row('POST /v1/send at 1,000 per second', steady),
  ]);
  console.log(
    `ratio to the bare route ${(accepted.count / accepted.ms / (calibration.count / calibration.ms)).toFixed(2)}`,
  );

  // The time to the inbox is that of an idle system, so the queue is emptied first.
  await bench.ctx.pool.query(`DELETE FROM emails WHERE status = 'PENDING'`);
  const worker = await child('../src/main-worker.ts', environmentOf(bench, 0), `http://127.0.0.1:${api}/health/live`);
  await sleep(5000);
  await bench.sink.watch();
  const marked = await load({
    ...common,
    port: api,
    path: '/v1/send',
    connections: 20,
    ms: seconds * 1000,
    rate: 50,
    mark: true,
  });
  await sleep(1000);
  const arrivals = await bench.sink.arrivals();
  const times = marked.sent
    .flatMap(([number, at]) => (arrivals.has(number) ? [(arrivals.get(number) ?? 0) - at] : []))
    .sort((a, b) => a - b);
  console.log(
    `request to inbox at 50/s: ${times.length} of ${marked.sent.length} arrived, p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms`,
  );
  for (const process_ of [bareProcess, apiProcess, worker]) process_.kill('SIGTERM');
}

const bench = await startBench();
try {
  await measureSends(bench, await makeProject(bench.ctx), Number(process.argv[2] ?? 10));
} finally {
  await bench.stop();
}
process.exit(0);
