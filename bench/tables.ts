/**
 * PostgreSQL's cost of an email in µs of CPU per row, in chunks of 1,000 rows: its insertion by a campaign's snapshot, the update
 * that records its result, and its event. A slim table in the same run is the calibration. Options show the cost of
 * single indexes, foreign keys, and triggers: each is dropped in a transaction that is rolled back.
 *
 *   npx tsx bench/tables.ts [--rows 2000000] [--each] [--try 'ALTER TABLE …']
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startPostgres } from '../packages/embedded/src/postgres.js';
import { migrate } from '../src/db/migrate.js';
import { newId } from '../src/ids.js';
import { createLog } from '../src/log.js';
import { printTable } from './harness.js';

const CHUNK_SIZE = 1000;
const CHUNKS = 30;
const CONTACTS = 40_000;

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '2000000' },
    each: { type: 'boolean', default: false },
    try: { type: 'string', multiple: true, default: [] },
  },
});
const ROWS = Number(options.rows);

interface Campaign {
  projectId: string;
  campaignId: string;
  messageId: string;
}

async function insertCampaign(client: Client, projectId: string): Promise<Campaign> {
  const [campaignId, messageId] = [newId(), newId()];
  await client.query(
    `WITH message AS (
       INSERT INTO messages (id, project_id, type, subject, body, from_email)
       VALUES ($3, $1, 'MARKETING', 'News', 'News', 'a@example.test'))
     INSERT INTO campaigns (id, project_id, name, subject, body, from_email, message_id, audience_type, status)
     VALUES ($2, $1, 'News', 'News', 'News', 'a@example.test', $3, 'ALL', 'SENDING')`,
    [projectId, campaignId, messageId],
  );
  return { projectId, campaignId, messageId };
}

/** Inserts a project with contacts, and emails of 20 sent campaigns with their events. */
async function fill(client: Client): Promise<string> {
  const projectId = newId();
  await client.query(`SET session_replication_role = replica`);
  await client.query(
    `INSERT INTO projects (id, name, public_key, secret_hash, secret_last4) VALUES ($1::uuid, 'Bench', 'pk', 'x', 'last')`,
    [projectId],
  );
  await client.query(
    `INSERT INTO contacts (id, project_id, email, subscribed, data)
     SELECT uuid_v7(), $1, 'user' || n || '@example.test', true, '{"firstName":"Ada"}' FROM generate_series(1, $2::int) n`,
    [projectId, CONTACTS],
  );
  for (let done = 0; done < ROWS; done += CONTACTS) {
    const { campaignId, messageId } = await insertCampaign(client, projectId);
    await client.query(
      `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status, sent_at, response)
       SELECT uuid_v7(), $1, $2, id, $3, 'CAMPAIGN', 'MARKETING', email, 'SENT', now(), '250 ok' FROM contacts`,
      [projectId, messageId, campaignId],
    );
    await client.query(
      `INSERT INTO events (id, project_id, contact_id, email_id, name, data)
       SELECT uuid_v7(), project_id, contact_id, id, 'email.sent', jsonb_build_object('campaignId', campaign_id)
         FROM emails WHERE campaign_id = $1`,
      [campaignId],
    );
  }
  await client.query(`CREATE TABLE slim (
    campaign_no bigint NOT NULL, n integer NOT NULL, contact_id uuid NOT NULL, state smallint NOT NULL DEFAULT 0,
    attempts smallint NOT NULL DEFAULT 0, sent_at timestamptz(3), PRIMARY KEY (campaign_no, n)) WITH (fillfactor = 50)`);
  await client.query(`CREATE INDEX ON slim (contact_id)`);
  await client.query(
    `INSERT INTO slim (campaign_no, n, contact_id) SELECT 1, row_number() OVER (), contact_id FROM emails`,
  );
  await client.query(`SET session_replication_role = DEFAULT`);
  await client.query(`VACUUM ANALYZE`);
  await client.query(`CHECKPOINT`);
  return projectId;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

interface Costs {
  insert: number;
  settle: number;
  event: number;
}

/** Returns the nanoseconds that a process has run (Linux). */
async function readCpuTime(pid: number): Promise<number> {
  const [time] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(time);
}

/** Runs `work` for each chunk. @returns the µs of the server's CPU per row of the median chunk */
async function measure(client: Client, work: (chunk: number) => Promise<unknown>): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid ?? 0;
  const samples: number[] = [];
  for (let chunk = 0; chunk < CHUNKS; chunk++) {
    const start = await readCpuTime(pid);
    await work(chunk);
    samples.push(((await readCpuTime(pid)) - start) / 1000 / CHUNK_SIZE);
  }
  return samples.sort((a, b) => a - b)[CHUNKS / 2] ?? 0;
}

