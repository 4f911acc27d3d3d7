/**
 * Ports of the embedded servers: on loopback, and below 32768, where the kernel's ephemeral ports begin.
 *
 * get-port does not serve here: it reserves a port for 15 s, so a restarted server could not get its own port again.
 */
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { Log } from '../../../src/log.js';

export const LOOPBACK = '127.0.0.1';

const MIN_PORT = 20_000;
const EPHEMERAL_PORT = 32_768;
const MAX_ATTEMPTS = 200;

/** Whether a server could listen on this port of the loopback address now. */
export async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether a server accepts connections on this port of the loopback address. */
export async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: LOOPBACK });
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** A free port, chosen at random so that processes that start together rarely choose the same one. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const port = randomInt(MIN_PORT, EPHEMERAL_PORT);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port between ${MIN_PORT} and ${EPHEMERAL_PORT} after ${MAX_ATTEMPTS} attempts.`);
}

export interface PortChoice {
  /** The preferred port; 0 for any. */
  preferred: number;
  /** The server's name, for the log. */
  server: string;
  /** The variable that sets the port, for the log. */
  variable: string;
  log: Log;
}

/** The preferred port, or a free one, with a warning, if another program uses it. */
export async function choosePort({ preferred, server, variable, log }: PortChoice): Promise<number> {
  if (preferred === 0) return freePort();
  if (await isPortFree(preferred)) return preferred;
  const port = await freePort();
  log.warn(
    { wanted: preferred, port },
    `Port ${preferred} is in use: ${server} listens on ${port}. Set ${variable} to choose another port.`,
  );
  return port;
}
