import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';

const api = useApi();

async function contact(
  project: TestProject,
  fields: { email?: string; subscribed?: boolean; snoozedUntil?: Date } = {},
): Promise<string> {
  const id = newId();
  await api.ctx.prisma.contact.create({
    data: { id, projectId: project.id, email: `${id}@x.test`, subscribed: true, ...fields },
  });
  return id;
}

const state = (id: string) =>
  api.ctx.prisma.contact.findUniqueOrThrow({ where: { id }, select: { subscribed: true, snoozedUntil: true } });
const events = async (contactId: string) =>
  (await api.ctx.prisma.event.findMany({ where: { contactId }, orderBy: { id: 'asc' } })).map(
    ({ name, data, emailId }) => ({ name, data, emailId }),
  );

const path = (url: string): string => new URL(url).pathname;
const unsubscribePath = (id: string, emailId?: string) => path(api.ctx.links.unsubscribeUrl(id, emailId));
const subscribePath = (id: string, emailId?: string) => path(api.ctx.links.subscribeUrl(id, emailId));
const managePath = (id: string, emailId?: string) => path(api.ctx.links.manageUrl(id, emailId));

const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ method: 'GET', url, headers });
const post = (url: string, form: Record<string, string> = {}) =>
  api.app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });

/** Submits the forms of a page as a browser without JavaScript does. */
const forms = (html: string) =>
  [...html.matchAll(/<form method="post"(?: action="([^"]*)")?>([\s\S]*?)<\/form>/g)].map(([, action, content]) => ({
    action,
    buttons: [...(content ?? '').matchAll(/<button[^>]*>([^<]+)<\/button>/g)].map((match) => match[1]),
  }));

const DAY = 24 * 3600 * 1000;

describe('an unsubscribe link', () => {
  test('GET changes nothing, since mail scanners follow links: it shows a form with one button', async () => {
    const id = await contact(await api.project(), { email: 'me@x.test' });
    const response = await get(unsubscribePath(id));
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('me@x.test');
    expect(forms(response.body)).toEqual([{ action: undefined, buttons: ['Unsubscribe'] }]);
    await api.app.inject({ method: 'HEAD', url: unsubscribePath(id) });
    expect(await state(id)).toEqual({ subscribed: true, snoozedUntil: null });
    expect(await events(id)).toEqual([]);
  });

  test('POST unsubscribes, writes one contact.unsubscribed with source page, and offers to resubscribe', async () => {
    const id = await contact(await api.project());
    const emailId = newId();
    const response = await post(unsubscribePath(id, emailId));
    expect(response.statusCode).toBe(200);
    expect(response.body).toContain('You are unsubscribed');
    expect(await state(id)).toEqual({ subscribed: false, snoozedUntil: null });
    expect(await events(id)).toEqual([{ name: 'contact.unsubscribed', data: { source: 'page', emailId }, emailId }]);
    const [back] = forms(response.body);
    expect(back).toEqual({ action: subscribePath(id, emailId), buttons: ['Subscribe'] });
    await post(back?.action ?? '');
    expect(await state(id)).toEqual({ subscribed: true, snoozedUntil: null });
    expect((await events(id)).map(({ name }) => name)).toEqual(['contact.unsubscribed', 'contact.subscribed']);
  });

  test('a repeat, even concurrent, writes no second event', async () => {
    const id = await contact(await api.project());
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(unsubscribePath(id))));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect(await events(id)).toEqual([{ name: 'contact.unsubscribed', data: { source: 'page' }, emailId: null }]);
  });

  test('GET for an unsubscribed contact shows the state and a button to resubscribe', async () => {
    const id = await contact(await api.project(), { subscribed: false });
    const response = await get(unsubscribePath(id));
    expect(response.body).toContain('You are unsubscribed');
    expect(forms(response.body)).toEqual([{ action: subscribePath(id), buttons: ['Subscribe'] }]);
  });

  test('makes a break permanent, without a second event', async () => {
    const id = await contact(await api.project(), { subscribed: false, snoozedUntil: new Date(Date.now() + DAY) });
    expect(forms((await get(unsubscribePath(id))).body)).toEqual([{ action: undefined, buttons: ['Unsubscribe'] }]);
    await post(unsubscribePath(id));
    expect(await state(id)).toEqual({ subscribed: false, snoozedUntil: null });
    expect(await events(id)).toEqual([]);
  });

  test('works while the project is disabled', async () => {
    const project = await api.project();
    const id = await contact(project);
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { disabled: true } });
    expect((await post(unsubscribePath(id))).statusCode).toBe(200);
    expect((await state(id)).subscribed).toBe(false);
  });
});

