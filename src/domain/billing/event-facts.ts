/**
 * What we need of the provider's events, read from their JSON: which version of its API an event is in is set in the
 * provider's dashboard, and periods and the subscription of an invoice have moved between versions.
 */
import { z } from 'zod';
import { isId } from '../../ids.js';
import type { Fact, Period } from './subscription-state.js';

/** An id, or the object in its place. */
const Ref = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((id) => id ?? null);
const Seconds = z.number().int().nullish();
const Metadata = z.record(z.string(), z.string()).nullish();

const Session = z.object({
  mode: z.string().nullish(),
  customer: Ref,
  subscription: Ref,
  client_reference_id: z.string().nullish(),
  payment_status: z.string().nullish(),
  metadata: Metadata,
});

const periodFields = { current_period_start: Seconds, current_period_end: Seconds };
const Subscription = z.object({
  id: z.string(),
  customer: Ref,
  status: z.string(),
  cancel_at_period_end: z.boolean().nullish(),
  metadata: Metadata,
  ...periodFields,
  items: z.object({ data: z.array(z.object(periodFields)) }).nullish(),
});

const Invoice = z.object({
  customer: Ref,
  subscription: Ref,
  parent: z.object({ subscription_details: z.object({ subscription: Ref, metadata: Metadata }).nullish() }).nullish(),
  lines: z
    .object({
      data: z.array(z.object({ period: z.object({ start: z.number().int(), end: z.number().int() }).nullish() })),
    })
    .nullish(),
});

const Event = z.object({
  id: z.string().min(1).max(255),
  type: z.string(),
  created: z.number().int().nullish(),
  data: z.object({ object: z.looseObject({}) }),
});

/** An event that means something to us. */
export interface BillingEvent {
  id: string;
  customer: string | null;
  subscription: string | null;
  /** As it was given along when the checkout began. */
  projectId: string | null;
  fact: Fact;
}

const time = (seconds: number): Date => new Date(seconds * 1000);
const periodOf = (start: number | null | undefined, end: number | null | undefined): Period | null =>
  typeof start === 'number' && typeof end === 'number' ? { start: time(start), end: time(end) } : null;
const projectOf = (id: string | null | undefined): string | null => (typeof id === 'string' && isId(id) ? id : null);

/** A subscription's state, from the object that the provider has of it. */
export function stateOf(
  object: unknown,
  at: Date,
): { subscription: string; customer: string | null; projectId: string | null; fact: Fact & { kind: 'state' } } {
  const { id, customer, status, cancel_at_period_end, current_period_start, current_period_end, items, metadata } =
    Subscription.parse(object);
  const [item] = items?.data ?? [];
  const period = periodOf(
    current_period_start ?? item?.current_period_start,
    current_period_end ?? item?.current_period_end,
  );
  return {
    subscription: id,
    customer,
    projectId: projectOf(metadata?.projectId),
    fact: { kind: 'state', at, status, period, cancelAtPeriodEnd: cancel_at_period_end ?? false },
  };
}

function readSession(object: unknown, at: Date): Omit<BillingEvent, 'id'> | null {
  const { mode, customer, subscription, client_reference_id, payment_status, metadata } = Session.parse(object);
  if (mode && mode !== 'subscription') return null;
  const paid = payment_status !== 'unpaid';
  return {
    customer,
    subscription,
    projectId: projectOf(client_reference_id ?? metadata?.projectId),
    fact: { kind: 'began', at, paid },
  };
}

function readInvoice(object: unknown, at: Date, paid: boolean): Omit<BillingEvent, 'id'> {
  const { customer, subscription, parent, lines } = Invoice.parse(object);
  const details = parent?.subscription_details;
  // The last line is the period that begins; those before it may be of the past (prorations).
  const period = lines?.data.at(-1)?.period;
  return {
    customer,
    subscription: subscription ?? details?.subscription ?? null,
    projectId: projectOf(details?.metadata?.projectId),
    fact: { kind: 'invoice', at, paid, period: periodOf(period?.start, period?.end) },
  };
}

/**
 * Reads an event whose signature was checked.
 *
 * @returns null for what means nothing to us
 * @throws ZodError when it is not what its type says
 */
export function readEvent(event: unknown): BillingEvent | null {
  const { id, type, created, data } = Event.parse(event);
  const at = time(created ?? Math.floor(Date.now() / 1000));
  const said = (): Omit<BillingEvent, 'id'> | null => {
    switch (type) {
      case 'checkout.session.completed':
        return readSession(data.object, at);
      case 'invoice.paid':
        return readInvoice(data.object, at, true);
      case 'invoice.payment_failed':
        return readInvoice(data.object, at, false);
      case 'customer.subscription.updated':
        return stateOf(data.object, at);
      case 'customer.subscription.deleted':
        return stateOf({ ...data.object, status: 'canceled' }, at);
      default:
        return null;
    }
  };
  const known = said();
  return known && { id, ...known };
}
