/** Profiles at sign-in providers. */
import { z } from 'zod';
import { isAddress, normalizeAddress } from '../../address.js';
import type { Provider, ProviderName } from './providers.js';

/** An account at a provider. */
export interface Profile {
  provider: ProviderName;
  /** The provider's id of the account. */
  subject: string;
  /** Normalized; null if the provider has not verified it. */
  email: string | null;
}

const TIMEOUT_MS = 10_000;

/** OpenID Connect Core, 5.1. */
const GoogleUser = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().optional(),
  email_verified: z.union([z.boolean(), z.stringbool()]).optional(),
});
const GithubUser = z.object({ id: z.number().int() });
const GithubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }));

/** A provider failed or sent an invalid response. `cause` has the details for the log. */
export class ProviderError extends Error {}

async function fetchJson<T>(url: string, accessToken: string, schema: z.ZodType<T>): Promise<T> {
  try {
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${accessToken}`, accept: 'application/json', 'user-agent': 'Sendloom' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`The response has status ${response.status}.`);
    return schema.parse(await response.json());
  } catch (cause) {
    throw new ProviderError(`Could not read the profile from ${new URL(url).host}.`, { cause });
  }
}

const validAddress = (email: string | undefined): string | null => {
  const address = normalizeAddress(email ?? '');
  return isAddress(address) ? address : null;
};

/**
 * Fetches the profile of an access token.
 *
 * @throws ProviderError
 */
export async function fetchProfile(
  name: ProviderName,
  { userUrl, emailsUrl }: Provider,
  accessToken: string,
): Promise<Profile> {
  if (emailsUrl === null) {
    const user = await fetchJson(userUrl, accessToken, GoogleUser);
    return { provider: name, subject: user.sub, email: user.email_verified === true ? validAddress(user.email) : null };
  }
  const [user, emails] = await Promise.all([
    fetchJson(userUrl, accessToken, GithubUser),
    fetchJson(emailsUrl, accessToken, GithubEmails),
  ]);
  return {
    provider: name,
    subject: String(user.id),
    email: validAddress(emails.find(({ primary, verified }) => primary && verified)?.email),
  };
}
