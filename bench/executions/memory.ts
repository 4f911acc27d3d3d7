/** The memory of a worker with many open executions, compared with a worker with as many bare workflows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { printTable } from '../harness.js';
import { startExecutions, memoryOf, runCalibration, prepare, reached, type Parts } from './setup.js';

export async function memory(parts: Parts, count: number): Promise<void> {
  const { bench, worker, bare } = parts;
  const journey = await prepare(bench, 'wait', count);
  const rows = [];
  const bareBefore = memoryOf(bare);
  await runCalibration(parts, { kind: 'open', workflow: 'waiter', count, inFlight: 50 });
  rows.push({ what: 'the bare worker', 'MB before': bareBefore, 'MB with them open': memoryOf(bare) });
  const before = memoryOf(worker);
  await startExecutions(bench, journey, count);
  await reached(bench, journey.graph, count, 'WAITING');
  await sleep(3000);
  rows.push({ what: 'the worker', 'MB before': before, 'MB with them open': memoryOf(worker) });
  console.log(`${count} open`);
  printTable(rows);
}
