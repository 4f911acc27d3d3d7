/** The providers that one can sign in with. */
import type { Config } from '../../config.js';

export interface SignInProviders {
  google: boolean;
  github: boolean;
}

/** A provider is on when both its id and its secret are configured. */
export const signInProviders = (config: Config): SignInProviders => ({
  google: Boolean(config.GOOGLE_CLIENT_ID && config.GOOGLE_CLIENT_SECRET),
  github: Boolean(config.GITHUB_CLIENT_ID && config.GITHUB_CLIENT_SECRET),
});
