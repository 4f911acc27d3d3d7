/** Signing in with Google and GitHub, against a local server that implements their HTTP and checks the requests. */
import type { LightMyRequestResponse } from 'fastify';
import { describe, expect, test } from 'vitest';
import { mailsTo, tokenFor } from '../helpers/account-mails.js';
import { CLIENT, useOAuthProvider, type ProviderUser } from '../helpers/oauth-provider.js';
import { first, useInstances, type Instance } from '../helpers/probe.js';
import { newUser, PASSWORD, refusal, request, signUp } from '../helpers/session.js';

type Name = 'google' | 'github';

const DASHBOARD = 'https://app.example.test';
const provider = useOAuthProvider();
const environment = () => ({
  DASHBOARD_URL: DASHBOARD,
  GOOGLE_CLIENT_ID: CLIENT.id,
  GOOGLE_CLIENT_SECRET: CLIENT.secret,
  GOOGLE_OAUTH_BASE: provider().url,
  GITHUB_CLIENT_ID: CLIENT.id,
  GITHUB_CLIENT_SECRET: CLIENT.secret,
  GITHUB_OAUTH_BASE: provider().url,
});
const instances = useInstances(2, environment);
const closed = useInstances(1, () => ({ ...environment(), DISABLE_SIGNUPS: 'true' }));
const ctx = () => first(instances).ctx;
let count = 0;
const newAddress = (): string => `person${++count}@oauth.test`;

const google = (email: string, changes: { sub?: string; email_verified?: boolean | string } = {}): ProviderUser => ({
  sub: `g-${email}`,
  email,
  email_verified: true,
  ...changes,
});
const github = (email: string, changes: { id?: number; verified?: boolean } = {}): ProviderUser => ({
  id: changes.id ?? ++count,
  emails: [
    { email: `other-${email}`, primary: false, verified: true },
    { email, primary: true, verified: changes.verified ?? true },
  ],
});

/** A browser with its cookies. */
class Browser {
  readonly cookies = new Map<string, string>();

  constructor(private readonly instance: Instance = first(instances)) {}

  async get(url: string): Promise<LightMyRequestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.instance.app.inject({ method: 'GET', url, headers: cookie === '' ? {} : { cookie } });
    for (const { name, value } of response.cookies) {
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return response;
  }

  /** Goes to the provider, signs in there as `user`, and returns. @returns the final location */
  async signIn(name: Name, user: ProviderUser): Promise<string> {
    const away = await this.get(`/auth/${name}`);
    expect(away.statusCode, away.body).toBe(302);
    const back = await this.get(
      `/auth/${name}/callback?${new URLSearchParams(provider().agree(String(away.headers.location), user)).toString()}`,
    );
    expect(back.statusCode, back.body).toBe(302);
    return String(back.headers.location);
  }

  me = async (): Promise<{ id: string; email: string; emailVerified: boolean } | null> => {
    const response = await this.get('/users/@me');
    return response.statusCode === 200 ? response.json() : null;
  };
}

const HOME = `${DASHBOARD}/`;
const failed = (error: string, name: Name): string => `${DASHBOARD}/auth/login?error=${error}&provider=${name}`;

/** Logs a browser in to an account that was created otherwise. */
function loggedIn({ token }: { token: string }): Browser {
  const browser = new Browser();
  browser.cookies.set('token', token);
  return browser;
}

