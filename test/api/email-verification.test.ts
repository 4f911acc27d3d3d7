import { describe, expect, test } from 'vitest';
import { mailsTo, tokenFor } from '../helpers/account-mails.js';
import { first, useInstances } from '../helpers/probe.js';
import { errorOf, newUser, ownProject, refusal, request, signUp } from '../helpers/session.js';

const instances = useInstances(2, { DASHBOARD_URL: 'https://app.example.test' });
const ctx = () => first(instances).ctx;
const on = (index: number) => (instances[index % 2] ?? first(instances)).app;
const post = (url: string, body: unknown, instance = 0) => request(on(instance), 'POST', url, { body });
const verify = (token: unknown, instance = 0) => post('/auth/verify-email', { token }, instance);

describe('POST /auth/request-verification', () => {
  test("with a session queues an email to the user's address, with a token of 32 random bytes", async () => {
    const user = await newUser(first(instances));
    const response = await user.call('POST', '/auth/request-verification');
    expect([response.statusCode, response.json()]).toEqual([200, { success: true }]);
    const [mail, ...others] = await mailsTo(ctx(), user.email);
    expect(others).toEqual([]);
    expect(mail).toEqual({
      subject: 'Verify your email address',
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      link: `https://app.example.test/auth/verify-email?token=${mail?.token}`,
    });
  });

  test('without a session, an unknown and a verified address get the same response and no email', async () => {
    const [user, done] = [await newUser(first(instances)), await newUser(first(instances))];
    await ctx().prisma.user.update({ where: { id: done.id }, data: { emailVerified: true } });
    const answers = [];
    for (const email of [user.email, done.email, 'stranger@users.test'])
      answers.push(await post('/auth/request-verification', { email }));
    expect(answers.map(({ statusCode, body }) => [statusCode, body])).toEqual(
      Array.from({ length: 3 }, () => [200, '{"success":true}']),
    );
    expect(await mailsTo(ctx(), user.email)).toHaveLength(1);
    expect(await mailsTo(ctx(), done.email)).toEqual([]);
    expect(await mailsTo(ctx(), 'stranger@users.test')).toEqual([]);
  });

  test('without a session and an address, it returns 422', async () => {
    const response = await post('/auth/request-verification', {});
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'email']);
    expect(errorOf(response).errors?.[0]?.code).toBe('required');
    expect(refusal(await request(on(0), 'POST', '/auth/request-verification', { token: 'x' }))).toEqual([
      422,
      'VALIDATION_ERROR',
      'email',
    ]);
  });

  test('after 5 requests for an address, it returns 429 with Retry-After, with and without a session', async () => {
    const user = await newUser(first(instances));
    for (let i = 0; i < 5; i++) expect((await user.call('POST', '/auth/request-verification')).statusCode).toBe(200);
    const response = await post('/auth/request-verification', { email: user.email }, 1);
    expect(refusal(response)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(880);
    expect(refusal(await user.call('POST', '/auth/request-verification'))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(await mailsTo(ctx(), user.email)).toHaveLength(5);
    // Each kind of email has its own limit.
    expect((await post('/auth/request-password-reset', { email: user.email })).statusCode).toBe(200);
  });

  test('signing up queues no email if addresses need no verification', async () => {
    const user = await signUp(on(0));
    expect(await mailsTo(ctx(), user.email)).toEqual([]);
  });
});

