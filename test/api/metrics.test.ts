import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { parseEnvironment } from '../../src/config.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/operations/metrics.js';
import { startOperations } from '../../src/operations/server.js';
import { useApi } from '../helpers/api.js';

const api = useApi();

/** Returns the current gauges of the queues. */
async function queues(): Promise<Record<string, number>> {
  const metrics = createMetrics();
  metrics.watchQueues(api.ctx.pool);
  const lines = (await metrics.registry.metrics())
    .split('\n')
    .filter((line) => /^sendloom_(outbox|dispatcher|database|workers)/.test(line));
  return Object.fromEntries(
    lines.map((line): [string, number] => [
      line.slice(0, line.indexOf(' ')).replace('sendloom_', ''),
      Number(line.slice(line.indexOf(' ') + 1)),
    ]),
  );
}

test('the first scrape has the lag of intents and emails and the number of workers', async () => {
  const { pool, prisma } = api.ctx;
  expect(await queues()).toEqual({
    outbox_lag_seconds: 0,
    outbox_intents: 0,
    dispatcher_lag_seconds: 0,
    workers_alive: 0,
    database_up: 1,
  });
  const project = await api.project();
  // The lag includes an intent that was tried and postponed.
  await pool.query(`INSERT INTO outbox (workflow_id, action, payload, fairness_key, created_at, available_at) VALUES
    ('x:1', 'signal', '{}', 'x/', now() - interval '90 seconds', now() + interval '5 seconds'), ('x:2', 'signal', '{}', 'x/', now(), now())`);
  const messageId = newId();
  await prisma.message.create({
    data: { id: messageId, projectId: project.id, type: 'TRANSACTIONAL', subject: 's', body: 'b', from: 'a@b.test' },
  });
  const email = {
    projectId: project.id,
    messageId,
    type: 'TRANSACTIONAL' as const,
    source: 'TRANSACTIONAL' as const,
    toEmail: 'c@d.test',
  };
  await prisma.email.createMany({
    data: [
      { ...email, id: newId(), nextAttemptAt: new Date(Date.now() - 45_000) },
      { ...email, id: newId(), nextAttemptAt: new Date(Date.now() + 3_600_000) },
    ],
  });
  await pool.query(
    `INSERT INTO worker_instances (id, heartbeat_at) VALUES ($1, now()), ($2, now() - interval '1 hour')`,
    [newId(), newId()],
  );
  const { outbox_lag_seconds: outbox = 0, dispatcher_lag_seconds: dispatcher = 0, ...rest } = await queues();
  expect([Math.floor(outbox / 10), Math.floor(dispatcher / 5)]).toEqual([9, 9]);
  expect(rest).toEqual({ outbox_intents: 2, workers_alive: 1, database_up: 1 });
});

test('a process runs without metrics if its METRICS_PORT is in use', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  onTestFinished(() => void blocker.close());
  const address = blocker.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const started = await startOperations({ METRICS_HOST: '127.0.0.1', METRICS_PORT: port }, createLog('silent'), {
    metrics: createMetrics(),
    readiness: [],
    sdkMetrics: null,
  });
  expect(started.port).toBeNull();
  await started.stop();
});

test.each([
  [{ HOST: '0.0.0.0' }, false],
  [{ HOST: '0.0.0.0', METRICS_HOST: '0.0.0.0' }, true],
])('with %j, metrics outside of 127.0.0.1 are reachable: %s', async (variables, isReachable) => {
  const environment = parseEnvironment({ ...variables, METRICS_PORT: '0' });
  const started = await startOperations(environment, createLog('silent'), {
    metrics: createMetrics(),
    readiness: [],
    sdkMetrics: null,
  });
  onTestFinished(started.stop);
  // Another loopback address, on which a server on 127.0.0.1 does not listen.
  const statuses = ['127.0.0.1', '127.0.0.2'].map((host) =>
    fetch(`http://${host}:${started.port}/health/live`).then(
      ({ status }) => status,
      () => 'refused',
    ),
  );
  expect(await Promise.all(statuses)).toEqual([200, isReachable ? 200 : 'refused']);
});
