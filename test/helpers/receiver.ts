/** A real HTTP or HTTPS server on an address of its own that records what it is sent, and answers as a test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Socket } from 'node:net';

export interface ReceivedRequest {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Answers one request; `count` is how many came before it. */
export type Answer = (response: ServerResponse, request: ReceivedRequest, count: number) => void;

export interface Receiver {
  /** `http://127.0.0.1:<port>`; without a final slash. */
  origin: string;
  port: number;
  requests: ReceivedRequest[];
  /** The number of opened connections, including those without a request. */
  connections: () => number;
  answer: (how: Answer) => void;
  stop: () => Promise<void>;
}

export interface ReceiverOptions {
  host?: string;
  /** 0: a free one. */
  port?: number;
  /** Certificate and key; with them it speaks HTTPS. */
  tls?: { cert: string; key: string };
}

export async function startReceiver({ host = '127.0.0.1', port = 0, tls }: ReceiverOptions = {}): Promise<Receiver> {
  const requests: ReceivedRequest[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let how: Answer = (response) => response.end('ok');
  const listener: RequestListener = (message, response) => {
    void readAll(message).then((body) => {
      const request = { method: message.method ?? '', url: message.url ?? '', headers: headersOf(message), body };
      requests.push(request);
      return how(response, request, requests.length - 1);
    });
  };
  const server: Server = tls ? createSecureServer(tls, listener) : createServer(listener);
  server.on('connection', (socket: Socket) => {
    opened += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  // A client that does not trust the certificate ends the handshake.
  server.on('tlsClientError', () => undefined);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The receiver has no port');
  return {
    origin: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    requests,
    connections: () => opened,
    answer(next) {
      how = next;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readAll(message: IncomingMessage): Promise<string> {
  let body = '';
  message.setEncoding('utf8');
  for await (const chunk of message) body += String(chunk);
  return body;
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
