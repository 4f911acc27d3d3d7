/** Ports of the embedded servers: on loopback, and below 32768, where the kernel's ephemeral ports begin. */
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import getPort, { portNumbers } from 'get-port';
import type { Log } from '../../../src/log.js';

export const LOOPBACK = '127.0.0.1';

/**
 * Whether a server could listen on this port of the loopback address now, on TCP and on UDP (for DNS).
 *
 * get-port does not serve here: it reserves each port for 15 s, so a restarted server could not get its own port again.
 */
async function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const tcp = createServer();
    const udp = createSocket('udp4');
    tcp.once('error', () => udp.close(() => resolve(false)));
    udp.once('error', () => tcp.close(() => resolve(false)));
    udp.once('listening', () => tcp.close(() => udp.close(() => resolve(true))));
    tcp.listen({ port, host: LOOPBACK, exclusive: true }, () => udp.bind({ port, address: LOOPBACK, exclusive: true }));
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

/** A free port, searched from a random one, so that processes that start together rarely choose the same one. */
export async function freePort(): Promise<number> {
  return getPort({ host: LOOPBACK, port: portNumbers(randomInt(20_000, 32_000), 32_767) });
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
  if (preferred !== 0 && (await isPortFree(preferred))) return preferred;
  const port = await freePort();
  if (preferred !== 0)
    log.warn(
      { wanted: preferred, port },
      `Port ${preferred} is in use: ${server} listens on ${port}. Set ${variable} to choose another port.`,
    );
  return port;
}

const MAX_START_ATTEMPTS = 3;

/** Repeats a start that failed because another program has taken a port after it was chosen. */
export async function retryTakenPort<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      const isPortTaken = error instanceof Error && /address already in use/.test(error.message);
      if (!isPortTaken || attempt === MAX_START_ATTEMPTS) throw error;
    }
  }
}
