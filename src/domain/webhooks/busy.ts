/** Whether this process has no time left for work that can wait. */
import { performance } from 'node:perf_hooks';

/** The share of the time in which JavaScript runs. Deliveries alone stay below it. */
const BUSY = 0.85;
const WINDOW_MS = 100;

let before = performance.eventLoopUtilization();
let measuredAt = performance.now();
let utilization = 0;

/** Measures at most every 100 ms. */
export function isProcessBusy(): boolean {
  const now = performance.now();
  if (now - measuredAt >= WINDOW_MS) {
    const current = performance.eventLoopUtilization();
    ({ utilization } = performance.eventLoopUtilization(current, before));
    before = current;
    measuredAt = now;
  }
  return utilization > BUSY;
}
