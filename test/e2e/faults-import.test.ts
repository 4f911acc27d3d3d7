/** A worker is killed during an import. */
import { expect, test } from 'vitest';
import { insertAudience } from '../helpers/audience.js';
import { request } from '../helpers/campaigns.js';
import { openCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { form } from '../helpers/jobs.js';

const ROWS = 12_000;

test(
  'every row is merged once, and every change of a subscription has one event, when a worker is killed within a chunk',
  { tags: 'faults' },
  async () => {
    const cluster = await openCluster();
    const { ctx, api, worker } = cluster;
    // c1 … c12000, all of them subscribed.
    const project = await insertAudience(ctx, ROWS);
    const email = (row: number): string => `c${row}@inbox.${project.domain}`;
    // The lock on a contact of the second chunk stops the worker within that chunk.
    const holder = await ctx.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM contacts WHERE project_id = $1 AND email = $2 FOR UPDATE', [
      project.id,
      email(7000),
    ]);

    const { payload, headers } = form([
      {
        name: 'file',
        filename: 'a.csv',
        content: `email,subscribed\n${Array.from({ length: ROWS }, (_, row) => `${email(row + 1)},no`).join('\n')}\n`,
      },
    ]);
    const response = await fetch(`${api.url}/contacts/import`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${project.secret}` },
      body: new Uint8Array(payload),
    });
    expect(response.status).toBe(202);
    const { jobId } = Object(await response.json());
    const status = async () => (await request(cluster, project, 'GET', `/contacts/import/${jobId}`)).body;
    await eventually(async () => expect(await status()).toMatchObject({ state: 'active', progress: 41 }));
    const waits = `SELECT 1 FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%import_rows%'`;
    await eventually(async () => expect((await ctx.pool.query(waits)).rowCount).toBe(1));
    await worker.kill('SIGKILL');
    await holder.query('COMMIT');
    holder.release();
    await worker.start();

    await eventually(
      async () =>
        expect(await status()).toEqual({
          id: jobId,
          state: 'completed',
          progress: 100,
          failedReason: null,
          result: {
            totalRows: ROWS,
            successCount: ROWS,
            createdCount: 0,
            updatedCount: ROWS,
            failureCount: 0,
            errors: [],
          },
        }),
      { within: 60_000 },
    );
    const { rows } = await ctx.pool.query(
      `SELECT count(*) AS events, count(DISTINCT contact_id) AS contacts FROM events
        WHERE project_id = $1 AND name = 'contact.unsubscribed'`,
      [project.id],
    );
    expect(rows).toEqual([{ events: ROWS, contacts: ROWS }]);
  },
);
