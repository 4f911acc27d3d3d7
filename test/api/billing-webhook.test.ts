/** `POST /webhooks/incoming/stripe` (contract, section 8): signatures, repeats, and any order. */
import { describe, expect, test } from 'vitest';
import { buildApp } from '../../src/api/app.js';
import { freePort } from '../../packages/embedded/src/ports.js';
import { insertProject, useApi } from '../helpers/api.js';
import { newUser, refusal } from '../helpers/session.js';
import { event, json, sign, useStripe, WEBHOOK_SECRET } from '../helpers/stripe.js';

const stripe = useStripe(await freePort());
const api = useApi(stripe.environment);
const off = useApi();

const URL = '/webhooks/incoming/stripe';
const now = Math.floor(Date.now() / 1000);

const post = (payload: string | Buffer, headers: Record<string, string>, app = api.app) =>
  app.inject({
    method: 'POST',
    url: URL,
    payload,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
const deliver = (payload: string, app = api.app) => post(payload, { 'stripe-signature': sign(payload) }, app);

/** Delivers an event. @returns its outcome */
async function told(payload: string): Promise<string> {
  const response = await deliver(payload);
  expect(response.statusCode, response.body).toBe(200);
  return response.json<{ outcome: string }>().outcome;
}

let customers = 0;

/** Creates a project that has been to the checkout. */
async function customer(): Promise<{ id: string; customer: string; subscription: string }> {
  customers += 1;
  const { id } = await insertProject(api.ctx);
  const [name, subscription] = [`cus_${customers}`, `sub_${customers}`];
  await api.ctx.prisma.project.update({ where: { id }, data: { stripeCustomerId: name } });
  return { id, customer: name, subscription };
}

const subscription = (
  { id, customer, subscription }: { id: string; customer: string; subscription: string },
  status: string,
  fields: Record<string, unknown> = {},
) => ({
  id: subscription,
  object: 'subscription',
  customer,
  status,
  cancel_at_period_end: false,
  metadata: { projectId: id },
  items: { object: 'list', data: [{ id: 'si_1', current_period_start: now, current_period_end: now + 2_592_000 }] },
  ...fields,
});

const projectOf = (id: string) =>
  api.ctx.prisma.project.findUniqueOrThrow({
    where: { id },
    select: { stripeCustomerId: true, stripeSubscriptionId: true },
  });
const rowOf = (id: string) => api.ctx.prisma.billingSubscription.findUnique({ where: { id } });
const applied = (id: string) => api.ctx.prisma.appliedNotification.count({ where: { source: 'stripe', id } });

describe('the signature', () => {
  test('is verified over the bytes as received: other white space is another body', async () => {
    const of = await customer();
    const payload = event('customer.subscription.updated', subscription(of, 'active'));
    const spaced = JSON.stringify(JSON.parse(payload), null, 2);
    expect(refusal(await post(spaced, { 'stripe-signature': sign(payload) }))).toEqual([400, 'BAD_REQUEST']);
    expect(await rowOf(of.subscription)).toBeNull();
    expect((await deliver(spaced)).statusCode).toBe(200);
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'active' });
  });

  test.each([
    ['is missing', (): Record<string, string> => ({})],
    ['is of another secret', (payload: string) => ({ 'stripe-signature': sign(payload, { secret: 'whsec_other' }) })],
    ['is of another body', (payload: string) => ({ 'stripe-signature': sign(`${payload} `) })],
    [
      'is more than 5 minutes old',
      (payload: string) => ({ 'stripe-signature': sign(payload, { timestamp: now - 310 }) }),
    ],
    ['is malformed', () => ({ 'stripe-signature': 'nonsense' })],
    ['has a time and nothing else', () => ({ 'stripe-signature': `t=${now}` })],
  ])('that %s returns 400, and changes nothing', async (_, headers) => {
    const of = await customer();
    const payload = event('customer.subscription.updated', subscription(of, 'active'), {
      id: `evt_unsigned_${of.customer}`,
    });
    expect(refusal(await post(payload, headers(payload)))).toEqual([400, 'BAD_REQUEST']);
    expect([await rowOf(of.subscription), await applied(`evt_unsigned_${of.customer}`)]).toEqual([null, 0]);
  });

  test('is valid for 5 minutes, and also next to one of an older secret', async () => {
    const payload = event('customer.created', { id: 'cus_x' });
    expect((await post(payload, { 'stripe-signature': sign(payload, { timestamp: now - 200 }) })).statusCode).toBe(200);
    const [, old = ''] = sign(payload, { secret: 'whsec_old' }).split(',');
    expect((await post(payload, { 'stripe-signature': `${sign(payload)},${old}` })).statusCode).toBe(200);
  });

  test('is required for any content type, and an empty body has none', async () => {
    const payload = event('customer.created', { id: 'cus_x' });
    expect((await post(payload, { 'stripe-signature': sign(payload), 'content-type': 'text/plain' })).statusCode).toBe(
      200,
    );
    expect(refusal(await post('', { 'stripe-signature': sign('') }))).toEqual([400, 'BAD_REQUEST']);
  });

  test.each([
    '{',
    'null',
    '[]',
    '{"id":"evt_1"}',
    JSON.stringify({ id: 5, type: 'invoice.paid', created: 1, data: { object: {} } }),
  ])('of %s, which is not an event, returns 400', async (payload) => {
    expect(refusal(await deliver(payload))).toEqual([400, 'BAD_REQUEST']);
  });

  test('needs a key of the provider: without one, it returns 404 BILLING_DISABLED', async () => {
    const payload = event('customer.created', { id: 'cus_x' });
    expect(
      refusal(await post(payload, { 'stripe-signature': sign(payload, { secret: WEBHOOK_SECRET }) }, off.app)),
    ).toEqual([404, 'BILLING_DISABLED']);
  });
});

