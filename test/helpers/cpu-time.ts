/**
 * Measures the CPU time of this process, in milliseconds. Unlike elapsed time, it does not depend on the machine's load.
 *
 * @returns a function that returns the CPU time used since the call
 */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
