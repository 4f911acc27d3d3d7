/** `PATCH /users/@me`, the sessions of a user, and the last use of keys. */
import { beforeAll, describe, expect, test } from 'vitest';
import { nameDevice } from '../../src/domain/accounts/device.js';
import { newId } from '../../src/ids.js';
import { mailsTo, tokenFor } from '../helpers/account-mails.js';
import { first, useInstances } from '../helpers/probe.js';
import {
  errorOf,
  newUser,
  ownProject,
  PASSWORD,
  refusal,
  request,
  signUp,
  tokenOf,
  type TestUser,
} from '../helpers/session.js';
import { eventually } from '../helpers/eventually.js';

const NEW_PASSWORD = 'another password';
const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';

const instances = useInstances(2, { REQUIRE_EMAIL_VERIFICATION: 'true' });
const api = () => first(instances);
const other = () => instances[1] ?? api();

async function verified(): Promise<TestUser> {
  const user = await signUp(api().app);
  await api().ctx.prisma.user.update({ where: { id: user.id }, data: { emailVerified: true } });
  return user;
}
const logIn = (email: string, password: string, headers?: Record<string, string>) =>
  request(api().app, 'POST', '/auth/login', { body: { email, password }, headers });
const statusOf = async (token: string): Promise<number> =>
  (await request(other().app, 'GET', '/users/@me', { token })).statusCode;
const accountOf = (id: string) => api().ctx.prisma.user.findUniqueOrThrow({ where: { id } });

