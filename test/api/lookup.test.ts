/** `POST /contacts/lookup`. */
import { expect, test } from 'vitest';
import { useApi } from '../helpers/api.js';

const api = useApi();

test('returns which addresses are contacts: normalized, without duplicates, in order', async () => {
  const project = await api.project();
  for (const email of ['a@x.test', 'b@x.test']) await api.as(project, 'POST', '/contacts', { email });
  const response = await api.as(project, 'POST', '/contacts/lookup', {
    emails: ['unknown@x.test', ' B@X.test', 'a@x.test', 'b@x.test', 'no address'],
  });
  expect(response.statusCode).toBe(200);
  expect(response.json()).toEqual({ found: ['b@x.test', 'a@x.test'], notFound: ['unknown@x.test', 'no address'] });
});

test('finds an address in either form of its domain', async () => {
  const project = await api.project();
  await api.as(project, 'POST', '/contacts', { email: 'a@müller.test' });
  await api.as(project, 'POST', '/contacts', { email: 'a%b@x.test' });
  const emails = ['A@MÜLLER.test', 'a@xn--mller-kva.test', 'a%b@x.test'];
  expect((await api.as(project, 'POST', '/contacts/lookup', { emails })).json()).toEqual({
    found: ['a@xn--mller-kva.test', 'a%b@x.test'],
    notFound: [],
  });
});

test('does not find contacts of other projects', async () => {
  const [project, other] = [await api.project(), await api.project()];
  await api.as(other, 'POST', '/contacts', { email: 'a@x.test' });
  expect((await api.as(project, 'POST', '/contacts/lookup', { emails: ['a@x.test'] })).json()).toEqual({
    found: [],
    notFound: ['a@x.test'],
  });
});

test('accepts 500 addresses, and returns 422 for 501, for none, and for values that are not strings', async () => {
  const project = await api.project();
  const emails = Array.from({ length: 501 }, (_, index) => `c${index}@x.test`);
  expect(
    (await api.as(project, 'POST', '/contacts/lookup', { emails: emails.slice(1) })).json<{ notFound: string[] }>()
      .notFound,
  ).toHaveLength(500);
  for (const wrong of [emails, [], [1], [null], [''], 'a@x.test', undefined])
    expect((await api.as(project, 'POST', '/contacts/lookup', { emails: wrong })).statusCode).toBe(422);
});
