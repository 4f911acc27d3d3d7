import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { runMaintenanceTask } from '../../src/domain/maintenance/maintenance.js';
import { newId } from '../../src/ids.js';
import { mailsTo, tokenFor } from '../helpers/account-mails.js';
import { first, useInstances } from '../helpers/probe.js';
import { dump } from '../helpers/routes.js';
import { errorOf, newUser, PASSWORD, refusal, request, signUp, tokenOf, type TestUser } from '../helpers/session.js';

const NEW_PASSWORD = 'a new password';
const instances = useInstances(2, { DASHBOARD_URL: 'https://app.example.test' });
const ctx = () => first(instances).ctx;
const on = (index: number) => (instances[index % 2] ?? first(instances)).app;
const post = (url: string, body: unknown, instance = 0, ip?: string) =>
  request(on(instance), 'POST', url, { body, ip });
const requestReset = (email: string, instance = 0) => post('/auth/request-password-reset', { email }, instance);
const reset = (token: unknown, password: unknown = NEW_PASSWORD, instance = 0) =>
  post('/auth/reset-password', { token, password }, instance);
const login = (email: string, password: string) => post('/auth/login', { email, password });

/** Creates a user with PASSWORD, and the token of an email to them. */
async function withToken(): Promise<TestUser & { reset: string }> {
  const user = await signUp(on(0));
  await requestReset(user.email);
  return { ...user, reset: await tokenFor(ctx(), user.email) };
}

describe('POST /auth/request-password-reset', () => {
  test('queues an email that links to the dashboard with a token of 32 random bytes', async () => {
    const user = await newUser(first(instances));
    const response = await requestReset(`  ${user.email.toUpperCase()} `);
    expect([response.statusCode, response.json(), response.cookies]).toEqual([200, { success: true }, []]);
    const [mail, ...others] = await mailsTo(ctx(), user.email);
    expect(others).toEqual([]);
    expect(mail).toEqual({
      subject: 'Reset your password',
      token: expect.stringMatching(/^[0-9a-f]{64}$/),
      link: `https://app.example.test/auth/reset-password?token=${mail?.token}`,
    });
  });

  test('each request has its own token, and each is valid for an hour', async () => {
    const user = await newUser(first(instances));
    for (let i = 0; i < 2; i++) await requestReset(user.email);
    const [one, two] = await mailsTo(ctx(), user.email);
    expect(one?.token).not.toBe(two?.token);
    const rows = await ctx().prisma.authToken.findMany({ where: { userId: user.id } });
    for (const { expiresAt, createdAt, purpose } of rows)
      expect([expiresAt.getTime() - createdAt.getTime(), purpose]).toEqual([3_600_000, 'password-reset']);
    expect(rows).toHaveLength(2);
  });

  test('the database stores only the hash of the token, in its table and in the queue', async () => {
    const user = await newUser(first(instances));
    await requestReset(user.email);
    const token = await tokenFor(ctx(), user.email);
    const stored = JSON.stringify(await dump(ctx()));
    expect(stored).not.toContain(token);
    expect(stored).toContain(createHash('sha256').update(token).digest('hex'));
  });

  test('an unknown address gets the same response, and no email', async () => {
    const user = await newUser(first(instances));
    const [known, unknown] = [await requestReset(user.email), await requestReset('stranger@users.test')];
    expect([unknown.statusCode, unknown.body]).toEqual([known.statusCode, known.body]);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(known.headers).sort());
    expect(await mailsTo(ctx(), 'stranger@users.test')).toEqual([]);
    expect(await ctx().prisma.accountMail.count()).toBe(0);
  });

  test('the request never reads the account, so that it takes the same time for any address', async () => {
    const user = await newUser(first(instances));
    const statements = async (email: string): Promise<string[]> => {
      const query = vi.spyOn(Client.prototype, 'query');
      await requestReset(email);
      const given: unknown[] = query.mock.calls.map(([first]) => first);
      query.mockRestore();
      return given.map((one) =>
        typeof one === 'object' && one !== null && 'text' in one ? String(one.text) : String(one),
      );
    };
    const [known, unknown] = [await statements(user.email), await statements('unknown@users.test')];
    expect(unknown).toEqual(known);
    expect(known.join('\n')).toMatch(/account_mails/);
    expect(known.join('\n')).not.toMatch(/\busers\b|auth_tokens/);
  });

  test('after 5 requests for an address, every instance returns 429 with Retry-After; 5 emails exist', async () => {
    const user = await newUser(first(instances));
    for (const email of [user.email, 'unknown-limit@users.test']) {
      for (let i = 0; i < 5; i++) expect((await requestReset(email, i)).statusCode).toBe(200);
      for (const instance of [0, 1]) {
        const response = await requestReset(email, instance);
        expect(refusal(response)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
        expect(Number(response.headers['retry-after'])).toBeGreaterThan(880);
        expect(Number(response.headers['retry-after'])).toBeLessThanOrEqual(900);
      }
    }
    expect(await mailsTo(ctx(), user.email)).toHaveLength(5);
    const other = await newUser(first(instances));
    expect((await requestReset(other.email)).statusCode).toBe(200);
  });

  test('5 of 12 concurrent requests on two instances are accepted', async () => {
    const user = await newUser(first(instances));
    const statuses = (await Promise.all(Array.from({ length: 12 }, (_, i) => requestReset(user.email, i)))).map(
      ({ statusCode }) => statusCode,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(7);
    expect(await mailsTo(ctx(), user.email)).toHaveLength(5);
  });

  test('requests older than 15 minutes are not counted', async () => {
    const user = await newUser(first(instances));
    for (let i = 0; i < 5; i++) await requestReset(user.email);
    await ctx().pool.query(`UPDATE auth_attempts SET at = at - interval '15 minutes' WHERE key = $1`, [
      `reset:address:${user.email}`,
    ]);
    expect((await requestReset(user.email)).statusCode).toBe(200);
  });

  test.each([
    ['no body', undefined, 'required'],
    ['a malformed address', { email: 'bad@' }, 'invalid_string'],
    ['an address of another type', { email: 7 }, 'invalid_type'],
  ])('%s returns 422', async (_what, body, code) => {
    const response = await post('/auth/request-password-reset', body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'email']);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
  });
});

