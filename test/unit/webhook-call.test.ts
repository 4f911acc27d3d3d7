/** One attempt of a WEBHOOK request: its content, and the outcome of each response. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { callOver, callWebhook } from '../../src/domain/executions/webhook/call.js';
import type { Network } from '../../src/domain/executions/webhook/guard.js';
import { toWebhookOutput, readWebhookOutput } from '../../src/domain/executions/webhook/perform.js';
import { readRetryAfter, retryDelayMs } from '../../src/domain/executions/webhook/retry.js';
import { newWebhookSecret } from '../../src/domain/executions/webhook/sign.js';
import { createDns } from '../../src/dns.js';
import { eventually } from '../helpers/eventually.js';
import { startReceiver, type Answer, type Receiver } from '../helpers/receiver.js';
import { webhookCall, webhookFacts } from '../helpers/webhooks.js';

let receiver: Receiver;
const network: Network = { resolve: async () => ['127.0.0.1'], whyRefused: () => null };
const LIMIT = 64 * 1024;

beforeAll(async () => {
  receiver = await startReceiver();
  return () => receiver.stop();
});

afterEach(() => {
  receiver.requests.length = 0;
  receiver.answer((response) => response.end('ok'));
});

const call = (request: Partial<Parameters<typeof webhookCall>[0]> = {}) =>
  webhookCall({ url: `${receiver.origin}/in`, ...request });
const answered = async (how: Answer, limitMs?: number) => {
  receiver.answer(how);
  return callOver(network, call(), limitMs);
};

describe('the request', () => {
  test('is a POST of the default body as JSON', async () => {
    await callOver(network, call());
    const [request] = receiver.requests;
    expect(request).toMatchObject({
      method: 'POST',
      url: '/in',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Sendloom-Webhook/1',
        accept: '*/*',
        host: `127.0.0.1:${receiver.port}`,
        connection: 'close',
      },
    });
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ contact: { email: 'ada@example.test' } });
    expect(request?.headers).toMatchObject({ 'content-length': String(Buffer.byteLength(request?.body ?? '')) });
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE'] as const)(
    'of %s has the length of its body, and the receiver gets all of it',
    async (method) => {
      const made = webhookCall({ url: `${receiver.origin}/in`, method }, webhookFacts({ name: '花子' }));
      expect(await callOver(network, made)).toMatchObject({ outcome: 'success', statusCode: 200 });
      const { body, headers } = receiver.requests[0] ?? expect.unreachable();
      expect(new Webhook(made.secret).verify(body, headers)).toMatchObject({ contact: { data: { name: '花子' } } });
      expect(headers).toMatchObject({ 'content-length': String(Buffer.byteLength(body)) });
      expect(headers).not.toHaveProperty('transfer-encoding');
    },
  );

  test('has a Standard Webhooks signature that the library accepts, in any script', async () => {
    const made = webhookCall({ url: `${receiver.origin}/in` }, webhookFacts({ name: '花子 "🌷"' }));
    await callOver(network, made);
    const { body, headers } = receiver.requests[0] ?? expect.unreachable();
    expect(new Webhook(made.secret).verify(body, headers)).toMatchObject({ contact: { data: { name: '花子 "🌷"' } } });
    expect(headers['webhook-id']).toBe(made.id);
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(() => new Webhook(made.secret).verify(`${body} `, headers)).toThrow(WebhookVerificationError);
    expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow(WebhookVerificationError);
  });

  test('of GET has no body and a signature of the empty body', async () => {
    const made = call({ method: 'GET' });
    await callOver(network, made);
    const { method, body, headers } = receiver.requests[0] ?? expect.unreachable();
    expect({ method, body }).toEqual({ method: 'GET', body: '' });
    for (const name of ['content-type', 'content-length', 'transfer-encoding'])
      expect(headers).not.toHaveProperty(name);
    expect(() => new Webhook(made.secret).verify('', headers, { jsonParse: false })).not.toThrow();
  });

  test('has no additional header if a value contains a line break', async () => {
    await callOver(
      network,
      webhookCall(
        { url: `${receiver.origin}/in`, headers: { 'X-Name': '{{ name }}' } },
        webhookFacts({ name: 'a\r\nX-Evil: 1\r\n\r\nGET / HTTP/1.1' }),
      ),
    );
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.headers).toMatchObject({ 'x-name': 'a X-Evil: 1 GET / HTTP/1.1' });
    expect(receiver.requests[0]?.headers).not.toHaveProperty('x-evil');
  });

  test('is not sent if its template cannot be rendered, which is a permanent failure', async () => {
    const result = await callOver(network, call({ body: { a: '{{ email | date: "%Y", 1, "x" | nothing }}' } }));
    expect(result).toMatchObject({
      outcome: 'failure',
      statusCode: null,
      url: null,
      reason: expect.stringMatching(/^A template could not be rendered: undefined filter: nothing/),
    });
    expect(receiver.requests).toEqual([]);
  });
});

