/**
 * A project's monthly usage and limits (contract, section 8: "billing-limits").
 *
 * Accepted emails count by calendar month (UTC) and source. Test emails do not count, and emails that are canceled
 * before the hand-off are subtracted. Limits are exact: count_usage (src/db/functions) checks them in the transaction
 * that inserts the emails.
 */
import type { ApiContext, Context } from '../../context.js';
import { readUsage, updateLimits, type UsageRow, type UsageSource } from './sql/billing.js';
import { findBillingAccount, findSubscription } from './sql/subscriptions.js';
import { ApiError, notFound } from '../../errors.js';
import { MANAGERS, requireEnabled, requireRole } from '../projects/access.js';

/** Percentage of a limit from which its owner is warned. */
export const WARNING = 80;

export type Category = 'workflows' | 'campaigns' | 'transactional';

export const CATEGORY: Record<UsageSource, Category> = {
  WORKFLOW: 'workflows',
  CAMPAIGN: 'campaigns',
  TRANSACTIONAL: 'transactional',
};

export interface CategoryLimit {
  /** Emails per month; null means no limit. */
  limit: number | null;
  usage: number;
  /** Percentage of the limit, with two decimals; 0 without a limit. */
  percentage: number;
  isWarning: boolean;
  isBlocked: boolean;
}

export type BillingLimits = Record<Category, CategoryLimit>;

/** A limit of 0 is always used up. */
export function judge(limit: number | null, usage: number): CategoryLimit {
  if (limit === null) return { limit, usage, percentage: 0, isWarning: false, isBlocked: false };
  const percentage = limit === 0 ? 100 : Math.round((usage / limit) * 10_000) / 100;
  return { limit, usage, percentage, isWarning: usage * 100 >= limit * WARNING, isBlocked: usage >= limit };
}

function byCategory<T>(
  rows: UsageRow[],
  view: (row: { limit: number | null; usage: number }) => T,
): Record<Category, T> {
  const of = (source: UsageSource): T => view(rows.find((row) => row.source === source) ?? { limit: null, usage: 0 });
  return { workflows: of('WORKFLOW'), campaigns: of('CAMPAIGN'), transactional: of('TRANSACTIONAL') };
}

async function usageOf({ pool }: Context, projectId: string): Promise<UsageRow[]> {
  const rows = await readUsage(pool, projectId);
  if (rows.length === 0) throw notFound('PROJECT');
  return rows;
}

/**
 * Returns the project's limits and this month's usage. Works without a payment provider.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER)
 */
export async function getLimits(ctx: ApiContext, userId: string, projectId: string): Promise<BillingLimits> {
  await requireRole(ctx, userId, projectId, MANAGERS);
  return byCategory(await usageOf(ctx, projectId), ({ limit, usage }) => judge(limit, usage));
}

/** undefined keeps the limit; null removes it. */
export type LimitChanges = { [Name in Category]?: number | null };

/**
 * Changes limits. A new limit applies to all sends that start after the commit.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403)
 */
export async function setLimits(
  ctx: ApiContext,
  userId: string,
  projectId: string,
  { workflows, campaigns, transactional }: LimitChanges,
): Promise<BillingLimits> {
  requireEnabled(await requireRole(ctx, userId, projectId, MANAGERS));
  if (
    !(await updateLimits(ctx.pool, projectId, {
      WORKFLOW: workflows,
      CAMPAIGN: campaigns,
      TRANSACTIONAL: transactional,
    }))
  )
    throw notFound('PROJECT');
  return byCategory(await usageOf(ctx, projectId), ({ limit, usage }) => judge(limit, usage));
}

/** The calendar month of a moment, in UTC; `end` is the first moment of the next. */
export function monthOf(now: Date): { start: Date; end: Date } {
  return {
    start: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
    end: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)),
  };
}

export interface Consumption extends Record<Category, number> {
  periodStart: Date;
  periodEnd: Date;
  total: number;
  /** At the payment provider; null without one. */
  subscription: { status: string; periodStart: Date | null; periodEnd: Date | null; cancelAtPeriodEnd: boolean } | null;
}

/**
 * Returns the project's usage this month and its subscription. Works without a payment provider.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER)
 */
export async function getConsumption(ctx: ApiContext, userId: string, projectId: string): Promise<Consumption> {
  await requireRole(ctx, userId, projectId, MANAGERS);
  const counts = byCategory(await usageOf(ctx, projectId), ({ usage }) => usage);
  const { start, end } = monthOf(new Date());
  const account = await findBillingAccount(ctx.pool, projectId);
  const row = account?.subscriptionId ? await findSubscription(ctx.pool, account.subscriptionId) : null;
  const subscription = row && {
    status: row.status,
    periodStart: row.periodStart,
    periodEnd: row.periodEnd,
    cancelAtPeriodEnd: row.cancelAtPeriodEnd,
  };
  return {
    periodStart: start,
    periodEnd: end,
    ...counts,
    total: counts.workflows + counts.campaigns + counts.transactional,
    subscription,
  };
}

/**
 * Creates the error for emails over a limit (contract, section 8): 429 for transactional email, 403 for campaigns.
 *
 * @param wanted the number of requested emails, if known
 */
export async function overLimit(
  ctx: Context,
  projectId: string,
  source: UsageSource,
  wanted?: number,
): Promise<ApiError> {
  const { limit = null, usage = 0 } = (await readUsage(ctx.pool, projectId)).find((row) => row.source === source) ?? {};
  const { end } = monthOf(new Date());
  const more = wanted === undefined ? '' : ` This needs ${wanted} more.`;
  const transactional = source === 'TRANSACTIONAL';
  return new ApiError(
    'BILLING_LIMIT_EXCEEDED',
    `The project's limit of ${limit} ${source.toLowerCase()} emails per month does not allow this: ` +
      `${usage} were sent or are queued this month.${more}`,
    {
      status: transactional ? 429 : 403,
      ...(transactional && { retryAfter: Math.ceil((end.getTime() - Date.now()) / 1000) }),
      details: {
        category: CATEGORY[source],
        limit,
        usage,
        ...(wanted !== undefined && { wanted }),
        resetsAt: end.toISOString(),
      },
      suggestion: 'Raise the limit with PUT /users/@me/projects/:id/billing-limits, or wait for the next month.',
    },
  );
}