describe('POST /auth/reset-password', () => {
  test('replaces the password, ends all sessions on every instance, and starts none', async () => {
    const user = await withToken();
    const second = tokenOf(await login(user.email, PASSWORD));
    const response = await reset(user.reset);
    expect([response.statusCode, response.json(), response.cookies]).toEqual([200, { success: true }, []]);
    for (const token of [user.token, second]) {
      for (const instance of [0, 1])
        expect(refusal(await request(on(instance), 'GET', '/users/@me', { token }))).toEqual([401, 'UNAUTHORIZED']);
    }
    expect(refusal(await login(user.email, PASSWORD))).toEqual([401, 'INVALID_CREDENTIALS']);
    const again = await login(user.email, NEW_PASSWORD);
    expect(again.statusCode).toBe(200);
    expect((await request(on(1), 'GET', '/users/@me', { token: tokenOf(again) })).json()).toEqual({
      id: user.id,
      email: user.email,
      emailVerified: true,
    });
  });

  test('a login with the old password that is concurrent with the reset gets no valid session', async () => {
    const user = await withToken();
    const [session, done] = await Promise.all([login(user.email, PASSWORD), reset(user.reset)]);
    expect(done.statusCode).toBe(200);
    if (session.statusCode === 200)
      expect(refusal(await request(on(0), 'GET', '/users/@me', { token: tokenOf(session) }))).toEqual([
        401,
        'UNAUTHORIZED',
      ]);
    else expect(refusal(session)).toEqual([401, 'INVALID_CREDENTIALS']);
  });

  test('a token works once', async () => {
    const user = await withToken();
    expect((await reset(user.reset)).statusCode).toBe(200);
    expect(refusal(await reset(user.reset, 'yet another password'))).toEqual([400, 'BAD_REQUEST']);
    expect((await login(user.email, NEW_PASSWORD)).statusCode).toBe(200);
  });

  test('only one of several concurrent uses of a token on two instances succeeds, and sets the password', async () => {
    const user = await withToken();
    const passwords = Array.from({ length: 6 }, (_, i) => `parallel password ${i}`);
    const statuses = (await Promise.all(passwords.map((password, i) => reset(user.reset, password, i)))).map(
      ({ statusCode }) => statusCode,
    );
    expect([...statuses].sort((a, b) => a - b)).toEqual([200, 400, 400, 400, 400, 400]);
    expect((await login(user.email, passwords[statuses.indexOf(200)] ?? '')).statusCode).toBe(200);
    expect((await ctx().prisma.user.findUniqueOrThrow({ where: { id: user.id } })).sessionVersion).toBe(1);
  });

  test('only one of several concurrent tokens of one user succeeds: a reset revokes the others', async () => {
    const user = await withToken();
    for (let i = 0; i < 2; i++) await requestReset(user.email);
    const tokens = (await mailsTo(ctx(), user.email)).map(({ token }) => token);
    expect(tokens).toHaveLength(3);
    const statuses = (await Promise.all(tokens.map((token, i) => reset(token, `password number ${i}`, i)))).map(
      ({ statusCode }) => statusCode,
    );
    expect(statuses.sort((a, b) => a - b)).toEqual([200, 400, 400]);
  });

  test('a token that is older than an hour returns 400, and changes nothing', async () => {
    const user = await withToken();
    await ctx().pool.query(`UPDATE auth_tokens SET expires_at = now() - interval '1 millisecond' WHERE user_id = $1`, [
      user.id,
    ]);
    expect(refusal(await reset(user.reset))).toEqual([400, 'BAD_REQUEST']);
    expect((await user.call('GET', '/users/@me')).statusCode).toBe(200);
  });

  test('a verification token, an unknown token, and a missing token return the same 400', async () => {
    const user = await newUser(first(instances));
    await post('/auth/request-verification', { email: user.email });
    const verification = await tokenFor(ctx(), user.email);
    const answers = [
      await reset(verification),
      await reset('0'.repeat(64)),
      await reset('x'),
      await reset(`${verification} `),
      await reset('😀'),
    ];
    for (const answer of answers) expect(refusal(answer)).toEqual([400, 'BAD_REQUEST']);
    expect(new Set(answers.map((answer) => errorOf(answer).message)).size).toBe(1);
    expect((await ctx().prisma.user.findUniqueOrThrow({ where: { id: user.id } })).passwordHash).toBeNull();
  });

  test('an account that has only signed in with a provider gets a password', async () => {
    const user = await newUser(first(instances));
    await requestReset(user.email);
    expect((await reset(await tokenFor(ctx(), user.email))).statusCode).toBe(200);
    expect((await login(user.email, NEW_PASSWORD)).statusCode).toBe(200);
  });

  test('verifies the address, because its mailbox received the token', async () => {
    const user = await withToken();
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: false });
    await reset(user.reset);
    expect((await ctx().prisma.user.findUniqueOrThrow({ where: { id: user.id } })).emailVerified).toBe(true);
  });

  test('clears the failed logins of the address, so that the new password works immediately', async () => {
    const user = await withToken();
    await ctx().pool.query(`INSERT INTO auth_attempts (key) SELECT $1 FROM generate_series(1, 10)`, [
      `login:address:${user.email}`,
    ]);
    expect((await login(user.email, PASSWORD)).statusCode).toBe(429);
    await reset(user.reset);
    expect((await login(user.email, NEW_PASSWORD)).statusCode).toBe(200);
  });

  test.each([
    ['a password of 7 characters', { password: '1234567' }, 'password', 'too_small'],
    ['a password of 1,001 characters', { password: 'x'.repeat(1001) }, 'password', 'too_big'],
    ['no password', { password: undefined }, 'password', 'required'],
    ['no token', { token: undefined }, 'token', 'required'],
    ['an empty token', { token: '' }, 'token', 'too_small'],
    ['a token of another type', { token: 7 }, 'token', 'invalid_type'],
  ])('%s returns 422, and the token stays valid', async (_what, change, field, code) => {
    const user = await newUser(first(instances));
    await requestReset(user.email);
    const token = await tokenFor(ctx(), user.email);
    const response = await post('/auth/reset-password', { token, password: NEW_PASSWORD, ...change });
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', field]);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
    expect(response.body).not.toContain(token);
    expect((await reset(token)).statusCode).toBe(200);
  });

  test('a rejected token is not echoed', async () => {
    expect((await reset('hunter2-hunter2')).body).not.toContain('hunter2');
  });
});

