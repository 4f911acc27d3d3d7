/** The detection of live workers by their heartbeats. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createContext, type ApiContext } from '../../src/context.js';
import { startLiveness } from '../../src/domain/emails/liveness.js';
import { claimDue } from '../../src/domain/emails/sql/claim.js';
import { queuePlatformEmail } from '../../src/domain/platform/emails.js';
import { transaction } from '../../src/db/pool.js';
import { newId } from '../../src/ids.js';
import { createLog } from '../../src/log.js';
import { testConfig } from '../helpers/api.js';
import { createTestDatabase, type TestDatabase } from '../helpers/database.js';
import { eventually } from '../helpers/eventually.js';

const HEARTBEAT_MS = 200;

let database: TestDatabase;
let ctx: ApiContext;
/** Reads while the connections of `ctx` are all in use. */
let observer: ApiContext;
beforeAll(async () => {
  database = await createTestDatabase();
  const config = testConfig(database.url, { DATABASE_POOL: '2', WORKER_HEARTBEAT_MS: String(HEARTBEAT_MS) });
  ctx = createContext(config, createLog('silent'), { name: 'test' });
  observer = createContext(config, createLog('silent'), { name: 'observer' });
});
afterAll(async () => {
  await ctx.close();
  await observer.close();
  await database.drop();
});

const heartbeatOf = async (id: string): Promise<number> =>
  (await observer.prisma.workerInstance.findUniqueOrThrow({ where: { id } })).heartbeatAt.getTime();

test('a worker whose connections are all in use is not considered dead', async () => {
  const id = newId();
  const liveness = await startLiveness(ctx, id, new Map());
  onTestFinished(() => liveness.stop());
  const first = await heartbeatOf(id);
  const busy = await Promise.all([ctx.pool.connect(), ctx.pool.connect()]);
  await eventually(async () => expect(await heartbeatOf(id)).toBeGreaterThan(first + 2 * HEARTBEAT_MS));
  for (const connection of busy) connection.release();
}, 60_000);

test('a worker that stops releases the claims whose reply it did not get', async () => {
  const workerId = newId();
  await transaction(ctx.pool, (tx) =>
    queuePlatformEmail(tx, ctx.config, { to: 'ann@x.test', subject: 's', body: 'b', variables: {} }),
  );
  const liveness = await startLiveness(ctx, workerId, new Map());
  const [claimed] = await claimDue(ctx.pool, { workerId, limit: 1, results: [] });
  await liveness.stop();
  const { status, attempts } = await ctx.prisma.email.findUniqueOrThrow({ where: { id: claimed?.id } });
  expect([status, attempts, await ctx.prisma.emailClaim.count()]).toEqual(['PENDING', 0, 0]);
}, 60_000);

test('a worker that died without emails in flight is forgotten after an hour', async () => {
  const [gone, silent] = [newId(), newId()];
  await ctx.pool.query(
    `INSERT INTO worker_instances (id, heartbeat_at) VALUES ($1, now() - interval '61 minutes'), ($2, now() - interval '59 minutes')`,
    [gone, silent],
  );
  const liveness = await startLiveness(ctx, newId(), new Map());
  onTestFinished(() => liveness.stop());
  await eventually(async () => expect(await ctx.prisma.workerInstance.count({ where: { id: gone } })).toBe(0), {
    within: 30_000,
  });
  expect(await ctx.prisma.workerInstance.count({ where: { id: silent } })).toBe(1);
}, 60_000);
