import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { createMetrics } from '../../src/operations/metrics.js';
import { startOperations } from '../../src/operations/server.js';
import { useApi } from '../helpers/api.js';

const api = useApi();

/** The gauges of the queues, without the worker's, at this moment. */
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

test('say in the first scrape how long intents and emails have waited, and how many workers there are', async () => {
  const { pool, prisma } = api.ctx;
  expect(await queues()).toEqual({
    outbox_lag_seconds: 0,
    outbox_intents: 0,
    dispatcher_lag_seconds: 0,
    workers_alive: 0,
    database_up: 1,
  });
  const project = await api.project();
  // One that was tried a moment ago, and put off, waits all the same.
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

test('a METRICS_PORT that is taken is said, and no reason not to run', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const address = taken.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const started = await startOperations({ HOST: '127.0.0.1', METRICS_PORT: port }, createLog('silent'), {
    metrics: createMetrics(),
    readiness: [],
    sdk: null,
  });
  await started.stop();
});
