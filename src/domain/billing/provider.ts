/** The payment provider: Stripe, through its own library. Disabled without a key. */
import type { Stripe } from 'stripe';
import type { Config } from '../../config.js';
import { ApiError } from '../../errors.js';

export type { Stripe };

/** Short, because a request waits for the response. */
const TIMEOUT = 10_000;

export interface Provider {
  /** The library's client, loaded on first use. */
  client: () => Promise<Stripe>;
  webhookSecret: string | null;
  priceId: string | null;
}

/** @returns null if no key is configured */
export function createProvider({
  STRIPE_SECRET_KEY: key,
  STRIPE_WEBHOOK_SECRET,
  STRIPE_PRICE_ID,
  STRIPE_API_BASE,
}: Config): Provider | null {
  if (!key) return null;
  let client: Promise<Stripe> | undefined;
  const connect = async (): Promise<Stripe> => {
    const { Stripe } = await import('stripe');
    return new Stripe(key, { timeout: TIMEOUT, maxNetworkRetries: 2, telemetry: false, ...addressOf(STRIPE_API_BASE) });
  };
  return {
    client: () => (client ??= connect()),
    webhookSecret: STRIPE_WEBHOOK_SECRET ?? null,
    priceId: STRIPE_PRICE_ID ?? null,
  };
}

function addressOf(base: string | undefined): { host: string; port: string; protocol: 'http' | 'https' } | undefined {
  if (base === undefined) return undefined;
  const { hostname, port, protocol } = new URL(base);
  const secure = protocol === 'https:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (secure ? '443' : '80'),
    protocol: secure ? 'https' : 'http',
  };
}

const disabled = (missing: string): ApiError =>
  new ApiError('BILLING_DISABLED', `Billing is not enabled on this installation: ${missing} is not configured.`);

/** @throws BILLING_DISABLED (404) when no key is configured */
export function requireProvider({ provider }: { provider: Provider | null }): Provider {
  if (!provider) throw disabled('STRIPE_SECRET_KEY');
  return provider;
}

/** @throws BILLING_DISABLED (404) without a price to subscribe to */
export function requirePrice({ priceId }: Provider): string {
  if (priceId === null) throw disabled('STRIPE_PRICE_ID');
  return priceId;
}

/** @throws BILLING_DISABLED (404) without the secret that notifications are signed with */
export function requireWebhookSecret({ webhookSecret }: Provider): string {
  if (webhookSecret === null) throw disabled('STRIPE_WEBHOOK_SECRET');
  return webhookSecret;
}

/** Transient failures: the provider is unreachable, has an internal error, or limits our rate. */
const PASSING = new Set(['StripeConnectionError', 'StripeAPIError', 'StripeRateLimitError']);

/** The library's name for what went wrong at the provider. */
export const faultOf = (error: unknown): string | null =>
  error instanceof Error && 'type' in error && typeof error.type === 'string' ? error.type : null;

/**
 * Calls the provider and translates its errors: if it rejects our key, that is not a 401 of the caller.
 *
 * @throws SERVICE_UNAVAILABLE (503) for transient failures; INTERNAL_SERVER_ERROR (500) for wrong requests or
 *   configuration
 */
export async function atProvider<T>(provider: Provider, ask: (stripe: Stripe) => Promise<T>): Promise<T> {
  try {
    return await ask(await provider.client());
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    if (PASSING.has(fault))
      throw new ApiError(
        'SERVICE_UNAVAILABLE',
        'The payment provider does not answer right now. Nothing was changed; try again.',
        { cause: error, retryAfter: 5 },
      );
    throw new ApiError(
      'INTERNAL_SERVER_ERROR',
      'The payment provider refuses this. Why is logged under this request id.',
      { cause: error },
    );
  }
}
