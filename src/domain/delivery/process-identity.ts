/** Identifies processes of this machine, so that a process id that is used again is not mistaken for its predecessor. */
import { readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  pid: number;
  /** In clock ticks since the boot. */
  startTime: string;
  bootId: string;
  /** Process ids are comparable only within a namespace. */
  pidNamespace: string;
}

/** Returns the identity of this process; null if the platform has no /proc. */
export function readIdentity(): ProcessIdentity | null {
  try {
    const startTime = readStartTime(process.pid);
    if (startTime === null) return null;
    return {
      pid: process.pid,
      startTime,
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
      pidNamespace: readlinkSync('/proc/self/ns/pid'),
    };
  } catch {
    return null;
  }
}

/**
 * What is known about another process. `rebooted`: it ran before the last boot, or on another machine. `unknown`: it
 * runs or ran in another namespace of process ids.
 */
export type Liveness = 'alive' | 'dead' | 'rebooted' | 'unknown';

/** Returns whether the process with an identity still runs. `self` is the identity of this process. */
export function livenessOf(other: ProcessIdentity, self: ProcessIdentity): Liveness {
  if (other.bootId !== self.bootId) return 'rebooted';
  if (other.pidNamespace !== self.pidNamespace) return 'unknown';
  return readStartTime(other.pid) === other.startTime ? 'alive' : 'dead';
}

/** Returns the start time of a process; null if it does not run, or is only waiting to be reaped. */
function readStartTime(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name can contain spaces and parentheses. The fields after it begin with the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