describe('an unsubscribe link for an address that is not a contact', () => {
  const tokenOf = (projectId: string, address: string) =>
    path(api.ctx.links.unsubscribeTargets({ projectId, address, emailId: newId() }).url)
      .split('/')
      .at(-1) ?? '';

  test('shows a form, then that the address is unsubscribed, without links to the pages of a contact', async () => {
    const project = await api.project();
    const url = `/unsubscribe/${tokenOf(project.id, 'sales@x.test')}`;
    const page = await get(url);
    expect([page.statusCode, forms(page.body)]).toEqual([200, [{ action: undefined, buttons: ['Unsubscribe'] }]]);
    const done = await post(url);
    expect(done.statusCode).toBe(200);
    for (const { body } of [done, await get(url)]) {
      expect(body).toContain('You are unsubscribed');
      expect(body).toContain('sales@x.test');
      expect(body).not.toMatch(/<form|<a /);
    }
    const list = await api.as(project, 'GET', '/suppressions/sales@x.test');
    expect(list.json()).toMatchObject({ reason: 'manual', detail: 'The reader unsubscribed by an email.' });
  });

  test('keeps a stronger suppression', async () => {
    const project = await api.project();
    const email = 'bounced@x.test';
    await api.ctx.prisma.suppression.create({ data: { projectId: project.id, email, reason: 'bounce' } });
    expect((await post(`/unsubscribe/${tokenOf(project.id, email)}`)).statusCode).toBe(200);
    expect((await api.as(project, 'GET', `/suppressions/${email}`)).json()).toMatchObject({ reason: 'bounce' });
  });

  test('opens no other page, and works for no other installation or deleted project', async () => {
    const project = await api.project();
    const token = tokenOf(project.id, 'sales@x.test');
    for (const other of [
      `/subscribe/${token}`,
      `/manage/${token}`,
      `/unsubscribe/${token}A`,
      `/unsubscribe/x${token}`,
    ]) {
      expect((await get(other)).statusCode).toBe(404);
      expect((await post(other)).statusCode).toBe(404);
    }
    expect(await api.ctx.prisma.suppression.count({ where: { projectId: project.id } })).toBe(0);
    const gone = `/unsubscribe/${tokenOf(newId(), 'sales@x.test')}`;
    expect((await get(gone)).statusCode).toBe(404);
    expect((await post(gone, { 'List-Unsubscribe': 'One-Click' })).statusCode).toBe(200);
  });

  test('leads to the pages of the contact that has the address by then', async () => {
    const project = await api.project();
    const url = `/unsubscribe/${tokenOf(project.id, 'new@x.test')}`;
    const id = await contact(project, { email: 'new@x.test' });
    const done = await post(url);
    expect(forms(done.body)).toMatchObject([{ buttons: ['Subscribe'] }]);
    expect(await state(id)).toMatchObject({ subscribed: false });
    expect(await events(id)).toMatchObject([{ name: 'contact.unsubscribed', data: { source: 'page' } }]);
  });
});

