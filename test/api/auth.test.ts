import { describe, expect, test } from 'vitest';
import { parseEnvironment } from '../../src/config.js';
import { networkOf } from '../../src/domain/accounts/attempts.js';
import { hashPassword, verifyPassword } from '../../src/domain/accounts/passwords.js';
import { createSession } from '../../src/domain/accounts/sessions.js';
import { newId } from '../../src/ids.js';
import { first, useInstances } from '../helpers/probe.js';
import { errorOf, newUser, ownProject, PASSWORD, refusal, request, signUp, tokenOf } from '../helpers/session.js';

/** A low cost, so that the tests are fast. */
const LOG2N = 10;

describe('POST /auth/signup', () => {
  const instances = useInstances(1);
  const signup = (body: unknown) => request(first(instances).app, 'POST', '/auth/signup', { body });

  test('returns 201 with id and email and sets the session cookie', async () => {
    const response = await signup({ email: ' New@Users.test ', password: PASSWORD });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toEqual({ id: expect.stringMatching(/^[0-9a-f-]{36}$/), email: 'new@users.test' });
    const me = await request(first(instances).app, 'GET', '/users/@me', { token: tokenOf(response) });
    expect([me.statusCode, me.json()]).toEqual([200, { ...response.json(), emailVerified: false }]);
  });

  test('the cookie is named token, httpOnly, SameSite=Lax, for all paths, 7 days, and not Secure on http', async () => {
    const response = await signup({ email: 'cookie@users.test', password: PASSWORD });
    expect(response.cookies).toEqual([
      { name: 'token', value: expect.any(String), httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 604_800 },
    ]);
    const [, payload = ''] = tokenOf(response).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    expect(claims.exp - claims.iat).toBe(604_800);
    expect(Object.keys(claims).sort()).toEqual(['exp', 'iat', 'sid', 'sub', 'version']);
  });

  test('an address with an account returns 409 CONFLICT, regardless of its case', async () => {
    await signup({ email: 'twice@users.test', password: PASSWORD });
    const response = await signup({ email: 'TWICE@users.test', password: 'another password' });
    expect(refusal(response)).toEqual([409, 'CONFLICT']);
    expect(response.cookies).toEqual([]);
  });

  test('only one of several concurrent signups with one address succeeds', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 5 }, () =>
        signup({ email: 'race@users.test', password: PASSWORD }).then((response) => response.statusCode),
      ),
    );
    expect(statuses.sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
  });

  test.each([
    ['no body', undefined, 'email', 'required'],
    ['no password', { email: 'bad@users.test' }, 'password', 'required'],
    ['a password of 7 characters', { email: 'bad@users.test', password: '1234567' }, 'password', 'too_small'],
    ['a password of 1,001 characters', { email: 'bad@users.test', password: 'x'.repeat(1001) }, 'password', 'too_big'],
    ['a password of another type', { email: 'bad@users.test', password: 12_345_678 }, 'password', 'invalid_type'],
    ['a malformed address', { email: 'bad@', password: PASSWORD }, 'email', 'invalid_string'],
  ])('%s returns 422 and creates no account', async (_what, body, field, code) => {
    const response = await signup(body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', field]);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
    expect(await first(instances).ctx.prisma.user.count({ where: { email: { startsWith: 'bad' } } })).toBe(0);
  });

  test('passwords of 8 and of 1,000 characters are accepted', async () => {
    expect((await signup({ email: 'short@users.test', password: '12345678' })).statusCode).toBe(201);
    expect((await signup({ email: 'long@users.test', password: 'x'.repeat(1000) })).statusCode).toBe(201);
  });

  test('a rejected password is not echoed', async () => {
    expect((await signup({ email: 'echo@users.test', password: 'hunter2' })).body).not.toContain('hunter2');
  });
});

