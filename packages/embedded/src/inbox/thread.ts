/** The program of the inbox's thread (see `startInboxThread`). */
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { createLog } from '../../../../src/log.js';
import { startInbox } from './index.js';

const Options = z.object({ dataDir: z.string(), smtpPort: z.number(), httpPort: z.number(), logLevel: z.string() });

if (parentPort) {
  const port = parentPort;
  const { logLevel, ...options } = Options.parse(workerData);
  const inbox = await startInbox({ ...options, log: createLog(logLevel).child({ part: 'inbox' }) });
  port.postMessage({ smtpUrl: inbox.smtpUrl, webUrl: inbox.webUrl });
  // The open port keeps the thread alive while the servers close.
  port.once('message', () => void inbox.stop().finally(() => port.close()));
}
