/** Redirects of WEBHOOK requests, and the headers that are sent to another host. */
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callOver } from '../../src/domain/executions/webhook/call.js';
import type { Network } from '../../src/domain/executions/webhook/guard.js';
import { nextRoute, type Route } from '../../src/domain/executions/webhook/guard.js';
import { TEST_CERTIFICATE } from '../helpers/certificate.js';
import { startReceiver, type Receiver } from '../helpers/receiver.js';
import { webhookCall } from '../helpers/webhooks.js';

let first: Receiver;
let other: Receiver;
let secure: Receiver;
const network: Network = { resolve: async () => ['127.0.0.1'], whyRefused: () => null, ca: TEST_CERTIFICATE.cert };

beforeAll(async () => {
  first = await startReceiver();
  other = await startReceiver();
  secure = await startReceiver({ tls: TEST_CERTIFICATE });
  return () => Promise.all([first.stop(), other.stop(), secure.stop()]);
});

afterEach(() => {
  for (const receiver of [first, other, secure]) {
    receiver.requests.length = 0;
    receiver.answer((response) => response.end('ok'));
  }
});

const redirectTo = (location: string, status: number) =>
  first.answer((response, { url }) =>
    url === '/in' ? response.writeHead(status, { location }).end('moved') : response.end('ok'),
  );
const call = (request: Parameters<typeof webhookCall>[0]) => webhookCall({ body: { a: 1 }, ...request });

describe('the method', () => {
  test.each([301, 302, 303])('after %i is GET without a body', async (status) => {
    redirectTo('/there?x=1', status);
    expect(
      await callOver(
        network,
        call({ url: `${first.origin}/in`, method: 'PUT', headers: { 'Content-Language': 'en', 'X-Key': 'k' } }),
      ),
    ).toMatchObject({
      outcome: 'success',
      statusCode: 200,
      body: 'ok',
      redirects: 1,
      url: `${first.origin}/there?x=1`,
      method: 'PUT',
    });
    const { method, body, url, headers } = first.requests[1] ?? expect.unreachable();
    expect({ method, body, url }).toEqual({ method: 'GET', body: '', url: '/there?x=1' });
    expect(headers).toMatchObject({ 'x-key': 'k' });
    for (const name of ['content-type', 'content-length', 'content-language', 'transfer-encoding'])
      expect(headers).not.toHaveProperty(name);
  });

  test.each([307, 308])('after %i is unchanged, with the body', async (status) => {
    redirectTo('/there', status);
    expect(await callOver(network, call({ url: `${first.origin}/in`, method: 'PUT' }))).toMatchObject({
      outcome: 'success',
      redirects: 1,
    });
    expect(first.requests[1]).toMatchObject({
      method: 'PUT',
      body: '{"a":1}',
      url: '/there',
      headers: { 'content-type': 'application/json' },
    });
  });

  test.each([
    [300, '/there'],
    [304, '/there'],
    [305, '/there'],
    [302, undefined],
    [308, undefined],
  ])('%i to %s is neither a redirect nor a success', async (status, location) => {
    first.answer((response) => response.writeHead(status, location === undefined ? {} : { location }).end());
    expect(await callOver(network, call({ url: `${first.origin}/in` }))).toMatchObject({
      outcome: 'failure',
      statusCode: status,
      redirects: 0,
    });
    expect(first.requests).toHaveLength(1);
  });
});

describe('the target', () => {
  test('five redirects are followed, a sixth is not', async () => {
    first.answer((response, { url }) => {
      const n = Number(url.slice(1));
      if (n === 0) response.end('there');
      else response.writeHead(307, { location: `/${n - 1}` }).end();
    });
    expect(await callOver(network, call({ url: `${first.origin}/5` }))).toMatchObject({
      outcome: 'success',
      body: 'there',
      redirects: 5,
      url: `${first.origin}/0`,
    });
    first.requests.length = 0;
    expect(await callOver(network, call({ url: `${first.origin}/6` }))).toMatchObject({
      outcome: 'failure',
      reason: 'The receiver redirects more than 5 times.',
      statusCode: 307,
    });
    expect(first.requests).toHaveLength(6);
  });

  test.each([
    'ftp://x.test/',
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'javascript:1',
    'http://',
    'http://[',
    'data:text/plain,x',
  ])('a redirect to %s is a permanent failure', async (location) => {
    redirectTo(location, 302);
    expect(await callOver(network, call({ url: `${first.origin}/in` }))).toMatchObject({
      outcome: 'failure',
      reason: 'The receiver redirects to a URL that is not http or https.',
    });
  });

  test.each([
    ['//x.test/y', 'http://x.test/y'],
    ['?z', 'http://a.test/b/c?z'],
    ['../d', 'http://a.test/d'],
    ['/é', 'http://a.test/%C3%A9'],
    ['https://user:secret@a.test/d#e', 'https://a.test/d'],
  ])('%s leads to %s', (location, expected) => {
    const route: Route = {
      url: new URL('http://a.test/b/c'),
      method: 'POST',
      headers: {},
      body: null,
      redirects: 0,
      trusted: true,
    };
    expect(
      nextRoute(route, { statusCode: 302, headers: { location: Buffer.from(location).toString('latin1') } })?.url.href,
    ).toBe(expected);
  });

  test('has no user name and password from the redirect', async () => {
    redirectTo(`http://user:secret@127.0.0.1:${first.port}/there`, 307);
    await callOver(network, call({ url: `${first.origin}/in` }));
    expect(first.requests[1]?.headers).not.toHaveProperty('authorization');
  });
});

