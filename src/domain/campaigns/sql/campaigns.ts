/** Counts audiences, changes the status of campaigns, and counts their emails. */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import { PENDING_EMAILS } from '../../delivery/sql/campaigns.js';
import type { LocalSchedule } from '../local-schedule.js';

export type AudienceTypeName = 'ALL' | 'SEGMENT' | 'FILTERED';

export async function hasRecipients(db: Queryable, audience: ContactClause): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM contacts c WHERE ${audience.sql}) AS found`,
    audience.values,
  );
  return rows[0]?.found ?? false;
}

/**
 * Whether an audience has more than `count` contacts.
 *
 * @param options.inIndexOrder whether to read contacts along an index until there are enough, instead of finding all
 */
export async function isLargerThan(
  db: Queryable,
  audience: ContactClause,
  count: number,
  { inIndexOrder = false } = {},
): Promise<boolean> {
  const order = inIndexOrder ? 'ORDER BY c.created_at DESC, c.id DESC' : '';
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count
       FROM (SELECT FROM contacts c WHERE ${audience.sql} ${order} LIMIT $${audience.values.length + 1}) AS found`,
    [...audience.values, count + 1],
  );
  return (rows[0]?.count ?? 0) > count;
}

/** The number of contacts: all, those not subscribed, and those subscribed whose address is not suppressed. */
export interface CountedAudience {
  matched: number;
  unsubscribed: number;
  mailable: number;
}

export async function countAudience(db: Queryable, { sql, values }: ContactClause): Promise<CountedAudience> {
  const { rows } = await db.query<CountedAudience>(
    `SELECT count(*) AS matched, count(*) FILTER (WHERE NOT c.subscribed) AS unsubscribed, count(*) FILTER (WHERE c.subscribed AND s.email IS NULL) AS mailable
       FROM contacts c LEFT JOIN suppressions s ON s.project_id = $1 AND s.email = c.email WHERE ${sql}`,
    values,
  );
  return rows[0] ?? { matched: 0, unsubscribed: 0, mailable: 0 };
}

export interface StartedCampaign {
  id: string;
  name: string;
  status: 'SCHEDULED' | 'SENDING';
  scheduledFor: Date | null;
  /** The number of this attempt, part of its workflow's id. */
  attempt: number;
  /** Whether the previous attempt has a workflow that waits for an obsolete date. */
  wasScheduled: boolean;
}

/**
 * DRAFT, SCHEDULED → SENDING, or SCHEDULED with a date.
 *
 * @param campaign.revision of the content that was checked
 * @returns null if the campaign does not exist, has another revision, or is in another state
 */
export async function startCampaign(
  tx: Queryable,
  { projectId, id, revision }: { projectId: string; id: string; revision: number },
  { startAt, local }: { startAt: Date | null; local: LocalSchedule | null },
): Promise<StartedCampaign | null> {
  const { rows } = await tx.query<StartedCampaign>({
    name: 'campaign-start',
    text: `WITH previous AS (
             SELECT id, status FROM campaigns WHERE project_id = $1 AND id = $2 AND revision = $4 AND status IN ('DRAFT', 'SCHEDULED') FOR UPDATE
           )
           UPDATE campaigns c
              SET status = CASE WHEN $3::timestamptz IS NULL THEN 'SENDING' ELSE 'SCHEDULED' END::campaign_status,
                  scheduled_for = $3, local_schedule = $5, draft = false, attempt = c.attempt + 1, updated_at = now()
             FROM previous p WHERE c.id = p.id
        RETURNING c.id, c.name, c.status, c.scheduled_for AS "scheduledFor", c.attempt, p.status = 'SCHEDULED' AS "wasScheduled"`,
    values: [projectId, id, startAt, revision, local],
  });
  return rows[0] ?? null;
}

/**
 * SCHEDULED, SENDING → CANCELLED.
 *
 * @returns the attempt whose workflow must end; null if the campaign does not exist or is in another state
 */