describe('an event', () => {
  test('checkout.session.completed subscribes the project that started the checkout', async () => {
    const { id } = await insertProject(api.ctx);
    expect(
      await told(
        event('checkout.session.completed', {
          id: 'cs_1',
          mode: 'subscription',
          client_reference_id: id,
          customer: 'cus_new',
          subscription: 'sub_new',
          payment_status: 'paid',
        }),
      ),
    ).toBe('applied');
    expect(await projectOf(id)).toEqual({ stripeCustomerId: 'cus_new', stripeSubscriptionId: 'sub_new' });
    expect(await rowOf('sub_new')).toMatchObject({ projectId: id, status: 'active' });
  });

  test('customer.subscription.updated and deleted change the state, and the end allows another checkout', async () => {
    const of = await customer();
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now - 100 }));
    expect(await rowOf(of.subscription)).toMatchObject({
      status: 'active',
      periodStart: new Date(now * 1000),
      periodEnd: new Date((now + 2_592_000) * 1000),
      cancelAtPeriodEnd: false,
    });
    expect(await projectOf(of.id)).toMatchObject({ stripeSubscriptionId: of.subscription });
    await told(
      event('customer.subscription.updated', subscription(of, 'active', { cancel_at_period_end: true }), {
        created: now - 50,
      }),
    );
    expect(await rowOf(of.subscription)).toMatchObject({ cancelAtPeriodEnd: true });
    await told(event('customer.subscription.deleted', subscription(of, 'canceled'), { created: now }));
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'canceled' });
    expect(await projectOf(of.id)).toEqual({ stripeCustomerId: of.customer, stripeSubscriptionId: null });
  });

  test('without a time counts from its arrival, and an end needs no state', async () => {
    const of = await customer();
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now - 100 }));
    await told(
      event('customer.subscription.deleted', subscription(of, 'canceled', { status: undefined }), {
        created: undefined,
      }),
    );
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'canceled' });
  });

  test('invoice.payment_failed makes it past due, invoice.paid active with the new period', async () => {
    const of = await customer();
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now - 100 }));
    const invoice = {
      id: 'in_1',
      object: 'invoice',
      customer: of.customer,
      parent: { type: 'subscription_details', subscription_details: { subscription: of.subscription } },
      lines: { data: [{ period: { start: now, end: now + 1000 } }] },
    };
    await told(event('invoice.payment_failed', invoice, { created: now - 50 }));
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'past_due' });
    expect(await projectOf(of.id)).toMatchObject({ stripeSubscriptionId: of.subscription });
    await told(event('invoice.paid', invoice, { created: now - 40 }));
    expect(await rowOf(of.subscription)).toMatchObject({
      status: 'active',
      periodStart: new Date(now * 1000),
      periodEnd: new Date((now + 1000) * 1000),
    });
  });

  test('is visible in billing-consumption', async () => {
    const of = await customer();
    const owner = await newUser(api);
    await api.ctx.prisma.membership.create({ data: { projectId: of.id, userId: owner.id, role: 'OWNER' } });
    const shown = async () =>
      (await owner.call('GET', `/users/@me/projects/${of.id}/billing-consumption`)).json<{ subscription: unknown }>()
        .subscription;
    expect(await shown()).toBeNull();
    await told(event('customer.subscription.updated', subscription(of, 'trialing')));
    expect(await shown()).toEqual({
      status: 'trialing',
      periodStart: new Date(now * 1000).toISOString(),
      periodEnd: new Date((now + 2_592_000) * 1000).toISOString(),
      cancelAtPeriodEnd: false,
    });
  });

  test('of another type, or of an unknown or deleted project, is acknowledged and changes nothing', async () => {
    expect(await told(event('customer.created', { id: 'cus_1' }))).toBe('ignored');
    expect(
      await told(
        event('customer.subscription.updated', { id: 'sub_nobody', customer: 'cus_nobody', status: 'active' }),
      ),
    ).toBe('ignored');
    expect(
      await told(
        event('customer.subscription.updated', {
          id: 'sub_gone',
          customer: 'cus_gone',
          status: 'active',
          metadata: { projectId: '01936d2e-0000-7000-8000-000000000001' },
        }),
      ),
    ).toBe('ignored');
    expect(await api.ctx.prisma.billingSubscription.count({ where: { id: { in: ['sub_nobody', 'sub_gone'] } } })).toBe(
      0,
    );
  });

  test('of a customer never changes another project, regardless of its metadata', async () => {
    const [of, other] = [await customer(), await customer()];
    await told(
      event('customer.subscription.updated', subscription(of, 'active', { metadata: { projectId: other.id } })),
    );
    expect(await rowOf(of.subscription)).toMatchObject({ projectId: of.id });
    expect(await projectOf(other.id)).toEqual({ stripeCustomerId: other.customer, stripeSubscriptionId: null });
  });
});