describe('POST /auth/verify-email', () => {
  async function withToken() {
    const user = await newUser(first(instances));
    await user.call('POST', '/auth/request-verification');
    return { ...user, token: user.token, verification: await tokenFor(ctx(), user.email) };
  }

  test('verifies the address without a session; sessions stay valid', async () => {
    const user = await withToken();
    const response = await verify(user.verification);
    expect([response.statusCode, response.json(), response.cookies]).toEqual([200, { success: true }, []]);
    expect((await user.call('GET', '/users/@me')).json()).toEqual({
      id: user.id,
      email: user.email,
      emailVerified: true,
    });
  });

  test('a token works once, and only one of several concurrent uses on two instances succeeds', async () => {
    const user = await withToken();
    const statuses = (await Promise.all(Array.from({ length: 8 }, (_, i) => verify(user.verification, i)))).map(
      ({ statusCode }) => statusCode,
    );
    expect(statuses.sort((a, b) => a - b)).toEqual([200, ...Array(7).fill(400)]);
    expect(refusal(await verify(user.verification))).toEqual([400, 'BAD_REQUEST']);
  });

  test('a token that is older than an hour returns 400', async () => {
    const user = await withToken();
    await ctx().pool.query(`UPDATE auth_tokens SET expires_at = now() - interval '1 millisecond' WHERE user_id = $1`, [
      user.id,
    ]);
    expect(refusal(await verify(user.verification))).toEqual([400, 'BAD_REQUEST']);
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: false });
  });

  test('a password token does not verify an address', async () => {
    const user = await newUser(first(instances));
    await post('/auth/request-password-reset', { email: user.email });
    expect(refusal(await verify(await tokenFor(ctx(), user.email)))).toEqual([400, 'BAD_REQUEST']);
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: false });
  });

  test.each([
    ['no token', {}, 'required'],
    ['a token of another type', { token: true }, 'invalid_type'],
    ['an empty token', { token: '' }, 'too_small'],
    ['a token of 201 characters', { token: 'x'.repeat(201) }, 'too_big'],
  ])('%s returns 422', async (_what, body, code) => {
    const response = await post('/auth/verify-email', body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'token']);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
  });
});

describe('if addresses must be verified', () => {
  const strict = useInstances(1, { REQUIRE_EMAIL_VERIFICATION: 'true' });

  test('signing up queues one email', async () => {
    const { app, ctx } = first(strict);
    const user = await signUp(app);
    expect(await mailsTo(ctx, user.email)).toEqual([expect.objectContaining({ subject: 'Verify your email address' })]);
    expect(
      (await request(app, 'POST', '/auth/signup', { body: { email: user.email, password: 'another password' } }))
        .statusCode,
    ).toBe(409);
    expect(await mailsTo(ctx, user.email)).toHaveLength(1);
  });

  test('signing up creates no account if the email cannot be queued', async () => {
    const { app, ctx } = first(strict);
    await ctx.pool.query(`ALTER TABLE account_mails ADD CONSTRAINT no_mails CHECK (email <> 'unlucky@users.test')`);
    expect(
      (
        await request(app, 'POST', '/auth/signup', {
          body: { email: 'unlucky@users.test', password: 'a long password' },
        })
      ).statusCode,
    ).toBe(500);
    expect(await ctx.prisma.user.count({ where: { email: 'unlucky@users.test' } })).toBe(0);
    await ctx.pool.query('ALTER TABLE account_mails DROP CONSTRAINT no_mails');
  });

  test('an unverified session gets 403 EMAIL_VERIFICATION_REQUIRED except on GET /users/@me and /auth', async () => {
    const { app, ctx } = first(strict);
    const [owner, user] = [await newUser({ app, ctx }), await signUp(app)];
    await ctx.prisma.user.update({ where: { id: owner.id }, data: { emailVerified: true } });
    const { id } = await ownProject(owner);
    // The account may not belong to the owner of the address.
    expect((await owner.call('POST', `/projects/${id}/members`, { email: user.email, role: 'ADMIN' })).statusCode).toBe(
      201,
    );
    const calls = [
      () => user.call('GET', '/users/@me/projects'),
      () => user.call('POST', '/users/@me/projects', { name: 'Mine' }),
      () => user.call('PATCH', `/users/@me/projects/${id}`, { name: 'Mine' }),
      () => user.call('POST', `/users/@me/projects/${id}/regenerate-keys`),
      () => user.call('POST', `/users/@me/projects/${id}/reset`),
      () => user.call('GET', `/projects/${id}/members`),
      () => user.call('GET', `/projects/${id}/setup-state`),
      () => user.call('POST', `/projects/${id}/members`, { email: owner.email }),
      () => user.call('GET', '/contacts', undefined, { 'x-project-id': id }),
    ];
    for (const call of calls) expect(refusal(await call())).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: false });
    expect((await user.call('POST', '/auth/request-verification')).statusCode).toBe(200);
    expect(
      (await request(app, 'POST', '/auth/verify-email', { body: { token: await tokenFor(ctx, user.email) } }))
        .statusCode,
    ).toBe(200);
    for (const index of [0, 5, 6, 8]) expect((await calls[index]?.())?.statusCode).toBe(200);
  });
});