const SECRETS = {
  Authorization: 'Bearer t',
  Cookie: 'a=b',
  'X-Api-Key': 'k',
  'X-Anything': 'x',
  'Proxy-Authorization': 'p',
};
const PLAIN = {
  Accept: 'text/plain',
  'Accept-Language': 'de',
  'User-Agent': 'Acme',
  'Content-Type': 'application/json',
};
const NAMES = [
  'authorization',
  'cookie',
  'x-api-key',
  'x-anything',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
];
const secretsIn = (receiver: Receiver) =>
  receiver.requests.map(({ headers }) => NAMES.filter((name) => name in headers));

describe('credentials and signature', () => {
  test('are sent to the same host, and the signature covers the new body', async () => {
    redirectTo('/there', 303);
    const made = call({ url: `${first.origin}/in`, headers: { ...SECRETS, ...PLAIN } });
    await callOver(network, made);
    expect(secretsIn(first)).toEqual([NAMES, NAMES]);
    for (const { body, headers } of first.requests)
      expect(() => new Webhook(made.secret).verify(body, headers, { jsonParse: false })).not.toThrow();
  });

  test.each([301, 307])('are not sent to another port (%i)', async (status) => {
    redirectTo(`${other.origin}/there`, status);
    expect(
      await callOver(network, call({ url: `${first.origin}/in`, headers: { ...SECRETS, ...PLAIN } })),
    ).toMatchObject({ outcome: 'success', url: `${other.origin}/there` });
    expect(secretsIn(first)).toEqual([NAMES]);
    expect(secretsIn(other)).toEqual([[]]);
    expect(other.requests[0]?.headers).toMatchObject({
      accept: 'text/plain',
      'accept-language': 'de',
      'user-agent': 'Acme',
    });
    expect(other.requests[0]?.body).toBe(status === 307 ? '{"a":1}' : '');
  });

  test('are not sent to another name of the same server', async () => {
    redirectTo(`http://other.test:${first.port}/there`, 307);
    await callOver(network, call({ url: `http://first.test:${first.port}/in`, headers: SECRETS }));
    expect(secretsIn(first)).toEqual([NAMES, []]);
  });

  test('are not sent from https to http on the same name', async () => {
    secure.answer((response) => response.writeHead(307, { location: `http://secure.test:${first.port}/there` }).end());
    await callOver(network, call({ url: `https://secure.test:${secure.port}/in`, headers: SECRETS }));
    expect(secretsIn(secure)).toEqual([NAMES]);
    expect(secretsIn(first)).toEqual([[]]);
  });

  test('are not sent back to the first host, because the redirect comes from an untrusted host', async () => {
    redirectTo(`${other.origin}/through`, 307);
    other.answer((response) => response.writeHead(307, { location: `${first.origin}/back` }).end());
    await callOver(network, call({ url: `${first.origin}/in`, headers: SECRETS }));
    expect(secretsIn(first)).toEqual([NAMES, []]);
    expect(first.requests[1]).toMatchObject({ url: '/back', body: '{"a":1}' });
  });

  test.each([
    ['http://a.test/', 'https://a.test/x', true],
    ['http://a.test:80/', 'https://a.test:443/x', true],
    ['http://a.test:8080/', 'https://a.test/x', false],
    ['http://a.test/', 'https://a.test:8443/x', false],
    ['https://a.test/', 'http://a.test/x', false],
    ['https://a.test/', 'https://b.a.test/x', false],
    ['https://b.a.test/', 'https://a.test/x', false],
    ['https://a.test/', 'https://a.test./x', false],
    ['https://a.test/', 'https://A.test:443/x', true],
  ])('are sent from %s to %s: %s', (from, to, trusted) => {
    const route: Route = {
      url: new URL(from),
      method: 'GET',
      headers: { authorization: 'x', accept: '*/*' },
      body: null,
      redirects: 0,
      trusted: true,
    };
    expect(nextRoute(route, { statusCode: 302, headers: { location: to } })).toMatchObject({
      trusted,
      headers: trusted ? { authorization: 'x', accept: '*/*' } : { accept: '*/*' },
    });
  });
});
