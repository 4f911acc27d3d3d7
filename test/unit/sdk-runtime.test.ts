/** The runtime of the Temporal SDK, which this process installs once. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import getPort from 'get-port';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/log.js';
import { installRuntime } from '../../src/temporal/runtime.js';

vi.mock('get-port', () => ({ default: vi.fn<typeof getPort>() }));

test('the SDK serves its metrics on another port if the first one has been taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const { default: findPort } = await vi.importActual<{ default: typeof getPort }>('get-port');
  const free = await findPort({ host: '127.0.0.1' });
  vi.mocked(getPort).mockResolvedValueOnce(taken).mockResolvedValueOnce(free);

  const url = await installRuntime(createLog('silent'), true);

  expect(url).toBe(`http://127.0.0.1:${free}/metrics`);
  const { status } = await fetch(`${url}`);
  expect(status).toBe(200);
});
