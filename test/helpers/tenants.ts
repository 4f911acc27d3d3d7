/** Projects with rows in every large table, written in a few statements, for tests and benchmarks of many tenants. */
import type { PoolClient } from 'pg';
import type { Pool } from '../../src/db/pool.js';
import { newId } from '../../src/ids.js';

export interface Tenant {
  id: string;
  /** Contacts; the other tables grow with them. */
  contacts: number;
}

/** Ids of the rows of a tenant that a test looks up. */
export interface TenantIds {
  campaignId: string;
  segmentId: string;
  workflowId: string;
}

/** `count` tenants of very different sizes: the first has `largest` contacts, the last a handful. */
export const tenantSizes = (count: number, largest: number): number[] =>
  Array.from({ length: count }, (_, index) => Math.max(3, Math.round(largest / (index + 1) ** 1.5)));

/**
 * Fills projects with contacts, events, emails, hits, members, executions, and suppressions. The projects must exist.
 * Foreign keys are not checked and triggers do not run, so only a superuser may call it.
 */
export async function fillTenants(pool: Pool, tenants: readonly Tenant[]): Promise<TenantIds[]> {
  const client = await pool.connect();
  try {
    await client.query(`SET session_replication_role = replica`);
    return await insertRows(client, tenants);
  } finally {
    await client.query(`RESET session_replication_role`);
    client.release();
  }
}

/** Statements over `t` (id, contacts, campaign_id, segment_id, workflow_id), in the order of their foreign keys. */
const INSERTS = [
  `INSERT INTO contacts (id, project_id, email, subscribed, data, created_at)
   SELECT uuid_v7(), t.id, 'user' || k || '@example.test', k % 10 <> 0, jsonb_build_object('plan', k % 3),
          now() - k * interval '1 second'
     FROM t, generate_series(1, t.contacts) AS k`,
  `INSERT INTO events (id, project_id, contact_id, name, created_at)
   SELECT uuid_v7(), c.project_id, c.id, e.name, c.created_at
     FROM t JOIN contacts c ON c.project_id = t.id CROSS JOIN unnest('{signed up,email.sent}'::text[]) AS e(name)`,
  `INSERT INTO campaigns (id, project_id, name, subject, body, from_email, status, audience_type, message_id, sent_at)
   SELECT t.campaign_id, t.id, 'News', 'News', 'News', 'a@b.test', 'SENT', 'ALL', t.campaign_id, now() FROM t`,
  `INSERT INTO messages (id, project_id, type, subject, body, from_email)
   SELECT t.campaign_id, t.id, 'MARKETING'::email_type, 'News', 'News', 'a@b.test' FROM t
   UNION ALL
   SELECT c.id, c.project_id, 'TRANSACTIONAL', 'Hello', 'Hello', 'a@b.test'
     FROM t JOIN contacts c ON c.project_id = t.id`,
  `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status, sent_at)
   SELECT uuid_v7(), c.project_id, t.campaign_id, c.id, t.campaign_id, 'CAMPAIGN'::email_source,
          'MARKETING'::email_type, c.email, 'SENT'::email_status, now()
     FROM t JOIN contacts c ON c.project_id = t.id
   UNION ALL
   SELECT uuid_v7(), c.project_id, c.id, c.id, NULL, 'TRANSACTIONAL', 'TRANSACTIONAL', c.email, 'SENT', now()
     FROM t JOIN contacts c ON c.project_id = t.id`,
  `INSERT INTO tracking_hits (id, project_id, email_id, kind, machine)
   SELECT uuid_v7(), e.project_id, e.id, 'open', false FROM t JOIN emails e ON e.project_id = t.id`,
  `INSERT INTO segments (id, project_id, name, slug, type)
   SELECT t.segment_id, t.id, 'Readers', 'readers', 'STATIC' FROM t`,
  `INSERT INTO segment_members (project_id, segment_id, contact_id)
   SELECT c.project_id, t.segment_id, c.id FROM t JOIN contacts c ON c.project_id = t.id WHERE c.subscribed`,
  `INSERT INTO workflows (id, project_id, name, enabled, event_name)
   SELECT t.workflow_id, t.id, 'Journey', true, 'signed up' FROM t`,
  `INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, status, entry_key, completed_at)
   SELECT uuid_v7(), c.project_id, t.workflow_id, c.id, 'COMPLETED', t.workflow_id, now()
     FROM t JOIN contacts c ON c.project_id = t.id`,
  `INSERT INTO step_executions (id, project_id, execution_id, step_id, step_type, step_name, status, completed_at)
   SELECT uuid_v7(), x.project_id, x.id, x.workflow_id, s.type, 'Step', 'COMPLETED', now()
     FROM t JOIN workflow_executions x ON x.project_id = t.id
    CROSS JOIN unnest('{TRIGGER,EXIT}'::step_type[]) AS s(type)`,
  `INSERT INTO suppressions (project_id, email, reason, created_at)
   SELECT c.project_id, 'former-' || c.email, 'bounce', c.created_at FROM t JOIN contacts c ON c.project_id = t.id`,
  `INSERT INTO idempotency_keys (project_id, key, request, response, expires_at)
   SELECT c.project_id, 'key-' || c.email, 'POST /v1/send', '{}', now() + interval '1 day'
     FROM t JOIN contacts c ON c.project_id = t.id`,
];

async function insertRows(client: PoolClient, tenants: readonly Tenant[]): Promise<TenantIds[]> {
  const ids = tenants.map(() => ({ campaignId: newId(), segmentId: newId(), workflowId: newId() }));
  for (const insert of INSERTS) {
    await client.query(
      `WITH t AS MATERIALIZED (
         SELECT * FROM unnest($1::uuid[], $2::int[], $3::uuid[], $4::uuid[], $5::uuid[])
                  AS t(id, contacts, campaign_id, segment_id, workflow_id)
       ) ${insert}`,
      [
        tenants.map(({ id }) => id),
        tenants.map(({ contacts }) => contacts),
        ids.map(({ campaignId }) => campaignId),
        ids.map(({ segmentId }) => segmentId),
        ids.map(({ workflowId }) => workflowId),
      ],
    );
  }
  return ids;
}
