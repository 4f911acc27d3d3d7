/** The statements of a campaign's run (src/domain/campaigns/run.ts). */
import type { Queryable } from '../../../db/pool.js';
import type { AudienceTypeName } from './campaigns.js';
import { SEND_WINDOW } from '../../delivery/sql/campaigns.js';
import type { EmailTypeName } from '../../emails/sql/emails.js';
import type { SendWindow } from '../../send-window.js';
import type { LocalSchedule } from '../local-schedule.js';
import type { Variant, VariantTest } from '../variants.js';

export interface RunRef {
  campaignId: string;
  projectId: string;
  attempt: number;
}

export interface BegunCampaign {
  messageId: string | null;
  type: EmailTypeName;
  subject: string;
  preheader: string | null;
  body: string;
  from: string;
  fromName: string | null;
  replyTo: string | null;
  variants: Variant[] | null;
}

export async function beginCampaign(
  tx: Queryable,
  { campaignId, projectId, attempt }: RunRef,
): Promise<BegunCampaign | null> {
  const { rows } = await tx.query<BegunCampaign>(
    `UPDATE campaigns SET status = 'SENDING', started_at = coalesce(started_at, now()), updated_at = now()
      WHERE id = $1 AND project_id = $2 AND attempt = $3 AND status IN ('SCHEDULED', 'SENDING')
      RETURNING message_id AS "messageId", type, subject, preheader, body, from_email AS "from", from_name AS "fromName", reply_to AS "replyTo", variants`,
    [campaignId, projectId, attempt],
  );
  return rows[0] ?? null;
}

export async function setMessage(tx: Queryable, { campaignId }: RunRef, messageId: string): Promise<void> {
  await tx.query(`UPDATE campaigns SET message_id = $2 WHERE id = $1`, [campaignId, messageId]);
}

export interface RunningCampaign {
  type: EmailTypeName;
  audienceType: AudienceTypeName;
  segmentId: string | null;
  audienceCondition: unknown;
  messageId: string | null;
  startedAt: Date;
  snapshotCursor: string | null;
  snapshotDone: boolean;
  /** The last failed email that a retry has queued; null outside of a retry. */
  retryCursor: string | null;
  resendsUnknown: boolean;
  totalRecipients: number;
  localSchedule: LocalSchedule | null;
  /** The hours in which it may be sent; null: always. */
  sendWindow: SendWindow | null;
  test: VariantTest | null;
  /** The time zone of the project. */
  timezone: string;
}

/** Locks and returns the campaign if this attempt is SENDING. */
export async function lockRunningCampaign(
  tx: Queryable,
  { campaignId, projectId, attempt }: RunRef,
): Promise<RunningCampaign | null> {
  const { rows } = await tx.query<RunningCampaign>(
    `SELECT c.type, c.audience_type AS "audienceType", c.segment_id AS "segmentId", c.audience_condition AS "audienceCondition",
            c.message_id AS "messageId", c.started_at AS "startedAt", c.snapshot_cursor AS "snapshotCursor", c.snapshot_done AS "snapshotDone",
            c.retry_cursor AS "retryCursor", c.resends_unknown AS "resendsUnknown", c.total_recipients AS "totalRecipients",
            c.local_schedule AS "localSchedule", ${SEND_WINDOW} AS "sendWindow", c.test, p.timezone
       FROM campaigns c JOIN projects p ON p.id = c.project_id
      WHERE c.id = $1 AND c.project_id = $2 AND c.attempt = $3 AND c.status = 'SENDING' FOR NO KEY UPDATE OF c`,
    [campaignId, projectId, attempt],
  );
  return rows[0] ?? null;
}

/**
 * SENDING → SENT, or CANCELLED if the project is disabled, because its last emails were not handed over.
 *
 * @returns whether this call ended the campaign
 */
export async function markCampaignSent(tx: Queryable, { campaignId, attempt }: RunRef): Promise<boolean> {
  const { rowCount } = await tx.query(
    `UPDATE campaigns c SET status = CASE WHEN p.disabled THEN 'CANCELLED' ELSE 'SENT' END::campaign_status, sent_at = CASE WHEN NOT p.disabled THEN coalesce(c.sent_at, now()) END,
            sent_xid = CASE WHEN c.sent_at IS NULL THEN pg_current_xact_id() ELSE c.sent_xid END, retry_cursor = NULL, resends_unknown = false, updated_at = now()
       FROM projects p WHERE c.id = $1 AND p.id = c.project_id AND c.attempt = $2 AND c.status = 'SENDING' AND c.snapshot_done`,
    [campaignId, attempt],
  );
  return rowCount === 1;
}

export async function markCampaignCancelled(db: Queryable, { campaignId, attempt }: RunRef): Promise<void> {
  await db.query(
    `UPDATE campaigns SET status = 'CANCELLED', updated_at = now() WHERE id = $1 AND attempt = $2 AND status IN ('SCHEDULED', 'SENDING')`,
    [campaignId, attempt],
  );
}

/** Whether the campaign is CANCELLED. The cancellation of an old attempt must not cancel the emails of a new one. */
export async function isCampaignCancelled(db: Queryable, campaignId: string): Promise<boolean> {
  const { rowCount } = await db.query(`SELECT 1 FROM campaigns WHERE id = $1 AND status = 'CANCELLED'`, [campaignId]);
  return rowCount === 1;
}
