/** Scheduled emails: released when they are due, moved, and canceled. */
import type { Queryable } from '../../../db/pool.js';
import type { EmailStatus } from '../../../generated/prisma/enums.js';

/**
 * Makes due emails pending, those that are due first.
 *
 * Not prepared: each call is planned for the current size of the index.
 *
 * @returns their number
 */
export async function releaseDue(db: Queryable, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `WITH due AS MATERIALIZED (
       SELECT id FROM emails
        WHERE stage = 'SCHEDULED' AND campaign_id IS NULL AND next_attempt_at <= now()
        ORDER BY next_attempt_at, id LIMIT $1 FOR UPDATE SKIP LOCKED)
     UPDATE emails e SET status = 'PENDING' FROM due WHERE e.id = due.id AND e.status = 'SCHEDULED'`,
    [limit],
  );
  return rowCount ?? 0;
}

export interface EmailState {
  status: EmailStatus;
  campaignId: string | null;
  /** Whether a crash hid the outcome of an attempt. */
  ambiguous: boolean;
}

/** Locks an email, so that it is neither released nor claimed before the end of the transaction. */
export async function lockEmail(tx: Queryable, projectId: string, id: string): Promise<EmailState | null> {
  const { rows } = await tx.query<EmailState>({
    name: 'email-lock',
    text: `SELECT status, campaign_id AS "campaignId", ambiguous FROM emails
            WHERE project_id = $1 AND id = $2 AND source <> 'PLATFORM' FOR NO KEY UPDATE`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

/** Moves a locked scheduled email. */
export async function moveEmail(tx: Queryable, id: string, to: Date): Promise<void> {
  await tx.query({
    name: 'email-move',
    text: `UPDATE emails SET scheduled_for = $2, next_attempt_at = $2 WHERE id = $1`,
    values: [id, to],
  });
}

/** Cancels a locked email. */
export async function cancelLockedEmail(tx: Queryable, id: string, reason: string): Promise<void> {
  await tx.query({
    name: 'email-cancel',
    text: `UPDATE emails SET status = 'CANCELLED', error = $2 WHERE id = $1`,
    values: [id, reason],
  });
}

/** Cancels the emails of a group that have not been attempted. @returns their number */
export async function cancelGroupOf(db: Queryable, projectId: string, group: string, reason: string): Promise<number> {
  const { rowCount } = await db.query({
    name: 'email-cancel-group',
    text: `WITH waiting AS MATERIALIZED (
             SELECT id FROM emails
              WHERE project_id = $1 AND send_group = $2 AND campaign_id IS NULL
                AND status IN ('SCHEDULED', 'PENDING') AND NOT ambiguous
              ORDER BY id FOR NO KEY UPDATE)
           UPDATE emails e SET status = 'CANCELLED', error = $3
             FROM waiting w WHERE e.id = w.id AND e.status IN ('SCHEDULED', 'PENDING')`,
    values: [projectId, group, reason],
  });
  return rowCount ?? 0;
}
