/**
 * A worker is killed during a bulk job and during an export. FAULTS_SCALE=full: with 200,000 contacts and five more
 * kills.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { PART_SIZE } from '../../src/domain/bulk/sql/contacts.js';
import { EXPORT_PAGE_ROWS } from '../../src/domain/exports/sql.js';
import { insertAudience, type Audience } from '../helpers/audience.js';
import { request } from '../helpers/campaigns.js';
import { useCluster } from '../helpers/cluster.js';
import { eventually } from '../helpers/eventually.js';
import { FAULT_TIMEOUT_MS, scaled } from '../helpers/fault-scale.js';

const CONTACTS = scaled(9000, 200_000);
/** Kills after the one within the third part. */
const MORE_KILLS = scaled(0, 5);

const Accepted = z.object({ jobId: z.string() });
const Job = z.object({ state: z.string(), progress: z.number(), result: z.record(z.string(), z.unknown()).nullable() });

describe('a worker is killed', { tags: 'faults', timeout: FAULT_TIMEOUT_MS }, () => {
  const running = useCluster({ start: ['api'] });

  const queue = async (project: Audience, path: string, body: unknown): Promise<string> => {
    const answer = await request(running(), project, 'POST', path, body);
    expect(answer.status).toBe(202);
    return Accepted.parse(answer.body).jobId;
  };

  const jobOf = async (project: Audience, id: string) =>
    Job.parse((await request(running(), project, 'GET', `/jobs/${id}`)).body);

  /** Starts the worker, kills it when it waits for the lock of `statement` in the third part, and completes the job. */
  async function completeWithKills(
    project: Audience,
    jobId: string,
    { statement, values, partSize }: { statement: string; values: unknown[]; partSize: number },
  ) {
    const { ctx, worker } = running();
    const holder = await ctx.pool.connect();
    await holder.query('BEGIN');
    expect((await holder.query(statement, values)).rowCount).toBe(1);
    await worker.start();
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await eventually(async () => expect((await ctx.pool.query(waiting)).rowCount).toBe(1), { every: 10 });
    const { state, progress } = await jobOf(project, jobId);
    expect(state).toBe('active');
    expect(progress).toBe(Math.floor((2 * partSize * 100) / CONTACTS));
    await worker.kill('SIGKILL');
    await holder.query('ROLLBACK');
    holder.release();
    await worker.start();
    for (let kill = 1, last = progress; kill <= MORE_KILLS; kill++) {
      last = await eventually(async () => {
        const job = await jobOf(project, jobId);
        expect(job.progress).toBeGreaterThan(last);
        return job.progress;
      });
      await worker.kill('SIGKILL');
      await worker.start();
    }
    const job = await eventually(async () => {
      const ended = await jobOf(project, jobId);
      expect(ended.state).toBe('completed');
      return ended;
    });
    await worker.kill('SIGKILL');
    return job;
  }

  test('during a bulk job, and every contact is changed once, with one event', async () => {
    const { ctx } = running();
    const project = await insertAudience(ctx, CONTACTS);
    const jobId = await queue(project, '/contacts/bulk', { operation: 'unsubscribe', query: {} });
    const { result } = await completeWithKills(project, jobId, {
      // The parts have the order of the ids.
      statement: `SELECT FROM contacts WHERE id = (
                    SELECT id FROM contacts WHERE project_id = $1 ORDER BY id OFFSET $2 LIMIT 1) FOR UPDATE`,
      partSize: PART_SIZE,
      values: [project.id, 2 * PART_SIZE + 500],
    });
    expect(result).toMatchObject({ successCount: CONTACTS, skippedCount: 0, failureCount: 0 });
    const { rows } = await ctx.pool.query(
      `SELECT count(*) AS events, count(DISTINCT contact_id) AS contacts,
              (SELECT count(*) FROM contacts WHERE project_id = $1 AND NOT subscribed) AS unsubscribed
         FROM events WHERE project_id = $1 AND name = 'contact.unsubscribed'`,
      [project.id],
    );
    expect(rows).toEqual([{ events: CONTACTS, contacts: CONTACTS, unsubscribed: CONTACTS }]);
  });

  test('during an export, and the file has every contact once, in order', async () => {
    const { ctx, api } = running();
    const project = await insertAudience(ctx, CONTACTS);
    const jobId = await queue(project, '/exports', { kind: 'contacts', format: 'json' });
    const { result } = await completeWithKills(project, jobId, {
      // An insert of the same part waits for the end of this transaction.
      statement: `INSERT INTO export_parts (job_id, project_id, position, content) VALUES ($1, $2, 2, $3)`,
      partSize: EXPORT_PAGE_ROWS,
      values: [jobId, project.id, Buffer.from('not a part')],
    });
    expect(result).toMatchObject({ rows: CONTACTS });
    const { pathname } = new URL(z.string().parse(result?.url));
    const file = await fetch(`${api.url}${pathname}`);
    expect(file.status).toBe(200);
    const exported = z
      .array(z.object({ email: z.string(), data: z.object({ n: z.number() }) }))
      .parse(await file.json());
    const { rows } = await ctx.pool.query(
      'SELECT email, data FROM contacts WHERE project_id = $1 ORDER BY created_at, id',
      [project.id],
    );
    expect(exported).toEqual(rows);
  });
});
