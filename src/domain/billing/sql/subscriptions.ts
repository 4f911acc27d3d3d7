/** What is known of projects at the payment provider: customers and subscriptions. */
import type { Queryable } from '../../../db/pool.js';

/**
 * The project of a customer, of a subscription, or of the id that was given along when the checkout began, in this
 * order; held until the commit, so that events of one project are applied one after the other.
 */
export async function holdProjectOf(
  tx: Queryable,
  {
    customer,
    subscription,
    projectId,
  }: { customer: string | null; subscription: string | null; projectId: string | null },
): Promise<string | null> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'billing-project-of',
    text: `SELECT p.id FROM projects p
            WHERE p.id = coalesce((SELECT id FROM projects WHERE stripe_customer_id = $1),
              (SELECT project_id FROM billing_subscriptions WHERE id = $2), $3::uuid)
              FOR NO KEY UPDATE`,
    values: [customer, subscription, projectId],
  });
  return rows[0]?.id ?? null;
}

export interface SubscriptionRow {
  status: string;
  periodStart: Date | null;
  periodEnd: Date | null;
  cancelAtPeriodEnd: boolean;
  eventAt: Date;
}

export async function findSubscription(db: Queryable, id: string): Promise<SubscriptionRow | null> {
  const { rows } = await db.query<SubscriptionRow>({
    name: 'billing-subscription',
    text: `SELECT status, period_start AS "periodStart", period_end AS "periodEnd",
                  cancel_at_period_end AS "cancelAtPeriodEnd", event_at AS "eventAt"
             FROM billing_subscriptions WHERE id = $1`,
    values: [id],
  });
  return rows[0] ?? null;
}

/** Writes a subscription as it is now; the caller holds the project and has compared the times. */
export async function storeSubscription(
  tx: Queryable,
  projectId: string,
  id: string,
  { status, periodStart, periodEnd, cancelAtPeriodEnd, eventAt }: SubscriptionRow,
): Promise<void> {
  await tx.query({
    name: 'billing-subscription-store',
    text: `INSERT INTO billing_subscriptions (id, project_id, status, period_start, period_end, cancel_at_period_end,
             event_at) VALUES ($1, $2, $3, $4, $5, $6, $7)
           ON CONFLICT (id) DO UPDATE SET status = excluded.status, period_start = excluded.period_start,
             period_end = excluded.period_end,
             cancel_at_period_end = excluded.cancel_at_period_end, event_at = excluded.event_at`,
    values: [id, projectId, status, periodStart, periodEnd, cancelAtPeriodEnd, eventAt],
  });
}

/**
 * Sets a project's subscription to the newest of those that are `alive`, or to none, and its customer if it has none.
 */
export async function settleProject(
  tx: Queryable,
  projectId: string,
  { customer, alive }: { customer: string | null; alive: readonly string[] },
): Promise<void> {
  await tx.query({
    name: 'billing-project-settle',
    text: `UPDATE projects p
              SET stripe_subscription_id = (
                    SELECT s.id FROM billing_subscriptions s WHERE s.project_id = p.id AND s.status = ANY ($3::text[])
                      ORDER BY s.created_at DESC, s.id DESC LIMIT 1),
                  stripe_customer_id = coalesce(p.stripe_customer_id, $2)
            WHERE p.id = $1`,
    values: [projectId, customer, alive],
  });
}

export interface BillingAccount {
  name: string;
  customerId: string | null;
  subscriptionId: string | null;
}

export async function findBillingAccount(db: Queryable, projectId: string): Promise<BillingAccount | null> {
  const { rows } = await db.query<BillingAccount>({
    name: 'billing-account',
    text: `SELECT name, stripe_customer_id AS "customerId", stripe_subscription_id AS "subscriptionId" FROM projects
             WHERE id = $1`,
    values: [projectId],
  });
  return rows[0] ?? null;
}

/** Sets a project's customer unless it has one. @returns the one that it has now; null when there is no such project */
export async function setCustomer(db: Queryable, projectId: string, customerId: string): Promise<string | null> {
  const { rows } = await db.query<{ customerId: string }>({
    name: 'billing-customer-set',
    text: `UPDATE projects SET stripe_customer_id = coalesce(stripe_customer_id, $2) WHERE id = $1
             RETURNING stripe_customer_id AS "customerId"`,
    values: [projectId, customerId],
  });
  return rows[0]?.customerId ?? null;
}
