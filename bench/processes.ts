/** Processes of the build under a benchmark, and the CPU time that they use. Linux only: CPU is read from /proc. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Bench } from './harness.js';

/** The unit of CPU times in /proc (USER_HZ). */
const TICK_MS = 10;
/** Arguments of Node, as in the Dockerfile and in `npm start`, and those of BENCH_NODE_ARGS. */
export const NODE_ARGS = [
  '--max-semi-space-size=16',
  '--max-old-space-size=1024',
  ...(process.env.BENCH_NODE_ARGS?.split(' ') ?? []),
];
/** For the environment, likewise. */
export const MALLOC_ARENA_MAX = '2';
const READY_MESSAGES = { api: '"the API is ready"', worker: '"the worker is ready"' };

/** The CPU time of a process and each of its descendants in milliseconds. Ended children count too. */
export function readCpuOf(root: number): Array<{ program: string; cpuMs: number }> {
  const processes = new Map<number, { parent: number; program: string; ticks: number }>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      const program = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      processes.set(Number(name), { parent: Number(fields[1]), program, ticks });
    } catch {
      // The process ended while its entry was read.
    }
  }
  const descendants = [...processes].filter(([pid]) => {
    let ancestor: number | undefined = pid;
    while (ancestor !== undefined && ancestor !== root) ancestor = processes.get(ancestor)?.parent;
    return ancestor === root;
  });
  return descendants.map(([, { program, ticks }]) => ({ program, cpuMs: ticks * TICK_MS }));
}

/** The CPU time of a process and its descendants together, in milliseconds. */
export const cpuMsOf = (root: number): number => readCpuOf(root).reduce((sum, { cpuMs }) => sum + cpuMs, 0);

/** Returns the id of PostgreSQL's main process, whose children are the backends. */
export async function readPostmasterPid({ ctx }: Bench): Promise<number> {
  const { rows } = await ctx.pool.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid`);
  return Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${rows[0]?.pid}/status`, 'latin1'))?.[1]);
}

/** Starts a process of the build and waits until it is ready. `env` overrides the configuration of the benchmark. */
export async function startPart(
  { config }: Bench,
  kind: 'api' | 'worker',
  env: Record<string, string> = {},
): Promise<ChildProcess & { pid: number }> {
  const main = fileURLToPath(new URL(`../dist/src/main-${kind}.js`, import.meta.url));
  const variables = Object.entries(config).flatMap(([name, value]) =>
    ['string', 'number', 'boolean'].includes(typeof value) ? [[name, String(value)] as const] : [],
  );
  const child = spawn(process.execPath, [...NODE_ARGS, main], {
    env: {
      PATH: process.env.PATH,
      MALLOC_ARENA_MAX,
      ...Object.fromEntries(variables),
      METRICS_PORT: '0',
      LOG_LEVEL: 'info',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  await new Promise<void>((resolve, reject) => {
    lines.on('line', (line) => {
      if (line.includes(READY_MESSAGES[kind])) resolve();
      if (/"level":"?(warn|error|40|50)/.test(line)) console.error(line);
    });
    child.once('exit', (code) => reject(new Error(`The ${kind} ended with ${code}.`)));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`The ${kind} did not start.`);
  return Object.assign(child, { pid });
}
