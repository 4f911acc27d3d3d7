/** Sign-in with Google and GitHub: the redirect to the provider, and its callback. */
import type { OAuth2Namespace } from '@fastify/oauth2';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { fetchProfile, ProviderError } from '../../domain/accounts/profile.js';
import { providerOf, type Provider, type ProviderName } from '../../domain/accounts/providers.js';
import { signIn, type SignInRefusal } from '../../domain/accounts/sign-in.js';
import { ApiError } from '../../errors.js';
import { startSession } from '../session.js';
import { withTypes } from '../typed.js';

declare module 'fastify' {
  interface FastifyInstance {
    oauthGoogle: OAuth2Namespace;
    oauthGithub: OAuth2Namespace;
  }
}

/** The time from the redirect to the callback. */
const STATE_MAX_AGE_SECONDS = 600;
const PROVIDER_TIMEOUT_MS = 10_000;

/**
 * The reason for a failed sign-in, apart from the refusals of the domain: the user declined, the state is not from this
 * browser, or the provider failed.
 */
type Failure = SignInRefusal | 'denied' | 'invalid_state' | 'provider_failed';

const CallbackQuery = z.object({
  code: z.string().max(2000).optional(),
  state: z.string().max(2000).optional(),
  error: z.string().max(2000).optional(),
});

interface ProviderRoutes {
  name: ProviderName;
  title: string;
  /** The name of the decorator that @fastify/oauth2 adds. */
  decorator: 'oauthGoogle' | 'oauthGithub';
}

export const oauthRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (app, { ctx }) => {
  await registerProvider(app, ctx, { name: 'google', title: 'Google', decorator: 'oauthGoogle' });
  await registerProvider(app, ctx, { name: 'github', title: 'GitHub', decorator: 'oauthGithub' });
};

async function registerProvider(
  instance: FastifyInstance,
  ctx: ApiContext,
  { name, title, decorator }: ProviderRoutes,
): Promise<void> {
  const app = withTypes(instance);
  const { PUBLIC_URL, DASHBOARD_URL } = ctx.config;
  const provider = providerOf(ctx.config, name);
  const cookies = cookiesOf(name, PUBLIC_URL);
  if (provider) {
    // Loading it takes a tenth of the start.
    const { default: oauth2 } = await import('@fastify/oauth2');
    await instance.register(oauth2, {
      name: decorator,
      credentials: {
        client: { id: provider.clientId, secret: provider.clientSecret },
        auth: endpointsOf(provider),
        options: { authorizationMethod: 'body' },
        http: { timeout: PROVIDER_TIMEOUT_MS },
      },
      scope: provider.scope,
      callbackUri: `${PUBLIC_URL}/auth/${name}/callback`,
      pkce: 'S256',
      redirectStateCookieName: cookies.state,
      verifierCookieName: cookies.verifier,
      cookie: { ...cookies.options, maxAge: STATE_MAX_AGE_SECONDS },
    });
  }

  const requireProvider = (): Provider => {
    if (provider) return provider;
    throw new ApiError('ROUTE_NOT_FOUND', `Sign-in with ${title} is not configured on this installation.`);
  };

  const fetchAccessToken = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    try {
      const { token } = await instance[decorator].getAccessTokenFromAuthorizationCodeFlow(request, reply);
      if (token.access_token) return token.access_token;
    } catch (cause) {
      throw new ProviderError('The provider rejected the authorization code.', { cause });
    }
    throw new ProviderError('The provider returned no access token.');
  };

  /** Signs the user in and starts a session. @returns the reason for a failure, or null */
  const completeSignIn = async (
    request: FastifyRequest,
    reply: FastifyReply,
    query: z.infer<typeof CallbackQuery>,
  ): Promise<Failure | null> => {
    const found = requireProvider();
    if (!query.state || query.state !== request.cookies[cookies.state] || !request.cookies[cookies.verifier])
      return 'invalid_state';
    if (query.error !== undefined || !query.code) return 'denied';
    const profile = await fetchProfile(name, found, await fetchAccessToken(request, reply));
    const result = await signIn(ctx, profile, request.account?.id ?? null);
    if ('refused' in result) return result.refused;
    await startSession(ctx, reply, result.user);
    return null;
  };

  app.get(
    `/auth/${name}`,
    {
      config: { auth: 'none' },
      schema: {
        tags: ['Authentication'],
        summary: `Sign in with ${title}`,
        description:
          `For browsers. Redirects to ${title}, whose callback redirects to the dashboard. Returns 404 if ` +
          `${title} is not configured; see \`GET /auth/oauth-config\`.`,
        response: { 302: z.null().describe(`Redirect to ${title}.`) },
      },
    },
    async (request, reply) => {
      requireProvider();
      const address = await instance[decorator].generateAuthorizationUri(request, reply);
      return reply.header('Cache-Control', 'no-store').redirect(address);
    },
  );

  app.get(
    `/auth/${name}/callback`,
    {
      config: { auth: 'optional' },
      schema: {
        tags: ['Authentication'],
        summary: `Handle the callback from ${title}`,
        description:
          'Sets the session cookie and redirects to the dashboard. Only an address that the provider has ' +
          'verified is accepted. If the address already has an account, the identity is linked to it only if ' +
          "the browser is logged in to that account, or if another provider's sign-in created the account and " +
          'it has no password. Otherwise, log in first.\n\nA failed sign-in redirects to `/auth/login?error=…` ' +
          'in the dashboard: `denied`, `invalid_state`, `provider_failed`, `email_not_verified`, ' +
          '`account_exists`, `already_linked` (the account is linked to another identity at the provider), or ' +
          '`signups_disabled`.',
        querystring: CallbackQuery,
        response: { 302: z.null().describe('Redirect to the dashboard.') },
      },
    },
    async (request, reply) => {
      const failure = await completeSignIn(request, reply, request.query).catch((error: unknown): Failure => {
        if (!(error instanceof ProviderError)) throw error;
        request.log.warn(
          { err: error, cause: error.cause instanceof Error ? error.cause.message : null, provider: name },
          'Sign-in failed at the provider',
        );
        return 'provider_failed';
      });
      // The state is single use.
      void reply
        .clearCookie(cookies.state, cookies.options)
        .clearCookie(cookies.verifier, cookies.options)
        .header('Cache-Control', 'no-store');
      return reply.redirect(
        failure === null ? `${DASHBOARD_URL}/` : `${DASHBOARD_URL}/auth/login?error=${failure}&provider=${name}`,
      );
    },
  );
}

/**
 * The cookies that hold the state and the PKCE verifier. On https, the prefix `__Host-` prevents a sibling subdomain
 * from setting them, which would log the browser in to an account of the attacker.
 */
function cookiesOf(name: ProviderName, publicUrl: string) {
  const secure = publicUrl.startsWith('https:');
  const prefix = secure ? '__Host-' : '';
  return {
    state: `${prefix}${name}-state`,
    verifier: `${prefix}${name}-verifier`,
    options: { path: secure ? '/' : `/auth/${name}`, httpOnly: true, sameSite: 'lax' as const, secure },
  };
}

function endpointsOf({ authorizeUrl, tokenUrl }: Provider) {
  const [authorize, token] = [new URL(authorizeUrl), new URL(tokenUrl)];
  return {
    authorizeHost: authorize.origin,
    authorizePath: authorize.pathname,
    tokenHost: token.origin,
    tokenPath: token.pathname,
  };
}
