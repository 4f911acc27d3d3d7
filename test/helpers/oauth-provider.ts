/**
 * A provider's HTTP, as Google and GitHub speak it: it holds the code exchange against what the browser was sent with.
 */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll } from 'vitest';

/** Who has signed in there, in the provider's own words. */
export type ProviderUser =
  | { sub: string; email?: string; email_verified?: boolean | string }
  | { id: number; emails: Array<{ email: string; primary: boolean; verified: boolean }> };

export interface OAuthProvider {
  url: string;
  /** The user agrees: what the provider adds to the address that the browser goes back to. */
  agree: (authorizeUrl: string, user: ProviderUser) => { code: string; state: string };
  /** Answers the next request to a path with a status and nothing of use. */
  fail: (path: string, status: number) => void;
  /** Paths that were asked. */
  asked: string[];
  stop: () => Promise<void>;
}

interface Grant {
  client: string | null;
  redirectUri: string | null;
  challenge: string | null;
  user: ProviderUser;
}

export const CLIENT = { id: 'client-id', secret: 'client-secret' };

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString();
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export async function startOAuthProvider(): Promise<OAuthProvider> {
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, ProviderUser>();
  const failures = new Map<string, number>();
  const asked: string[] = [];

  /**
   * RFC 6749, 4.1.3, and RFC 7636, 4.6: a code is good once, for the client, the address and the verifier that it was
   * asked for with.
   */
  const exchange = (form: URLSearchParams, response: ServerResponse): void => {
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      grant !== undefined &&
      form.get('grant_type') === 'authorization_code' &&
      form.get('client_id') === CLIENT.id &&
      form.get('client_secret') === CLIENT.secret &&
      grant.client === CLIENT.id &&
      form.get('redirect_uri') === grant.redirectUri &&
      challenge === grant.challenge;
    if (!isRight) return json(response, 400, { error: 'invalid_grant' });
    const token = randomBytes(8).toString('hex');
    tokens.set(token, grant.user);
    json(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://provider');
    asked.push(pathname);
    const failure = failures.get(pathname);
    failures.delete(pathname);
    if (failure !== undefined) return json(response, failure, { message: 'no' });
    const form = new URLSearchParams(await textOf(request));
    if (request.method === 'POST' && ['/token', '/login/oauth/access_token'].includes(pathname))
      return exchange(form, response);
    const user = tokens.get((request.headers.authorization ?? '').replace('Bearer ', ''));
    if (!user) return json(response, 401, { message: 'Bad credentials' });
    if (pathname === '/v1/userinfo' && 'sub' in user) return json(response, 200, user);
    if (pathname === '/user' && 'id' in user)
      return json(response, 200, { id: user.id, login: 'octocat', email: null });
    if (pathname === '/user/emails' && 'id' in user) return json(response, 200, user.emails);
    json(response, 404, { message: 'Not Found' });
  };

  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The provider listens on no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    agree(authorizeUrl, user) {
      const { searchParams: query } = new URL(authorizeUrl);
      const code = randomBytes(8).toString('hex');
      grants.set(code, {
        client: query.get('client_id'),
        redirectUri: query.get('redirect_uri'),
        challenge: query.get('code_challenge'),
        user,
      });
      return { code, state: query.get('state') ?? '' };
    },
    fail: (path, status) => void failures.set(path, status),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A provider for a test file. */
export function useOAuthProvider(): () => OAuthProvider {
  let provider: OAuthProvider | undefined;
  beforeAll(async () => {
    provider = await startOAuthProvider();
  });
  afterAll(() => provider?.stop());
  return () => {
    if (!provider) throw new Error('The provider is started in beforeAll');
    return provider;
  };
}