export async function cancelCampaignRow(
  tx: Queryable,
  projectId: string,
  id: string,
): Promise<{ attempt: number } | null> {
  const { rows } = await tx.query<{ attempt: number }>({
    name: 'campaign-cancel',
    text: `UPDATE campaigns SET status = 'CANCELLED', updated_at = now()
            WHERE project_id = $1 AND id = $2 AND status IN ('SCHEDULED', 'SENDING') RETURNING attempt`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

export interface LockedCampaign {
  revision: number;
  /** Whether it is scheduled or sending. */
  active: boolean;
}

/** Locks a campaign before its deletion. @returns null if it does not exist */
export async function lockCampaign(tx: Queryable, projectId: string, id: string): Promise<LockedCampaign | null> {
  const { rows } = await tx.query<LockedCampaign>({
    name: 'campaign-lock',
    text: `SELECT status IN ('SCHEDULED', 'SENDING') AS active, revision FROM campaigns WHERE project_id = $1 AND id = $2 FOR UPDATE`,
    values: [projectId, id],
  });
  return rows[0] ?? null;
}

/** Deletes a locked campaign. Its emails are kept. */
export async function deleteCampaignRow(tx: Queryable, id: string): Promise<void> {
  await tx.query({
    name: 'campaign-detach-emails',
    // The dispatcher would send such an email without a campaign.
    text: `UPDATE emails SET campaign_id = NULL, status = CASE WHEN status IN ('SCHEDULED', 'PENDING') THEN 'CANCELLED' ELSE status END WHERE campaign_id = $1`,
    values: [id],
  });
  await tx.query({ name: 'campaign-delete', text: `DELETE FROM campaigns WHERE id = $1`, values: [id] });
}

/** Copies the content of a campaign into a new draft. @returns whether the campaign exists */
export async function copyCampaign(db: Queryable, projectId: string, id: string, copyId: string): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'campaign-copy',
    text: `INSERT INTO campaigns (id, project_id, name, description, subject, preheader, editor, design, body, from_email, from_name, reply_to, type, audience_type, segment_id, audience_condition, template_id, send_window, variants, test, draft, incomplete)
           SELECT $3, project_id, name || ' (copy)', description, subject, preheader, editor, design, body, from_email, from_name, reply_to, type, audience_type, segment_id, audience_condition, template_id, send_window, variants, test, draft, incomplete
             FROM campaigns WHERE project_id = $1 AND id = $2`,
    values: [projectId, id, copyId],
  });
  return rowCount === 1;
}

/** The counts that are not figures. They are counted from the campaign's emails. */
export interface CampaignRest {
  /** Recipients who used the unsubscribe link, the preferences page, or one-click. Bounces and complaints count, too. */
  unsubscribedCount: number;
  /** FAILED, except those with an unknown outcome. */
  failedCount: number;
  /** FAILED, because a crash hid whether the mail server accepted them. */
  unknownCount: number;
  /** SCHEDULED, PENDING, or SENDING. */
  pendingCount: number;
  cancelledCount: number;
}

/** Whether all emails of the campaign `c` can be scheduled. */
const HAS_SCHEDULED = `(c.variants IS NOT NULL OR EXISTS (SELECT FROM campaign_waves w WHERE w.campaign_id = c.id))`;

/**
 * Each count uses the index of the stage. All emails of a campaign can be scheduled while it is sent, or canceled after its
 * cancellation. That count is what the other counts leave of the recipients.
 */
const REST = `
  SELECT c.id, f."failedCount", f."unknownCount", u."unsubscribedCount",
         coalesce(w.pending, greatest(0, r.count - w.cancelled)) AS "pendingCount",
         coalesce(w.cancelled, greatest(0, r.count - w.pending)) AS "cancelledCount"
    FROM campaigns c
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE NOT e.ambiguous) AS "failedCount", count(*) FILTER (WHERE e.ambiguous) AS "unknownCount"
        FROM emails e WHERE e.campaign_id = c.id AND e.stage = 'FAILED'
    ) f
    CROSS JOIN LATERAL (
      SELECT c.total_recipients - c.sent_count - f."failedCount" - f."unknownCount"
             - coalesce((SELECT sum(d.sent) FROM stat_deltas d WHERE d.project_id = c.project_id AND d.campaign_id = c.id), 0) AS count
    ) r
    CROSS JOIN LATERAL (
      SELECT CASE WHEN c.status = 'SENDING' AND ${HAS_SCHEDULED} THEN NULL ELSE ${PENDING_EMAILS('c.id')} END AS pending,
             CASE WHEN c.status = 'CANCELLED' THEN NULL
                  ELSE (SELECT count(*) FROM emails e WHERE e.campaign_id = c.id AND e.stage = 'CANCELLED') END AS cancelled
      -- Evaluates each count once.
      OFFSET 0
    ) w
    CROSS JOIN LATERAL (
      SELECT count(*) AS "unsubscribedCount" FROM email_unsubscribes s WHERE s.campaign_id = c.id
    ) u
   WHERE c.id = $1`;

/** Counts the emails of one campaign. All counts are zero for a campaign that does not exist. */
export async function countCampaignRest(db: Queryable, campaignId: string): Promise<CampaignRest> {
  const { rows } = await db.query<CampaignRest & { id: string }>({
    name: 'campaign-rest',
    text: REST,
    values: [campaignId],
  });
  const {
    unsubscribedCount = 0,
    failedCount = 0,
    unknownCount = 0,
    pendingCount = 0,
    cancelledCount = 0,
  } = rows[0] ?? {};
  return { unsubscribedCount, failedCount, unknownCount, pendingCount, cancelledCount };
}

/** Stores the counts that are not figures on the campaign's row. */
export async function storeRest(db: Queryable, campaignId: string): Promise<void> {
  await db.query({
    name: 'campaign-store-rest',
    text: `UPDATE campaigns SET unsubscribed_count = n."unsubscribedCount", failed_count = n."failedCount", unknown_count = n."unknownCount" FROM (${REST}) n WHERE campaigns.id = n.id`,
    values: [campaignId],
  });
}
