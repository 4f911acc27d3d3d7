/** The worker and PostgreSQL are killed while scheduled emails become due, and some are canceled meanwhile. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ApiContext } from '../../src/context.js';
import { insertAudience } from '../helpers/audience.js';
import { request } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';

const EMAILS = 2000;
/** Requests of one batch. */
const BATCH = 100;
/** From the first to the last email that is due. */
const PERIOD_MS = 8000;
/** The emails with this remainder are canceled one by one; they are in the middle of the period as well as at its ends. */
const CANCELED_EVERY = 10;

const Batch = z.object({
  data: z.array(z.object({ data: z.object({ emails: z.array(z.object({ email: z.string() })) }) })),
});

/** Waits until every email has a result. @returns all emails */
async function finalEmails({ pool }: ApiContext) {
  return eventually(
    async () => {
      const { rows } = await pool.query<{ to: string; status: string; ambiguous: boolean }>(
        `SELECT to_email AS "to", status, ambiguous FROM emails`,
      );
      expect(rows.filter(({ status }) => ['SCHEDULED', 'PENDING', 'SENDING'].includes(status))).toEqual([]);
      return rows;
    },
    { within: 90_000 },
  );
}

test(
  'scheduled emails are sent once or canceled while the worker and PostgreSQL are killed',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster({ ownPostgres: true });
    const { ctx, sink, worker, postgres, connections } = cluster;
    const project = await insertAudience(ctx, 1);
    const content = { from: `news@${project.domain}`, subject: 'Hello', body: '<p>Hello</p>' };
    const begin = Date.now() + 8000;
    const ids: string[] = [];
    for (let first = 0; first < EMAILS; first += BATCH) {
      const emails = Array.from({ length: BATCH }, (_, index) => ({
        ...content,
        to: `due${first + index}@inbox.test`,
        scheduledFor: new Date(begin + ((first + index) * PERIOD_MS) / EMAILS).toISOString(),
      }));
      const { status, body } = await request(cluster, project, 'POST', '/v1/batch', { emails });
      expect(status).toBe(200);
      ids.push(...Batch.parse(body).data.map(({ data }) => data.emails[0]?.email ?? ''));
    }
    expect(sink.mails).toEqual([]);

    const canceled = new Set<string>();
    const cancelSome = async (): Promise<void> => {
      for (let index = 0; index < EMAILS; index += CANCELED_EVERY) {
        // PostgreSQL may be away. The client then does not know, so it asks again.
        const { status } = await eventually(async () => {
          const response = await request(cluster, project, 'POST', `/emails/${ids[index]}/cancel`);
          expect([200, 409]).toContain(response.status);
          return response;
        });
        if (status === 200) canceled.add(`due${index}@inbox.test`);
      }
    };
    const kill = async (): Promise<void> => {
      await sink.reached(300);
      await worker.kill('SIGKILL');
      await worker.start();
      await sink.reached(700);
      await postgres.kill();
      await postgres.start();
      await sink.reached(1100);
      await worker.kill('SIGKILL');
      await worker.start();
    };
    await Promise.all([kill(), cancelSome()]);
    const rows = await finalEmails(ctx);
    const counts = sink.counts();
    expect(rows).toHaveLength(EMAILS);
    expect(rows.filter(({ to }) => (counts.get(to) ?? 0) > 1)).toEqual([]);
    expect(rows.filter(({ to, status }) => status === 'SENT' && !counts.has(to))).toEqual([]);
    expect(rows.filter(({ to, status, ambiguous }) => status !== 'SENT' && !ambiguous && counts.has(to))).toEqual([]);
    expect(rows.filter(({ status, ambiguous }) => status === 'FAILED' && !ambiguous)).toEqual([]);
    expect(new Set(rows.filter(({ status }) => status === 'CANCELLED').map(({ to }) => to))).toEqual(canceled);
    expect(rows.filter(({ ambiguous }) => ambiguous).length).toBeLessThanOrEqual(2 * connections);
    expect(canceled.size).toBeGreaterThan(0);
  },
);

const DUE = 6000;
const KILLS = 3;

test(
  'emails that are due at the same moment are sent once while the worker is killed, and at most one per connection is in doubt',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, sink, worker, connections } = cluster;
    const project = await insertAudience(ctx, 1);
    const begin = new Date(Date.now() + 10_000).toISOString();
    for (let first = 0; first < DUE; first += BATCH) {
      const emails = Array.from({ length: BATCH }, (_, index) => ({
        to: `due${first + index}@inbox.test`,
        from: `news@${project.domain}`,
        subject: 'Hello',
        body: '<p>Hello</p>',
        scheduledFor: begin,
      }));
      expect((await request(cluster, project, 'POST', '/v1/batch', { emails })).status).toBe(200);
    }
    for (let kill = 1; kill <= KILLS; kill++) {
      await sink.reached(Math.round((DUE * kill) / (KILLS + 1)));
      await worker.kill('SIGKILL');
      await worker.start();
    }
    const rows = await finalEmails(ctx);
    const counts = sink.counts();
    const unknown = rows.filter(({ ambiguous }) => ambiguous);
    expect(rows).toHaveLength(DUE);
    expect(rows.filter(({ to }) => (counts.get(to) ?? 0) > 1)).toEqual([]);
    expect(rows.filter(({ to, status }) => (status === 'SENT') !== counts.has(to)).length).toBeLessThanOrEqual(
      unknown.length,
    );
    expect(rows.filter(({ status, ambiguous }) => status !== 'SENT' && !ambiguous)).toEqual([]);
    expect(unknown.length).toBeLessThanOrEqual(KILLS * connections);
  },
);
