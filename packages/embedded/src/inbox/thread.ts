/**
 * The inbox in a thread of its own (see `startInboxThread`): this file is what the thread runs.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { createLog } from '../../../../src/log.js';
import { startInbox } from './inbox.js';

const Options = z.object({ dataDir: z.string(), smtpPort: z.number(), httpPort: z.number(), logLevel: z.string() });

if (parentPort) {
  const port = parentPort;
  const { logLevel, ...options } = Options.parse(workerData);
  const inbox = await startInbox({ ...options, log: createLog(logLevel).child({ part: 'inbox' }) });
  port.postMessage({ smtpUrl: inbox.smtpUrl, webUrl: inbox.webUrl });
  port.once('message', () => {
    // The port is what keeps the thread alive once the servers are closed.
    void inbox.stop().finally(() => port.close());
  });
}
