/** The calibration of bench/send: a bare Fastify route with one insert. */
import Fastify from 'fastify';
import { createPool } from '../src/db/pool.js';
import { newId } from '../src/ids.js';

const pool = createPool({
  databaseUrl: process.env.DATABASE_URL ?? '',
  max: 10,
  name: 'bare',
  onError: () => undefined,
});
await pool.query(
  'CREATE TABLE IF NOT EXISTS bare (id uuid PRIMARY KEY, body jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now())',
);
const app = Fastify();
app.post('/bare', async (request) => {
  const id = newId();
  await pool.query({
    name: 'bare',
    text: 'INSERT INTO bare (id, body) VALUES ($1, $2)',
    values: [id, JSON.stringify(request.body)],
  });
  return { id };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
process.send?.('ready');
process.on('disconnect', () => process.exit(0));
