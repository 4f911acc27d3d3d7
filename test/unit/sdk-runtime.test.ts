/** The runtime of the Temporal SDK, which a process installs once. So its installation is replaced here. */
import { Runtime, type RuntimeOptions } from '@temporalio/worker';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/log.js';
import { installRuntime } from '../../src/temporal/runtime.js';

/** Replaces the installation, which fails `failures` times as it does if the port is taken. @returns the ports */
function replaceInstallation(failures: number): string[] {
  const ports: string[] = [];
  const install = vi.spyOn(Runtime, 'install').mockImplementation((options: RuntimeOptions) => {
    const metrics = options.telemetryOptions?.metrics;
    const address = metrics && 'prometheus' in metrics ? metrics.prometheus.bindAddress : '';
    ports.push(address);
    if (ports.length <= failures)
      throw new Error('Failed to start prometheus metrics exporter: Address already in use (os error 98)');
    return {} as Runtime;
  });
  onTestFinished(() => install.mockRestore());
  return ports;
}

test('the SDK serves its metrics on another port if the first one has been taken', async () => {
  const tried = replaceInstallation(1);
  const url = await installRuntime(createLog('silent'), true);
  expect(new Set(tried).size).toBe(2);
  expect(url).toBe(`http://${tried[1]}/metrics`);
});

test('a worker does not start if the SDK finds no port', async () => {
  const tried = replaceInstallation(100);
  await expect(installRuntime(createLog('silent'), true)).rejects.toThrow('Address already in use');
  expect(tried).toHaveLength(5);
});
