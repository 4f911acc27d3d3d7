/** The inbox of the embedded default: accepts every mail on loopback, stores it, and shows it on a web page. */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Log } from '../../../../src/log.js';
import { choosePort, LOOPBACK, retryTakenPort } from '../ports.js';
import { createSmtpServer } from './smtp.js';
import { openMailStore } from './store.js';
import { createWebServer } from './web.js';

export interface InboxOptions {
  /** Mails are stored in its folder `inbox`. */
  dataDir: string;
  /** 0 for any. A port in use is replaced by a free one. */
  smtpPort: number;
  httpPort: number;
  log: Log;
}

export interface Inbox {
  /** `smtp://127.0.0.1:<port>` */
  smtpUrl: string;
  /** `http://127.0.0.1:<port>` */
  webUrl: string;
  stop(): Promise<void>;
}

/** An inbox in its own thread. */
export interface InboxThread extends Inbox {
  /** Resolves when the inbox has ended for any reason. Never rejects. */
  exited: Promise<unknown>;
}

/**
 * Starts the inbox in this thread.
 *
 * @throws the file system's errors if the folder is not usable
 */
export async function startInbox(options: InboxOptions): Promise<Inbox> {
  return retryTakenPort(() => openInbox(options));
}

async function openInbox({ dataDir, smtpPort, httpPort, log }: InboxOptions): Promise<Inbox> {
  const store = await openMailStore(join(dataDir, 'inbox'));
  const smtp = createSmtpServer(store, log);
  const web = createWebServer(store, log);
  const choose = (preferred: number, server: string, variable: string) =>
    choosePort({ preferred, server, variable, log });
  const stop = async (): Promise<void> => {
    await Promise.all([web.close(), new Promise<void>((resolve) => smtp.close(() => resolve()))]);
  };
  try {
    const port = await choose(smtpPort, 'the inbox', 'EMBEDDED_SMTP_PORT');
    smtp.listen(port, LOOPBACK);
    await once(smtp.server, 'listening');
    const pagePort = await choose(httpPort, "the inbox's page", 'EMBEDDED_INBOX_PORT');
    const webUrl = await web.listen({ host: LOOPBACK, port: pagePort });
    return { smtpUrl: `smtp://${LOOPBACK}:${port}`, webUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const Ready = z.object({ smtpUrl: z.string(), webUrl: z.string() });

/**
 * Starts the inbox in a worker thread, so that neither a flood of mails nor an expensive mail slows the API down.
 *
 * @throws the error of `startInbox`
 */
export async function startInboxThread({ dataDir, smtpPort, httpPort, log }: InboxOptions): Promise<InboxThread> {
  // Node does not run TypeScript in a thread. Tests that run the sources get the inbox in their own thread.
  if (import.meta.url.endsWith('.ts'))
    return { ...(await startInbox({ dataDir, smtpPort, httpPort, log })), exited: new Promise(() => undefined) };

  const thread = new Worker(new URL('./thread.js', import.meta.url), {
    workerData: { dataDir, smtpPort, httpPort, logLevel: log.level },
    resourceLimits: { maxOldGenerationSizeMb: 1024 },
  });
  const [ready]: unknown[] = await once(thread, 'message');
  const exited = new Promise<unknown>((resolve) => {
    let reason: unknown;
    thread.once('error', (error) => (reason = error));
    // The ports are free only after the exit.
    thread.once('exit', (code) => resolve(reason ?? { code }));
  });
  return {
    ...Ready.parse(ready),
    exited,
    async stop() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
      thread.postMessage('stop');
      await exited;
    },
  };
}