async function measureEmails(client: Client, project: string): Promise<Costs> {
  const { projectId, messageId, campaignId } = await insertCampaign(client, project);
  const chunks: Array<[first: string, last: string]> = [];
  let after = FIRST_ID;
  const insert = await measure(client, async () => {
    const { rows } = await client.query<{ cursor: string; first: string; last: string }>({
      name: 'insert',
      text: `WITH page AS MATERIALIZED (
               SELECT c.id, c.email FROM contacts c WHERE c.project_id = $1 AND c.id > $4::uuid ORDER BY c.id LIMIT ${CHUNK_SIZE}
             ), queued AS (
               INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, next_attempt_at)
               SELECT uuid_v7(), $1, $2, page.id, $3, 'CAMPAIGN', 'MARKETING', page.email, '9999-12-31T00:00:00Z' FROM page
               RETURNING id
             )
             SELECT (SELECT id FROM page ORDER BY id DESC LIMIT 1) AS cursor,
                    min(id::text) AS first, max(id::text) AS last FROM queued`,
      values: [projectId, messageId, campaignId, after],
    });
    const [row] = rows;
    if (!row) throw new Error('A page has a row');
    after = row.cursor;
    chunks.push([row.first, row.last]);
  });
  const settle = await measure(client, async (chunk) => {
    const bounds: string[] = chunks[chunk] ?? [];
    await client.query({
      name: 'settle',
      text: `UPDATE emails SET status = 'SENT', attempts = 1, sent_at = now(), response = '250 2.0.0 Ok: queued', tracked = true
              WHERE id BETWEEN $1::uuid AND $2::uuid AND status = 'PENDING'`,
      values: bounds,
    });
  });
  const event = await measure(client, (chunk) =>
    client.query({
      name: 'event',
      text: `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
             SELECT i.* FROM insert_events(ARRAY(
               SELECT (uuid_v7(), project_id, contact_id, id, 'email.sent', jsonb_build_object('campaignId', campaign_id),
                       NULL, NULL)::new_event
                 FROM emails WHERE id BETWEEN $1::uuid AND $2::uuid AND campaign_id = $3)) i`,
      values: [...(chunks[chunk] ?? []), campaignId],
    }),
  );
  return { insert, settle, event };
}

async function measureSlim(client: Client, projectId: string): Promise<Costs> {
  let after = FIRST_ID;
  const insert = await measure(client, async (chunk) => {
    const { rows } = await client.query<{ cursor: string }>({
      name: 'slim-insert',
      text: `WITH page AS MATERIALIZED (
               SELECT c.id FROM contacts c WHERE c.project_id = $1 AND c.id > $2::uuid ORDER BY c.id LIMIT ${CHUNK_SIZE}
             ), queued AS (
               INSERT INTO slim (campaign_no, n, contact_id)
               SELECT 2, $3::int + row_number() OVER (ORDER BY id), id FROM page
             )
             SELECT id AS cursor FROM page ORDER BY id DESC LIMIT 1`,
      values: [projectId, after, chunk * CHUNK_SIZE],
    });
    after = rows[0]?.cursor ?? after;
  });
  const settle = await measure(client, (chunk) =>
    client.query({
      name: 'slim-settle',
      text: `UPDATE slim SET state = 1, attempts = 1, sent_at = now() WHERE campaign_no = 2 AND n BETWEEN $1 AND $2`,
      values: [chunk * CHUNK_SIZE + 1, (chunk + 1) * CHUNK_SIZE],
    }),
  );
  return { insert, settle, event: Number.NaN };
}

/** Runs `work` after `ddl`, and rolls both back. */
async function tryOut<T>(client: Client, ddl: string, work: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    await client.query(ddl);
    return await work();
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Statements that drop one index, foreign key, or trigger of the two tables each. */
async function listDrops(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ ddl: string }>(`
    SELECT format('DROP INDEX %s', i.indexrelid::regclass) AS ddl FROM pg_index i
     WHERE i.indrelid IN ('emails'::regclass, 'events'::regclass) AND NOT i.indisprimary
    UNION ALL
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
     WHERE conrelid IN ('emails'::regclass, 'events'::regclass) AND contype = 'f'
    UNION ALL
    SELECT format('DROP TRIGGER %I ON %s', tgname, tgrelid::regclass) FROM pg_trigger
     WHERE tgrelid IN ('emails'::regclass, 'events'::regclass) AND NOT tgisinternal`);
  return rows.map(({ ddl }) => ddl);
}

const dataDir = await mkdtemp(path.join(os.tmpdir(), 'sendloom-bench-'));
// As root, PostgreSQL runs as another user, which must be able to enter the folder.
await chmod(dataDir, 0o711);
const log = createLog('error');
const postgres = await startPostgres({ dataDir, port: 0, log });
try {
  await migrate({ databaseUrl: postgres.url, log });
  const client = new Client({ connectionString: postgres.url });
  client.on('error', (error) => console.error(error.message));
  await client.connect();
  const projectId = await fill(client);
  const rows: Array<Record<string, string>> = [];
  const show = (name: string, { insert, settle, event }: Costs): void =>
    void rows.push({ name, insert: insert.toFixed(1), settle: settle.toFixed(1), event: event.toFixed(1) });
  for (let round = 1; round <= 3; round++) {
    show(`slim, round ${round}`, await tryOut(client, 'SELECT', () => measureSlim(client, projectId)));
    show(`emails, round ${round}`, await measureEmails(client, projectId));
  }
  for (const ddl of [...options.try, ...(options.each ? await listDrops(client) : [])]) {
    show(ddl, await tryOut(client, ddl, () => measureEmails(client, projectId)));
  }
  printTable(rows);
  await client.end();
} finally {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}
