/**
 * Webhooks while everything is killed: every event arrives at every endpoint, and repeats are at most what was in flight.
 * FAULTS_SCALE=full: 10,000 events.
 */
import { describe, expect, test } from 'vitest';
import { transaction } from '../../src/db/pool.js';
import { insertEvents } from '../../src/domain/events/insert.js';
import { newId } from '../../src/ids.js';
import { insertAudience } from '../helpers/audience.js';
import { request } from '../helpers/campaigns.js';
import { useCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { FAULT_TIMEOUT_MS, reportFigures, scaled } from '../helpers/fault-scale.js';
import { startReceiver } from '../helpers/receiver.js';

const EVENTS = scaled(1500, 10_000);
const TOGETHER = 50;
const ENDPOINTS = 3;
/** Requests of an endpoint in flight (src/domain/webhooks/deliver.ts). */
const IN_FLIGHT = 8;

describe('while processes and servers are killed', { tags: 'faults', timeout: FAULT_TIMEOUT_MS }, () => {
  const running = useCluster({ ownPostgres: true, env: { WEBHOOK_ALLOW_PRIVATE: 'true' } });

  test('every event arrives at every endpoint under its id, and few arrive twice', async () => {
    const { ctx, api, worker, postgres, temporal } = running();
    const receiver = await startReceiver();
    // Something is always in flight when something is killed.
    receiver.answer((response) => setTimeout(() => response.end('ok'), 20));
    const project = await insertAudience(ctx, 0);
    for (let number = 0; number < ENDPOINTS; number++) {
      const body = { url: `${receiver.origin}/${number}`, events: ['custom.*'] };
      expect((await request(running(), project, 'POST', '/webhooks', body)).status).toBe(201);
    }
    const arrivals = (number: number): string[] =>
      receiver.requests.filter(({ url }) => url === `/${number}`).map(({ headers }) => headers['webhook-id'] ?? '');

    const ids = Array.from({ length: EVENTS }, newId);
    /** Stores some events; after an error, those that were not stored. */
    const store = async (some: string[]): Promise<void> => {
      await eventually(
        () =>
          transaction(ctx.pool, async (tx) => {
            const { rows } = await tx.query<{ id: string }>('SELECT id FROM events WHERE id = ANY ($1::uuid[])', [
              some,
            ]);
            const stored = new Set(rows.map(({ id }) => id));
            const events = some
              .filter((id) => !stored.has(id))
              .map((id) => ({ id, projectId: project.id, contactId: null, name: 'order.placed' }));
            await insertEvents(tx, events);
          }),
        { within: 60_000 },
      );
    };
    const progress = async (share: number): Promise<void> => {
      await eventually(async () => expect(arrivals(0).length).toBeGreaterThan(share * EVENTS), { within: 120_000 });
    };
    const writing = (async () => {
      for (let from = 0; from < EVENTS; from += TOGETHER) {
        await store(ids.slice(from, from + TOGETHER));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    })();

    const restart = async (part: typeof worker): Promise<void> => {
      await part.kill('SIGKILL');
      await part.start();
    };
    await progress(0.1);
    await restart(worker);
    await progress(0.25);
    await restart(api);
    await restart(worker);
    await progress(0.4);
    await postgres.kill();
    await postgres.start();
    await progress(0.6);
    await temporal.stop();
    temporal.deleteData();
    await temporal.start();
    await progress(0.8);
    await restart(worker);
    await writing;

    await eventually(
      async () => {
        for (let number = 0; number < ENDPOINTS; number++) expect(new Set(arrivals(number)).size).toBe(EVENTS);
      },
      { within: 180_000 },
    );
    for (let number = 0; number < ENDPOINTS; number++) {
      const all = arrivals(number);
      expect(new Set(all)).toEqual(new Set(ids));
      reportFigures({ endpoint: number, repeated: all.length - EVENTS });
      // Three kills of the worker, one of PostgreSQL, and the loss of Temporal.
      expect(all.length - EVENTS).toBeLessThanOrEqual(5 * IN_FLIGHT);
    }
    await eventually(async () =>
      expect(await ctx.prisma.webhookDelivery.count({ where: { projectId: project.id, status: 'DELIVERED' } })).toBe(
        ENDPOINTS * EVENTS,
      ),
    );
    await receiver.stop();
  });
});
