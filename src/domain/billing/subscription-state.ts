/** Computes a subscription's state after an event of the payment provider. Pure functions. */
import type { SubscriptionRow } from './sql/subscriptions.js';

/** States with payments or payment requests. Another checkout would create a second subscription. */
export const ALIVE = ['active', 'trialing', 'past_due', 'unpaid', 'paused'] as const;

/** Final states. */
const ENDED = new Set(['canceled', 'incomplete_expired']);

export interface Period {
  start: Date;
  end: Date;
}

/** What an event says of a subscription; `at` is the provider's time, in whole seconds. */
export type Fact =
  /** A checkout was completed. */
  | { kind: 'began'; at: Date; paid: boolean }
  /** The subscription as it is. */
  | { kind: 'state'; at: Date; status: string; period: Period | null; cancelAtPeriodEnd: boolean }
  /** An invoice of it was paid, or could not be. */
  | { kind: 'invoice'; at: Date; paid: boolean; period: Period | null };

/**
 * A subscription's own state wins over the state that a checkout or an invoice of the same second implies, in either
 * order.
 */
const justBefore = (at: Date): Date => new Date(at.getTime() - 1);

/**
 * The subscription after an event; null: the event changes nothing, since it is older than what is known, says the
 * same, or the subscription has ended.
 * `unsure`: another state of the same second is known, and only the provider knows which one is later; with `decided`,
 * it is this one.
 */
export function nextState(
  known: SubscriptionRow | null,
  fact: Fact,
  { decided = false } = {},
): SubscriptionRow | 'unsure' | null {
  if (known && ENDED.has(known.status)) return null;
  switch (fact.kind) {
    case 'began':
      if (known) return null;
      return {
        status: fact.paid ? 'active' : 'incomplete',
        periodStart: null,
        periodEnd: null,
        cancelAtPeriodEnd: false,
        eventAt: justBefore(fact.at),
      };
    case 'invoice':
      return afterInvoice(known, fact);
    case 'state':
      return afterState(known, fact, decided);
  }
}

/** Of a trial's invoice over nothing follows nothing for its state. */
const PAID_UP = new Set(['incomplete', 'past_due', 'unpaid']);

function afterInvoice(
  known: SubscriptionRow | null,
  { at, paid, period }: Fact & { kind: 'invoice' },
): SubscriptionRow | null {
  const eventAt = justBefore(at);
  if (known && eventAt <= known.eventAt) return null;
  const before = known?.status ?? 'incomplete';
  const status = paid
    ? PAID_UP.has(before)
      ? 'active'
      : before
    : before === 'active' || before === 'trialing'
      ? 'past_due'
      : before;
  return {
    status,
    periodStart: (paid ? period?.start : null) ?? known?.periodStart ?? null,
    periodEnd: (paid ? period?.end : null) ?? known?.periodEnd ?? null,
    cancelAtPeriodEnd: known?.cancelAtPeriodEnd ?? false,
    eventAt,
  };
}

function afterState(
  known: SubscriptionRow | null,
  { at, status, period, cancelAtPeriodEnd }: Fact & { kind: 'state' },
  decided: boolean,
): SubscriptionRow | 'unsure' | null {
  const next: SubscriptionRow = {
    status,
    periodStart: period?.start ?? known?.periodStart ?? null,
    periodEnd: period?.end ?? known?.periodEnd ?? null,
    cancelAtPeriodEnd,
    eventAt: at,
  };
  // An end is final, whenever it is heard of.
  if (!known || at > known.eventAt || ENDED.has(status)) return next;
  if (at < known.eventAt) return null;
  if (isSame(known, next)) return null;
  return decided ? next : 'unsure';
}

const isSame = (a: SubscriptionRow, b: SubscriptionRow): boolean =>
  a.status === b.status &&
  a.periodStart?.getTime() === b.periodStart?.getTime() &&
  a.periodEnd?.getTime() === b.periodEnd?.getTime() &&
  a.cancelAtPeriodEnd === b.cancelAtPeriodEnd;