describe('an installation with https, without signups', () => {
  const instances = useInstances(1, { DISABLE_SIGNUPS: 'true', PUBLIC_URL: 'https://mail.example.test' });

  test('signing up returns 403 FORBIDDEN', async () => {
    const { app, ctx } = first(instances);
    expect(
      refusal(await request(app, 'POST', '/auth/signup', { body: { email: 'a@users.test', password: PASSWORD } })),
    ).toEqual([403, 'FORBIDDEN']);
    expect(await ctx.prisma.user.count()).toBe(0);
  });

  test('the cookie is __Host-token and Secure', async () => {
    const { app, ctx } = first(instances);
    await ctx.prisma.user.create({
      data: {
        id: '019b0000-0000-7000-8000-000000000001',
        email: 'old@users.test',
        passwordHash: await hashPassword(PASSWORD, LOG2N),
      },
    });
    const response = await request(app, 'POST', '/auth/login', {
      body: { email: 'old@users.test', password: PASSWORD },
    });
    expect(response.cookies[0]).toMatchObject({ name: '__Host-token', secure: true, httpOnly: true, path: '/' });
    const cookie = `token=${tokenOf(response)}`;
    expect((await request(app, 'GET', '/users/@me', { headers: { cookie } })).statusCode).toBe(401);
    expect((await request(app, 'GET', '/users/@me', { headers: { cookie: `__Host-${cookie}` } })).statusCode).toBe(200);
  });
});

