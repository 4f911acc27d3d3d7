/** The links of emails to users, opened in a browser when the API serves their pages itself. */
import { describe, expect, test } from 'vitest';
import { mailsTo } from '../helpers/account-mails.js';
import { first, useInstances } from '../helpers/probe.js';
import { newUser, request, signUp, tokenOf } from '../helpers/session.js';

const instances = useInstances(1, { DASHBOARD_URL: 'http://127.0.0.1:3000' });
const ctx = () => first(instances).ctx;
const app = () => first(instances).app;

/** Returns the link of the last email to an address, as a path of this API. */
async function linkTo(email: string): Promise<string> {
  const { link } = (await mailsTo(ctx(), email)).at(-1) ?? { link: '' };
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:3000\/auth\/(verify-email|reset-password)\?token=[0-9a-f]{64}$/);
  return link.replace('http://127.0.0.1:3000', '');
}
async function resetLink(email: string): Promise<string> {
  await request(app(), 'POST', '/auth/request-password-reset', { body: { email } });
  return linkTo(email);
}
const get = (url: string) => app().inject({ method: 'GET', url });
const submit = (url: string, form: Record<string, string> = {}) =>
  app().inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
const actionOf = (body: string): string => /<form method="post" action="([^"]+)">/.exec(body)?.[1] ?? '';

describe('the link of an email verification', () => {
  test('shows a button and verifies only when it is pressed, since mail scanners follow links', async () => {
    const user = await newUser(first(instances));
    await user.call('POST', '/auth/request-verification');
    const link = await linkTo(user.email);
    const page = await get(link);
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: false });
    const done = await submit(actionOf(page.body));
    expect(done.statusCode).toBe(200);
    expect(done.body).toContain('Your address is verified');
    expect((await user.call('GET', '/users/@me')).json()).toMatchObject({ emailVerified: true });
    expect((await get(link)).statusCode).toBe(404);
    expect((await submit(actionOf(page.body))).statusCode).toBe(400);
  });
});

describe('the link of a password reset', () => {
  test('shows a form, which changes the password', async () => {
    const user = await signUp(app());
    const page = await get(await resetLink(user.email));
    expect(page.statusCode).toBe(200);
    const done = await submit(actionOf(page.body), { password: 'from a form & more' });
    expect([done.statusCode, done.cookies]).toEqual([200, []]);
    expect(done.body).toContain('Your password was changed');
    expect((await user.call('GET', '/users/@me')).statusCode).toBe(401);
    const login = await request(app(), 'POST', '/auth/login', {
      body: { email: user.email, password: 'from a form & more' },
    });
    expect((await request(app(), 'GET', '/users/@me', { token: tokenOf(login) })).statusCode).toBe(200);
    expect((await submit(actionOf(page.body), { password: 'a second password' })).statusCode).toBe(400);
  });

  test.each([
    ['no password', {}],
    ['one of 7 characters', { password: '1234567' }],
    ['one of 1,001 characters', { password: 'x'.repeat(1001) }],
    ['one with NUL', { password: 'eight\x00888' }],
  ])('with %s shows the form again with the error, and the token stays valid', async (_what, form) => {
    const user = await newUser(first(instances));
    const page = await get(await resetLink(user.email));
    const again = await submit(actionOf(page.body), form);
    expect([again.statusCode, actionOf(again.body)]).toEqual([422, actionOf(page.body)]);
    expect(again.body).toContain('role="alert"');
    expect((await submit(actionOf(again.body), { password: 'long enough' })).statusCode).toBe(200);
  });
});

describe('a link that cannot be used', () => {
  test.each(['/auth/verify-email', '/auth/reset-password'])(
    '%s without a token, with an unknown, or with another kind of token returns 404, and its form 400',
    async (path) => {
      const user = await newUser(first(instances));
      const other = path === '/auth/verify-email' ? (await resetLink(user.email)).split('token=')[1] : '0'.repeat(64);
      for (const url of [path, `${path}?token=`, `${path}?token=${other}`, `${path}?token=%3Cscript%3E`]) {
        const page = await get(url);
        expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
        expect(page.body).toContain('This link does not work');
        expect(page.body).not.toContain('<script>');
      }
      expect((await submit(`${path}/${other}`, { password: 'long enough' })).statusCode).toBe(400);
    },
  );
});

test('the pages run no scripts, load nothing, and do not disclose the URL with its token', async () => {
  const { email } = await newUser(first(instances));
  const page = await get(await resetLink(email));
  expect(page.headers).toMatchObject({
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'x-robots-tag': 'noindex, nofollow',
  });
  expect(page.body).not.toMatch(/<script|src=|https?:\/\//);
});
