/** The providers that one can sign in with. */
import type { Config } from '../../config.js';
import type { ProviderName } from './sql/users.js';

export type { ProviderName };

export const PROVIDERS: readonly ProviderName[] = ['google', 'github'];

export type SignInProviders = Record<ProviderName, boolean>;

/** Where a provider answers, and what is asked of it. */
export interface Provider {
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
  /** Who has signed in. */
  userUrl: string;
  /** The user's addresses, where `userUrl` doesn't tell them. */
  emailsUrl: string | null;
  scope: string[];
}

/** A provider's configuration; null unless both its id and its secret are configured. */
export function providerOf(config: Config, name: ProviderName): Provider | null {
  const {
    GOOGLE_CLIENT_ID,
    GOOGLE_CLIENT_SECRET,
    GOOGLE_OAUTH_BASE,
    GITHUB_CLIENT_ID,
    GITHUB_CLIENT_SECRET,
    GITHUB_OAUTH_BASE,
  } = config;
  switch (name) {
    case 'google': {
      if (!GOOGLE_CLIENT_ID || !GOOGLE_CLIENT_SECRET) return null;
      const at = (host: string, path: string): string => new URL(path, GOOGLE_OAUTH_BASE ?? host).href;
      return {
        clientId: GOOGLE_CLIENT_ID,
        clientSecret: GOOGLE_CLIENT_SECRET,
        authorizeUrl: at('https://accounts.google.com', '/o/oauth2/v2/auth'),
        tokenUrl: at('https://oauth2.googleapis.com', '/token'),
        userUrl: at('https://openidconnect.googleapis.com', '/v1/userinfo'),
        emailsUrl: null,
        scope: ['openid', 'email'],
      };
    }
    case 'github': {
      if (!GITHUB_CLIENT_ID || !GITHUB_CLIENT_SECRET) return null;
      const at = (host: string, path: string): string => new URL(path, GITHUB_OAUTH_BASE ?? host).href;
      return {
        clientId: GITHUB_CLIENT_ID,
        clientSecret: GITHUB_CLIENT_SECRET,
        authorizeUrl: at('https://github.com', '/login/oauth/authorize'),
        tokenUrl: at('https://github.com', '/login/oauth/access_token'),
        userUrl: at('https://api.github.com', '/user'),
        emailsUrl: at('https://api.github.com', '/user/emails'),
        scope: ['read:user', 'user:email'],
      };
    }
    default:
      return name satisfies never;
  }
}

export const signInProviders = (config: Config): SignInProviders => ({
  google: providerOf(config, 'google') !== null,
  github: providerOf(config, 'github') !== null,
});