describe('POST /auth/login', () => {
  const instances = useInstances(2);
  const login = (email: string, password: string, ip = '203.0.113.1', instance = 0) =>
    (instances[instance] ?? first(instances)).app.inject({
      method: 'POST',
      url: '/auth/login',
      remoteAddress: ip,
      payload: { email, password },
    });

  test('returns 200 with id and email and a working cookie', async () => {
    const user = await signUp(first(instances).app);
    const response = await login(user.email.toUpperCase(), PASSWORD);
    expect([response.statusCode, response.json()]).toEqual([200, { id: user.id, email: user.email }]);
    expect((await request(first(instances).app, 'GET', '/users/@me', { token: tokenOf(response) })).statusCode).toBe(
      200,
    );
  });

  test('a wrong password and an unknown address return the same 401 INVALID_CREDENTIALS', async () => {
    const user = await signUp(first(instances).app);
    const [wrong, unknown] = [await login(user.email, 'not the password'), await login('unknown@users.test', PASSWORD)];
    expect(refusal(wrong)).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(refusal(unknown)).toEqual([401, 'INVALID_CREDENTIALS']);
    expect(errorOf(unknown).message).toBe(errorOf(wrong).message);
    expect([wrong.cookies, unknown.cookies]).toEqual([[], []]);
  });

  test('an account without a password, of another provider, returns 401', async () => {
    await first(instances).ctx.prisma.user.create({
      data: { id: '019b0000-0000-7000-8000-000000000002', email: 'google@users.test' },
    });
    expect(refusal(await login('google@users.test', ''.padEnd(32, 'A')))).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  test('missing and mistyped fields return 422', async () => {
    const { app } = first(instances);
    expect(refusal(await request(app, 'POST', '/auth/login', { body: { email: 'a@users.test' } }))).toEqual([
      422,
      'VALIDATION_ERROR',
      'password',
    ]);
    expect(refusal(await request(app, 'POST', '/auth/login', { body: { email: 7, password: PASSWORD } }))).toEqual([
      422,
      'VALIDATION_ERROR',
      'email',
    ]);
  });

  test('after 10 failures for an address, every instance returns 429 with Retry-After for any password', async () => {
    const user = await signUp(first(instances).app);
    for (let i = 0; i < 10; i++)
      expect((await login(user.email, `guess ${i}`, `192.0.2.${i}`, i % 2)).statusCode).toBe(401);
    for (const instance of [0, 1]) {
      const response = await login(user.email, PASSWORD, '192.0.2.200', instance);
      expect(refusal(response)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(880);
      expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(900);
    }
    const other = await signUp(first(instances).app);
    expect((await login(other.email, PASSWORD, '192.0.2.200')).statusCode).toBe(200);
  });

  test('failures older than 15 minutes are not counted, and are deleted', async () => {
    const { ctx } = first(instances);
    const user = await signUp(first(instances).app);
    for (let i = 0; i < 10; i++)
      await ctx.pool.query(`INSERT INTO auth_attempts (key, at) VALUES ($1, now() - interval '901 seconds')`, [
        `login:address:${user.email}`,
      ]);
    expect((await login(user.email, PASSWORD, '203.0.113.77')).statusCode).toBe(200);
    expect(
      (await ctx.pool.query(`SELECT 1 FROM auth_attempts WHERE at < now() - interval '15 minutes'`)).rowCount,
    ).toBe(0);
  });

  test('the wait ends when the oldest of the 10 failures is 15 minutes old', async () => {
    const { ctx } = first(instances);
    const user = await signUp(first(instances).app);
    for (let i = 0; i < 10; i++)
      await ctx.pool.query(`INSERT INTO auth_attempts (key, at) VALUES ($1, now() - make_interval(secs => $2))`, [
        `login:address:${user.email}`,
        840 - i,
      ]);
    const response = await login(user.email, PASSWORD, '203.0.113.78');
    expect(response.statusCode).toBe(429);
    expect(Number(response.headers['retry-after'])).toBeGreaterThanOrEqual(59);
    expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  test('successes are not counted: 15 logins in a row and 25 concurrent logins succeed', async () => {
    const user = await signUp(first(instances).app);
    for (let i = 0; i < 15; i++) expect((await login(user.email, PASSWORD, '203.0.113.9', i % 2)).statusCode).toBe(200);
    const parallel = await Promise.all(
      Array.from({ length: 25 }, (_, i) => login(user.email, PASSWORD, '203.0.113.9', i % 2)),
    );
    expect(parallel.map((response) => response.statusCode)).toEqual(Array(25).fill(200));
    expect(
      (
        await first(instances).ctx.pool.query(`SELECT 1 FROM auth_attempts WHERE key LIKE 'login:%' || $1`, [
          user.email,
        ])
      ).rowCount,
    ).toBe(0);
  }, 60_000);

  test('30 concurrent wrong guesses on two instances get 10 tries', async () => {
    const user = await signUp(first(instances).app);
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, i) => login(user.email, `guess ${i}`, `198.51.100.${i}`, i % 2)),
    );
    expect(responses.filter((response) => response.statusCode === 401)).toHaveLength(10);
    expect(responses.filter((response) => response.statusCode === 429)).toHaveLength(20);
  }, 60_000);

  test('concurrent wrong guesses from one IP address for different accounts share the rest of 100 tries', async () => {
    await first(instances).ctx.pool.query(
      `INSERT INTO auth_attempts (key) SELECT 'login:network:203.0.113.40' FROM generate_series(1, 95)`,
    );
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, i) => login(`unknown${i}@users.test`, 'a guess', '203.0.113.40', i % 2)),
    );
    expect(responses.filter((response) => response.statusCode === 401)).toHaveLength(5);
    expect(responses.filter((response) => response.statusCode === 429)).toHaveLength(7);
  });

  test('a right guess after 29 concurrent wrong ones is not disclosed', async () => {
    const user = await signUp(first(instances).app);
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        login(user.email, i === 29 ? PASSWORD : `guess ${i}`, `198.51.101.${i}`, i % 2),
      ),
    );
    expect(responses.filter((response) => response.statusCode === 401)).toHaveLength(10);
    expect([responses[29]?.statusCode, responses[29]?.cookies]).toEqual([429, []]);
  }, 60_000);

  test('after 100 failures from one IP address, logins return 429 for any account', async () => {
    const { ctx } = first(instances);
    const user = await signUp(first(instances).app);
    await ctx.pool.query(
      `INSERT INTO auth_attempts (key) SELECT 'login:network:203.0.113.50' FROM generate_series(1, 99)`,
    );
    expect((await login(user.email, 'wrong password', '203.0.113.50')).statusCode).toBe(401);
    expect(refusal(await login(user.email, PASSWORD, '203.0.113.50'))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect((await login(user.email, PASSWORD, '203.0.113.51')).statusCode).toBe(200);
  });

  test('only a trusted proxy can name another client address in X-Forwarded-For', async () => {
    const { app, ctx } = first(instances);
    await ctx.pool.query(
      `INSERT INTO auth_attempts (key) SELECT 'login:network:203.0.113.60' FROM generate_series(1, 100)`,
    );
    const attempt = (remoteAddress: string, forwarded: string) =>
      app.inject({
        method: 'POST',
        url: '/auth/login',
        remoteAddress,
        headers: { 'x-forwarded-for': forwarded },
        payload: { email: 'someone@users.test', password: PASSWORD },
      });
    expect((await attempt('203.0.113.60', '203.0.113.61')).statusCode).toBe(429);
    // A private address is not a trusted proxy, because in a container network every client has one.
    expect((await attempt('10.0.0.1', '203.0.113.60')).statusCode).toBe(401);
    // The proxy added the last entry of the header.
    expect((await attempt('127.0.0.1', '198.51.100.99, 203.0.113.60')).statusCode).toBe(429);
    expect((await attempt('127.0.0.1', '203.0.113.60, 198.51.100.99')).statusCode).toBe(401);
  });
});

