/** Billing of a project: subscription, limits, consumption, invoices. For its owner and admins. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { listInvoices, openPortal, startCheckout } from '../../domain/billing/checkout.js';
import { getConsumption, getLimits, setLimits } from '../../domain/billing/limits.js';
import { IdParams, positiveInteger, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

/** PostgreSQL's integer. */
const MOST = 2_147_483_647;

const Page = z.object({ url: z.string().describe("The payment provider's page, for the user's browser") });

const CategoryLimit = z.object({
  limit: z.int().nullable().describe('Emails per calendar month (UTC); null: no limit'),
  usage: z.int().describe('Emails accepted this month, without those that were cancelled before they were handed over'),
  percentage: z.number().describe('Of the limit; 0 without one'),
  isWarning: z.boolean().describe('From 80 % on'),
  isBlocked: z.boolean().describe('From 100 % on: nothing more of this kind is accepted this month'),
});
const BillingLimits = z
  .object({ workflows: CategoryLimit, campaigns: CategoryLimit, transactional: CategoryLimit })
  .meta({ id: 'BillingLimits' });

const Limit = z.int().min(0).max(MOST).nullable().optional();
const LimitsBody = z.object({ workflows: Limit, campaigns: Limit, transactional: Limit });

const Consumption = z
  .object({
    periodStart: Timestamp.describe('The first moment of this calendar month, in UTC'),
    periodEnd: Timestamp.describe('The first moment of the next'),
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
    status: z.string().nullable().describe("The provider's word: draft, open, paid, uncollectible, void"),
    currency: z.string(),
    amountDue: z.int().describe("In the currency's smallest unit"),
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

const ROLES = 'For its owner and admins; a member gets 403 `FORBIDDEN`, anybody else 404. ';
const OFF = 'Without a configured payment provider 404 `BILLING_DISABLED`. ';

export const billingRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const config = { auth: 'session' } as const;
  const tags = ['Billing'];

  app.post(
    '/users/@me/projects/:id/checkout',
    {
      config,
      schema: {
        tags,
        summary: 'Begin a subscription',
        description: `${ROLES}${OFF}409 when the project has a subscription; 403 \`PROJECT_DISABLED\` when it is disabled.`,
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
        summary: 'Change or end a subscription',
        description: `${ROLES}${OFF}409 before the first checkout. For a disabled project too.`,
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
        summary: 'How many emails the project may send a month, and has sent',
        description:
          `${ROLES}Counted by calendar month (UTC): emails of workflows, of campaigns, and of \`/v1/send\`, as they are accepted; test mails are not. ` +
          "At 80 % the project's owner and admins get a mail, once a month. At the limit " +
          '`/v1/send` answers 429 and a campaign 403, both `BILLING_LIMIT_EXCEEDED`, and a SEND_EMAIL step is skipped and says why. Works without a payment provider.',
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
        summary: 'Set limits',
        description:
          `${ROLES}null takes a limit away; what is not given stays. It holds for whatever is sent from then on. A disabled project: 403 \`PROJECT_DISABLED\`. ` +
          'Works without a payment provider.',
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
        summary: 'What the project has sent this month',
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
        summary: 'Invoices, newest first',
        description: `${ROLES}${OFF}Empty before the first checkout. The billing portal has all of them.`,
        params: IdParams,
        querystring: InvoicesQuery,
        response: { 200: z.object({ data: z.array(Invoice), hasMore: z.boolean() }) },
      },
    },
    async ({ account, params, query }) => listInvoices(ctx, account.id, params.id, query.limit),
  );
};
