/** The state of a subscription after the payment provider's events, in any order. */
import { describe, expect, test } from 'vitest';
import type { SubscriptionRow } from '../../src/domain/billing/sql/subscriptions.js';
import { readEvent } from '../../src/domain/billing/event-facts.js';
import { nextState, type Fact } from '../../src/domain/billing/subscription-state.js';

const at = (second: number): Date => new Date(1_800_000_000_000 + second * 1000);
const state = (second: number, status: string, cancelAtPeriodEnd = false): Fact => ({
  kind: 'state',
  at: at(second),
  status,
  period: null,
  cancelAtPeriodEnd,
});
const invoice = (second: number, paid: boolean): Fact => ({ kind: 'invoice', at: at(second), paid, period: null });
const began = (second: number, paid = true): Fact => ({ kind: 'began', at: at(second), paid });

/** The status after these events; `unsure` if only the provider knows it. */
function after(...facts: Fact[]): string | null {
  let known: SubscriptionRow | null = null;
  for (const fact of facts) {
    const next: SubscriptionRow | 'unsure' | null = nextState(known, fact);
    if (next === 'unsure') return 'unsure';
    known = next ?? known;
  }
  return known?.status ?? null;
}

function* orders<T>(items: readonly T[]): Generator<T[]> {
  if (items.length === 0) yield [];
  for (const [index, item] of items.entries())
    for (const rest of orders(items.toSpliced(index, 1))) yield [item, ...rest];
}

describe('a subscription', () => {
  test('is active after a checkout that was paid, and incomplete after one that was not', () => {
    expect(after(began(0))).toBe('active');
    expect(after(began(0, false))).toBe('incomplete');
  });

  test('ignores an older update that arrives after a newer one', () => {
    expect(after(state(10, 'past_due'), state(9, 'active'))).toBe('past_due');
    expect(after(state(9, 'active'), state(10, 'past_due'))).toBe('past_due');
  });

  test('stays ended after any later event', () => {
    expect(after(state(5, 'canceled'), state(9, 'active'), invoice(10, true), began(11))).toBe('canceled');
    expect(after(state(9, 'active'), state(5, 'canceled'))).toBe('canceled');
    expect(after(state(5, 'incomplete_expired'), state(6, 'active'))).toBe('incomplete_expired');
  });

  test('is past due after a failed payment and active again after a successful one', () => {
    expect(after(state(0, 'active'), invoice(5, false))).toBe('past_due');
    expect(after(state(0, 'active'), invoice(5, false), invoice(9, true))).toBe('active');
    expect(after(state(0, 'active'), invoice(9, true), invoice(5, false))).toBe('active');
  });

  test('stays a trial when its invoice of zero is paid', () => {
    expect(after(state(0, 'trialing'), invoice(1, true))).toBe('trialing');
  });

  test('has the status of its own update, not of a checkout or invoice in the same second, in either order', () => {
    for (const other of [began(7), invoice(7, true), invoice(7, false)]) {
      expect(after(other, state(7, 'trialing'))).toBe('trialing');
      expect(after(state(7, 'trialing'), other)).toBe('trialing');
    }
  });

  test('is fetched from the provider if two updates in the same second differ, and only then', () => {
    expect(after(state(7, 'incomplete'), state(7, 'active'))).toBe('unsure');
    expect(after(state(7, 'active'), state(7, 'active', true))).toBe('unsure');
    expect(after(state(7, 'active'), state(7, 'active'))).toBe('active');
    const known = nextState(null, state(7, 'incomplete'));
    expect(
      known === null || known === 'unsure' ? null : nextState(known, state(7, 'active'), { decided: true }),
    ).toMatchObject({ status: 'active' });
  });

  test.each([
    ['a start', [began(0), invoice(0, true), state(1, 'active')], 'active'],
    [
      'a failed payment that succeeds later',
      [began(0), state(1, 'active'), state(20, 'past_due'), state(30, 'active')],
      'active',
    ],
    [
      'an end',
      [began(0), state(1, 'active'), invoice(20, false), state(21, 'past_due'), state(30, 'canceled')],
      'canceled',
    ],
  ])('ends in the same state for every order of the events of %s', (_, facts, expected) => {
    expect(new Set([...orders(facts)].map((order) => after(...order)))).toEqual(new Set([expected]));
  });
});

describe('an event', () => {
  const event = (type: string, object: Record<string, unknown>) => ({
    id: 'evt_1',
    type,
    created: 1_800_000_000,
    data: { object },
  });
  const projectId = '01936d2e-0000-7000-8000-000000000001';

  test('of a checkout without a subscription is ignored', () => {
    expect(readEvent(event('checkout.session.completed', { mode: 'payment', customer: 'cus_1' }))).toBeNull();
  });

  test('of another type is ignored', () => {
    expect(readEvent(event('customer.created', { id: 'cus_1' }))).toBeNull();
  });

  test.each([
    ['in the item', { items: { data: [{ current_period_start: 1_800_000_000, current_period_end: 1_802_000_000 }] } }],
    [
      'at the top, as in older versions of the API',
      { current_period_start: 1_800_000_000, current_period_end: 1_802_000_000 },
    ],
  ])('of a subscription contains its period %s', (_, fields) => {
    const read = readEvent(
      event('customer.subscription.updated', {
        id: 'sub_1',
        customer: { id: 'cus_1' },
        status: 'active',
        metadata: { projectId },
        ...fields,
      }),
    );
    expect(read).toMatchObject({
      customer: 'cus_1',
      subscription: 'sub_1',
      projectId,
      fact: { kind: 'state', status: 'active', period: { start: at(0), end: at(2_000_000) } },
    });
  });

  test.each([
    ['in its parent', { parent: { subscription_details: { subscription: 'sub_1', metadata: { projectId } } } }],
    ['at the top, as in older versions of the API', { subscription: 'sub_1' }],
  ])('of an invoice contains its subscription %s', (_, fields) => {
    const lines = {
      data: [
        { period: { start: 1_790_000_000, end: 1_800_000_000 } },
        { period: { start: 1_800_000_000, end: 1_802_000_000 } },
      ],
    };
    expect(readEvent(event('invoice.paid', { customer: 'cus_1', lines, ...fields }))).toMatchObject({
      customer: 'cus_1',
      subscription: 'sub_1',
      fact: { kind: 'invoice', paid: true, period: { end: at(2_000_000) } },
    });
  });

  test('with an invalid project id has no project', () => {
    expect(
      readEvent(
        event('checkout.session.completed', {
          mode: 'subscription',
          client_reference_id: "' OR 1=1",
          subscription: 'sub_1',
        }),
      ),
    ).toMatchObject({ projectId: null });
  });

  test.each([
    ['an invalid object', event('invoice.paid', { customer: 5 })],
    ['no id', { type: 'invoice.paid', created: 1, data: { object: {} } }],
    ['a subscription without a state', event('customer.subscription.updated', { id: 'sub_1' })],
  ])('with %s is rejected', (_, body) => {
    expect(() => readEvent(body)).toThrow();
  });
});