describe('with TRUSTED_PROXIES', () => {
  const instances = useInstances(1, { TRUSTED_PROXIES: '10.1.0.0/16, 2001:db8::7' });

  test('listed proxies name the client, and loopback no longer does', async () => {
    const { app, ctx } = first(instances);
    await ctx.pool.query(
      `INSERT INTO auth_attempts (key) SELECT 'login:network:203.0.113.70' FROM generate_series(1, 100)`,
    );
    const statuses = [];
    for (const remoteAddress of ['10.1.2.3', '2001:db8::7', '10.2.0.1', '127.0.0.1'])
      statuses.push(
        (
          await app.inject({
            method: 'POST',
            url: '/auth/login',
            remoteAddress,
            headers: { 'x-forwarded-for': '203.0.113.70' },
            payload: { email: 'someone@users.test', password: PASSWORD },
          })
        ).statusCode,
      );
    expect(statuses).toEqual([429, 429, 401, 401]);
  });

  test.each(['10.0.0.0/33', 'proxy.example.com', '10.0.0.1, ::/129', '10.0.0', 'uniquelocal'])(
    '%s is a configuration error that names the variable',
    (TRUSTED_PROXIES) => {
      expect(() => parseEnvironment({ TRUSTED_PROXIES })).toThrow(/TRUSTED_PROXIES: ".+" is not an IP address/);
    },
  );
});

