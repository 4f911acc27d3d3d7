/** Shared by the benchmarks of endpoints: processes under load, the load, and its figures. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Bench } from './harness.js';

export interface LoadResult {
  count: number;
  errors: number;
  ms: number;
  latencies: number[];
  sent: Array<[string, number]>;
}

const isResult = (value: unknown): value is LoadResult =>
  typeof value === 'object' && value !== null && 'latencies' in value;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Starts a part of the system from its sources, in its own process, and waits until `url` responds. */
export async function child(file: string, env: Record<string, string>, url: string): Promise<ChildProcess> {
  const process_ = fork(here(file), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  for (let tries = 0; ; tries++) {
    if (process_.exitCode !== null || tries > 200) throw new Error(`${file} did not start`);
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      return process_;
    await sleep(100);
  }
}

/** Runs one load (bench/load.mjs) in its own process. */
export async function load(options: Record<string, unknown>): Promise<LoadResult> {
  const generator = fork(here('load.mjs'), { execArgv: [] });
  generator.send(options);
  const [result]: unknown[] = await once(generator, 'message');
  generator.disconnect();
  if (!isResult(result)) throw new Error('The load generator sent an unexpected message.');
  return result;
}

export const percentile = (sorted: number[], p: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0).toFixed(1);

/** A row of the table of results. */
export const row = (what: string, { count, errors, ms, latencies }: LoadResult) => ({
  what,
  'per second': Math.round((count / ms) * 1000),
  'p50 ms': percentile(latencies, 0.5),
  'p99 ms': percentile(latencies, 0.99),
  errors,
});

/** The environment of a process under load. */
export function environmentOf({ config }: Bench, port: number): Record<string, string> {
  const { DATABASE_URL, TEMPORAL_ADDRESS, SMTP_URL, SECRET_KEY, DKIM_SIGNING } = config;
  return {
    DATABASE_URL,
    TEMPORAL_ADDRESS,
    SMTP_URL,
    SECRET_KEY,
    DKIM_SIGNING: String(DKIM_SIGNING),
    PORT: String(port),
    METRICS_PORT: '0',
    RATE_LIMIT_PER_MINUTE: '100000000',
    LOG_LEVEL: 'error',
  };
}