describe('the status of a response', () => {
  test.each([200, 201, 202, 204, 299])('%i means success', async (status) => {
    expect(await answered((response) => response.writeHead(status).end())).toMatchObject({
      outcome: 'success',
      statusCode: status,
      reason: null,
    });
  });

  test.each([408, 429, 500, 501, 502, 503, 504, 599])('%i is retried', async (status) => {
    expect(await answered((response) => response.writeHead(status).end('why'))).toMatchObject({
      outcome: 'retry',
      statusCode: status,
      body: 'why',
      reason: expect.stringMatching(new RegExp(`^The receiver responded with ${status}`)),
    });
  });

  test.each([304, 400, 401, 403, 404, 405, 409, 410, 418, 422, 499, 600, 999])(
    '%i is a permanent failure',
    async (status) => {
      expect(await answered((response) => response.writeHead(status).end())).toMatchObject({
        outcome: 'failure',
        statusCode: status,
        retryAfterMs: null,
      });
    },
  );

  test('a retried response keeps its Retry-After', async () => {
    expect(await answered((response) => response.writeHead(429, { 'retry-after': '30' }).end())).toMatchObject({
      outcome: 'retry',
      retryAfterMs: 30_000,
      headers: { 'retry-after': '30' },
    });
  });

  const now = new Date('2026-03-01T09:00:00Z');
  test.each([
    ['0', 0],
    ['120', 120_000],
    ['86400', 600_000],
    ['999999999999999', 600_000],
    [' 5 ', 5000],
    ['Sun, 01 Mar 2026 09:01:00 GMT', 60_000],
    ['Sun, 01 Mar 2026 08:00:00 GMT', 0],
    ['Sun, 01 Mar 2099 08:00:00 GMT', 600_000],
    ['-5', null],
    ['1.5', null],
    ['soon', null],
    ['', null],
    [undefined, null],
  ])('Retry-After: %s is %s ms', (header, ms) => {
    expect(readRetryAfter(header, now)).toBe(ms);
  });

  test.each([
    [1, null, 1000],
    [2, null, 2000],
    [10, null, 512_000],
    [11, null, 600_000],
    [60, null, 600_000],
    [1, 0, 1000],
    [1, 1001, 1001],
    [6, 60_000, 60_000],
    [7, 60_000, 64_000],
  ])('after attempt %i with a Retry-After of %s ms, the delay is %i ms', (attempt, asked, expected) => {
    expect(retryDelayMs(attempt, asked)).toBe(expected);
  });
});