describe('one-click (RFC 8058)', () => {
  const multipart = [
    '--b',
    'Content-Disposition: form-data; name="List-Unsubscribe"',
    '',
    'One-Click',
    '--b--',
    '',
  ].join('\r\n');

  test.each([
    ['a url-encoded form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
    ['a multipart form', 'multipart/form-data; boundary=b', multipart],
  ])('%s with List-Unsubscribe=One-Click unsubscribes immediately, with source one_click', async (_, type, payload) => {
    const id = await contact(await api.project());
    const emailId = newId();
    const response = await api.app.inject({
      method: 'POST',
      url: path(api.ctx.links.oneClickUrl(id, emailId)),
      headers: { 'content-type': type },
      payload,
    });
    expect(response.statusCode).toBe(200);
    expect(await state(id)).toEqual({ subscribed: false, snoozedUntil: null });
    expect(await events(id)).toEqual([
      { name: 'contact.unsubscribed', data: { source: 'one_click', emailId }, emailId },
    ]);
  });

  test('returns 200 for a deleted contact', async () => {
    expect((await post(unsubscribePath(newId()), { 'List-Unsubscribe': 'One-Click' })).statusCode).toBe(200);
  });

  test('a POST without a body or of another type unsubscribes too: only the link matters', async () => {
    const project = await api.project();
    for (const options of [
      {},
      { headers: { 'content-type': 'application/json' }, payload: '{nonsense' },
      { headers: { 'content-type': 'text/plain' }, payload: 'x' },
    ]) {
      const id = await contact(project);
      expect((await api.app.inject({ method: 'POST', url: unsubscribePath(id), ...options })).statusCode).toBe(200);
      expect((await state(id)).subscribed).toBe(false);
    }
  });
});

describe('a subscribe link', () => {
  test('GET changes nothing; POST subscribes, writes one contact.subscribed, and offers to unsubscribe', async () => {
    const id = await contact(await api.project(), { subscribed: false });
    expect(forms((await get(subscribePath(id))).body)).toEqual([{ action: undefined, buttons: ['Subscribe'] }]);
    expect((await state(id)).subscribed).toBe(false);
    const response = await post(subscribePath(id));
    expect(forms(response.body)).toEqual([{ action: unsubscribePath(id), buttons: ['Unsubscribe'] }]);
    await post(subscribePath(id));
    expect((await state(id)).subscribed).toBe(true);
    expect(await events(id)).toEqual([{ name: 'contact.subscribed', data: { source: 'page' }, emailId: null }]);
  });

  test('GET for a subscribed contact shows the state', async () => {
    const id = await contact(await api.project());
    expect((await get(subscribePath(id))).body).toContain('You are subscribed');
  });

  test('ends a break', async () => {
    const id = await contact(await api.project(), { subscribed: false, snoozedUntil: new Date(Date.now() + DAY) });
    await post(subscribePath(id));
    expect(await state(id)).toEqual({ subscribed: true, snoozedUntil: null });
  });
});

describe('the preferences page', () => {
  const SNOOZES = ['30 days', '60 days', '90 days'];

  test('shows the current state and a button for each other state', async () => {
    const project = await api.project();
    const shown = async (id: string) => forms((await get(managePath(id))).body);
    expect(await shown(await contact(project))).toEqual([{ action: undefined, buttons: ['Unsubscribe', ...SNOOZES] }]);
    expect(await shown(await contact(project, { subscribed: false }))).toEqual([
      { action: undefined, buttons: ['Subscribe'] },
    ]);
    const snoozed = await contact(project, { subscribed: false, snoozedUntil: new Date('2101-03-04T10:00:00Z') });
    expect(await shown(snoozed)).toEqual([{ action: undefined, buttons: ['Subscribe', 'Unsubscribe', ...SNOOZES] }]);
    expect((await get(managePath(snoozed))).body).toContain('March 4, 2101');
    expect(await state(snoozed)).toEqual({ subscribed: false, snoozedUntil: new Date('2101-03-04T10:00:00Z') });
  });

  test.each([30, 60, 90])('a break of %i days unsubscribes until then, with one event', async (days) => {
    const id = await contact(await api.project());
    const response = await post(managePath(id), { action: `snooze-${days}` });
    expect(response.statusCode).toBe(200);
    const { subscribed, snoozedUntil } = await state(id);
    expect(subscribed).toBe(false);
    expect(Math.abs((snoozedUntil?.getTime() ?? 0) - Date.now() - days * DAY)).toBeLessThan(60_000);
    expect(await events(id)).toEqual([
      {
        name: 'contact.unsubscribed',
        data: { source: 'page', snoozedUntil: snoozedUntil?.toISOString() },
        emailId: null,
      },
    ]);
  });

  test('another break changes its end, and writes no event', async () => {
    const id = await contact(await api.project(), { subscribed: false, snoozedUntil: new Date(Date.now() + DAY) });
    await post(managePath(id), { action: 'snooze-90' });
    expect((await state(id)).snoozedUntil?.getTime()).toBeGreaterThan(Date.now() + 89 * DAY);
    expect(await events(id)).toEqual([]);
  });

  test('a break cannot restore an unsubscribed contact', async () => {
    const id = await contact(await api.project(), { subscribed: false });
    await post(managePath(id), { action: 'snooze-30' });
    expect(await state(id)).toEqual({ subscribed: false, snoozedUntil: null });
  });

  test('subscribes and unsubscribes, with source page', async () => {
    const id = await contact(await api.project());
    const emailId = newId();
    await post(managePath(id, emailId), { action: 'unsubscribe' });
    await post(managePath(id, emailId), { action: 'subscribe' });
    expect(await events(id)).toEqual([
      { name: 'contact.unsubscribed', data: { source: 'page', emailId }, emailId },
      { name: 'contact.subscribed', data: { source: 'page', emailId }, emailId },
    ]);
  });

  test.each([{}, { action: 'snooze-31' }, { action: 'delete' }, { 'List-Unsubscribe': 'One-Click' }])(
    'a form with %j changes nothing',
    async (form) => {
      const id = await contact(await api.project());
      expect((await post(managePath(id), { ...form } as Record<string, string>)).statusCode).toBe(200);
      expect(await state(id)).toEqual({ subscribed: true, snoozedUntil: null });
      expect(await events(id)).toEqual([]);
    },
  );
});

describe('every public page', () => {
  test.each(['unsubscribe', 'subscribe', 'manage'])(
    '/%s with an invalid token returns 404 in HTML, and changes nothing',
    async (page) => {
      const id = await contact(await api.project());
      const tokenOf = (url: string) => url.slice(url.lastIndexOf('/') + 1);
      const valid = tokenOf(unsubscribePath(id));
      const tokens = [
        'x',
        id,
        `${valid}A`,
        `${valid.slice(0, -2)}zz`,
        '%E2%82%AC',
        ...(page === 'unsubscribe' ? [tokenOf(managePath(id))] : [valid]),
      ];
      for (const token of tokens) {
        for (const method of ['GET', 'POST'] as const) {
          const response = await api.app.inject({ method, url: `/${page}/${token}` });
          expect([response.statusCode, response.headers['content-type']], token).toEqual([
            404,
            'text/html; charset=utf-8',
          ]);
          expect(response.body).toContain('This link does not work');
          expect(response.body).not.toContain('x.test');
        }
      }
      expect(await state(id)).toEqual({ subscribed: true, snoozedUntil: null });
    },
  );

  test.each([unsubscribePath, subscribePath, managePath])(
    'tells a deleted contact kindly that it is no longer on the list',
    async (link) => {
      const url = link(newId());
      for (const response of [await get(url), await post(url)]) {
        expect(response.statusCode).toBe(404);
        expect(response.body).toContain('no longer on the list');
      }
    },
  );

  test('has strict headers: no script, no referrer, no cache, no index', async () => {
    const id = await contact(await api.project());
    for (const url of [unsubscribePath(id), subscribePath(id), managePath(id), '/unsubscribe/x']) {
      const { headers, body } = await get(url);
      expect(headers['content-security-policy']).toContain(
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
      );
      expect(headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex, nofollow',
        'content-type': 'text/html; charset=utf-8',
      });
      expect(headers).not.toHaveProperty('ratelimit-limit');
      expect(body).toContain('<meta name="viewport"');
      expect(body).not.toMatch(/<script|https?:\/\//);
    }
  });

  test('escapes the address and the name of the project', async () => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { name: '<b>"Acme" & Söhne</b>' } });
    const id = await contact(project, { email: `"<script>'x'"@x.test` });
    for (const url of [unsubscribePath(id), subscribePath(id), managePath(id)]) {
      const { body } = await get(url);
      expect(body).toContain('&lt;b&gt;&quot;Acme&quot; &amp; Söhne&lt;/b&gt;');
      expect(body).toContain('&quot;&lt;script&gt;&#39;x&#39;&quot;@x.test');
      expect(body).not.toContain('<script');
    }
  });

  test.each([
    ['en', 'en', 'Unsubscribe'],
    ['de', 'de', 'Abmelden'],
    ['fr', 'fr', 'Se désabonner'],
    ['es', 'es', 'Darse de baja'],
    ['it', 'it', 'Annulla iscrizione'],
    ['nl', 'nl', 'Afmelden'],
    ['pt-BR', 'pt', 'Cancelar inscrição'],
    ['ja', 'en', 'Unsubscribe'],
    ['constructor', 'en', 'Unsubscribe'],
  ])('uses the language of the project: %s', async (language, shown, button) => {
    const project = await api.project();
    await api.ctx.prisma.project.update({ where: { id: project.id }, data: { language } });
    const { body } = await get(unsubscribePath(await contact(project)));
    expect(body).toContain(`<html lang="${shown}">`);
    expect(forms(body)[0]?.buttons).toEqual([button]);
  });

  test("uses the reader's language if it belongs to no project", async () => {
    expect((await get('/manage/x', { 'accept-language': 'ja, de-AT;q=0.8, en;q=0.5' })).body).toContain(
      '<html lang="de">',
    );
    expect((await get('/manage/x', { 'accept-language': '*' })).body).toContain('<html lang="en">');
  });

  test('a body that is too large is rejected in HTML', async () => {
    const id = await contact(await api.project());
    const response = await api.app.inject({
      method: 'POST',
      url: unsubscribePath(id),
      headers: { 'content-type': 'text/plain' },
      payload: 'x'.repeat(70_000),
    });
    expect([response.statusCode, response.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
    expect((await state(id)).subscribed).toBe(true);
  });
});
