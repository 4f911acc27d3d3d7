/** A project's customer, checkout, portal, and invoices at the payment provider. */
import { createHash } from 'node:crypto';
import type { ApiContext, Context } from '../../context.js';
import { findBillingAccount, setCustomer, type BillingAccount } from './sql/subscriptions.js';
import { conflict, notFound } from '../../errors.js';
import type { Account } from '../accounts/sessions.js';
import { MANAGERS, requireEnabled, requireRole } from '../projects/access.js';
import { atProvider, requirePrice, requireProvider, type Provider, type Stripe } from './provider.js';

/** The dashboard page to which the provider redirects. */
const billingPage = ({ config }: Context, projectId: string): string =>
  `${config.DASHBOARD_URL}/projects/${projectId}/billing`;

async function accountOf({ pool }: Context, projectId: string): Promise<BillingAccount> {
  const account = await findBillingAccount(pool, projectId);
  if (!account) throw notFound('PROJECT');
  return account;
}

/**
 * Starts a checkout and returns the URL of the provider's payment page. A webhook event then subscribes the project
 * (events.ts).
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403), BILLING_DISABLED (404), CONFLICT
 * (409, it has a subscription), SERVICE_UNAVAILABLE (503)
 */
export async function startCheckout(ctx: ApiContext, user: Account, projectId: string): Promise<{ url: string }> {
  const access = await requireRole(ctx, user.id, projectId, MANAGERS);
  const provider = requireProvider(ctx);
  const price = requirePrice(provider);
  requireEnabled(access);
  const account = await accountOf(ctx, projectId);
  if (account.subscriptionId) throw conflict('The project has a subscription already; the billing portal changes it.');
  const customer = account.customerId ?? (await createCustomer(ctx, provider, user, projectId, account.name));
  const page = billingPage(ctx, projectId);
  const { url } = await atProvider(provider, (stripe) =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      customer,
      line_items: [{ price, quantity: 1 }],
      client_reference_id: projectId,
      subscription_data: { metadata: { projectId } },
      success_url: `${page}?checkout=success`,
      cancel_url: `${page}?checkout=cancelled`,
    }),
  );
  if (url === null) throw new Error('The payment provider made a checkout without a page');
  return { url };
}

/** Concurrent calls get one customer: the provider creates one per idempotency key, and the row keeps the first. */
async function createCustomer(
  ctx: Context,
  provider: Provider,
  { email }: Account,
  projectId: string,
  name: string,
): Promise<string> {
  const params = { email, name, metadata: { projectId } };
  const idempotencyKey = `customer-${createHash('sha256').update(JSON.stringify(params)).digest('hex')}`;
  const { id } = await atProvider(provider, (stripe) => stripe.customers.create(params, { idempotencyKey }));
  const customer = await setCustomer(ctx.pool, projectId, id);
  if (customer === null) throw notFound('PROJECT');
  return customer;
}

/**
 * Returns the URL of the provider's portal, where a subscription is changed, canceled, or paid. It also works for a
 * disabled project, so that its owner can stop paying.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), BILLING_DISABLED (404), CONFLICT (409, it never had a
 * checkout), SERVICE_UNAVAILABLE (503)
 */
export async function openPortal(ctx: ApiContext, userId: string, projectId: string): Promise<{ url: string }> {
  await requireRole(ctx, userId, projectId, MANAGERS);
  const provider = requireProvider(ctx);
  const { customerId } = await accountOf(ctx, projectId);
  if (customerId === null)
    throw conflict('The project is not known to the payment provider yet: it begins with a checkout.');
  const { url } = await atProvider(provider, (stripe) =>
    stripe.billingPortal.sessions.create({ customer: customerId, return_url: billingPage(ctx, projectId) }),
  );
  return { url };
}

export interface InvoiceView {
  id: string;
  number: string | null;
  status: string | null;
  /** ISO 4217, in lower case. */
  currency: string;
  /** In the currency's smallest unit. */
  amountDue: number;
  amountPaid: number;
  total: number;
  periodStart: Date;
  periodEnd: Date;
  createdAt: Date;
  hostedInvoiceUrl: string | null;
  invoicePdf: string | null;
}

const seconds = (time: number): Date => new Date(time * 1000);

/** The fields that an invoice has in every version of the provider's API. */
type SomeInvoice = Partial<Stripe.Invoice> & Pick<Stripe.Invoice, 'id' | 'currency' | 'created'>;

const invoiceView = (invoice: SomeInvoice): InvoiceView => ({
  id: invoice.id,
  number: invoice.number ?? null,
  status: invoice.status ?? null,
  currency: invoice.currency,
  amountDue: invoice.amount_due ?? invoice.total ?? 0,
  amountPaid: invoice.amount_paid ?? 0,
  total: invoice.total ?? invoice.amount_due ?? 0,
  periodStart: seconds(invoice.period_start ?? invoice.created),
  periodEnd: seconds(invoice.period_end ?? invoice.created),
  createdAt: seconds(invoice.created),
  hostedInvoiceUrl: invoice.hosted_invoice_url ?? null,
  invoicePdf: invoice.invoice_pdf ?? null,
});

/**
 * Returns the project's invoices, newest first; an empty list without a customer.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), BILLING_DISABLED (404), SERVICE_UNAVAILABLE (503)
 */
export async function listInvoices(
  ctx: ApiContext,
  userId: string,
  projectId: string,
  limit: number,
): Promise<{ data: InvoiceView[]; hasMore: boolean }> {
  await requireRole(ctx, userId, projectId, MANAGERS);
  const provider = requireProvider(ctx);
  const { customerId } = await accountOf(ctx, projectId);
  if (customerId === null) return { data: [], hasMore: false };
  const page: { data: SomeInvoice[]; has_more?: boolean } = await atProvider(provider, (stripe) =>
    stripe.invoices.list({ customer: customerId, limit }),
  );
  return { data: page.data.map(invoiceView), hasMore: page.has_more ?? false };
}

/**
 * Cancels the subscription of a project before its deletion, so that payments stop. A subscription that the provider
 * has already ended is not an error.
 *
 * @throws SERVICE_UNAVAILABLE (503); the caller then keeps the project, whose row has the only reference to the
 *   subscription
 */
export async function endSubscription({ pool, provider }: Context, projectId: string): Promise<void> {
  const account = await findBillingAccount(pool, projectId);
  const id = account?.subscriptionId;
  if (!provider || !id) return;
  await atProvider(provider, async (stripe) => {
    await stripe.subscriptions.cancel(id).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'resource_missing') return;
      throw error;
    });
  });
}