describe.each<[Name, string, string]>([
  ['google', '/o/oauth2/v2/auth', 'openid email'],
  ['github', '/login/oauth/authorize', 'read:user user:email'],
])('GET /auth/%s', (name, path, scope) => {
  test('redirects to the provider with a state and a PKCE challenge, with secrets in cookies', async () => {
    const { app } = first(instances);
    const response = await app.inject({ method: 'GET', url: `/auth/${name}` });
    expect([response.statusCode, response.headers['cache-control']]).toEqual([302, 'no-store']);
    const location = new URL(String(response.headers.location));
    expect(location.origin + location.pathname).toBe(provider().url + path);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: `http://127.0.0.1:3000/auth/${name}/callback`,
      scope,
      state: expect.stringMatching(/^[\w-]{20,}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const attributes = {
      value: expect.stringMatching(/^[\w-]{20,}$/),
      httpOnly: true,
      sameSite: 'Lax',
      path: `/auth/${name}`,
      maxAge: 600,
    };
    expect(response.cookies).toEqual([
      { name: `${name}-state`, ...attributes },
      { name: `${name}-verifier`, ...attributes },
    ]);
    expect(response.cookies[0]?.value).toBe(location.searchParams.get('state'));
    expect(String(response.headers.location)).not.toContain(response.cookies[1]?.value);
  });
});

describe.each<[Name, (email: string) => ProviderUser]>([
  ['google', google],
  ['github', github],
])('a first sign-in with %s', (name, person) => {
  test('creates an account with a verified address and without a password, and starts a session', async () => {
    const [browser, email] = [new Browser(), newAddress()];
    expect(await browser.signIn(name, person(email.toUpperCase()))).toBe(HOME);
    expect(await browser.me()).toEqual({ id: expect.any(String), email, emailVerified: true });
    expect((await ctx().prisma.user.findUniqueOrThrow({ where: { email } })).passwordHash).toBeNull();
    expect([...browser.cookies.keys()]).toEqual(['token']);
    expect(await mailsTo(ctx(), email)).toEqual([]);
  });

  test('a later sign-in finds the account, even if its address has changed at the provider', async () => {
    const [browser, email] = [new Browser(), newAddress()];
    const user = person(email);
    await browser.signIn(name, user);
    const again = new Browser();
    const moved =
      'sub' in user
        ? { ...user, email: newAddress() }
        : { ...user, emails: [{ email: newAddress(), primary: true, verified: true }] };
    expect(await again.signIn(name, moved)).toBe(HOME);
    expect(await again.me()).toEqual(await browser.me());
  });

  test('concurrent sign-ins with one account at the provider all reach one account', async () => {
    // The first commit can come between any two statements of the others; several rounds meet several of these places.
    for (let round = 0; round < 6; round++) {
      const email = newAddress();
      const user = person(email);
      const browsers = Array.from({ length: 6 }, (_, index) => new Browser(instances[index % 2]));
      expect(await Promise.all(browsers.map((browser) => browser.signIn(name, user)))).toEqual(
        browsers.map(() => HOME),
      );
      expect(new Set((await Promise.all(browsers.map((browser) => browser.me()))).map((me) => me?.id)).size).toBe(1);
      expect(await ctx().prisma.user.count({ where: { email } })).toBe(1);
    }
  });

  test('creates no account if signups are disabled; a known account signs in', async () => {
    const browser = new Browser(first(closed));
    const user = person(newAddress());
    expect(await browser.signIn(name, user)).toBe(failed('signups_disabled', name));
    expect(await browser.me()).toBeNull();
    expect(await first(closed).ctx.prisma.user.count({ where: { email: { contains: 'person' } } })).toBe(0);
    const { id } = await newUser(first(closed));
    await first(closed).ctx.prisma.identity.create({
      data: { provider: name, subject: 'sub' in user ? user.sub : String(user.id), userId: id },
    });
    expect(await browser.signIn(name, user)).toBe(HOME);
    expect((await browser.me())?.id).toBe(id);
  });
});

describe('an address that the provider has not verified', () => {
  test.each<[string, Name, (email: string) => ProviderUser]>([
    ['email_verified false', 'google', (email) => google(email, { email_verified: false })],
    ['email_verified "false"', 'google', (email) => google(email, { email_verified: 'false' })],
    ['no email_verified', 'google', (email) => ({ sub: 'g-unsaid', email })],
    ['no address', 'google', () => ({ sub: 'g-nothing', email_verified: true })],
    ['an invalid address', 'google', () => google('not an address')],
    [
      'an unverified primary address with a verified other one',
      'github',
      (email) => github(email, { verified: false }),
    ],
    ['no addresses', 'github', () => ({ id: 4711, emails: [] })],
  ])('%s (%s) creates no account and starts no session', async (_what, name, person) => {
    const browser = new Browser();
    const before = await ctx().prisma.user.count();
    expect(await browser.signIn(name, person(newAddress()))).toBe(failed('email_not_verified', name));
    expect([await browser.me(), await ctx().prisma.user.count()]).toEqual([null, before]);
  });

  test('is irrelevant for a known account', async () => {
    const [browser, email] = [new Browser(), newAddress()];
    await browser.signIn('google', google(email));
    const again = new Browser();
    expect(await again.signIn('google', google(email, { email_verified: false }))).toBe(HOME);
    expect(await again.me()).toEqual(await browser.me());
  });
});

describe('an address with an account here', () => {
  const identities = (userId: string) =>
    ctx().prisma.identity.findMany({ where: { userId }, select: { provider: true } });

  test('with an unverified password account: rejected, because its creator may not own the address', async () => {
    const squatter = await signUp(first(instances).app, newAddress());
    const owner = new Browser();
    expect(await owner.signIn('google', google(squatter.email))).toBe(failed('account_exists', 'google'));
    expect(await owner.me()).toBeNull();
    expect(await identities(squatter.id)).toEqual([]);
    expect((await squatter.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: false });
  });

  test('the owner of the address resets the password of that account, and the sign-in is then linked', async () => {
    const squatter = await signUp(first(instances).app, newAddress());
    const { app } = first(instances);
    await request(app, 'POST', '/auth/request-password-reset', { body: { email: squatter.email } });
    await request(app, 'POST', '/auth/reset-password', {
      body: { token: await tokenFor(ctx(), squatter.email), password: 'the owner chose it' },
    });
    expect(refusal(await squatter.call('GET', '/users/@me'))).toEqual([401, 'UNAUTHORIZED']);
    const login = await request(app, 'POST', '/auth/login', {
      body: { email: squatter.email, password: 'the owner chose it' },
    });
    const owner = loggedIn({ token: login.cookies[0]?.value ?? '' });
    expect(await owner.signIn('google', google(squatter.email))).toBe(HOME);
    expect(
      (await request(app, 'POST', '/auth/login', { body: { email: squatter.email, password: PASSWORD } })).statusCode,
    ).toBe(401);
    const later = new Browser();
    expect(await later.signIn('google', google(squatter.email))).toBe(HOME);
    expect((await later.me())?.id).toBe(squatter.id);
  });

  test('with a verified password account: linking requires a session of that account', async () => {
    const user = await signUp(first(instances).app, newAddress());
    await ctx().prisma.user.update({ where: { id: user.id }, data: { emailVerified: true } });
    expect(await new Browser().signIn('github', github(user.email))).toBe(failed('account_exists', 'github'));
    expect(await identities(user.id)).toEqual([]);
  });

  test('a session of that account links it, and verifies the address', async () => {
    const user = await signUp(first(instances).app, newAddress());
    const person = github(user.email);
    expect(await loggedIn(user).signIn('github', person)).toBe(HOME);
    expect((await user.call('GET', '/users/@me')).json()).toEqual({
      id: user.id,
      email: user.email,
      emailVerified: true,
    });
    const later = new Browser();
    await later.signIn('github', person);
    expect((await later.me())?.id).toBe(user.id);
  });

  test('a session of another account links nothing', async () => {
    const [user, other] = [await signUp(first(instances).app, newAddress()), await newUser(first(instances))];
    expect(await loggedIn(other).signIn('google', google(user.email))).toBe(failed('account_exists', 'google'));
    expect([await identities(user.id), await identities(other.id)]).toEqual([[], []]);
  });

  test('a session that a password reset ended links nothing', async () => {
    const user = await signUp(first(instances).app, newAddress());
    await ctx().prisma.user.update({ where: { id: user.id }, data: { sessionVersion: { increment: 1 } } });
    expect(await loggedIn(user).signIn('google', google(user.email))).toBe(failed('account_exists', 'google'));
  });

  test('two sessions that link concurrently: the same provider account twice, or the first of two', async () => {
    for (let round = 0; round < 4; round++) {
      const user = await newUser(first(instances));
      const same = google(user.email, { sub: `g-same-${user.id}` });
      expect(await Promise.all([loggedIn(user).signIn('google', same), loggedIn(user).signIn('google', same)])).toEqual(
        [HOME, HOME],
      );
      const ends = await Promise.all(
        [1, 2].map((id) => loggedIn(user).signIn('github', github(user.email, { id: id + round * 10 + 1_000_000 }))),
      );
      expect(ends.sort()).toEqual([HOME, failed('already_linked', 'github')]);
      expect((await identities(user.id)).map(({ provider }) => provider).sort()).toEqual(['github', 'google']);
    }
  });

  test('of the other provider, without a password: it is linked', async () => {
    const [browser, email] = [new Browser(), newAddress()];
    await browser.signIn('google', google(email));
    const other = new Browser();
    expect(await other.signIn('github', github(email))).toBe(HOME);
    expect(await other.me()).toEqual(await browser.me());
  });

  test('linked to an account of the same provider: another one with that address is rejected', async () => {
    const [browser, email] = [new Browser(), newAddress()];
    await browser.signIn('google', google(email));
    const reassigned = new Browser();
    expect(await reassigned.signIn('google', google(email, { sub: 'g-the-next-owner' }))).toBe(
      failed('already_linked', 'google'),
    );
    expect(await reassigned.me()).toBeNull();
    expect(await browser.signIn('google', google(email, { sub: 'g-the-next-owner' }))).toBe(
      failed('already_linked', 'google'),
    );
  });
});

describe('the callback', () => {
  const back = (browser: Browser, query: Record<string, string>) =>
    browser
      .get(`/auth/google/callback?${new URLSearchParams(query).toString()}`)
      .then(({ headers }) => headers.location);
  async function away(): Promise<{ browser: Browser; query: { code: string; state: string } }> {
    const browser = new Browser();
    const { headers } = await browser.get('/auth/google');
    return { browser, query: provider().agree(String(headers.location), google(newAddress())) };
  }
  const asked = () => provider().asked.length;

  test('with the state of another browser starts no session and does not use the code (login CSRF)', async () => {
    const [attacker, victim] = [await away(), await away()];
    const before = asked();
    expect(await back(victim.browser, attacker.query)).toBe(failed('invalid_state', 'google'));
    expect(await back(new Browser(), attacker.query)).toBe(failed('invalid_state', 'google'));
    expect(await back(victim.browser, { code: attacker.query.code, state: '' })).toBe(
      failed('invalid_state', 'google'),
    );
    expect(await back(victim.browser, { code: attacker.query.code })).toBe(failed('invalid_state', 'google'));
    expect([await victim.browser.me(), asked()]).toEqual([null, before]);
  });

  test('works once', async () => {
    const { browser, query } = await away();
    expect(await back(browser, query)).toBe(HOME);
    expect(await back(browser, query)).toBe(failed('invalid_state', 'google'));
  });

  test('with the code of another attempt fails at the provider, because the PKCE verifier differs', async () => {
    const [stolen, own] = [await away(), await away()];
    expect(await back(own.browser, { ...own.query, code: stolen.query.code })).toBe(
      failed('provider_failed', 'google'),
    );
    expect(await own.browser.me()).toBeNull();
  });

  test('redirects back and starts no session if the user denies access', async () => {
    const { browser, query } = await away();
    expect(await back(browser, { error: 'access_denied', state: query.state })).toBe(failed('denied', 'google'));
    expect(await browser.me()).toBeNull();
  });

  test.each([
    ['/token', 500],
    ['/token', 200],
    ['/v1/userinfo', 503],
    ['/v1/userinfo', 200],
    ['/v1/userinfo', 302],
  ])('an unusable provider response (%s, %i) redirects back, and a new attempt works', async (path, status) => {
    const { browser, query } = await away();
    provider().fail(path, status);
    expect(await back(browser, query)).toBe(failed('provider_failed', 'google'));
    expect(await browser.me()).toBeNull();
    expect(await browser.signIn('google', google(newAddress()))).toBe(HOME);
  });

  test('with a repeated query parameter returns 422', async () => {
    const { browser } = await away();
    expect(refusal(await browser.get('/auth/google/callback?state=a&state=b&code=c'))).toEqual([
      422,
      'VALIDATION_ERROR',
      'state',
    ]);
  });
});

describe('a provider that is not configured', () => {
  const plain = useInstances(1, { GOOGLE_CLIENT_ID: 'only the id' });

  test.each(['/auth/google', '/auth/google/callback?code=c&state=s', '/auth/github', '/auth/github/callback'])(
    '%s returns 404',
    async (url) => {
      expect(refusal(await first(plain).app.inject({ method: 'GET', url }))).toEqual([404, 'ROUTE_NOT_FOUND']);
    },
  );
});

test('GET /config and GET /auth/oauth-config name the providers', async () => {
  const { app } = first(instances);
  expect((await app.inject('/auth/oauth-config')).json()).toEqual({ google: true, github: true });
  expect((await app.inject('/config')).json()).toMatchObject({
    features: { authProviders: { google: true, github: true } },
  });
});

describe('on https', () => {
  const secure = useInstances(1, () => ({ ...environment(), PUBLIC_URL: 'https://mail.example.test' }));

  test('the cookies are Secure and of this host only, and the provider redirects back to https', async () => {
    const response = await first(secure).app.inject('/auth/github');
    expect(response.cookies.map(({ name, path, domain, secure: only }) => [name, path, domain, only])).toEqual([
      ['__Host-github-state', '/', undefined, true],
      ['__Host-github-verifier', '/', undefined, true],
    ]);
    expect(new URL(String(response.headers.location)).searchParams.get('redirect_uri')).toBe(
      'https://mail.example.test/auth/github/callback',
    );
    const browser = new Browser(first(secure));
    expect(await browser.signIn('github', github(newAddress()))).toBe(HOME);
    expect([...browser.cookies.keys()]).toEqual(['__Host-token']);
  });
});
