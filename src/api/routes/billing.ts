/** Billing of a project: subscription, limits, usage, and invoices. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { listInvoices, openPortal, startCheckout } from '../../domain/billing/checkout.js';
import { getConsumption, getLimits, setLimits } from '../../domain/billing/limits.js';
import { IdParams, positiveInteger, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

/** The maximum of PostgreSQL's `integer`. */
const MOST = 2_147_483_647;

const Page = z.object({ url: z.string().describe("The payment provider's page. Open it in the user's browser.") });

const CategoryLimit = z.object({
  limit: z.int().nullable().describe('Emails per calendar month (UTC). Null means no limit.'),
  usage: z.int().describe('Emails accepted this month, except those that were canceled before they were sent.'),
  percentage: z.number().describe('The percentage of the limit. 0 without a limit.'),
  isWarning: z.boolean().describe('True from 80%.'),
  isBlocked: z.boolean().describe('True from 100%. No more emails of this category are accepted this month.'),
});
const BillingLimits = z
  .object({ workflows: CategoryLimit, campaigns: CategoryLimit, transactional: CategoryLimit })
  .meta({ id: 'BillingLimits' });

const Limit = z.int().min(0).max(MOST).nullable().optional();
const LimitsBody = z.object({ workflows: Limit, campaigns: Limit, transactional: Limit });

const Consumption = z
  .object({
    periodStart: Timestamp.describe('The start of this calendar month in UTC.'),
    periodEnd: Timestamp.describe('The start of the next calendar month in UTC.'),
    workflows: z.int(),
    campaigns: z.int(),
    transactional: z.int(),
    total: z.int(),
    subscription: z
      .object({
        status: z.string(),
        periodStart: Timestamp.nullable(),
        periodEnd: Timestamp.nullable(),
        cancelAtPeriodEnd: z.boolean(),
      })
      .nullable()
      .describe('At the payment provider'),
  })
  .meta({ id: 'BillingConsumption' });

const Invoice = z
  .object({
    id: z.string(),
    number: z.string().nullable(),
    status: z.string().nullable().describe("The provider's status: draft, open, paid, uncollectible, or void."),
    currency: z.string(),
    amountDue: z.int().describe("In the currency's smallest unit."),
    amountPaid: z.int(),
    total: z.int(),
    periodStart: Timestamp,
    periodEnd: Timestamp,
    createdAt: Timestamp,
    hostedInvoiceUrl: z.string().nullable(),
    invoicePdf: z.string().nullable(),
  })
  .meta({ id: 'Invoice' });

const InvoicesQuery = z.object({ limit: positiveInteger(20, 100) });

const ROLES = 'Requires the role OWNER or ADMIN (403 `FORBIDDEN` for members, 404 for non-members). ';
const OFF = 'Returns 404 `BILLING_DISABLED` if no payment provider is configured. ';

export const billingRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const config = { auth: 'session' } as const;
  const tags = ['Billing'];

  app.post(
    '/users/@me/projects/:id/checkout',
    {
      config,
      schema: {
        tags,
        summary: 'Start a subscription',
        description:
          `${ROLES}${OFF}Returns 409 if the project already has a subscription, and 403 \`PROJECT_DISABLED\` if ` +
          'it is disabled.',
        params: IdParams,
        response: { 200: Page },
      },
    },
    async ({ account, params }) => startCheckout(ctx, account, params.id),
  );

  app.post(
    '/users/@me/projects/:id/billing-portal',
    {
      config,
      schema: {
        tags,
        summary: 'Open the billing portal',
        description:
          `${ROLES}${OFF}In the portal, the user changes or cancels the subscription. Returns 409 before the ` +
          'first checkout. Also available for disabled projects.',
        params: IdParams,
        response: { 200: Page },
      },
    },
    async ({ account, params }) => openPortal(ctx, account.id, params.id),
  );

  app.get(
    '/users/@me/projects/:id/billing-limits',
    {
      config,
      schema: {
        tags,
        summary: 'Retrieve billing limits and usage',
        description:
          `${ROLES}Counts the emails of workflows, campaigns, and \`/v1/send\` per calendar month (UTC) when ` +
          'they are accepted. Test emails do not count. At 80%, the owner and the admins get an email, once a ' +
          'month. At the limit, `/v1/send` returns 429 and a campaign returns 403, both ' +
          '`BILLING_LIMIT_EXCEEDED`, and SEND_EMAIL steps are skipped with a reason. Works without a payment ' +
          'provider.',
        params: IdParams,
        response: { 200: BillingLimits },
      },
    },
    async ({ account, params }) => getLimits(ctx, account.id, params.id),
  );

  app.put(
    '/users/@me/projects/:id/billing-limits',
    {
      config,
      schema: {
        tags,
        summary: 'Set billing limits',
        description:
          `${ROLES}Null removes a limit; a missing limit stays. A limit applies to all emails that are ` +
          'accepted from then on. Returns 403 `PROJECT_DISABLED` if the project is disabled. Works without a ' +
          'payment provider.',
        params: IdParams,
        body: LimitsBody,
        response: { 200: BillingLimits },
      },
    },
    async ({ account, params, body }) => setLimits(ctx, account.id, params.id, body),
  );

  app.get(
    '/users/@me/projects/:id/billing-consumption',
    {
      config,
      schema: {
        tags,
        summary: "Retrieve this month's consumption",
        description: `${ROLES}Works without a payment provider.`,
        params: IdParams,
        response: { 200: Consumption },
      },
    },
    async ({ account, params }) => getConsumption(ctx, account.id, params.id),
  );

  app.get(
    '/users/@me/projects/:id/billing-invoices',
    {
      config,
      schema: {
        tags,
        summary: 'List invoices',
        description: `${ROLES}${OFF}Newest first. Empty before the first checkout. The portal lists all invoices.`,
        params: IdParams,
        querystring: InvoicesQuery,
        response: { 200: z.object({ data: z.array(Invoice), hasMore: z.boolean() }) },
      },
    },
    async ({ account, params, query }) => listInvoices(ctx, account.id, params.id, query.limit),
  );
};
