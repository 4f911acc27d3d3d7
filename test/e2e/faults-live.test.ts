/** Live streams while their servers fail: listeners recover without help, and miss and repeat nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { openStream } from '../../packages/client/src/index.js';
import type { ApiContext } from '../../src/context.js';
import { insertProject, type TestProject } from '../helpers/api.js';
import { openCluster, type Cluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { FAULT_TIMEOUT_MS, scaled } from '../helpers/fault-scale.js';
import { listenOver } from '../helpers/stream.js';

const OUTAGE_MS = scaled(10_000, 60_000);

/** Writes events until it is stopped. Waits while PostgreSQL is down. */
function writeEvents({ pool }: ApiContext, { id }: TestProject) {
  const written: string[] = [];
  const stopping = new AbortController();
  const write = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const insert = pool.query<{ id: string }>(
        `INSERT INTO events (id, project_id, name, created_at)
         SELECT uuid_v7(), $1, 'written', now() FROM generate_series(1, 3) RETURNING id, pg_sleep(random() * 0.02)`,
        [id],
      );
      const result = await insert.catch(() => null);
      if (result) written.push(...result.rows.map((row) => row.id));
      else await sleep(100);
    }
  };
  const writers = [write(), write()];
  return {
    written,
    async stop() {
      stopping.abort();
      await Promise.all(writers);
    },
  };
}

/** Listens with the client, which connects again by itself. */
function listen({ api }: Cluster, { id, secret }: TestProject) {
  const received: string[] = [];
  const closing = new AbortController();
  let connections = 0;
  const stream = openStream({
    baseUrl: api.url,
    key: secret,
    projectId: id,
    topics: ['activity'],
    signal: closing.signal,
    onStatus: (status) => (connections += status === 'open' ? 1 : 0),
  });
  const reading = (async () => {
    for await (const { data } of stream) received.push(data.id);
  })();
  onTestFinished(async () => {
    closing.abort();
    await reading;
  });
  return { received, connections: () => connections };
}

async function startTest(options: Parameters<typeof openCluster>[0]) {
  const cluster = await openCluster(options);
  const project = await insertProject(cluster.ctx);
  const listeners = [listen(cluster, project), listen(cluster, project)];
  await eventually(() => expect(listeners.map(({ connections }) => connections())).toEqual([1, 1]));
  const writer = writeEvents(cluster.ctx, project);
  await eventually(() => expect(listeners[0]?.received.length).toBeGreaterThan(10));
  return { cluster, project, listeners, writer };
}

async function expectEachOnce(
  { written }: { written: string[] },
  listeners: Array<{ received: string[] }>,
): Promise<void> {
  for (const { received } of listeners) {
    await eventually(() => expect(written.filter((id) => !received.includes(id))).toEqual([]));
    // Not the same number: a commit whose response was lost is received, too.
    expect(new Set(received).size).toBe(received.length);
  }
}

test('a killed API is replaced: its listeners connect again and receive each entry once', async () => {
  const { cluster, listeners, writer } = await startTest({ start: ['api'] });
  await cluster.api.kill('SIGKILL');
  const before = writer.written.length;
  await eventually(() => expect(writer.written.length).toBeGreaterThan(before + 20));
  await cluster.api.start();
  await eventually(() => expect(listeners.map(({ connections }) => connections())).toEqual([2, 2]));
  await writer.stop();
  await expectEachOnce(writer, listeners);
});

test('a stopping API ends its streams first, while it still serves requests', async () => {
  const { cluster, project, writer } = await startTest({ start: ['api'], env: { DRAIN_SECONDS: '2' } });
  const { response, done } = await listenOver(
    `${cluster.api.url}/projects/${project.id}/stream?topics=activity,campaigns`,
    { authorization: `Bearer ${project.secret}` },
  );
  expect(response.status).toBe(200);
  let hasExited = false;
  const exited = cluster.api.kill('SIGTERM').finally(() => (hasExited = true));
  expect(await done).toBe('ended');
  const served = await fetch(`${cluster.api.url}/health/live`);
  expect([served.status, hasExited]).toEqual([200, false]);
  expect(await exited).toBe(0);
  await writer.stop();
});

test(
  'PostgreSQL is down for 10 seconds: streams stay open, and listeners receive each entry once',
  { tags: 'faults', timeout: FAULT_TIMEOUT_MS },
  async () => {
    const { cluster, listeners, writer } = await startTest({ start: ['api'], ownPostgres: true });
    await cluster.postgres.stop();
    await sleep(OUTAGE_MS);
    await cluster.postgres.start();
    const before = writer.written.length;
    await eventually(() => expect(writer.written.length).toBeGreaterThan(before + 20));
    await writer.stop();
    await expectEachOnce(writer, listeners);
    expect(listeners.map(({ connections }) => connections())).toEqual([1, 1]);
  },
);