describe('the limits of POST /auth/signup', () => {
  const instances = useInstances(1);
  const signup = (email: string, ip: string) =>
    request(first(instances).app, 'POST', '/auth/signup', { body: { email, password: PASSWORD }, ip });

  test('after 10 attempts for an address, sign-up returns 429 without a hash, with or without an account', async () => {
    const { ctx } = first(instances);
    await signup('known@users.test', '203.0.113.1');
    for (const email of ['known@users.test', 'unknown@users.test']) {
      await ctx.pool.query(`DELETE FROM auth_attempts`);
      await ctx.pool.query(`INSERT INTO auth_attempts (key) SELECT $1 FROM generate_series(1, 10)`, [
        `signup:address:${email}`,
      ]);
      const response = await signup(email, '203.0.113.2');
      expect(refusal(response)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      expect(Number(response.headers['retry-after'])).toBeGreaterThan(880);
    }
    expect(await ctx.prisma.user.count({ where: { email: 'unknown@users.test' } })).toBe(0);
  });

  test('after 100 attempts from a network, sign-up returns 429 for it, and not for other networks', async () => {
    await first(instances).ctx.pool.query(
      `INSERT INTO auth_attempts (key) SELECT 'signup:network:203.0.113.3' FROM generate_series(1, 99)`,
    );
    const statuses = [];
    for (const [email, ip] of [
      ['s1@users.test', '203.0.113.3'],
      ['s2@users.test', '203.0.113.3'],
      ['s2@users.test', '203.0.113.4'],
    ] as const)
      statuses.push((await signup(email, ip)).statusCode);
    expect(statuses).toEqual([201, 429, 201]);
  });

  test('concurrent attempts cannot exceed the limit together', async () => {
    await first(instances).ctx.pool.query(
      `INSERT INTO auth_attempts (key) SELECT 'signup:address:parallel@users.test' FROM generate_series(1, 7)`,
    );
    const responses = await Promise.all(
      Array.from({ length: 8 }, (_, index) => signup('parallel@users.test', `198.51.100.${index}`)),
    );
    expect(responses.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([
      201,
      409,
      409,
      ...Array<number>(5).fill(429),
    ]);
  });
});

describe('sessions', () => {
  const instances = useInstances(1);

  test.each(['GET', 'POST'] as const)('%s /auth/logout clears the cookie, also without a session', async (method) => {
    const user = await newUser(first(instances));
    const responses = [
      await user.call(method, '/auth/logout'),
      await request(first(instances).app, method, '/auth/logout'),
    ];
    for (const response of responses) {
      expect([response.statusCode, response.json()]).toEqual([200, { success: true }]);
      expect(response.cookies).toEqual([
        { name: 'token', value: '', path: '/', httpOnly: true, sameSite: 'Lax', maxAge: 0, expires: new Date(0) },
      ]);
    }
  });

  test.each(['GET', 'POST'] as const)(
    '%s /auth/logout ends the session for copies of its cookie, and no other session of the user',
    async (method) => {
      const { app } = first(instances);
      const user = await signUp(app);
      const login = await request(app, 'POST', '/auth/login', { body: { email: user.email, password: PASSWORD } });
      await user.call(method, '/auth/logout');
      expect(refusal(await user.call('GET', '/users/@me'))).toEqual([401, 'UNAUTHORIZED']);
      expect((await request(app, 'GET', '/users/@me', { token: tokenOf(login) })).statusCode).toBe(200);
    },
  );

  test('a session ends after 7 days even if its row still exists', async () => {
    const { ctx } = first(instances);
    const user = await newUser(first(instances));
    await ctx.prisma.session.updateMany({ where: { userId: user.id }, data: { expiresAt: new Date() } });
    expect(refusal(await user.call('GET', '/users/@me'))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('a session stores the time of its last use, at most every 5 minutes', async () => {
    const { ctx } = first(instances);
    const user = await newUser(first(instances));
    const lastSeen = async () =>
      (await ctx.prisma.session.findFirstOrThrow({ where: { userId: user.id } })).lastSeenAt.getTime();
    for (const [minutes, updated] of [
      [4, false],
      [6, true],
    ] as const) {
      const before = Date.now() - minutes * 60_000;
      await ctx.prisma.session.updateMany({ where: { userId: user.id }, data: { lastSeenAt: new Date(before) } });
      await user.call('GET', '/users/@me');
      expect((await lastSeen()) > before).toBe(updated);
    }
  });

  test('without a cookie, or with an invalid token, GET /users/@me returns 401 UNAUTHORIZED', async () => {
    const { app, ctx } = first(instances);
    const user = await newUser(first(instances));
    const claims = await createSession(ctx.pool, { id: user.id, sessionVersion: 0 });
    const unsigned = [{ alg: 'none', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const tampered = user.token.replace(
      /\.[^.]*\./,
      `.${Buffer.from(JSON.stringify({ ...claims, exp: 9_999_999_999 })).toString('base64url')}.`,
    );
    for (const token of [
      undefined,
      '',
      'x',
      `${unsigned}.`,
      tampered,
      // A cookie of a version without sessions on the server.
      app.jwt.sign({ sub: user.id, version: 0 }),
      app.jwt.sign({ ...claims, sid: newId() }),
      app.jwt.sign({ ...claims, sid: 'x' }),
      app.jwt.sign({ sid: claims.sid, sub: claims.sub }),
      app.jwt.sign({ ...claims, sub: 'ada' }),
      app.jwt.sign({ ...claims, sub: '019b0000-0000-7000-8000-00000000ffff' }),
    ]) {
      expect(refusal(await request(app, 'GET', '/users/@me', { token })), String(token)).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  test('an API key is not a session', async () => {
    const { app } = first(instances);
    expect(
      refusal(await request(app, 'GET', '/users/@me', { headers: { authorization: `Bearer sk_${'0'.repeat(64)}` } })),
    ).toEqual([401, 'UNAUTHORIZED']);
  });

  test('an expired token returns 401', async () => {
    const { app, ctx } = first(instances);
    const { id } = await newUser(first(instances));
    const claims = await createSession(ctx.pool, { id, sessionVersion: 0 });
    const token = app.jwt.sign({ ...claims, iat: Math.floor(Date.now() / 1000) - 604_801 });
    expect(refusal(await request(app, 'GET', '/users/@me', { token }))).toEqual([401, 'UNAUTHORIZED']);
  });

  test('raising the session version ends every session of the user', async () => {
    const { ctx } = first(instances);
    const user = await newUser(first(instances));
    await ctx.prisma.user.update({ where: { id: user.id }, data: { sessionVersion: { increment: 1 } } });
    expect(refusal(await user.call('GET', '/users/@me'))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('a change requested with a session', () => {
  const instances = useInstances(1, {
    PUBLIC_URL: 'https://mail.example.test/api',
    DASHBOARD_URL: 'https://app.example.test',
  });
  const REJECTED: Array<Record<string, string>> = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example.test' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example.test' },
  ];
  const ACCEPTED: Array<Record<string, string>> = [
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://app.example.test' },
    { origin: 'https://mail.example.test' },
    { 'sec-fetch-site': 'same-site', origin: 'https://app.example.test' },
  ];

  test.each(REJECTED)('returns 403 FORBIDDEN with the headers %j and changes nothing', async (headers) => {
    const user = await newUser(first(instances));
    const project = await ownProject(user);
    const inProject = { ...headers, 'x-project-id': project.id };
    for (const [method, url, body] of [
      ['POST', '/users/@me/projects', { name: 'Other' }],
      ['POST', `/users/@me/projects/${project.id}/regenerate-keys`, undefined],
      ['POST', '/probe', {}],
      ['POST', '/auth/logout', undefined],
      ['GET', '/auth/logout', undefined],
    ] as const)
      expect(refusal(await user.call(method, url, body, inProject)), `${method} ${url}`).toEqual([403, 'FORBIDDEN']);
    // Reads are not affected, and the session is still valid.
    const projects = await user.call('GET', '/users/@me/projects', undefined, headers);
    expect(projects.json().map(({ name }: { name: string }) => name)).toEqual(['Acme']);
    const key = { ...headers, authorization: `Bearer ${project.secret}` };
    expect((await user.call('POST', '/probe', {}, key)).statusCode).toBe(200);
  });

  test.each(ACCEPTED)('is accepted with the headers %j', async (headers) => {
    const user = await newUser(first(instances));
    expect((await user.call('POST', '/users/@me/projects', { name: 'New' }, headers)).statusCode).toBe(201);
    expect((await user.call('POST', '/auth/logout', undefined, headers)).statusCode).toBe(200);
    expect((await user.call('GET', '/users/@me')).statusCode).toBe(401);
  });
});

describe('GET /auth/oauth-config and GET /config', () => {
  const plain = useInstances(1);
  const full = useInstances(1, {
    GOOGLE_CLIENT_ID: 'g',
    GOOGLE_CLIENT_SECRET: 'g',
    GITHUB_CLIENT_ID: 'only the id',
    STRIPE_SECRET_KEY: 'sk_test',
    UPLOADS_URL: 's3://bucket',
    PUBLIC_URL: 'https://mail.example.test/',
    DASHBOARD_URL: 'https://app.example.test',
    DISABLE_SIGNUPS: '1',
    IMPORT_MAX_MB: '50',
    MAX_ATTACHMENTS: '3',
    MAX_ATTACHMENTS_MB: '20',
    INBOX_URL: 'http://127.0.0.1:8025',
    TEMPORAL_UI_URL: 'https://temporal.example.test',
  });

  test('contain no provider if none is configured', async () => {
    const { app } = first(plain);
    expect((await request(app, 'GET', '/auth/oauth-config')).json()).toEqual({ google: false, github: false });
    expect((await request(app, 'GET', '/config')).json()).toEqual({
      environment: 'test',
      urls: { api: 'http://127.0.0.1:3000', dashboard: 'http://127.0.0.1:3000/app' },
      features: {
        billing: false,
        storage: false,
        authProviders: { google: false, github: false },
        smtp: true,
        signups: true,
      },
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      limits: {
        importBytes: 5_242_880,
        imageBytes: 10_485_760,
        attachments: 10,
        attachmentBytes: 10_485_760,
        recipients: 1000,
      },
      links: { docs: 'http://127.0.0.1:3000/docs', inbox: null, temporal: null, temporalWorkflows: null },
    });
  });

  test('contain the configured providers; a provider needs its id and its secret', async () => {
    const { app } = first(full);
    expect((await request(app, 'GET', '/auth/oauth-config')).json()).toEqual({ google: true, github: false });
    expect((await request(app, 'GET', '/config')).json()).toEqual({
      environment: 'test',
      urls: { api: 'https://mail.example.test', dashboard: 'https://app.example.test' },
      features: {
        billing: true,
        storage: true,
        authProviders: { google: true, github: false },
        smtp: true,
        signups: false,
      },
      version: expect.any(String),
      limits: {
        importBytes: 52_428_800,
        imageBytes: 10_485_760,
        attachments: 3,
        attachmentBytes: 20_971_520,
        recipients: 1000,
      },
      links: {
        docs: 'https://mail.example.test/docs',
        inbox: 'http://127.0.0.1:8025',
        temporal: 'https://temporal.example.test',
        temporalWorkflows: 'https://temporal.example.test/namespaces/default/workflows/',
      },
    });
  });
});

describe('the time of a login', () => {
  const instances = useInstances(1, { PASSWORD_HASH_LOG2N: '15' });

  test('an unknown address takes as long as a wrong password', async () => {
    const { app } = first(instances);
    const user = await signUp(app);
    const median = async (email: string): Promise<number> => {
      const times: number[] = [];
      for (let i = 0; i < 5; i++) {
        const start = performance.now();
        await app.inject({
          method: 'POST',
          url: '/auth/login',
          remoteAddress: `198.51.100.${i}`,
          payload: { email, password: 'wrong password' },
        });
        times.push(performance.now() - start);
      }
      return times.sort((a, b) => a - b)[2] ?? 0;
    };
    const [known, unknown] = [await median(user.email), await median('stranger@users.test')];
    // Without the dummy hash, the ratio is about 30.
    expect(Math.max(known, unknown) / Math.min(known, unknown)).toBeLessThan(3);
  });
});

describe('password hashes', () => {
  test('contain their parameters and their own salt, and not the password', async () => {
    const [one, two] = [await hashPassword(PASSWORD, 15), await hashPassword(PASSWORD, 15)];
    expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/=]{24}\$[A-Za-z0-9+/=]{44}$/);
    expect(one).not.toBe(two);
    expect([await verifyPassword(PASSWORD, one), await verifyPassword(`${PASSWORD} `, one)]).toEqual([true, false]);
  });

  test('a password matches in every Unicode normalization form', async () => {
    expect(await verifyPassword('cafe\u0301 society', await hashPassword('caf\u00e9 society', LOG2N))).toBe(true);
  });
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('failures from %s count for the network %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});
