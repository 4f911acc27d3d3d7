/** A stand-in for the payment provider: what the library asks over HTTP, and events with real signatures. */
import { Stripe } from 'stripe';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { startReceiver, type Answer, type ReceivedRequest, type Receiver } from './receiver.js';

export const STRIPE_KEY = 'sk_test_local';
export const WEBHOOK_SECRET = 'whsec_test_local';
export const PRICE = 'price_local';

export interface FakeStripe {
  /** What turns billing on, with the fake in the provider's place. */
  environment: Record<string, string>;
  requests: () => StripeRequest[];
  /** From now on these are answered otherwise: `GET /v1/invoices`. */
  on: (route: string, answer: Answer) => void;
}

export interface StripeRequest {
  route: string;
  /** Of the body, or of the query: `metadata[projectId]`. */
  fields: Record<string, string>;
  headers: Record<string, string>;
}

export const json =
  (status: number, body: unknown): Answer =>
  (response) =>
    void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

const refused = (status: number, code: string): Answer =>
  json(status, { error: { type: 'invalid_request_error', code, message: code } });

function read({ method, url, headers, body }: ReceivedRequest): StripeRequest {
  const { pathname, searchParams } = new URL(url, 'http://stripe.test');
  return {
    route: `${method} ${pathname}`,
    fields: Object.fromEntries(method === 'POST' ? new URLSearchParams(body) : searchParams),
    headers,
  };
}

/** An invoice, as the provider has it. */
export const invoice = (id: string, fields: Record<string, unknown> = {}): Record<string, unknown> => ({
  id,
  object: 'invoice',
  number: `N-${id}`,
  status: 'paid',
  currency: 'eur',
  amount_due: 1900,
  amount_paid: 1900,
  total: 1900,
  period_start: 1_790_000_000,
  period_end: 1_792_592_000,
  created: 1_792_592_100,
  hosted_invoice_url: `https://invoices.test/${id}`,
  invoice_pdf: `https://invoices.test/${id}.pdf`,
  ...fields,
});

/** The provider for a test file. It has no state but the customers that it made, by idempotency key. */
export function useStripe(port: number): FakeStripe {
  let receiver: Receiver | undefined;
  const answers = new Map<string, Answer>();
  const customers = new Map<string, string>();
  let made = 0;

  const usual = (request: StripeRequest): Answer => {
    made += 1;
    switch (request.route) {
      case 'POST /v1/customers': {
        const key = request.headers['idempotency-key'] ?? '';
        const id = customers.get(key) ?? `cus_made_${made}`;
        customers.set(key, id);
        return json(200, { id, object: 'customer' });
      }
      case 'POST /v1/checkout/sessions':
        return json(200, { id: `cs_${made}`, object: 'checkout.session', url: `https://checkout.test/cs_${made}` });
      case 'POST /v1/billing_portal/sessions':
        return json(200, {
          id: `bps_${made}`,
          object: 'billing_portal.session',
          url: `https://portal.test/bps_${made}`,
        });
      case 'GET /v1/invoices':
        return json(200, { object: 'list', data: [], has_more: false });
      default:
        return refused(404, 'resource_missing');
    }
  };

  beforeAll(async () => {
    receiver = await startReceiver({ port });
    receiver.answer((response, received, count) => {
      const request = read(received);
      return (answers.get(request.route) ?? usual(request))(response, received, count);
    });
  });
  beforeEach(() => {
    answers.clear();
    receiver?.requests.splice(0);
  });
  afterAll(() => receiver?.stop());

  return {
    environment: {
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_PRICE_ID: PRICE,
      STRIPE_API_BASE: `http://127.0.0.1:${port}`,
    },
    requests: () => (receiver?.requests ?? []).map(read),
    on: (route, answer) => void answers.set(route, answer),
  };
}

const library = new Stripe(STRIPE_KEY);

/** The header that the provider would send with this body. @param timestamp in seconds, default now */
export const sign = (
  payload: string,
  { secret = WEBHOOK_SECRET, timestamp }: { secret?: string; timestamp?: number } = {},
): string =>
  library.webhooks.generateTestHeaderString({ payload, secret, ...(timestamp !== undefined && { timestamp }) });

let events = 0;

/** An event's body. @param created in seconds */
export function event(
  type: string,
  object: Record<string, unknown>,
  { id, created = Math.floor(Date.now() / 1000) }: { id?: string; created?: number } = {},
): string {
  events += 1;
  return JSON.stringify({
    id: id ?? `evt_${process.pid}_${events}`,
    object: 'event',
    api_version: '2026-01-28',
    created,
    livemode: false,
    type,
    data: { object },
  });
}
