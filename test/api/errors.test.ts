import net from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { insertProject, type TestProject } from '../helpers/api.js';
import { closeInstance, first, openInstance, useInstances, type Instance } from '../helpers/probe.js';
import { errorOf, refusal, request } from '../helpers/session.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const MEGABYTE = 1024 * 1024;

const instances = useInstances(1, { DASHBOARD_URL: 'https://app.example.test/path' });
let project: TestProject;
beforeAll(async () => {
  project = await insertProject(first(instances).ctx);
});
const key = (): Record<string, string> => ({ authorization: `Bearer ${project.secret}` });
const send = (
  payload: string | Buffer,
  headers: Record<string, string> = JSON_TYPE,
  method: 'POST' | 'DELETE' = 'POST',
) => first(instances).app.inject({ method, url: '/probe', headers: { ...key(), ...headers }, payload });

describe('the error envelope', () => {
  test('an unknown route returns 404 ROUTE_NOT_FOUND with method and path, with and without a key', async () => {
    const { app } = first(instances);
    for (const headers of [{}, key()]) {
      const response = await request(app, 'GET', '/no/such/thing?email=a@b.test', { headers });
      expect(refusal(response)).toEqual([404, 'ROUTE_NOT_FOUND']);
      expect(errorOf(response).message).toBe('The route GET /no/such/thing does not exist.');
    }
    expect(refusal(await request(app, 'PUT', '/config'))).toEqual([404, 'ROUTE_NOT_FOUND']);
    expect(refusal(await request(app, 'POST', '/no/such/thing', { body: { a: 1 } }))).toEqual([404, 'ROUTE_NOT_FOUND']);
  });

  test.each([
    ['a path that cannot be decoded', '/contacts/%zz', [400, 'BAD_REQUEST']],
    ['a path parameter of 2,049 characters', `/emails/${'x'.repeat(2049)}`, [404, 'ROUTE_NOT_FOUND']],
    ['NUL in a path', '/emails/%00', [404]],
    ['NUL in the query', '/probe?text=a%00b', [422, 'VALIDATION_ERROR', 'text']],
    ['NUL in an unknown query field', '/probe?other=a%00b', [422, 'VALIDATION_ERROR', 'other']],
  ])('%s is rejected', async (_what, url, expected) => {
    expect(
      refusal(await request(first(instances).app, 'GET', url, { headers: { ...key(), 'x-request-id': 'mine' } })).slice(
        0,
        expected.length,
      ),
    ).toEqual(expected);
  });

  test.each([
    ['headers of more than 16 KB', `GET /config HTTP/1.1\r\nhost: api\r\nx-large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['bytes that are not HTTP', 'nonsense\r\n\r\n', 400],
    ['a header with a control character', 'GET /config HTTP/1.1\r\nhost: api\r\nx-id: a\u0001b\r\n\r\n', 400],
  ])('%s: errors of the HTTP parser use the envelope too', async (_what, request, status) => {
    const { app } = first(instances);
    if (!app.server.listening) await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = net.connect(Number(new URL(app.listeningOrigin).port), '127.0.0.1').setEncoding('utf8');
    let answer = '';
    socket.on('data', (text: string) => (answer += text)).write(request);
    await new Promise((resolve) => socket.on('error', resolve).on('close', resolve));
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    const requestId = /^x-request-id: (.+)$/im.exec(head)?.[1];
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: { code: 'BAD_REQUEST', message: expect.any(String), statusCode: status, requestId },
      timestamp: expect.stringMatching(/\.\d{3}Z$/),
    });
  });

  test('an unexpected error returns 500 INTERNAL_SERVER_ERROR without internal details', async () => {
    const response = await request(first(instances).app, 'GET', '/probe/failure', { headers: key() });
    expect(refusal(response)).toEqual([500, 'INTERNAL_SERVER_ERROR']);
    expect(response.body).not.toContain('inside');
  });
});

describe('X-Request-ID', () => {
  const get = async (id?: string) => {
    const response = await request(first(instances).app, 'GET', '/nothing', {
      headers: id === undefined ? {} : { 'x-request-id': id },
    });
    errorOf(response);
    return response.headers['x-request-id'];
  };

  test.each(['a', 'req-1/2 (3)', '~'.repeat(128)])('a valid one is echoed: %s', async (id) => {
    expect(await get(id)).toBe(id);
  });

  test.each(['', ' ', 'x'.repeat(129), 'käse', 'tab\there'])(
    'one that is not 1 to 128 printable ASCII characters is replaced: "%s"',
    async (id) => {
      expect(await get(id)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );

  test('is generated if the client sends none, differs per request, and is also sent with successes', async () => {
    const [one, two] = [await get(), await get()];
    expect(one).toMatch(/^[0-9a-f-]{36}$/);
    expect(two).not.toBe(one);
    expect(
      (await request(first(instances).app, 'GET', '/config', { headers: { 'x-request-id': 'mine' } })).headers[
        'x-request-id'
      ],
    ).toBe('mine');
  });
});

describe('request bodies', () => {
  test('a request must arrive within five minutes, or its connection is closed', () => {
    expect(first(instances).app.server.requestTimeout).toBe(300_000);
  });

  test.each(['{"text":', '{text: 1}', 'nonsense', '{"text":"a"}}', "{'text':1}"])(
    'malformed JSON returns 400 BAD_REQUEST: %s',
    async (payload) => {
      expect(refusal(await send(payload))).toEqual([400, 'BAD_REQUEST']);
    },
  );

  test.each(['[]', '"text"', '7', 'null', 'true'])('JSON that is not an object returns 422: %s', async (payload) => {
    const response = await send(payload);
    // `null` counts as no body, and nothing is required here.
    expect(response.statusCode).toBe(payload === 'null' ? 200 : 422);
  });

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'application/octet-stream',
    'multipart/form-data; boundary=x',
    'nonsense',
  ])('a body of type %s returns 415 UNSUPPORTED_MEDIA_TYPE', async (type) => {
    expect(refusal(await send('text=a', { 'content-type': type }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test('JSON with a charset is accepted', async () => {
    expect((await send('{"text":"ü"}', { 'content-type': 'application/json; charset=utf-8' })).json().body).toEqual({
      text: 'ü',
    });
  });

  test('an empty body with a JSON content type counts as no body', async () => {
    expect((await send('')).json()).toEqual({ projectId: project.id, body: {} });
    expect((await send('', JSON_TYPE, 'DELETE')).json()).toEqual({ projectId: project.id, body: null });
    expect((await send(' \n')).statusCode).toBe(200);
  });

  test('a body of 5 MB is accepted, a larger one returns 413 PAYLOAD_TOO_LARGE', async () => {
    const frame = '{"text":""}'.length;
    expect((await send(`{"text":"${'x'.repeat(5 * MEGABYTE - frame)}"}`)).statusCode).toBe(200);
    expect(refusal(await send(`{"text":"${'x'.repeat(5 * MEGABYTE - frame + 1)}"}`))).toEqual([
      413,
      'PAYLOAD_TOO_LARGE',
    ]);
  });

  test('a known field of the wrong JSON type is rejected, never converted; unknown fields are ignored', async () => {
    for (const text of [7, true, null, ['a'], { a: 1 }]) {
      const response = await send(JSON.stringify({ text }));
      expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'text']);
      expect(errorOf(response)).toMatchObject({
        message: 'Request validation failed',
        errors: [{ code: 'invalid_type', message: expect.any(String) }],
      });
    }
    expect((await send('{"text":"a","other":1}')).json().body).toEqual({ text: 'a' });
  });

  test.each([
    ['NUL in a field', '{"text":"a\\u0000b"}', 'text'],
    ['NUL deep inside', '{"nested":{"list":[1,{"deep":"\\u0000"}]}}', 'nested.list.1.deep'],
    ['NUL in a name', '{"nested":{"a\\u0000b":1}}', 'nested.ab'],
    ['NUL in an unknown field', '{"other":"\\u0000"}', 'other'],
    ['half of a surrogate pair', '{"text":"\\ud83d"}', 'text'],
    ['the other half', '{"text":"a\\ude00"}', 'text'],
    ['halves in the wrong order', '{"text":"\\ude00\\ud83d"}', 'text'],
  ])('%s returns 422 with the field', async (_what, payload, field) => {
    const response = await send(payload);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', field]);
    expect(errorOf(response).errors?.[0]?.code).toBe('invalid_string');
  });

  test('a complete surrogate pair, escaped, is accepted as text', async () => {
    expect((await send('{"text":"\\ud83d\\ude00"}')).json().body).toEqual({ text: '😀' });
  });

  test('JSON nested 65 levels deep returns 422 with the field, and 100,000 levels do no harm', async () => {
    expect((await send(`{"nested":{"a":${'['.repeat(60)}${']'.repeat(60)}}}`)).statusCode).toBe(200);
    expect(refusal(await send(`{"nested":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`))).toEqual([
      422,
      'VALIDATION_ERROR',
      'nested',
    ]);
    expect(refusal(await send(`{"nested":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`))).toEqual([
      422,
      'VALIDATION_ERROR',
      'nested',
    ]);
  });

  test('__proto__ in a body reaches no prototype', async () => {
    const response = await send('{"__proto__":{"text":"polluted"},"nested":{"constructor":{"prototype":{"x":1}}}}');
    expect(response.statusCode).toBe(200);
    expect(response.json().body.text).toBeUndefined();
    expect({}).not.toHaveProperty('x');
  });
});

describe('CORS', () => {
  const preflight = (
    url: string,
    origin: string,
    method = 'POST',
    headers = 'authorization,content-type,idempotency-key',
  ) =>
    first(instances).app.inject({
      method: 'OPTIONS',
      url,
      headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
    });

  test('/v1/* accepts any origin, without credentials', async () => {
    const response = await preflight('/v1/send', 'https://anybody.test');
    expect(response.statusCode).toBe(204);
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
    });
    expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
  });

  test('responses of /v1/*, including errors, are readable from any origin', async () => {
    for (const [authorization, status] of [
      ['Bearer nothing', 401],
      [`Bearer ${project.public}`, 200],
    ] as const) {
      const response = await request(first(instances).app, 'POST', '/v1/probe', {
        headers: { origin: 'https://anybody.test', authorization },
      });
      expect(response.statusCode).toBe(status);
      expect(response.headers['access-control-allow-origin']).toBe('*');
      expect(response.headers['access-control-expose-headers']).toContain('RateLimit-Remaining');
      expect(response.headers).not.toHaveProperty('access-control-allow-credentials');
    }
  });

  test('other paths accept the dashboard with credentials', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await preflight(
        '/users/@me/projects',
        'https://app.example.test',
        method,
        'content-type,x-project-id',
      );
      expect(response.statusCode).toBe(204);
      expect(response.headers).toMatchObject({
        'access-control-allow-origin': 'https://app.example.test',
        'access-control-allow-credentials': 'true',
      });
      expect(String(response.headers['access-control-allow-methods'])).toContain(method);
      expect(String(response.headers['access-control-allow-headers'])).toContain('X-Project-Id');
    }
  });

  test('an OPTIONS request that is not a preflight gets the same response, not plain text', async () => {
    for (const url of ['/v1/send', '/users/@me/projects'])
      expect(await first(instances).app.inject({ method: 'OPTIONS', url })).toMatchObject({
        statusCode: 204,
        body: '',
      });
  });

  test('other paths allow no other origin', async () => {
    for (const origin of [
      'https://anybody.test',
      'https://app.example.test.evil.test',
      'http://app.example.test',
      'null',
    ]) {
      for (const response of [
        await preflight('/users/@me/projects', origin),
        await request(first(instances).app, 'GET', '/config', { headers: { origin } }),
      ]) {
        expect(response.headers, origin).not.toHaveProperty('access-control-allow-origin');
      }
    }
  });
});

describe('without a database', () => {
  let instance: Instance;
  beforeAll(async () => {
    // A port that was free a moment ago: no server listens there.
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('unreachable');
    await new Promise((resolve) => server.close(resolve));
    instance = await openInstance(`postgres://ada@127.0.0.1:${address.port}/none`);
  });
  afterAll(() => closeInstance(instance));

  test.each([
    ['the key is looked up', 'GET', '/probe', { headers: { authorization: `Bearer sk_${'0'.repeat(64)}` } }],
    ['Prisma reads', 'GET', '/probe/prisma', {}],
    ['a user logs in', 'POST', '/auth/login', { body: { email: 'a@users.test', password: 'password' } }],
    ['a user signs up', 'POST', '/auth/signup', { body: { email: 'a@users.test', password: 'password' } }],
  ] as const)(
    'it returns 503 SERVICE_UNAVAILABLE with Retry-After, not 500, if %s',
    async (_where, method, url, options) => {
      const response = await request(instance.app, method, url, options);
      expect(refusal(response)).toEqual([503, 'SERVICE_UNAVAILABLE']);
      expect(response.headers['retry-after']).toBe('1');
    },
  );

  test('requests that read a session return 503', async () => {
    const id = '019b0000-0000-7000-8000-000000000001';
    const token = instance.app.jwt.sign({ sid: id, sub: id, version: 0 });
    expect(refusal(await request(instance.app, 'GET', '/users/@me', { token }))).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });

  test('routes without the database respond: /health/live, /config, /openapi.json', async () => {
    for (const url of ['/health/live', '/config', '/openapi.json'])
      expect((await request(instance.app, 'GET', url)).statusCode).toBe(200);
    expect(refusal(await request(instance.app, 'GET', '/health/ready'))).toEqual([503, 'SERVICE_UNAVAILABLE']);
  });
});

describe('if PostgreSQL fails for a temporary reason', () => {
  const template = (): Record<string, unknown> => ({
    name: 'Welcome',
    subject: 'Hello',
    body: '<p>Hello</p>',
    from: `us@${project.domain}`,
  });

  /** Makes each write to `table` fail with this SQLSTATE. */
  const failing = async (table: string, state: string): Promise<void> => {
    const { pool } = first(instances).ctx;
    await pool.query(
      `CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a secret of the inside' USING ERRCODE = '${state}'; END $$`,
    );
    await pool.query(
      `CREATE TRIGGER a_refusal BEFORE INSERT OR UPDATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
    );
    onTestFinished(async () => void (await pool.query(`DROP TRIGGER a_refusal ON ${table}`)));
  };

  describe.each([
    ['the disk is full', '53100'],
    ['there are too many connections', '53300'],
    ['there is no memory', '53200'],
    ['it is stopping', '57P01'],
    ['it is starting', '57P03'],
    ['it cancels the statement', '57014'],
    ['it is read-only', '25006'],
    ['it cannot write a file', '58030'],
    ['there is a deadlock', '40P01'],
    ['transactions cannot be serialized', '40001'],
  ])('because %s', (_why, state) => {
    test.each([
      ['templates', '/templates', template],
      ['contacts', '/contacts', () => ({ email: 'ann@example.test' })],
      ['rate_windows', '/contacts', () => ({ email: 'ann@example.test' })],
    ])(
      'a write to %s returns 503 SERVICE_UNAVAILABLE with Retry-After, not 500, without internal details',
      async (table, path, body) => {
        await failing(table, state);
        const response = await request(first(instances).app, 'POST', path, { headers: key(), body: body() });
        expect(refusal(response)).toEqual([503, 'SERVICE_UNAVAILABLE']);
        expect(response.headers['retry-after']).toBe('1');
        expect(response.body).not.toContain('inside');
      },
    );
  });

  test('a permanent failure returns 500', async () => {
    await failing('templates', '42883');
    expect(
      refusal(await request(first(instances).app, 'POST', '/templates', { headers: key(), body: template() })),
    ).toEqual([500, 'INTERNAL_SERVER_ERROR']);
  });
});
