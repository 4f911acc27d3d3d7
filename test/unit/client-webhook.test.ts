/** The client's `verifyWebhook`: its rules, and what other implementations of Standard Webhooks sign. */
import { spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { describe, expect, expectTypeOf, test, vi } from 'vitest';
import { receiveWebhook } from '../../packages/client/examples/receive-webhooks.js';
import {
  verifyWebhook,
  WebhookVerificationError,
  type StoredEventData,
  type VerifyWebhookOptions,
  type WebhookHeaders,
} from '../../packages/client/src/index.js';
import { newWebhookSecret, signatureHeaders } from '../../src/domain/executions/webhook/sign.js';

const NOW = new Date('2026-11-23T10:00:00.900Z');
const ID = '0192f3a1-7c1e-7f00-8000-3f6f0c1b2a10';
const SECRET = newWebhookSecret();
const EVENT = { type: 'email.bounced', timestamp: '2026-11-23T09:59:58.000Z', data: { email: 'zoë@example.test' } };
const BODY = JSON.stringify(EVENT);

const sign = (body = BODY, { secret = SECRET, secondsAgo = 0, id = ID } = {}) =>
  signatureHeaders(secret, { id, sentAt: new Date(NOW.getTime() - secondsAgo * 1000), body });

const verify = (
  body: string | Uint8Array = BODY,
  headers: WebhookHeaders = sign(),
  secret: string | string[] = SECRET,
  options: VerifyWebhookOptions = {},
) => verifyWebhook(body, headers, secret, { now: NOW, ...options });

/** Returns the reason of the rejection. */
const reasonOf = async (...args: Parameters<typeof verify>): Promise<string> => {
  const error = await verify(...args).catch((reason: unknown) => reason);
  if (!(error instanceof WebhookVerificationError)) throw new Error('Not rejected', { cause: error });
  expect(error.message).toMatch(/^[A-Z].*\.$/s);
  return error.reason;
};

describe('a request that Sendloom signed', () => {
  test('becomes its event, with the id of the header', async () => {
    expect(await verify()).toEqual({ id: ID, ...EVENT });
  });

  test('may be text or bytes, and part of a larger buffer', async () => {
    const padded = Buffer.from(`x${BODY}x`);
    expect(await verify(new TextEncoder().encode(BODY))).toEqual({ id: ID, ...EVENT });
    expect(await verify(padded.subarray(1, -1))).toEqual({ id: ID, ...EVENT });
  });

  test('may have its headers in each form, in upper and lower case', async () => {
    const headers = sign();
    const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    for (const form of [headers, upper, lists, new Headers(upper), { get: 'a header', ...headers }])
      expect(await verify(BODY, form)).toMatchObject({ id: ID });
  });

  test('needs one matching signature among others and unknown versions', async () => {
    const [mine, other] = [sign(), sign(BODY, { secret: newWebhookSecret() })].map((h) => h['webhook-signature']);
    const header = (...signatures: unknown[]) => ({ ...sign(), 'webhook-signature': signatures.join(' ') });
    expect(await verify(BODY, header(other, mine))).toMatchObject({ id: ID });
    expect(await verify(BODY, header('v1a,AAAA', 'v2,x', '', 'v1', 'v1,', 'v1,!', 'v1,A', mine))).toBeDefined();
    expect(await verify(BODY, { ...sign(), 'webhook-signature': [`${other}`, `${mine}`] })).toBeDefined();
    expect(await reasonOf(BODY, header(other, other))).toBe('no_matching_signature');
    expect(await reasonOf(BODY, header(mine?.replace('v1,', 'v2,')))).toBe('no_matching_signature');
    expect(await reasonOf(BODY, header(mine?.replace('v1,', '')))).toBe('no_matching_signature');
  });

  test('verifies by each of several secrets', async () => {
    expect(await verify(BODY, sign(), [newWebhookSecret(), SECRET])).toMatchObject({ id: ID });
    expect(await reasonOf(BODY, sign(), [newWebhookSecret(), newWebhookSecret()])).toBe('no_matching_signature');
  });
});

describe('a request is rejected', () => {
  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s', async (name) => {
    expect(await reasonOf(BODY, { ...sign(), [name]: undefined })).toBe('missing_header');
    expect(await reasonOf(BODY, { ...sign(), [name]: '' })).toBe('missing_header');
    const headers = new Headers(sign());
    headers.delete(name);
    expect(await reasonOf(BODY, headers)).toBe('missing_header');
  });

  test.each(['now', '1e9', '-1', '1.5', ' 1', '0x10', '9'.repeat(16)])(
    'if its timestamp is not a number of seconds: %j',
    async (timestamp) => {
      expect(await reasonOf(BODY, { ...sign(), 'webhook-timestamp': timestamp })).toBe('missing_header');
    },
  );

  test('outside the tolerance, and accepted at its limits', async () => {
    for (const secondsAgo of [300, -300]) expect(await verify(BODY, sign(BODY, { secondsAgo }))).toBeDefined();
    expect(await reasonOf(BODY, sign(BODY, { secondsAgo: 301 }))).toBe('timestamp_too_old');
    expect(await reasonOf(BODY, sign(BODY, { secondsAgo: -301 }))).toBe('timestamp_too_new');
    expect(await reasonOf(BODY, sign(BODY, { secondsAgo: 11 }), SECRET, { toleranceSeconds: 10 })).toBe(
      'timestamp_too_old',
    );
    expect(await reasonOf(BODY, sign(), SECRET, { toleranceSeconds: NaN })).toBe('timestamp_too_old');
    expect(await reasonOf(BODY, sign(), SECRET, { now: new Date(NaN) })).toBe('timestamp_too_old');
  });

  test('by the current time, if no other is given', async () => {
    const body = JSON.stringify(EVENT);
    const headers = signatureHeaders(SECRET, { id: ID, sentAt: new Date(), body });
    expect(await verifyWebhook(body, headers, SECRET)).toMatchObject({ id: ID });
    await expect(verifyWebhook(body, sign(body, { secondsAgo: 600 }), SECRET)).rejects.toThrow(
      WebhookVerificationError,
    );
  });

  test('if its id, its time, or a byte of its body was changed', async () => {
    const changed = [
      [BODY, { ...sign(), 'webhook-id': 'another' }],
      [BODY, { ...sign(), 'webhook-timestamp': String(Math.floor(NOW.getTime() / 1000) - 1) }],
      [`${BODY} `, sign()],
      [JSON.stringify(EVENT, null, 2), sign()],
      [BODY.normalize('NFD'), sign()],
    ] as const;
    for (const [body, headers] of changed) expect(await reasonOf(body, headers)).toBe('no_matching_signature');
  });

  test('if a bit of its signature was changed, or it was cut', async () => {
    const bytes = Buffer.from(sign()['webhook-signature'].slice(3), 'base64');
    const header = (signature: Uint8Array) => ({
      ...sign(),
      'webhook-signature': `v1,${Buffer.from(signature).toString('base64')}`,
    });
    expect(await verify(BODY, header(bytes))).toBeDefined();
    expect(await reasonOf(BODY, header(bytes.subarray(0, 31)))).toBe('no_matching_signature');
    expect(await reasonOf(BODY, header(Buffer.concat([bytes, Buffer.from([0])])))).toBe('no_matching_signature');
    bytes[31] = (bytes[31] ?? 0) ^ 1;
    expect(await reasonOf(BODY, header(bytes))).toBe('no_matching_signature');
  });

  test.each([
    ['an empty text', ''],
    ['an empty key', 'whsec_'],
    ['no prefix', SECRET.slice('whsec_'.length)],
    ['an API key', 'sk_live_abc'],
    ['a line break at its end', `${SECRET}\n`],
    ['text that is not base64', 'whsec_a-b_c'],
    ['an impossible length', 'whsec_AAAAA'],
    ['an empty list', []],
    ['one unusable secret in a list', [SECRET, 'x']],
  ])('if the secret is %s', async (_, secret) => {
    expect(await reasonOf(BODY, sign(), secret)).toBe('invalid_secret');
  });

  test('if it is signed and not an event', async () => {
    for (const body of ['', 'null', '[]', '1', '{', '{"contact":{}}'])
      expect(await reasonOf(body, sign(body))).toBe('invalid_body');
    for (const changed of [{ type: undefined }, { type: 1 }, { timestamp: 1 }, { data: undefined }, { data: null }]) {
      const body = JSON.stringify({ ...EVENT, ...changed });
      expect(await reasonOf(body, sign(body))).toBe('invalid_body');
    }
    const invalidUtf8 = Buffer.from(JSON.stringify({ ...EVENT, data: { text: 'caf\u00e9' } }), 'latin1');
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signed = createHmac('sha256', key).update(`${ID}.${sign()['webhook-timestamp']}.`).update(invalidUtf8);
    const header = { ...sign(), 'webhook-signature': `v1,${signed.digest('base64')}` };
    expect(await reasonOf(invalidUtf8, header)).toBe('invalid_body');
  });

  test('if a framework has parsed its body', async () => {
    // @ts-expect-error -- callers without types pass what Express gives them
    expect(await reasonOf(EVENT, sign())).toBe('invalid_body');
  });

  test('after at most ten signatures', async () => {
    const calls = vi.spyOn(crypto.subtle, 'verify');
    const wrong = Array.from({ length: 400 }, () => 'v1,AAAA').join(' ');
    try {
      const headers = { ...sign(), 'webhook-signature': `${wrong} ${sign()['webhook-signature']}` };
      expect(await reasonOf(BODY, headers)).toBe('no_matching_signature');
      expect(calls).toHaveBeenCalledTimes(10);
    } finally {
      calls.mockRestore();
    }
  });
});

