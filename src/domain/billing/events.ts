/** `POST /webhooks/incoming/stripe`: events of the payment provider (contract, section 8). */
import { ZodError } from 'zod';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { claimNotification } from '../feedback/sql/notifications.js';
import { findSubscription, holdProjectOf, settleProject, storeSubscription } from './sql/subscriptions.js';
import { badRequest } from '../../errors.js';
import { readEvent, stateOf, type BillingEvent } from './event-facts.js';
import { faultOf, requireProvider, requireWebhookSecret, type Provider } from './provider.js';
import { ALIVE, nextState } from './subscription-state.js';

/** Older signatures are rejected as possible replays. */
const TOLERANCE = 300;

/**
 * How long the provider may take to tell which of two states is the later one, in milliseconds: it waits for our answer
 * meanwhile.
 */
const STRIPE_TIMEOUT_MS = 5000;

/**
 * - `applied`: applied for the first time
 * - `repeated`: applied before
 * - `ignored`: another kind of event, or an unknown customer
 */
export type Outcome = 'applied' | 'repeated' | 'ignored';

/**
 * Checks the signature of a notification and applies it once, even if it arrives repeatedly, concurrently, or out of
 * order.
 *
 * @param body exactly as it came
 * @throws BILLING_DISABLED (404), BAD_REQUEST (400: a signature that is missing, wrong or too old, or a body that is no
 * event)
 */
export async function receiveEvent(ctx: Context, body: Buffer, signature: string | undefined): Promise<Outcome> {
  const provider = requireProvider(ctx);
  const event = await verified(provider, requireWebhookSecret(provider), body, signature);
  if (!event) return 'ignored';
  try {
    return await apply(ctx, event);
  } catch (error) {
    if (!(error instanceof Unsure)) throw error;
    return apply(ctx, await ask(ctx, provider, event), { decided: true });
  }
}

async function verified(
  provider: Provider,
  secret: string,
  body: Buffer,
  signature: string | undefined,
): Promise<BillingEvent | null> {
  if (!signature) throw badRequest('The header Stripe-Signature is missing.');
  const stripe = await provider.client();
  try {
    return readEvent(stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE));
  } catch (error) {
    if (faultOf(error) === 'StripeSignatureVerificationError')
      throw badRequest('The signature is not that of this body, or is too old.', { cause: error });
    if (error instanceof SyntaxError || error instanceof ZodError)
      throw badRequest('The body is not an event that can be read.', { cause: error });
    throw error;
  }
}

/** Rolls back an event whose order cannot be determined from the stored state. */
class Unsure extends Error {}

/** @param decided the provider was asked: of two states of the same second this one holds */
async function apply(ctx: Context, event: BillingEvent, { decided = false } = {}): Promise<Outcome> {
  const { id, customer, subscription, fact } = event;
  return transaction(ctx.pool, async (tx) => {
    if (!(await claimNotification(tx, 'stripe', id))) return 'repeated';
    const projectId = await holdProjectOf(tx, event);
    if (projectId === null) {
      ctx.log.info({ event: id }, 'The payment provider tells of a project that is not here');
      return 'ignored';
    }
    if (subscription !== null) {
      const next = nextState(await findSubscription(tx, subscription), fact, { decided });
      if (next === 'unsure') throw new Unsure();
      if (next !== null) await storeSubscription(tx, projectId, subscription, next);
    }
    await settleProject(tx, projectId, { customer, alive: ALIVE });
    return 'applied';
  });
}

/** Returns the event with the subscription's current state at the provider, or unchanged if the provider fails. */
async function ask({ log }: Context, provider: Provider, event: BillingEvent): Promise<BillingEvent> {
  const { subscription, fact } = event;
  if (subscription === null || fact.kind !== 'state') return event;
  try {
    const stripe = await provider.client();
    const object = await stripe.subscriptions.retrieve(subscription, undefined, {
      timeout: STRIPE_TIMEOUT_MS,
      maxNetworkRetries: 0,
    });
    return { ...event, fact: stateOf(object, fact.at).fact };
  } catch (error) {
    log.warn(
      { err: error, event: event.id },
      'Stripe did not return the subscription, so the order of two states is unknown. Applied the state received last.',
    );
    return event;
  }
}
