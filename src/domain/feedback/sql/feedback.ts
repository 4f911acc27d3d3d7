/**
 * Feedback on sent emails: notifications of the mail server, delivery status notifications, feedback reports, and
 * tracking.
 */
import type { Queryable } from '../../../db/pool.js';

interface FeedbackBase {
  emailId: string;
  /** When it happened, as far as the source knows. */
  at: Date;
}

/** One report about one email. */
export type Feedback = FeedbackBase &
  (
    | { kind: 'delivered' | 'opened' }
    | { kind: 'clicked'; url: string }
    | { kind: 'bounced'; bounceType: 'permanent' | 'transient'; reason: string | null }
    | { kind: 'complained'; reason: string | null }
  );

/** Returns the data of the report's event as JSON, for the SQL function apply_feedback. */
function detailOf(feedback: Feedback): string | null {
  if (feedback.kind === 'clicked') return JSON.stringify({ url: feedback.url });
  if (feedback.kind === 'bounced') return JSON.stringify({ bounceType: feedback.bounceType, reason: feedback.reason });
  return feedback.kind === 'complained' && feedback.reason !== null
    ? JSON.stringify({ reason: feedback.reason })
    : null;
}

/**
 * Applies feedback to its emails in one statement: times, counters, statuses, events, and figures. A permanent bounce
 * or a complaint also suppresses the address and unsubscribes the contact. The result does not depend on the order or
 * on repeats. Emails that do not exist are skipped.
 *
 * Callers use a lock timeout (src/domain/lock-timeout.ts), because the statement competes with the record of
 * deliveries.
 *
 * @returns how many of the emails exist
 */
export async function applyFeedback(db: Queryable, feedback: readonly Feedback[]): Promise<number> {
  if (feedback.length === 0) return 0;
  const { rows } = await db.query<{ known: number }>({
    name: 'apply-feedback',
    text: `SELECT apply_feedback($1::uuid[], $2::text[], $3::timestamptz[], $4::jsonb[]) AS known`,
    values: [
      feedback.map(({ emailId }) => emailId),
      feedback.map(({ kind }) => kind),
      feedback.map(({ at }) => at.toISOString()),
      feedback.map(detailOf),
    ],
  });
  return rows[0]?.known ?? 0;
}
