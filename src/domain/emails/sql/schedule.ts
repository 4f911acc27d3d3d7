/** Scheduled emails: moved, and canceled. The dispatcher claims those that are due (claim.ts). */
import type { Queryable } from '../../../db/pool.js';
import type { EmailStatus } from '../../../generated/prisma/enums.js';

export interface LockedEmail {
  id: string;
  status: EmailStatus;
  campaignId: string | null;
  /** Whether a crash hid the outcome of an attempt. */
  ambiguous: boolean;
}

/**
 * Locks an email and those that belong to it (src/domain/emails/copies.ts), so that none is claimed before the end of the
 * transaction.
 */
export async function lockEmails(tx: Queryable, projectId: string, id: string): Promise<LockedEmail[]> {
  const { rows } = await tx.query<LockedEmail>({
    name: 'emails-lock',
    text: `WITH wanted AS MATERIALIZED (
             SELECT $2::uuid AS id
             UNION
             SELECT jsonb_array_elements_text(m.copies -> 'emailIds')::uuid
               FROM emails e JOIN messages m ON m.project_id = e.project_id AND m.id = e.message_id
              WHERE e.project_id = $1 AND e.id = $2 AND e.campaign_id IS NULL)
           SELECT e.id, e.status, e.campaign_id AS "campaignId", e.ambiguous FROM emails e
            WHERE e.project_id = $1 AND e.id = ANY (ARRAY(SELECT id FROM wanted)) AND e.source <> 'PLATFORM'
            ORDER BY e.id FOR NO KEY UPDATE`,
    values: [projectId, id],
  });
  return rows;
}

/** Moves locked scheduled emails. */
export async function moveEmails(tx: Queryable, ids: string[], to: Date): Promise<void> {
  await tx.query({
    name: 'emails-move',
    text: `UPDATE emails SET scheduled_for = $2, next_attempt_at = $2 WHERE id = ANY ($1::uuid[])`,
    values: [ids, to],
  });
}

/** The event of each canceled email of the query. */
const CANCELED_EVENTS = (canceled: string): string => `
  INSERT INTO outbox (workflow_id, action, payload, fairness_key)
  SELECT i.* FROM insert_events(ARRAY(
    SELECT (uuid_v7(), c.project_id, c.contact_id, c.id, 'email.cancelled',
            jsonb_strip_nulls(jsonb_build_object('templateId', c.template_id, 'tags', to_jsonb(c.tags), 'group', c.send_group)),
            NULL, NULL)::new_event
      FROM ${canceled} c WHERE c.source NOT IN ('TEST', 'PLATFORM'))) i`;

const CANCELED = 'e.id, e.project_id, e.contact_id, e.source, e.template_id, e.tags, e.send_group';

/** Cancels locked emails. */
export async function cancelEmails(tx: Queryable, ids: string[], reason: string): Promise<void> {
  await tx.query({
    name: 'emails-cancel',
    text: `WITH canceled AS (
             UPDATE emails e SET status = 'CANCELLED', error = $2 WHERE e.id = ANY ($1::uuid[]) RETURNING ${CANCELED})
           ${CANCELED_EVENTS('canceled')}`,
    values: [ids, reason],
  });
}

/** Cancels the emails of a group that have not been attempted. @returns their number */
export async function cancelGroupOf(db: Queryable, projectId: string, group: string, reason: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'email-cancel-group',
    text: `WITH waiting AS MATERIALIZED (
             SELECT id FROM emails
              WHERE project_id = $1 AND send_group = $2 AND campaign_id IS NULL
                AND status IN ('SCHEDULED', 'PENDING') AND NOT ambiguous
              ORDER BY id FOR NO KEY UPDATE
           ), canceled AS (
             UPDATE emails e SET status = 'CANCELLED', error = $3
               FROM waiting w WHERE e.id = w.id AND e.status IN ('SCHEDULED', 'PENDING') RETURNING ${CANCELED}
           ), intent AS (${CANCELED_EVENTS('canceled')})
           SELECT count(*)::int AS count FROM canceled`,
    values: [projectId, group, reason],
  });
  return rows[0]?.count ?? 0;
}
