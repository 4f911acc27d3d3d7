/** The owners of journals: processes that run, that ended, and that are not comparable. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { afterEach, expect, it } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { livenessOf, readIdentity, type ProcessIdentity } from '../../src/domain/delivery/process-identity.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function ownIdentity(): ProcessIdentity {
  const identity = readIdentity();
  if (!identity) throw new Error('This platform does not identify processes');
  return identity;
}

/** The identity of another process of this machine. */
function identityOf(pid: number): ProcessIdentity {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  return { ...ownIdentity(), pid, startTime };
}

/** Starts a program. @returns the first line of its output */
async function run(command: string, ...args: string[]): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line]: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, line: String(line) };
}

const liveness = (other: ProcessIdentity) => livenessOf(other, ownIdentity());

it('a process is alive until it ends', async () => {
  const { child } = await run('sh', '-c', 'echo ready; exec sleep 60');
  const identity = identityOf(child.pid ?? 0);
  expect(liveness(identity)).toBe('alive');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(liveness(identity)).toBe('dead');
});

it('a process whose name looks like other fields is alive', async () => {
  const { child } = await run(
    process.execPath,
    '-e',
    `process.title = 'a) Z 1 (b'; console.log(1); setInterval(Date, 1e6)`,
  );
  expect(liveness(identityOf(child.pid ?? 0))).toBe('alive');
});

it('a process that ended and was not reaped is dead', async () => {
  // The shell becomes a program that does not wait for its children, before the child ends.
  const { line } = await run('sh', '-c', 'sleep 0.3 & echo $!; exec sleep 60');
  const zombie = identityOf(Number(line));
  await eventually(() => expect(liveness(zombie)).toBe('dead'));
});

it('a process id that another process uses now is dead', () => {
  expect(liveness({ ...ownIdentity(), startTime: '1' })).toBe('dead');
});

it('a process of an earlier boot is not compared with the processes of this one', () => {
  expect(liveness({ ...ownIdentity(), bootId: 'another' })).toBe('rebooted');
});

it('a process of another namespace is not compared with the processes of this one', () => {
  expect(liveness({ ...ownIdentity(), pidNamespace: 'pid:[1]' })).toBe('unknown');
});
