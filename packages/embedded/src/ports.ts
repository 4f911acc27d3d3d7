/**
 * Ports of the embedded servers: all on loopback, and all below 32768, where the kernel starts to give away ephemeral
 * ports.
 */
import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import type { Log } from '../../../src/log.js';

export const LOOPBACK = '127.0.0.1';

const LOWEST = 20_000;
const EPHEMERAL = 32_768;
const ATTEMPTS = 200;

/** Whether a server could listen on `port` of the loopback address right now. */
export async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Whether a server accepts connections on `port` of the loopback address. */
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

/** A free port, chosen at random so that processes that start together seldom choose the same. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(LOWEST, EPHEMERAL);
    if (await isPortFree(port)) return port;
  }
  throw new Error(`No free port between ${LOWEST} and ${EPHEMERAL} after ${ATTEMPTS} attempts`);
}

export interface PortChoice {
  /** The port that is wanted; 0 for any. */
  preferred: number;
  /** What will listen there, for the log. */
  server: string;
  /** The variable that sets the port, for the log. */
  variable: string;
  log: Log;
}

/** The preferred port, or a free one, with a warning that says so, when another program holds it. */
export async function choosePort({ preferred, server, variable, log }: PortChoice): Promise<number> {
  if (preferred === 0) return freePort();
  if (await isPortFree(preferred)) return preferred;
  const port = await freePort();
  log.warn(
    { wanted: preferred, port },
    `Port ${preferred} is taken: ${server} listens on ${port} instead (set ${variable} to choose one)`,
  );
  return port;
}