describe('without a complete response', () => {
  test('a refused connection is retried', async () => {
    const gone = await startReceiver();
    await gone.stop();
    expect(await callOver(network, call({ url: gone.origin }))).toMatchObject({
      outcome: 'retry',
      statusCode: null,
      reason: 'The receiver refused the connection (ECONNREFUSED).',
      url: `${gone.origin}/`,
    });
  });

  test('a connection that breaks before the response is retried', async () => {
    expect(await answered((response) => response.socket?.destroy())).toMatchObject({
      outcome: 'retry',
      statusCode: null,
      reason: 'The receiver closed the connection (ECONNRESET).',
    });
  });

  test('a connection that breaks within the body is retried', async () => {
    const result = await answered((response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setTimeout(() => response.socket?.destroy(), 20);
    });
    expect(result).toMatchObject({
      outcome: 'retry',
      statusCode: 200,
      reason: 'The receiver closed the connection (ECONNRESET).',
    });
  });

  test('a response that is not HTTP is retried', async () => {
    expect(await answered((response) => response.socket?.end('SSH-2.0-x\r\n\r\n'))).toMatchObject({
      outcome: 'retry',
      reason: expect.stringMatching(/^The receiver's response is not valid HTTP \(HPE_/),
    });
  });

  test('headers of more than 16 KiB are rejected', async () => {
    expect(
      await answered((response) => response.writeHead(200, { 'x-large': 'x'.repeat(20_000) }).end()),
    ).toMatchObject({
      outcome: 'retry',
      reason: "The receiver's response is not valid HTTP (HPE_HEADER_OVERFLOW).",
    });
  });

  const never: Answer = () => undefined;
  const headersOnly: Answer = (response) => response.writeHead(200).flushHeaders();
  const drip: Answer = (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  };
  const inCircles: Answer = (response, _request, count) =>
    setTimeout(() => response.writeHead(307, { location: `/${count}` }).end(), 150);
  test.each([
    ['no response', never],
    ['a response without its body', headersOnly],
    ['a very slow body', drip],
    ['slow redirects', inCircles],
  ])('%s is canceled after the timeout and retried', async (_what, how) => {
    const result = await answered(how, 500);
    expect(result).toMatchObject({
      outcome: 'retry',
      reason: 'The receiver did not send a complete response within 0.5 seconds.',
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(490);
    expect(result.durationMs).toBeLessThan(5000);
  });

  test('the timeout is 10 seconds', async () => {
    receiver.answer(never);
    const ctx = { dns: createDns(''), config: { WEBHOOK_ALLOW_PRIVATE: true, DNS_SERVERS: '' } };
    const result = await callWebhook(ctx, call());
    expect(result).toMatchObject({
      outcome: 'retry',
      reason: 'The receiver did not send a complete response within 10 seconds.',
    });
    expect(result.durationMs).toBeGreaterThanOrEqual(9_990);
    expect(result.durationMs).toBeLessThan(14_000);
  });

  test('the connection is closed after the timeout', async () => {
    let closed = false;
    receiver.answer((response) => response.on('close', () => (closed = true)));
    await callOver(network, call(), 2000);
    await eventually(() => expect(closed).toBe(true));
  });
});

describe('the recorded response', () => {
  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    answered((response) => response.writeHead(200, headers).end(body));

  test('has the body as text, and as JSON if it is valid JSON', async () => {
    expect(
      await send('{"id": 5, "list": [null, true, {"a": "b"}]}', { 'content-type': 'application/json; charset=utf-8' }),
    ).toMatchObject({
      body: '{"id": 5, "list": [null, true, {"a": "b"}]}',
      json: { id: 5, list: [null, true, { a: 'b' }] },
      truncated: false,
    });
    expect(await send('"text"', { 'content-type': 'application/problem+json' })).toMatchObject({ json: 'text' });
    expect(await send('[1]')).toMatchObject({ json: [1] });
    expect(await send('Thanks {', { 'content-type': 'text/plain' })).not.toHaveProperty('json');
    expect(await send('{broken', { 'content-type': 'application/json' })).not.toHaveProperty('json');
    expect(await send('', { 'content-type': 'application/json' })).toMatchObject({ body: '' });
  });

  test('has some of the headers and no cookies', async () => {
    const { headers } = await send('x', {
      'content-type': 'text/plain',
      'set-cookie': 'session=1',
      'x-request-id': 'r1',
      'x-other': 'y',
      server: 'z'.repeat(2000),
    });
    expect(headers).toMatchObject({
      'content-type': 'text/plain',
      'x-request-id': 'r1',
      server: 'z'.repeat(1000),
      date: expect.any(String),
    });
    expect(Object.keys(headers ?? {})).not.toContain('set-cookie');
    expect(Object.keys(headers ?? {})).not.toContain('x-other');
  });

  test('has the first 64 KiB of the body', async () => {
    const exact = await send('x'.repeat(LIMIT));
    expect(exact.body).toHaveLength(LIMIT);
    expect(exact.truncated).toBe(false);
    const more = await send('x'.repeat(LIMIT + 1));
    expect(more.body).toHaveLength(LIMIT);
    expect(more.truncated).toBe(true);
  });

  test('ends at 64 KiB even if the body continues', async () => {
    let sent = 0;
    const result = await answered((response) => {
      response.writeHead(200);
      const more = (): void => {
        if (response.destroyed) return;
        sent += LIMIT;
        response.write(Buffer.alloc(LIMIT, 'x'), () => setImmediate(more));
      };
      more();
    });
    expect(result).toMatchObject({ outcome: 'success', truncated: true });
    expect(result.durationMs).toBeLessThan(9000);
    // The buffers of two sockets, much less than 10 seconds of loopback traffic.
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('omits a character that the limit splits', async () => {
    const { body } = await send(`x${'é'.repeat(LIMIT / 2)}`);
    expect(body).toBe(`x${'é'.repeat(LIMIT / 2 - 1)}`);
  });

  test('replaces malformed UTF-8 and NUL with U+FFFD, which PostgreSQL accepts', async () => {
    expect(await send(Buffer.from([0x61, 0xff, 0x62, 0x00, 0xc3]))).toMatchObject({ body: 'a\uFFFDb\uFFFD\uFFFD' });
    expect(await send(String.raw`{"a\u0000": ["\u0000", "\ud800", "\ud83c\udf37"]}`)).toMatchObject({
      json: { 'a\uFFFD': ['\uFFFD', '\uFFFD', '🌷'] },
    });
  });

  test('decodes text in its charset, or as UTF-8 if the charset is unknown', async () => {
    expect(await send(Buffer.from([0x63, 0xe9]), { 'content-type': 'text/plain; charset="ISO-8859-1"' })).toMatchObject(
      { body: 'cé' },
    );
    expect(await send('cé', { 'content-type': 'text/plain; charset=nothing' })).toMatchObject({ body: 'cé' });
  });

  test('has JSON of more than a hundred levels only as text', async () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect(await send(deep(101))).toHaveProperty('json');
    expect(await send(deep(102))).toMatchObject({ body: deep(102) });
    for (const levels of [102, 32_000]) expect(await send(deep(levels))).not.toHaveProperty('json');
  });

  test('keeps names of prototype properties', async () => {
    const { json } = await send('{"__proto__": {"a": 1}, "constructor": 2}');
    expect(JSON.stringify(json)).toBe('{"__proto__":{"a":1},"constructor":2}');
  });
});

describe('a compressed response', () => {
  const text = 'Grüße '.repeat(1000);
  const send = (body: Buffer, encoding: string) =>
    answered((response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));

  test.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['GZIP', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['identity', Buffer.from(text)],
  ])('in %s is decompressed', async (encoding, body) => {
    expect(await send(body, encoding)).toMatchObject({ outcome: 'success', body: text, truncated: false });
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(200 * 1024 * 1024))],
    ['br', brotliCompressSync(Buffer.alloc(50 * 1024 * 1024))],
  ])('that is a %s bomb is read up to 64 KiB', async (encoding, body) => {
    const before = process.memoryUsage().rss;
    const result = await send(body, encoding);
    expect(result).toMatchObject({ outcome: 'success', truncated: true, body: '\uFFFD'.repeat(LIMIT) });
    expect(process.memoryUsage().rss - before).toBeLessThan(40 * 1024 * 1024);
  });

  test('that is incomplete or malformed is recorded up to the error, and its status decides', async () => {
    const long = 'Gruss '.repeat(8000);
    const result = await send(Buffer.concat([gzipSync(long).subarray(0, -8), Buffer.from('brokenXX')]), 'gzip');
    expect(result).toMatchObject({ outcome: 'success', truncated: true });
    expect(long.startsWith(result.body ?? '-')).toBe(true);
    expect(result.body?.length).toBeGreaterThan(30_000);
    const half = gzipSync(text);
    expect(await send(half.subarray(0, -20), 'gzip')).toMatchObject({
      outcome: 'success',
      body: expect.stringMatching(/^Grüße /),
    });
    expect(await send(Buffer.from('not compressed'), 'gzip')).toMatchObject({
      outcome: 'success',
      body: 'not compressed',
    });
    expect(await send(Buffer.from('text'), 'unknown')).toMatchObject({ outcome: 'success', body: 'text' });
    expect(await send(Buffer.alloc(0), 'gzip')).toMatchObject({ outcome: 'success', body: '' });
  });

  test('of more than 64 KiB before decompression is read up to that limit', async () => {
    const noise = Buffer.from(
      Array.from({ length: 100_000 }, (_, n) => (n * 2_654_435_761) % 251).map((n) => 32 + (n % 90)),
    );
    const compressed = gzipSync(noise, { level: 0 });
    expect(compressed.length).toBeGreaterThan(LIMIT);
    const result = await send(compressed, 'gzip');
    expect(result).toMatchObject({ outcome: 'success', truncated: true });
    expect(noise.toString().startsWith(result.body ?? '-')).toBe(true);
    expect(result.body?.length).toBeGreaterThan(32_000);
  });
});

describe('the output of the step', () => {
  const at = new Date('2026-03-01T09:00:00.000Z');

  test('describes the outcome in a sentence without paths, queries, and addresses', async () => {
    const result = await callOver(network, call({ url: `${receiver.origin}/users/{{ email }}?key=secret` }));
    const output = toWebhookOutput(result, { attempt: 1, now: at, before: null });
    expect(output.summary).toMatch(
      new RegExp(`^POST to 127.0.0.1:${receiver.port} succeeded with 200 after \\d+ ms\\.$`),
    );
    expect(output).toMatchObject({
      outcome: 'success',
      method: 'POST',
      url: `${receiver.origin}/users/ada%40example.test?key=secret`,
      statusCode: 200,
      body: 'ok',
      attempt: 1,
      attempts: [{ attempt: 1, at: '2026-03-01T09:00:00.000Z', statusCode: 200, reason: null }],
    });
    expect(readWebhookOutput(JSON.parse(JSON.stringify(output)))).toMatchObject({ outcome: 'success', attempt: 1 });
  });

  test('lists the last 20 earlier attempts', async () => {
    const result = await answered((response) => response.writeHead(503).end());
    let before = null;
    for (let n = 1; n <= 25; n += 1) before = toWebhookOutput(result, { attempt: n, now: at, before });
    expect(before?.attempts.map(({ attempt }) => attempt)).toEqual(Array.from({ length: 20 }, (_, n) => n + 6));
    expect(before?.summary).toBe(
      `POST to 127.0.0.1:${receiver.port} failed at attempt 25. The receiver responded with 503 Service Unavailable. The request will be retried.`,
    );
  });

  test('is not parsed if it has another shape', () => {
    for (const output of [null, undefined, {}, { summary: 'x' }, { outcome: 'success' }])
      expect(readWebhookOutput(output)).toBeNull();
  });
});
