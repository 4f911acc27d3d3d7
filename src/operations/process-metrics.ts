/** Metrics of the process: memory, CPU, garbage collection, and the event loop. */
import { performance } from 'node:perf_hooks';
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

const LAG = 'nodejs_eventloop_lag_';
const LAG_AT_SCRAPE = `${LAG}seconds`;
/** The interval of the timer with which the library measures percentiles of the lag. Its default, 10 ms, takes up to 0.8% of a core. */
const NEVER_MS = 2 ** 31 - 1;

/** Adds the metrics of this process to `registry`: those of prom-client, with the utilization of the event loop instead of percentiles of its lag. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith(LAG) && name !== LAG_AT_SCRAPE) registry.removeSingleMetric(name);
  let last = performance.eventLoopUtilization();
  const gauge = new Gauge({
    name: 'nodejs_eventloop_utilization',
    help: 'Share of the time since the last scrape in which the event loop was busy.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization();
      gauge.set(performance.eventLoopUtilization(now, last).utilization);
      last = now;
    },
  });
}
