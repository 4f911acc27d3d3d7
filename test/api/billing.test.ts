/**
 * Checkout, portal, and invoices (specification, "Authentication and user management"; contract, sections 2 and 8),
 * with a stub of the payment provider.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../packages/embedded/src/ports.js';
import { useApi } from '../helpers/api.js';
import { newUser, ownProject, refusal, type TestUser } from '../helpers/session.js';
import { invoice, json, PRICE, STRIPE_KEY, useStripe } from '../helpers/stripe.js';

const stripe = useStripe(await freePort());
const api = useApi({ ...stripe.environment, DASHBOARD_URL: 'https://app.acme.test' });
/** The same app without a key of the provider. */
const off = useApi();

/** The calls of the provider's pages, and those that need no provider. */
const AT_PROVIDER = [
  ['POST', 'checkout'],
  ['POST', 'billing-portal'],
  ['GET', 'billing-invoices'],
] as const;
const OWN = [
  ['GET', 'billing-limits'],
  ['PUT', 'billing-limits'],
  ['GET', 'billing-consumption'],
] as const;

const call = (user: TestUser, method: 'GET' | 'POST' | 'PUT', id: string, name: string) =>
  user.call(method, `/users/@me/projects/${id}/${name}`, method === 'PUT' ? {} : undefined);

async function team(from = api): Promise<{ id: string; owner: TestUser; admin: TestUser; member: TestUser }> {
  const [owner, admin, member] = [await newUser(from), await newUser(from), await newUser(from)];
  const { id } = await ownProject(owner, 'Acme');
  await from.ctx.prisma.membership.createMany({
    data: [
      { projectId: id, userId: admin.id, role: 'ADMIN' },
      { projectId: id, userId: member.id, role: 'MEMBER' },
    ],
  });
  return { id, owner, admin, member };
}

const stored = (id: string) =>
  api.ctx.prisma.project.findUniqueOrThrow({
    where: { id },
    select: { stripeCustomerId: true, stripeSubscriptionId: true },
  });

describe('roles', () => {
  let people: Awaited<ReturnType<typeof team>>;

  beforeAll(async () => {
    people = await team();
    await api.ctx.prisma.project.update({ where: { id: people.id }, data: { stripeCustomerId: 'cus_roles' } });
  });

  test.each([...AT_PROVIDER, ...OWN])(
    '%s %s: the owner and an admin have access, a member gets 403, others 404',
    async (method, name) => {
      expect((await call(people.owner, method, people.id, name)).statusCode).toBe(200);
      expect((await call(people.admin, method, people.id, name)).statusCode).toBe(200);
      expect(refusal(await call(people.member, method, people.id, name))).toEqual([403, 'FORBIDDEN']);
      expect(refusal(await call(await newUser(api), method, people.id, name))).toEqual([404, 'PROJECT_NOT_FOUND']);
      expect(refusal(await call(people.owner, method, 'nope', name))).toEqual([404, 'PROJECT_NOT_FOUND']);
      expect(refusal(await api.app.inject({ method, url: `/users/@me/projects/${people.id}/${name}` }))).toEqual([
        401,
        'UNAUTHORIZED',
      ]);
    },
  );
});

describe('without a key of the provider', () => {
  test.each(AT_PROVIDER)('%s %s returns 404 BILLING_DISABLED to callers with access', async (method, name) => {
    const { id, owner, member } = await team(off);
    expect(refusal(await call(owner, method, id, name))).toEqual([404, 'BILLING_DISABLED']);
    expect(refusal(await call(member, method, id, name))).toEqual([403, 'FORBIDDEN']);
  });

  test.each(OWN)('%s %s works', async (method, name) => {
    const { id, owner } = await team(off);
    expect((await call(owner, method, id, name)).statusCode).toBe(200);
  });

  test('GET /config reports whether billing is configured', async () => {
    const features = async (from: typeof api) =>
      (await from.app.inject({ url: '/config' })).json<{ features: { billing: boolean } }>().features.billing;
    expect([await features(off), await features(api)]).toEqual([false, true]);
  });
});

