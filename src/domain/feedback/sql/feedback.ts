/**
 * What is said of emails after they left, whoever says it: the mail server's notifications, delivery status
 * notifications, feedback reports, tracking.
 */
import type { Queryable } from '../../../db/pool.js';

interface Said {
  emailId: string;
  /** When it happened, as far as the source knows. */
  at: Date;
}

/** One saying about one email. */
export type Feedback = Said &
  (
    | { kind: 'delivered' | 'opened' }
    | { kind: 'clicked'; url: string }
    | { kind: 'bounced'; bounceType: 'permanent' | 'transient'; reason: string | null }
    | { kind: 'complained'; reason: string | null }
  );

/** What of a saying goes into its event's data; see apply_feedback in the migration 20261121150000_feedback. */
function detailOf(said: Feedback): string | null {
  if (said.kind === 'clicked') return JSON.stringify({ url: said.url });
  if (said.kind === 'bounced') return JSON.stringify({ bounceType: said.bounceType, reason: said.reason });
  return said.kind === 'complained' && said.reason !== null ? JSON.stringify({ reason: said.reason }) : null;
}

/**
 * Applies feedback to its emails, in one statement: times and counters, statuses, events, figures; a permanent bounce
 * or a complaint also suppresses the address and unsubscribes the contact. All orders, repeats and splits into calls
 * end in the same. Emails that don't exist are passed over.
 *
 * The caller gives way to whoever records deliveries: `givingWay` in src/domain/give-way.ts.
 *
 * @returns how many of the emails exist
 */
export async function applyFeedback(db: Queryable, said: readonly Feedback[]): Promise<number> {
  if (said.length === 0) return 0;
  const { rows } = await db.query<{ known: number }>({
    name: 'apply-feedback',
    text: `SELECT apply_feedback($1::uuid[], $2::text[], $3::timestamptz[], $4::jsonb[]) AS known`,
    values: [
      said.map((one) => one.emailId),
      said.map((one) => one.kind),
      said.map((one) => one.at.toISOString()),
      said.map(detailOf),
    ],
  });
  return rows[0]?.known ?? 0;
}
