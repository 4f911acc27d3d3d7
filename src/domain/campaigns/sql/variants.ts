/** Variant tests: the messages and figures of variants, and the decision. */
import type { Queryable } from '../../../db/pool.js';
import { OF_VARIANTS } from '../../analytics/sql/figures.js';
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

const list = (write: (name: string) => string): string => OF_VARIANTS.map(write).join(', ');

/**
 * SQL: the number of recipients of each variant who had the event $3 after their email. It depends on the contacts with the
 * event, not on the emails: the last event of each contact decides.
 */
const CONVERTED = `
    SELECT e.variant, count(*) AS count
      FROM (SELECT contact_id, max(created_at) AS at FROM events
             WHERE project_id = $1 AND name = $3 AND created_at >= (SELECT started_at FROM campaigns WHERE id = $2)
             GROUP BY contact_id) h
      JOIN emails e ON e.contact_id = h.contact_id AND e.sent_at <= h.at
     WHERE e.campaign_id = $2 AND e.variant IS NOT NULL GROUP BY e.variant`;
const NONE_CONVERTED = `SELECT NULL::text AS variant, 0 AS count WHERE false`;

const FIGURES = (converted: string): string => `
SELECT v.id, ${list((name) => `(v.${name} + coalesce(d.${name}, 0))::int AS ${name}`)},
       (SELECT count(*) FROM emails e
         WHERE e.campaign_id = v.campaign_id AND e.variant = v.id AND e.stage = 'FAILED')::int AS failed,
       coalesce(c.count, 0)::int AS converted
  FROM campaign_variants v
  LEFT JOIN (
    SELECT variant, ${list((name) => `sum(${name}) AS ${name}`)} FROM stat_deltas
     WHERE project_id = $1 AND campaign_id = $2 AND variant IS NOT NULL GROUP BY variant) d ON d.variant = v.id
  LEFT JOIN (${converted}) c ON c.variant = v.id
 WHERE v.campaign_id = $2 ORDER BY v.position`;

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
  { projectId, campaignId }: { projectId: string; campaignId: string },
  event: string | null,
): Promise<VariantFigures[]> {
  const values = [projectId, campaignId];
  const { rows } = await db.query<VariantFigures>(
    event === null
      ? { name: 'variant-figures', text: FIGURES(NONE_CONVERTED), values }
      : // Not prepared: the plan depends on the number of events.
        { text: FIGURES(CONVERTED), values: [...values, event] },
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