describe('POST checkout', () => {
  test("returns the provider's page of a subscription that names the project", async () => {
    const { id, owner } = await team();
    const response = await call(owner, 'POST', id, 'checkout');
    expect(response.statusCode, response.body).toBe(200);
    expect(response.json()).toEqual({ url: expect.stringMatching(/^https:\/\/checkout\.test\/cs_/) });
    const [customer, session, ...more] = stripe.requests();
    expect(more).toEqual([]);
    expect(customer).toMatchObject({
      route: 'POST /v1/customers',
      fields: { email: owner.email, name: 'Acme', 'metadata[projectId]': id },
    });
    expect(customer?.headers.authorization).toBe(`Bearer ${STRIPE_KEY}`);
    const { stripeCustomerId } = await stored(id);
    expect(session).toEqual({
      route: 'POST /v1/checkout/sessions',
      headers: expect.anything(),
      fields: {
        mode: 'subscription',
        customer: stripeCustomerId,
        'line_items[0][price]': PRICE,
        'line_items[0][quantity]': '1',
        client_reference_id: id,
        'subscription_data[metadata][projectId]': id,
        success_url: `https://app.acme.test/projects/${id}/billing?checkout=success`,
        cancel_url: `https://app.acme.test/projects/${id}/billing?checkout=cancelled`,
      },
    });
  });

  test('creates one customer, for repeated and concurrent calls of all managers', async () => {
    const { id, owner, admin } = await team();
    const responses = await Promise.all([owner, owner, admin, admin].map((user) => call(user, 'POST', id, 'checkout')));
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    await call(owner, 'POST', id, 'checkout');
    const { stripeCustomerId } = await stored(id);
    const sessions = stripe.requests().filter(({ route }) => route === 'POST /v1/checkout/sessions');
    expect(sessions.map(({ fields }) => fields.customer)).toEqual(Array.from({ length: 5 }, () => stripeCustomerId));
  });

  test('returns 409 if the project has a subscription, and does not call the provider', async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({
      where: { id },
      data: { stripeCustomerId: 'cus_1', stripeSubscriptionId: 'sub_1' },
    });
    expect(refusal(await call(owner, 'POST', id, 'checkout'))).toEqual([409, 'CONFLICT']);
    expect(stripe.requests()).toEqual([]);
  });

  test('returns 403 PROJECT_DISABLED for a disabled project', async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({ where: { id }, data: { disabled: true } });
    expect(refusal(await call(owner, 'POST', id, 'checkout'))).toEqual([403, 'PROJECT_DISABLED']);
  });

  test('returns 503 with Retry-After while the provider fails, and keeps the created customer', async () => {
    const { id, owner } = await team();
    stripe.on('POST /v1/checkout/sessions', json(500, { error: { type: 'api_error', message: 'Something broke' } }));
    const response = await call(owner, 'POST', id, 'checkout');
    expect(refusal(response)).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(response.body).not.toContain('Something broke');
    expect((await stored(id)).stripeCustomerId).toMatch(/^cus_/);
  });

  test('returns 500 without details if the provider rejects our request', async () => {
    const { id, owner } = await team();
    stripe.on(
      'POST /v1/checkout/sessions',
      json(400, { error: { type: 'invalid_request_error', message: 'No such price' } }),
    );
    const response = await call(owner, 'POST', id, 'checkout');
    expect(refusal(response)).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(response.body).not.toContain('No such price');
  });
});

