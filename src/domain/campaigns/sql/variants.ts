/** Variant tests: the messages and figures of variants, and the decision. */
import type { Queryable } from '../../../db/pool.js';
import type { Decision, VariantTest } from '../variants.js';

export interface VariantRow {
  id: string;
  messageId: string;
  weight: number;
}

export async function insertVariants(
  tx: Queryable,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  variants: readonly VariantRow[],
): Promise<void> {
  await tx.query({
    name: 'campaign-variants-insert',
    text: `INSERT INTO campaign_variants (project_id, campaign_id, id, position, weight, message_id)
           SELECT $1, $2, v.id, v.position, v.weight, v.message_id
             FROM unnest($3::text[], $4::int[], $5::uuid[]) WITH ORDINALITY AS v(id, weight, message_id, position)`,
    values: [
      projectId,
      campaignId,
      variants.map(({ id }) => id),
      variants.map(({ weight }) => weight),
      variants.map(({ messageId }) => messageId),
    ],
  });
}

/** Returns the variants of a campaign whose sending has begun, in their order. */
export async function selectVariants(db: Queryable, campaignId: string): Promise<VariantRow[]> {
  const { rows } = await db.query<VariantRow>({
    name: 'campaign-variants',
    text: `SELECT id, message_id AS "messageId", weight FROM campaign_variants WHERE campaign_id = $1 ORDER BY position`,
    values: [campaignId],
  });
  return rows;
}

/** The figures of a variant's emails. */
export interface VariantFigures {
  id: string;
  recipients: number;
  sent: number;
  delivered: number;
  failed: number;
  /** By people, as `clicked`. */
  opened: number;
  clicked: number;
  /** Recipients who had the event after their email; 0 without an event. */
  converted: number;
}

/** Returns the figures of each variant, in their order. They do not include the rest of the audience. */
export async function variantFigures(
  db: Queryable,
  campaignId: string,
  event: string | null,
): Promise<VariantFigures[]> {
  const { rows } = await db.query<VariantFigures>(
    `SELECT v.id, n.*
       FROM campaign_variants v
      CROSS JOIN LATERAL (
        SELECT count(*)::int AS recipients, count(e.sent_at)::int AS sent, count(e.delivered_at)::int AS delivered,
               count(*) FILTER (WHERE e.status = 'FAILED')::int AS failed,
               count(*) FILTER (WHERE e.opens > 0)::int AS opened, count(*) FILTER (WHERE e.clicks > 0)::int AS clicked,
               count(*) FILTER (WHERE $2::text IS NOT NULL AND e.sent_at IS NOT NULL AND EXISTS (
                 SELECT FROM events h WHERE h.project_id = e.project_id AND h.name = $2 AND h.contact_id = e.contact_id
                                        AND h.created_at >= e.sent_at))::int AS converted
          FROM emails e WHERE e.campaign_id = v.campaign_id AND e.variant = v.id) n
      WHERE v.campaign_id = $1 ORDER BY v.position`,
    [campaignId, event],
  );
  return rows;
}

export interface TestState {
  test: VariantTest | null;
  decision: Decision | null;
  /** When the last email of the test had a result. */
  sentAt: Date;
}

/** Notes that all emails of a test have a result. @returns the test; null if this attempt is not SENDING */
export async function noteTestSent(
  db: Queryable,
  { campaignId, attempt }: { campaignId: string; attempt: number },
  now: Date,
): Promise<TestState | null> {
  const { rows } = await db.query<TestState>(
    `UPDATE campaigns SET test_sent_at = coalesce(test_sent_at, $3)
      WHERE id = $1 AND attempt = $2 AND status = 'SENDING' RETURNING test, decision, test_sent_at AS "sentAt"`,
    [campaignId, attempt, now],
  );
  return rows[0] ?? null;
}

/**
 * Leaves the decision about an automatic test to people.
 *
 * @returns the name of the campaign; null if it was left to them before, or is decided
 */
export async function makeManual(tx: Queryable, campaignId: string): Promise<string | null> {
  const { rows } = await tx.query<{ name: string }>(
    `UPDATE campaigns SET test = test || '{"decide": "manual"}'
      WHERE id = $1 AND status = 'SENDING' AND decision IS NULL AND test ->> 'decide' = 'auto' RETURNING name`,
    [campaignId],
  );
  return rows[0]?.name ?? null;
}

/**
 * Stores the decision about a test, unless there is one. Of a manual and an automatic one at the same time, one wins.
 *
 * @returns the attempt whose Temporal workflow must learn of it; null if the campaign is not SENDING or the test is decided
 */
export async function storeDecision(
  tx: Queryable,
  { projectId, campaignId }: { projectId: string; campaignId: string },
  decision: Decision,
): Promise<number | null> {
  const { rows } = await tx.query<{ attempt: number }>(
    `UPDATE campaigns SET decision = $3
      WHERE project_id = $1 AND id = $2 AND status = 'SENDING' AND decision IS NULL AND snapshot_done
        AND (test ->> 'share')::int < 100
     RETURNING attempt`,
    [projectId, campaignId, decision],
  );
  return rows[0]?.attempt ?? null;
}
