/** Sign-in providers. */
import type { Config } from '../../config.js';
import type { ProviderName } from './sql/users.js';

export type { ProviderName };

export type SignInProviders = Record<ProviderName, boolean>;

/** The endpoints and credentials of a provider. */
export interface Provider {
  clientId: string;
  clientSecret: string;
  authorizeUrl: string;
  tokenUrl: string;
  /** Returns the user of an access token. */
  userUrl: string;
  /** Returns the user's addresses; null if `userUrl` returns them. */
  emailsUrl: string | null;
  scope: string[];
}

/** Returns a provider, or null unless both its client id and its client secret are configured. */
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
      const urlOf = (host: string, path: string): string => new URL(path, GOOGLE_OAUTH_BASE ?? host).href;
      return {
        clientId: GOOGLE_CLIENT_ID,
        clientSecret: GOOGLE_CLIENT_SECRET,
        authorizeUrl: urlOf('https://accounts.google.com', '/o/oauth2/v2/auth'),
        tokenUrl: urlOf('https://oauth2.googleapis.com', '/token'),
        userUrl: urlOf('https://openidconnect.googleapis.com', '/v1/userinfo'),
        emailsUrl: null,
        scope: ['openid', 'email'],
      };
    }
    case 'github': {
      if (!GITHUB_CLIENT_ID || !GITHUB_CLIENT_SECRET) return null;
      const urlOf = (host: string, path: string): string => new URL(path, GITHUB_OAUTH_BASE ?? host).href;
      return {
        clientId: GITHUB_CLIENT_ID,
        clientSecret: GITHUB_CLIENT_SECRET,
        authorizeUrl: urlOf('https://github.com', '/login/oauth/authorize'),
        tokenUrl: urlOf('https://github.com', '/login/oauth/access_token'),
        userUrl: urlOf('https://api.github.com', '/user'),
        emailsUrl: urlOf('https://api.github.com', '/user/emails'),
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