describe('POST billing-portal', () => {
  test("returns the provider's page of the project's customer, also for a disabled project", async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({ where: { id }, data: { stripeCustomerId: 'cus_portal', disabled: true } });
    const response = await call(owner, 'POST', id, 'billing-portal');
    expect(response.json()).toEqual({ url: expect.stringMatching(/^https:\/\/portal\.test\//) });
    expect(stripe.requests()).toMatchObject([
      {
        route: 'POST /v1/billing_portal/sessions',
        fields: { customer: 'cus_portal', return_url: `https://app.acme.test/projects/${id}/billing` },
      },
    ]);
  });

  test('returns 409 before the first checkout', async () => {
    const { id, owner } = await team();
    expect(refusal(await call(owner, 'POST', id, 'billing-portal'))).toEqual([409, 'CONFLICT']);
  });
});

describe('GET billing-invoices', () => {
  test("returns the customer's invoices, with money in the smallest unit and times in UTC", async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({ where: { id }, data: { stripeCustomerId: 'cus_invoices' } });
    stripe.on(
      'GET /v1/invoices',
      json(200, {
        object: 'list',
        has_more: true,
        data: [invoice('in_2', { status: 'open', number: null, amount_paid: 0 }), invoice('in_1')],
      }),
    );
    const response = await call(owner, 'GET', id, 'billing-invoices?limit=2');
    expect(response.json()).toEqual({
      hasMore: true,
      data: [
        expect.objectContaining({ id: 'in_2', status: 'open', number: null, amountPaid: 0 }),
        {
          id: 'in_1',
          number: 'N-in_1',
          status: 'paid',
          currency: 'eur',
          amountDue: 1900,
          amountPaid: 1900,
          total: 1900,
          periodStart: '2026-09-21T14:13:20.000Z',
          periodEnd: '2026-10-21T14:13:20.000Z',
          createdAt: '2026-10-21T14:15:00.000Z',
          hostedInvoiceUrl: 'https://invoices.test/in_1',
          invoicePdf: 'https://invoices.test/in_1.pdf',
        },
      ],
    });
    expect(stripe.requests()).toMatchObject([
      { route: 'GET /v1/invoices', fields: { customer: 'cus_invoices', limit: '2' } },
    ]);
  });

  test('returns every field even of a minimal invoice', async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({ where: { id }, data: { stripeCustomerId: 'cus_little' } });
    stripe.on(
      'GET /v1/invoices',
      json(200, { data: [{ id: 'in_1', currency: 'eur', status: 'open', amount_due: 500, created: 1_790_000_000 }] }),
    );
    const at = '2026-09-21T14:13:20.000Z';
    expect((await call(owner, 'GET', id, 'billing-invoices')).json()).toEqual({
      hasMore: false,
      data: [
        {
          id: 'in_1',
          number: null,
          status: 'open',
          currency: 'eur',
          amountDue: 500,
          amountPaid: 0,
          total: 500,
          periodStart: at,
          periodEnd: at,
          createdAt: at,
          hostedInvoiceUrl: null,
          invoicePdf: null,
        },
      ],
    });
  });

  test('returns an empty list before the first checkout, without a call', async () => {
    const { id, owner } = await team();
    expect((await call(owner, 'GET', id, 'billing-invoices')).json()).toEqual({ data: [], hasMore: false });
    expect(stripe.requests()).toEqual([]);
  });

  test('clamps a limit above 100, and rejects anything but a positive integer', async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({ where: { id }, data: { stripeCustomerId: 'cus_limit' } });
    await call(owner, 'GET', id, 'billing-invoices?limit=5000');
    expect(stripe.requests()[0]?.fields.limit).toBe('100');
    for (const limit of ['0', '-1', 'x', '1.5'])
      expect(refusal(await call(owner, 'GET', id, `billing-invoices?limit=${limit}`))).toEqual([
        422,
        'VALIDATION_ERROR',
        'limit',
      ]);
  });
});

describe('DELETE /users/@me/projects/:id', () => {
  const remove = (user: TestUser, id: string) => user.call('DELETE', `/users/@me/projects/${id}`);

  test("ends the project's subscription first", async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({
      where: { id },
      data: { stripeCustomerId: 'cus_gone', stripeSubscriptionId: 'sub_gone' },
    });
    stripe.on(
      'DELETE /v1/subscriptions/sub_gone',
      json(200, { id: 'sub_gone', object: 'subscription', status: 'canceled' }),
    );
    expect((await remove(owner, id)).statusCode).toBe(204);
    expect(stripe.requests().map(({ route }) => route)).toEqual(['DELETE /v1/subscriptions/sub_gone']);
  });

  test('keeps the project if the provider does not respond, and deletes it if the subscription is gone', async () => {
    const { id, owner } = await team();
    await api.ctx.prisma.project.update({
      where: { id },
      data: { stripeCustomerId: 'cus_kept', stripeSubscriptionId: 'sub_kept' },
    });
    stripe.on('DELETE /v1/subscriptions/sub_kept', json(503, { error: { type: 'api_error', message: 'later' } }));
    expect(refusal(await remove(owner, id))).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(await stored(id)).toMatchObject({ stripeSubscriptionId: 'sub_kept' });
    stripe.on(
      'DELETE /v1/subscriptions/sub_kept',
      json(404, {
        error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such subscription' },
      }),
    );
    expect((await remove(owner, id)).statusCode).toBe(204);
  });
});
