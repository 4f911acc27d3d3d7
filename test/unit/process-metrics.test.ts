import { Registry } from 'prom-client';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { collectProcessMetrics } from '../../src/operations/process-metrics.js';

/** Returns the metrics of the event loop by name. */
async function readLoop(registry: Registry): Promise<Record<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('nodejs_eventloop'));
  return Object.fromEntries(lines.map((line) => line.split(' ')).map(([name = '', value]) => [name, Number(value)]));
}

test('the event loop of a busy process has a higher utilization than that of an idle one', async () => {
  const registry = new Registry();
  collectProcessMetrics(registry);
  await readLoop(registry);
  for (const end = performance.now() + 200; performance.now() < end;);
  await sleep(1);
  const busy = await readLoop(registry);
  await sleep(200);
  const idle = await readLoop(registry);
  expect(Object.keys(busy).sort()).toEqual(['nodejs_eventloop_lag_seconds', 'nodejs_eventloop_utilization']);
  expect(busy.nodejs_eventloop_utilization).toBeGreaterThan(0.8);
  expect(idle.nodejs_eventloop_utilization).toBeLessThan(0.5);
});