describe('each event is applied once', () => {
  test('if it is repeated, even after another event', async () => {
    const of = await customer();
    const first = event('customer.subscription.updated', subscription(of, 'active'), { created: now });
    expect(await told(first)).toBe('applied');
    expect(await told(first)).toBe('repeated');
    await told(event('customer.subscription.deleted', subscription(of, 'canceled'), { created: now + 1 }));
    expect(await told(first)).toBe('repeated');
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'canceled' });
  });

  test('if it arrives 20 times concurrently on two instances', async () => {
    const of = await customer();
    const second = await buildApp(api.ctx);
    await second.ready();
    const payload = event('customer.subscription.updated', subscription(of, 'active'), { id: 'evt_parallel' });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, n) => deliver(payload, n % 2 === 0 ? api.app : second)),
    );
    await second.close();
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 200));
    expect(
      responses
        .map((response) => response.json<{ outcome: string }>().outcome)
        .filter((outcome) => outcome === 'applied'),
    ).toEqual(['applied']);
    expect(await applied('evt_parallel')).toBe(1);
  });

  test('if the first attempt failed half-way', async () => {
    const of = await customer();
    const payload = event('customer.subscription.updated', subscription(of, 'active'), { id: 'evt_half' });
    await api.ctx.pool.query(
      `ALTER TABLE billing_subscriptions ADD CONSTRAINT broken CHECK (status <> 'active') NOT VALID`,
    );
    expect((await deliver(payload)).statusCode).toBe(500);
    expect(await applied('evt_half')).toBe(0);
    await api.ctx.pool.query(`ALTER TABLE billing_subscriptions DROP CONSTRAINT broken`);
    expect(await told(payload)).toBe('applied');
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'active' });
  });
});

describe('events in any order', () => {
  test('an older update after a newer one changes nothing, and is marked as applied', async () => {
    const of = await customer();
    await told(event('customer.subscription.updated', subscription(of, 'past_due'), { created: now }));
    expect(await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now - 1 }))).toBe(
      'applied',
    );
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'past_due', eventAt: new Date(now * 1000) });
  });

  test('an update after the end changes nothing', async () => {
    const of = await customer();
    await told(event('customer.subscription.deleted', subscription(of, 'canceled'), { created: now - 5 }));
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now }));
    await told(
      event(
        'checkout.session.completed',
        {
          mode: 'subscription',
          client_reference_id: of.id,
          customer: of.customer,
          subscription: of.subscription,
          payment_status: 'paid',
        },
        { created: now },
      ),
    );
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'canceled' });
    expect(await projectOf(of.id)).toMatchObject({ stripeSubscriptionId: null });
  });

  test("the end of an old subscription does not end the project's current one", async () => {
    const of = await customer();
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now - 10 }));
    const next = { ...of, subscription: `${of.subscription}_next` };
    await told(event('customer.subscription.updated', subscription(next, 'active'), { created: now - 5 }));
    await told(event('customer.subscription.deleted', subscription(of, 'canceled'), { created: now }));
    expect(await projectOf(of.id)).toMatchObject({ stripeSubscriptionId: next.subscription });
  });

  test('of two updates of the same second, the provider decides which one holds', async () => {
    const of = await customer();
    stripe.on(`GET /v1/subscriptions/${of.subscription}`, json(200, subscription(of, 'active')));
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now }));
    expect(await told(event('customer.subscription.updated', subscription(of, 'incomplete'), { created: now }))).toBe(
      'applied',
    );
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'active' });
    expect(stripe.requests().map(({ route }) => route)).toEqual([`GET /v1/subscriptions/${of.subscription}`]);
  });

  test('of two updates of the same second, the later arrival holds if the provider does not respond', async () => {
    const of = await customer();
    await told(event('customer.subscription.updated', subscription(of, 'active'), { created: now }));
    expect(await told(event('customer.subscription.updated', subscription(of, 'past_due'), { created: now }))).toBe(
      'applied',
    );
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'past_due' });
  });

  test('20 concurrent updates end in the newest', async () => {
    const of = await customer();
    const payloads = Array.from({ length: 20 }, (_, n) =>
      event(
        'customer.subscription.updated',
        subscription(of, n === 19 ? 'past_due' : 'active', { cancel_at_period_end: n % 2 === 0 }),
        { created: now + n },
      ),
    );
    const responses = await Promise.all(
      payloads.toSorted(() => Math.random() - 0.5).map((payload) => deliver(payload)),
    );
    expect(responses.map(({ statusCode }) => statusCode)).toEqual(responses.map(() => 200));
    expect(await rowOf(of.subscription)).toMatchObject({ status: 'past_due', eventAt: new Date((now + 19) * 1000) });
  });
});
