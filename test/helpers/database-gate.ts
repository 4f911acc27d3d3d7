/** A TCP proxy in front of PostgreSQL that refuses, hangs, or responds with "starting up" until the test opens it. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort, LOOPBACK } from '../../packages/embedded/src/ports.js';

/** `refuse`: nothing listens. `hang`: accepts and never responds. `starting`: SQLSTATE 57P03. `open`: forwards. */
export type GateMode = 'refuse' | 'hang' | 'starting' | 'open';

export interface DatabaseGate {
  /** As for `DATABASE_URL`. */
  url: string;
  /** The number of connections accepted in the current mode. */
  connections: () => number;
  setMode: (mode: GateMode) => Promise<void>;
  close: () => Promise<void>;
}

const STARTING_UP = errorResponse('SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0');

/** A message of type E of the PostgreSQL protocol. */
function errorResponse(fields: string): Buffer {
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(Buffer.byteLength(fields) + 4, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

export async function openDatabaseGate(databaseUrl: string, initial: GateMode): Promise<DatabaseGate> {
  const target = new URL(databaseUrl);
  const url = new URL(databaseUrl);
  [url.hostname, url.port] = [LOOPBACK, String(await freePort())];
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let mode: GateMode = 'refuse';
  let count = 0;

  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const accept = (socket: Socket): void => {
    count++;
    track(socket);
    if (mode === 'starting') socket.once('data', () => socket.end(STARTING_UP));
    if (mode !== 'open') return;
    const upstream = track(connect(Number(target.port), target.hostname));
    socket.pipe(upstream).pipe(socket);
    socket.on('close', () => upstream.destroy());
    upstream.on('close', () => socket.destroy());
  };
  const setMode = async (next: GateMode): Promise<void> => {
    mode = next;
    count = 0;
    if (next === 'refuse') {
      const closed = server && once(server, 'close');
      server?.close();
      server = undefined;
      for (const socket of sockets) socket.destroy();
      await closed;
    } else if (!server) {
      server = createServer(accept).listen(Number(url.port), LOOPBACK);
      await once(server, 'listening');
    }
  };
  await setMode(initial);
  return { url: url.href, connections: () => count, setMode, close: () => setMode('refuse') };
}
