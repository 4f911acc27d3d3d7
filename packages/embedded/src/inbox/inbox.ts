/**
 * The SMTP inbox of the embedded default: takes every mail on loopback, keeps it, and shows it on a web page.
 */
import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../../../../src/log.js';
import { createSmtpServer } from './smtp.js';
import { openMailStore } from './store.js';
import { createWebServer } from './web.js';

export interface InboxOptions {
  /** Mails are kept in its folder `inbox`. */
  dataDir: string;
  /** 0, or a taken port: a free one is used. */
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

const HOST = '127.0.0.1';

/**
 * Starts the inbox in this thread.
 *
 * @throws the file system's errors when the mails' folder is not usable
 */
export async function startInbox({ dataDir, smtpPort, httpPort, log }: InboxOptions): Promise<Inbox> {
  const store = await openMailStore(join(dataDir, 'inbox'));
  const smtp = createSmtpServer(store, log);
  const web = createWebServer(store, log);
  try {
    const smtpUrl = `smtp://${HOST}:${await listen(smtp.server, smtpPort, { name: 'inbox SMTP server', variable: 'EMBEDDED_SMTP_PORT', log })}`;
    const webUrl = `http://${HOST}:${await listen(web, httpPort, { name: 'inbox page', variable: 'EMBEDDED_INBOX_PORT', log })}`;
    return { smtpUrl, webUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  async function stop(): Promise<void> {
    web.closeAllConnections();
    await Promise.all([
      new Promise<void>((resolve) => web.close(() => resolve())),
      new Promise<void>((resolve) => smtp.close(() => resolve())),
    ]);
    await store.close();
  }
}

/**
 * Listens on loopback and returns the port: the one that is asked for, or a free one, said in the log, when it can't be
 * had.
 */
async function listen(
  server: Server,
  port: number,
  { name, variable, log }: { name: string; variable: string; log: Log },
): Promise<number> {
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (error) {
    if (port === 0 || !isPortError(error)) throw error;
    const free = await listen(server, 0, { name, variable, log });
    log.warn({ port, free }, `port ${port} is taken: the ${name} listens on ${free} (set ${variable} for another one)`);
    return free;
  }
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === 'string') throw new Error(`the ${name} has no port`);
  return address.port;
}

function isPortError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}