describe('the requested emails', () => {
  beforeEach(() => ctx().prisma.accountMail.deleteMany());

  test('are written once, by one of several concurrent writers', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => newUser(first(instances))));
    for (const { email } of users) await requestReset(email);
    const [one, two] = instances;
    if (!one || !two) throw new Error('There are two instances');
    await Promise.all([mailsTo(one.ctx, ''), mailsTo(two.ctx, ''), mailsTo(one.ctx, '')]);
    for (const { email } of users) expect(await mailsTo(ctx(), email)).toHaveLength(1);
  });

  test('stay queued if writing them is interrupted, and leave no token', async () => {
    const user = await newUser(first(instances));
    await requestReset(user.email);
    // The email is written last: everything before it must be rolled back too.
    await ctx().pool.query(`ALTER TABLE emails ADD CONSTRAINT no_mails CHECK (source <> 'PLATFORM') NOT VALID`);
    await expect(mailsTo(ctx(), user.email)).rejects.toThrow('no_mails');
    expect([
      await ctx().prisma.authToken.count({ where: { userId: user.id } }),
      await ctx().prisma.accountMail.count(),
    ]).toEqual([0, 1]);
    await ctx().pool.query(`ALTER TABLE emails DROP CONSTRAINT no_mails`);
    expect(await mailsTo(ctx(), user.email)).toHaveLength(1);
  });

  test('belong to a project that no user sees, with keys that no user has', async () => {
    const user = await newUser(first(instances));
    await requestReset(user.email);
    await tokenFor(ctx(), user.email);
    expect((await user.call('GET', '/users/@me/projects')).json()).toEqual([]);
    const { projectId } = await ctx().prisma.email.findFirstOrThrow({ where: { toEmail: user.email } });
    expect(await ctx().prisma.membership.count({ where: { projectId } })).toBe(0);
    expect(refusal(await user.call('GET', `/projects/${projectId}/members`))).toEqual([404, 'PROJECT_NOT_FOUND']);
    expect(await ctx().prisma.event.count({ where: { projectId } })).toBe(0);
  });

  test('of a deleted account are not written', async () => {
    const user = await newUser(first(instances));
    await requestReset(user.email);
    await ctx().prisma.user.delete({ where: { id: user.id } });
    expect(await mailsTo(ctx(), user.email)).toEqual([]);
  });

  test('tokens are deleted a day after they expire', async () => {
    const { id } = await newUser(first(instances));
    const rows = [25, 23].map((hours) => ({
      tokenHash: Buffer.from(newId()),
      userId: id,
      purpose: 'verification',
      expiresAt: new Date(Date.now() - hours * 3_600_000),
    }));
    await ctx().prisma.authToken.createMany({ data: rows });
    await runMaintenanceTask(ctx(), 'expiry');
    expect(
      (await ctx().prisma.authToken.findMany({ where: { userId: id } })).map(({ expiresAt }) => expiresAt),
    ).toEqual([rows[1]?.expiresAt]);
  });
});