/** Signs like Sendloom, with only the standard library: `[secret, id, timestamp, body]` from the standard input. */
const PYTHON = `
import base64, hashlib, hmac, json, sys
secret, id, timestamp, body = json.load(sys.stdin)
key = base64.b64decode(secret[len("whsec_"):])
signature = hmac.new(key, f"{id}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
print("v1," + base64.b64encode(signature).decode())
`;
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('other implementations', () => {
  test('of standardwebhooks sign what is accepted, and reject what is rejected', async () => {
    const webhook = new Webhook(SECRET);
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    try {
      for (let i = 0; i < 200; i++) {
        const body = JSON.stringify({ ...EVENT, data: { text: String.fromCodePoint(0x20 + i * 97), i } });
        const sentAt = new Date(NOW.getTime() + ((i * 37) % 800) * 1000 - 400_000);
        const signature = webhook.sign(ID, sentAt, body);
        const headers = {
          'webhook-id': ID,
          'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
          'webhook-signature': i % 3 === 0 ? `v1,AAAA ${signature}` : signature,
        };
        const received = i % 7 === 0 ? `${body} ` : body;
        const accepts = (() => {
          try {
            webhook.verify(received, headers);
            return true;
          } catch {
            return false;
          }
        })();
        const mine = await verify(received, headers).then(
          () => true,
          () => false,
        );
        expect([i, mine]).toEqual([i, accepts]);
      }
    } finally {
      vi.useRealTimers();
    }
  });

  test.skipIf(!hasPython)('in Python sign what is accepted', async () => {
    const timestamp = String(Math.floor(NOW.getTime() / 1000));
    for (const secret of [SECRET, `whsec_${Buffer.alloc(24, 0xfb).toString('base64')}`]) {
      const input = JSON.stringify([secret, ID, timestamp, BODY]);
      const { stdout, stderr } = spawnSync('python3', ['-c', PYTHON], { input, encoding: 'utf8' });
      expect(stderr).toBe('');
      const headers = { 'webhook-id': ID, 'webhook-timestamp': timestamp, 'webhook-signature': stdout.trim() };
      expect(await verify(BODY, headers, secret)).toEqual({ id: ID, ...EVENT });
      expect(await reasonOf(BODY, headers, newWebhookSecret())).toBe('no_matching_signature');
    }
  });
});

