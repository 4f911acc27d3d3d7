/** The pool and a server that dies: an error event of pg must not end the process. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { isDatabaseUnavailable } from '../../src/db/errors.js';
import { createPool, transaction, type Pool } from '../../src/db/pool.js';

/** A message of PostgreSQL's protocol: type, length, and content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const AUTHENTICATED = message('R', Buffer.alloc(4));
const READY = message('Z', Buffer.from('I'));
const LAST_WORD = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'),
);

/** A pool whose server accepts a client and dies in the same chunk of data. */
async function poolOnDyingServer(): Promise<Pool> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, LAST_WORD])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port');
  const pool = createPool({
    databaseUrl: `postgresql://a:b@127.0.0.1:${address.port}/c`,
    max: 1,
    name: 'test',
    onError: () => undefined,
  });
  onTestFinished(() => pool.end());
  return pool;
}

test.each([
  ['a transaction', (pool: Pool) => transaction(pool, (tx) => tx.query('SELECT 1'))],
  ['a statement', (pool: Pool) => pool.query('SELECT 1')],
])(
  '%s on a connection that dies while it is handed out fails as one without a database, and the process lives',
  async (_what, work) => {
    const pool = await poolOnDyingServer();
    const error: unknown = await work(pool).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(isDatabaseUnavailable(error)).toBe(true);
  },
);
