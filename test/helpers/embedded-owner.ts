/**
 * Starts an embedded server and holds it, for tests that kill the process that owns one.
 *
 * Run as a program: `embedded-owner.ts postgres|temporal <dataDir>`. Prints one line of JSON when the server is up.
 */
import { startPostgres } from '../../packages/embedded/src/postgres.js';
import { startTemporal } from '../../packages/embedded/src/temporal.js';
import { createLog } from '../../src/log.js';

const [, , kind, dataDir = ''] = process.argv;
const log = createLog('silent');
const server =
  kind === 'postgres'
    ? await startPostgres({ dataDir, port: 0, log, durable: false })
    : await startTemporal({ dataDir, port: 0, uiPort: 0, namespace: 'default', log });
console.log(JSON.stringify({ address: 'url' in server ? server.url : server.address }));