describe('PATCH /users/@me', () => {
  test('a new password ends the other sessions in all processes and keeps the current one', async () => {
    const user = await verified();
    const elsewhere = tokenOf(await logIn(user.email, PASSWORD));
    const response = await user.call('PATCH', '/users/@me', { newPassword: NEW_PASSWORD, currentPassword: PASSWORD });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { id: user.id, email: user.email, emailVerified: true },
    ]);
    expect(await statusOf(elsewhere)).toBe(401);
    expect(await statusOf(tokenOf(response))).toBe(200);
    const sessions = await request(api().app, 'GET', '/users/@me/sessions', { token: tokenOf(response) });
    expect(sessions.json()).toEqual([expect.objectContaining({ current: true })]);
    expect(refusal(await logIn(user.email, PASSWORD))).toEqual([401, 'INVALID_CREDENTIALS']);
    expect((await logIn(user.email, NEW_PASSWORD)).statusCode).toBe(200);
  });

  test('a new address must be verified again, and the former one gets a notice', async () => {
    const user = await verified();
    await user.call('POST', '/auth/request-verification');
    const email = `new-${user.email}`;
    const body = { email: ` ${email.toUpperCase()} `, currentPassword: PASSWORD };
    const response = await user.call('PATCH', '/users/@me', body);
    expect(response.json()).toEqual({ id: user.id, email, emailVerified: false });
    expect(response.cookies).toEqual([]);
    expect((await mailsTo(api().ctx, user.email)).map(({ subject }) => subject)).toEqual([
      'The address of your account has changed',
    ]);
    expect(refusal(await user.call('GET', '/users/@me/projects'))).toEqual([403, 'EMAIL_VERIFICATION_REQUIRED']);
    const token = await tokenFor(api().ctx, email);
    expect((await request(api().app, 'POST', '/auth/verify-email', { body: { token } })).statusCode).toBe(200);
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ email, emailVerified: true });
  });

  test('a link that was sent to the former address does not verify the new one', async () => {
    const user = await signUp(api().app);
    const token = await tokenFor(api().ctx, user.email);
    await user.call('PATCH', '/users/@me', { email: `new-${user.email}`, currentPassword: PASSWORD });
    expect((await request(api().app, 'POST', '/auth/verify-email', { body: { token } })).statusCode).toBe(400);
    expect((await accountOf(user.id)).emailVerified).toBe(false);
  });

  test('the own address changes nothing', async () => {
    const user = await verified();
    const response = await user.call('PATCH', '/users/@me', { email: user.email, currentPassword: PASSWORD });
    expect(response.json()).toEqual({ id: user.id, email: user.email, emailVerified: true });
  });

  describe('a body that breaks a rule returns 422 at its field and changes nothing', () => {
    let user: TestUser;
    let taken: string;
    beforeAll(async () => {
      [user, { email: taken }] = [await verified(), await newUser(api())];
    });
    test.each([
      ['a wrong password', () => ({ newPassword: NEW_PASSWORD, currentPassword: 'wrong' }), 'currentPassword'],
      ['no current password', () => ({ newPassword: NEW_PASSWORD }), 'currentPassword'],
      ['an address of another account', () => ({ email: taken, currentPassword: PASSWORD }), 'email'],
      ['text that is not an address', () => ({ email: 'no-address', currentPassword: PASSWORD }), 'email'],
      ['a password of 7 characters', () => ({ newPassword: '1234567', currentPassword: PASSWORD }), 'newPassword'],
      [
        'a taken address with a valid password',
        () => ({ email: taken, newPassword: NEW_PASSWORD, currentPassword: PASSWORD }),
        'email',
      ],
      ['neither an address nor a password', () => ({ currentPassword: PASSWORD }), 'email'],
    ])('%s', async (_, body, field) => {
      const before = await accountOf(user.id);
      expect(refusal(await user.call('PATCH', '/users/@me', body()))).toEqual([422, 'VALIDATION_ERROR', field]);
      expect(await accountOf(user.id)).toEqual(before);
      expect(await statusOf(user.token)).toBe(200);
    });
  });

  test('an account without a password is told to set one by a password reset', async () => {
    const user = await newUser(api());
    const response = await user.call('PATCH', '/users/@me', { newPassword: NEW_PASSWORD, currentPassword: PASSWORD });
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'currentPassword']);
    expect(errorOf(response).errors?.[0]?.message).toContain('/auth/request-password-reset');
    expect((await accountOf(user.id)).passwordHash).toBeNull();
  });

  test('after 10 wrong passwords, the right one returns 429, and so does a login', async () => {
    const user = await verified();
    const change = (currentPassword: string) =>
      user.call('PATCH', '/users/@me', { newPassword: NEW_PASSWORD, currentPassword });
    for (let attempt = 0; attempt < 10; attempt++) expect((await change('wrong')).statusCode).toBe(422);
    const response = await change(PASSWORD);
    expect(refusal(response)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
    expect(refusal(await logIn(user.email, PASSWORD))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
  });

  test('of two concurrent changes of the password, one succeeds', async () => {
    const user = await verified();
    const second = tokenOf(await logIn(user.email, PASSWORD));
    const body = { newPassword: NEW_PASSWORD, currentPassword: PASSWORD };
    const responses = await Promise.all([
      user.call('PATCH', '/users/@me', body),
      request(other().app, 'PATCH', '/users/@me', { body, token: second }),
    ]);
    const succeeded = responses.filter(({ statusCode }) => statusCode === 200);
    expect(succeeded).toHaveLength(1);
  });

  test('requires a session', async () => {
    const body = { newPassword: NEW_PASSWORD, currentPassword: PASSWORD };
    expect(refusal(await request(api().app, 'PATCH', '/users/@me', { body }))).toEqual([401, 'UNAUTHORIZED']);
  });
});

