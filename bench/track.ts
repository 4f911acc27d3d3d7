/**
 * Tracked events per second of POST /v1/track and their latency, compared with a bare Fastify route with one insert in
 * the same run. The database is durable. The first load tracks 200,000 existing contacts, the second new addresses.
 *
 *   npx tsx bench/track.ts [seconds]
 */
import { freePort } from '../packages/embedded/src/ports.js';
import { addContacts, makeProject, printTable, startBench, type Bench, type BenchProject } from './harness.js';
import { child, environmentOf, load, row } from './http.js';

const CONTACTS = 200_000;

async function measureTracks(bench: Bench, project: BenchProject, seconds: number): Promise<void> {
  await addContacts(bench.ctx, project.id, CONTACTS);
  await bench.ctx.pool.query('VACUUM ANALYZE contacts');
  const bare = await freePort();
  const api = await freePort();
  const bareProcess = await child('bare.ts', environmentOf(bench, bare), `http://127.0.0.1:${bare}/`);
  const apiProcess = await child(
    '../src/main-api.ts',
    environmentOf(bench, api),
    `http://127.0.0.1:${api}/health/live`,
  );
  const common = { key: project.public, domain: project.domain, connections: 50, ms: seconds * 1000 };
  const track = { ...common, port: api, path: '/v1/track' };

  await load({ ...track, track: CONTACTS, ms: 3000 });
  await load({ ...common, port: bare, path: '/bare', track: CONTACTS, ms: 2000 });
  const calibration = await load({ ...common, port: bare, path: '/bare', track: CONTACTS });
  const known = await load({ ...track, track: CONTACTS });
  const fresh = await load({ ...track, track: 1_000_000_007 });
  const single = await load({ ...track, track: 1 });
  const steady = await load({ ...track, track: CONTACTS, rate: 1000 });
  printTable([
    row('a bare route with one insert', calibration),
    row('POST /v1/track, known contacts', known),
    row('POST /v1/track, new contacts', fresh),
    row('POST /v1/track, one contact', single),
    row('POST /v1/track at 1,000 per second', steady),
  ]);
  console.log(`ratio to the bare route ${(known.count / known.ms / (calibration.count / calibration.ms)).toFixed(2)}`);
  for (const process_ of [bareProcess, apiProcess]) process_.kill('SIGTERM');
}

const bench = await startBench();
try {
  await measureTracks(bench, await makeProject(bench.ctx), Number(process.argv[2] ?? 10));
} finally {
  await bench.stop();
}
process.exit(0);