test('the helper imports nothing, so it runs where Node is not available', () => {
  const source = readFileSync(new URL('../../packages/client/src/webhook.ts', import.meta.url), 'utf8');
  expect(source).not.toMatch(/^import |\brequire\(|\bBuffer\b|\bprocess\./m);
});

test('the type of an event determines the type of its data', async () => {
  const event = await verifyWebhook<'order_placed'>(BODY, sign(), SECRET, { now: NOW });
  if (event.type === 'email.bounced') expectTypeOf(event.data).toEqualTypeOf<StoredEventData>();
  if (event.type === 'order_placed') expectTypeOf(event.data).toEqualTypeOf<StoredEventData>();
  if (event.type === 'segment.vip.entry') expectTypeOf(event.data).toEqualTypeOf<StoredEventData>();
  if (event.type === 'campaign.sent') expectTypeOf(event.data.campaignId).toEqualTypeOf<string>();
  // @ts-expect-error -- not named in the type argument
  expect(event.type === 'another').toBe(false);
  expect(event.type).toBe('email.bounced');
});

describe('the example of a receiver', () => {
  const receive = async (body: string, headers = sign(body, { secondsAgo: (NOW.getTime() - Date.now()) / 1000 })) => {
    const work = new Map<string, string>();
    const enqueueOnce = (id: string, what: string) => Promise.resolve(void (work.has(id) || work.set(id, what)));
    const request = () => new Request('http://receiver.test', { method: 'POST', body, headers });
    const statuses = [];
    for (let attempt = 0; attempt < 2; attempt++)
      statuses.push((await receiveWebhook(request(), { secret: SECRET, enqueueOnce })).status);
    return { statuses, work: [...work.values()] };
  };

  test('handles an event once', async () => {
    expect(await receive(BODY)).toEqual({ statuses: [204, 204], work: ['call the customer zoë@example.test'] });
  });

  test('refuses requests that it cannot verify', async () => {
    expect(await receive(BODY, sign(BODY, { secret: newWebhookSecret() }))).toEqual({ statuses: [401, 401], work: [] });
  });
});
