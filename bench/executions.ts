/**
 * The speed of executions. Each figure comes with a calibration on the same Temporal server in the same run: bare
 * workflows in a plain worker.
 *
 *   npx tsx bench/executions.ts [send] [delay] [resume] [burst] [track] [memory]          all of them by default
 *
 * BENCH_COUNT: executions of the rates (default 2000) and of the memory (default 10000). BENCH_RATE: events per second
 * of resume (default 25).
 */
import { startBench } from './harness.js';
import { burst } from './executions/burst.js';
import { memory } from './executions/memory.js';
import { rate } from './executions/rate.js';
import { resume } from './executions/resume.js';
import { startParts, stopParts, type Parts } from './executions/setup.js';
import { track } from './executions/track.js';

const given = process.env.BENCH_COUNT;
const count = Number(given ?? 2000);

const PARTS: Record<string, (parts: Parts) => Promise<void>> = {
  send: (parts) => rate(parts, 'send', count),
  delay: (parts) => rate(parts, 'delay', count),
  resume: (parts) => resume(parts, Number(process.env.BENCH_RATE ?? 25)),
  burst: (parts) => burst(parts, count),
  track: (parts) => track(parts, 10),
  memory: (parts) => memory(parts, Number(given ?? 10_000)),
};

const bench = await startBench();
try {
  const parts = await startParts(bench);
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS)) await PARTS[name]?.(parts);
  await stopParts(parts);
} finally {
  await bench.stop();
}
process.exit(0);
