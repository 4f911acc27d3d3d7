/** Signing in with Google and GitHub: the way there and the way back. */
import oauth2, { type OAuth2Namespace } from '@fastify/oauth2';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { fetchProfile, ProviderError } from '../../domain/accounts/profile.js';
import { PROVIDERS, providerOf, type Provider, type ProviderName } from '../../domain/accounts/providers.js';
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

const DECORATORS = { google: 'oauthGoogle', github: 'oauthGithub' } as const;
const TITLES = { google: 'Google', github: 'GitHub' } as const;
/** How long the way there and back may take, in seconds. */
const STATE_SECONDS = 600;
const TIMEOUT_MS = 10_000;

/**
 * What can go wrong on the way, beside what the rules refuse: the user said no, the answer is not to a question of this
 * browser, the provider fails.
 */
type Failure = SignInRefusal | 'denied' | 'invalid_state' | 'provider_failed';

const CallbackQuery = z.object({
  code: z.string().max(2000).optional(),
  state: z.string().max(2000).optional(),
  error: z.string().max(2000).optional(),
});

const off = (name: ProviderName): ApiError =>
  new ApiError('ROUTE_NOT_FOUND', `Signing in with ${TITLES[name]} is not configured on this installation.`);

export const oauthRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const { PUBLIC_URL, DASHBOARD_URL } = ctx.config;

  for (const name of PROVIDERS) {
    const provider = providerOf(ctx.config, name);
    const cookies = cookiesOf(name, PUBLIC_URL);
    if (provider) {
      await instance.register(oauth2, {
        name: DECORATORS[name],
        credentials: {
          client: { id: provider.clientId, secret: provider.clientSecret },
          auth: endpoints(provider),
          options: { authorizationMethod: 'body' },
          http: { timeout: TIMEOUT_MS },
        },
        scope: provider.scope,
        callbackUri: `${PUBLIC_URL}/auth/${name}/callback`,
        pkce: 'S256',
        redirectStateCookieName: cookies.state,
        verifierCookieName: cookies.verifier,
        cookie: { ...cookies.options, maxAge: STATE_SECONDS },
      });
    }

    const finish = async (
      request: FastifyRequest,
      reply: FastifyReply,
      query: z.infer<typeof CallbackQuery>,
      found: Provider,
    ): Promise<Failure | null> => {
      if (!query.state || query.state !== request.cookies[cookies.state] || !request.cookies[cookies.verifier])
        return 'invalid_state';
      if (query.error !== undefined || !query.code) return 'denied';
      const accessToken = await instance[DECORATORS[name]].getAccessTokenFromAuthorizationCodeFlow(request, reply).then(
        ({ token }) => token.access_token,
        (cause: unknown) => {
          throw new ProviderError('The provider does not take the code', { cause });
        },
      );
      if (!accessToken) throw new ProviderError('The provider gives no access token');
      const profile = await fetchProfile(name, found, accessToken);
      const result = await signIn(ctx, profile, request.account?.id ?? null);
      if ('refused' in result) return result.refused;
      await startSession(ctx, reply, result.session);
      return null;
    };

    app.get(
      `/auth/${name}`,
      {
        config: { auth: 'none' },
        schema: {
          tags: ['Authentication'],
          summary: `Sign in with ${TITLES[name]}`,
          description: `For browsers: leads to ${TITLES[name]}, and from there by the callback to the dashboard. 404 where it is not configured, see GET /auth/oauth-config.`,
          response: { 302: z.null().describe(`To ${TITLES[name]}`) },
        },
      },
      async (request, reply) => {
        if (!provider) throw off(name);
        const address = await instance[DECORATORS[name]].generateAuthorizationUri(request, reply);
        return reply.header('Cache-Control', 'no-store').redirect(address);
      },
    );

    app.get(
      `/auth/${name}/callback`,
      {
        config: { auth: 'optional' },
        schema: {
          tags: ['Authentication'],
          summary: `The way back from ${TITLES[name]}`,
          description:
            'Sets the session cookie and leads to the dashboard. Only an address that the provider has verified is taken. One that has an account here already is linked to it ' +
            'if the browser is logged in to that account, or if the account was made by another provider and has no password; otherwise log in first. ' +
            'What goes wrong leads to `/auth/login?error=…` of the dashboard: `denied`, `invalid_state`, `provider_failed`, `email_not_verified`, `account_exists`, `already_linked` (to another account of the provider) or `signups_disabled`.',
          querystring: CallbackQuery,
          response: { 302: z.null().describe('To the dashboard') },
        },
      },
      async (request, reply) => {
        if (!provider) throw off(name);
        const failure = await finish(request, reply, request.query, provider).catch((error: unknown): Failure => {
          if (!(error instanceof ProviderError)) throw error;
          request.log.warn(
            { err: error, cause: error.cause instanceof Error ? error.cause.message : null, provider: name },
            'A sign-in failed at its provider',
          );
          return 'provider_failed';
        });
        // Whatever came of it, the question is answered.
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
};

/**
 * Where the secrets of a way are kept. On https under names that no other host of the domain can set: who could, could
 * log a browser in to an account of theirs.
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

function endpoints({ authorizeUrl, tokenUrl }: Provider) {
  const [authorize, token] = [new URL(authorizeUrl), new URL(tokenUrl)];
  return {
    authorizeHost: authorize.origin,
    authorizePath: authorize.pathname,
    tokenHost: token.origin,
    tokenPath: token.pathname,
  };
}