describe('the sessions of a user', () => {
  test('have the device, the address, and the times of their login; the current one is marked', async () => {
    const user = await verified();
    await logIn(user.email, PASSWORD, { 'user-agent': FIREFOX });
    const response = await user.call('GET', '/users/@me/sessions');
    expect(response.json()).toHaveLength(2);
    expect(response.json()).toEqual(
      expect.arrayContaining([
        {
          id: expect.any(String),
          createdAt: expect.any(String),
          lastUsedAt: expect.any(String),
          device: 'Firefox on Windows',
          userAgent: FIREFOX,
          ip: '127.0.0.1',
          current: false,
        },
        expect.objectContaining({ current: true }),
      ]),
    );
  });

  test('an ended session stops working in every process, and the others continue', async () => {
    const user = await verified();
    const ended = tokenOf(await logIn(user.email, PASSWORD));
    const sessions = (await user.call('GET', '/users/@me/sessions')).json<Array<{ id: string; current: boolean }>>();
    const id = sessions.find(({ current }) => !current)?.id ?? '';
    expect(await statusOf(ended)).toBe(200);
    expect((await user.call('DELETE', `/users/@me/sessions/${id}`)).statusCode).toBe(204);
    expect([await statusOf(ended), await statusOf(user.token)]).toEqual([401, 200]);
    expect((await user.call('GET', '/users/@me/sessions')).json()).toHaveLength(1);
    expect(refusal(await user.call('DELETE', `/users/@me/sessions/${id}`))).toEqual([404, 'SESSION_NOT_FOUND']);
  });

  test('to end the current session is to log out', async () => {
    const user = await verified();
    const [session] = (await user.call('GET', '/users/@me/sessions')).json<Array<{ id: string }>>();
    const response = await user.call('DELETE', `/users/@me/sessions/${session?.id ?? ''}`);
    expect([response.statusCode, tokenOf(response)]).toEqual([204, '']);
    expect(await statusOf(user.token)).toBe(401);
  });

  test('the session of another user returns 404 and continues', async () => {
    const [user, stranger] = [await verified(), await verified()];
    const [session] = (await user.call('GET', '/users/@me/sessions')).json<Array<{ id: string }>>();
    for (const id of [session?.id ?? '', newId(), 'x'])
      expect(refusal(await stranger.call('DELETE', `/users/@me/sessions/${id}`))).toEqual([404, 'SESSION_NOT_FOUND']);
    expect(await statusOf(user.token)).toBe(200);
  });

  test.each([
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
      'Safari on macOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    ['curl/8.0', null],
    [null, null],
  ])('the device of %s is %s', (userAgent, device) => {
    expect(nameDevice(userAgent)).toBe(device);
  });
});

test('the setup state shows the last use of each key, and forgets it when the keys are regenerated', async () => {
  const user = await verified();
  const { id, public: publicKey, secret } = await ownProject(user);
  const state = async () =>
    (await user.call('GET', `/projects/${id}/setup-state`)).json<Record<string, string | null>>();
  const withKey = (key: string, method: 'GET' | 'POST', url: string, body?: unknown) =>
    request(api().app, method, url, { body, headers: { authorization: `Bearer ${key}` } });
  expect(await state()).toMatchObject({ secretKeyLastUsedAt: null, publicKeyLastUsedAt: null });
  await withKey(secret, 'GET', '/contacts');
  await eventually(async () => expect((await state()).secretKeyLastUsedAt).not.toBeNull());
  expect((await state()).publicKeyLastUsedAt).toBeNull();
  const { secretKeyLastUsedAt: firstUse } = await state();
  for (let n = 0; n < 3; n++) await withKey(secret, 'GET', '/contacts');
  await withKey(publicKey, 'POST', '/v1/track', { email: 'a@x.test', event: 'signup' });
  await eventually(async () => expect((await state()).publicKeyLastUsedAt).not.toBeNull());
  expect((await state()).secretKeyLastUsedAt).toBe(firstUse);
  const renewed = await user.call('POST', `/users/@me/projects/${id}/regenerate-keys`);
  expect(await state()).toMatchObject({ secretKeyLastUsedAt: null, publicKeyLastUsedAt: null });
  await withKey(renewed.json<{ secret: string }>().secret, 'GET', '/contacts');
  await eventually(async () => expect((await state()).secretKeyLastUsedAt).not.toBeNull());
});

describe('POST /users/@me/test-email', () => {
  test('sends an email to the address of the user, at most 5 in 15 minutes', async () => {
    const user = await verified();
    for (let count = 0; count < 5; count++)
      expect((await user.call('POST', '/users/@me/test-email')).statusCode).toBe(202);
    expect(refusal(await user.call('POST', '/users/@me/test-email'))).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    const subjects = (await mailsTo(api().ctx, user.email)).map(({ subject }) => subject);
    expect(subjects).toEqual(Array.from({ length: 5 }, () => 'Your first email from Sendloom'));
  });
});
