/**
 * Starts the inbox in a thread, so that neither a flood of mails nor a mail that is hard to parse slows the API down.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { startInbox, type Inbox, type InboxOptions } from './inbox.js';

export { startInbox, type Inbox, type InboxOptions };

/** An inbox that runs beside this thread. */
export interface InboxThread extends Inbox {
  /** Resolves when the inbox is gone, asked or unasked. Never rejects. */
  exited: Promise<unknown>;
}

const Ready = z.object({ smtpUrl: z.string(), webUrl: z.string() });

/**
 * Starts the inbox in a worker thread.
 *
 * @throws what `startInbox` throws
 */
export async function startInboxThread({ dataDir, smtpPort, httpPort, log }: InboxOptions): Promise<InboxThread> {
  const file = new URL('./thread.js', import.meta.url);
  // A worker thread takes no TypeScript; tests that run the sources get the inbox in their own thread.
  if (import.meta.url.endsWith('.ts')) {
    return { ...(await startInbox({ dataDir, smtpPort, httpPort, log })), exited: new Promise(() => undefined) };
  }

  const thread = new Worker(file, {
    workerData: { dataDir, smtpPort, httpPort, logLevel: log.level },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  const ready: unknown[] = await once(thread, 'message');
  const addresses = Ready.parse(ready[0]);
  const exited = new Promise<unknown>((resolve) => {
    let reason: unknown;
    thread.once('error', (error) => {
      reason = error;
    });
    // Only now are its ports free for the next one.
    thread.once('exit', (code) => resolve(reason ?? { code }));
  });
  return {
    ...addresses,
    exited,
    async stop() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
      thread.postMessage('stop');
      await exited;
    },
  };
}
