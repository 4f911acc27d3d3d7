/** A way to the database that a test can block: a TCP forwarder in front of it. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { LOOPBACK } from '../../packages/embedded/src/ports.js';

export interface FlakyDatabase {
  /** As for `DATABASE_URL`. */
  url: string;
  /** Cuts every connection and refuses new ones. */
  cut: () => Promise<void>;
  restore: () => Promise<void>;
  close: () => Promise<void>;
}

export async function openFlakyDatabase(databaseUrl: string): Promise<FlakyDatabase> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const open = async (port: number) => {
    const server = createServer((client) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => undefined);
        socket.on('close', () => {
          sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      client.pipe(upstream);
      upstream.pipe(client);
    });
    await once(server.listen(port, LOOPBACK), 'listening');
    return server;
  };
  let server = await open(0);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The forwarder listens on no port');
  const url = new URL(databaseUrl);
  [url.hostname, url.port] = [LOOPBACK, String(address.port)];
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: url.href,
    cut,
    restore: async () => {
      server = await open(address.port);
    },
    close: cut,
  };
}
