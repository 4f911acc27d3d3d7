import { describe, expect, test } from 'vitest';
import { insertProject } from '../helpers/api.js';
import { first, useInstances, type Instance } from '../helpers/probe.js';
import { errorOf, ownProject, refusal, request, newUser } from '../helpers/session.js';

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });
const HEX = 'ab'.repeat(32);

describe('API keys', () => {
  const instances = useInstances(2);
  const app = () => first(instances).app;
  const project = () => insertProject(first(instances).ctx);

  test('the key determines the project of a request', async () => {
    const [one, two] = [await project(), await project()];
    for (const { id, secret, public: publicKey } of [one, two]) {
      const reply = await request(app(), 'GET', '/probe', { headers: bearer(secret) });
      expect([reply.statusCode, reply.json()]).toEqual([200, { projectId: id, query: {} }]);
      expect((await request(app(), 'POST', '/v1/probe', { headers: bearer(publicKey) })).json()).toEqual({
        projectId: id,
      });
    }
  });

  test('the scheme is case-insensitive', async () => {
    const { secret } = await project();
    expect((await request(app(), 'GET', '/probe', { headers: { authorization: `bearer ${secret}` } })).statusCode).toBe(
      200,
    );
  });

  test.each([
    ['no header', undefined],
    ['an empty header', ''],
    ['no scheme', `sk_${HEX}`],
    ['another scheme', `Basic sk_${HEX}`],
    ['a scheme without a key', 'Bearer '],
    ['two keys', `Bearer sk_${HEX} sk_${HEX}`],
    ['an unknown key', `Bearer sk_${HEX}`],
    ['a key that is too short', 'Bearer sk_abc'],
    ['a key that is too long', `Bearer sk_${HEX}0`],
    ['a key in upper case', `Bearer sk_${HEX.toUpperCase()}`],
    ['no prefix', `Bearer ${HEX}`],
    ['another prefix', `Bearer ak_${HEX}`],
    ['SQL', `Bearer sk_' OR 1=1 --`],
  ])('%s returns 401 INVALID_API_KEY on a secret-key and on a public-key endpoint', async (_what, authorization) => {
    await project();
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    for (const [method, url] of [
      ['GET', '/probe'],
      ['POST', '/probe'],
      ['POST', '/v1/probe'],
    ] as const)
      expect(refusal(await request(app(), method, url, { headers }))).toEqual([401, 'INVALID_API_KEY']);
  });

  test('the secret key with another last digit returns 401', async () => {
    const { secret } = await project();
    const wrong = secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0');
    expect(refusal(await request(app(), 'GET', '/probe', { headers: bearer(wrong) }))).toEqual([
      401,
      'INVALID_API_KEY',
    ]);
  });

  test('the types are not interchangeable, and the message names the required one', async () => {
    const { secret, public: publicKey } = await project();
    const onSecret = await request(app(), 'GET', '/probe', { headers: bearer(publicKey) });
    expect(refusal(onSecret)).toEqual([401, 'INVALID_API_KEY']);
    expect(errorOf(onSecret).message).toMatch(/requires a secret key.*not a public key/);
    const onPublic = await request(app(), 'POST', '/v1/probe', { headers: bearer(secret) });
    expect(refusal(onPublic)).toEqual([401, 'INVALID_API_KEY']);
    expect(errorOf(onPublic).message).toMatch(/requires a public key.*not a secret key/);
  });

  test('the key is checked before the body', async () => {
    expect(
      refusal(
        await app().inject({
          method: 'POST',
          url: '/probe',
          headers: { 'content-type': 'application/json' },
          payload: '{"text":',
        }),
      ),
    ).toEqual([401, 'INVALID_API_KEY']);
  });

  test('a rotation applies immediately on every instance, for both keys', async () => {
    const user = await newUser(first(instances));
    const old = await ownProject(user);
    const statuses = (instance: Instance, keys: { secret: string; public: string }) =>
      Promise.all([
        request(instance.app, 'GET', '/probe', { headers: bearer(keys.secret) }),
        request(instance.app, 'POST', '/v1/probe', { headers: bearer(keys.public) }),
      ]).then((replies) => replies.map((reply) => reply.statusCode));
    // Both instances have used the old keys: a cached key must not outlive the rotation.
    for (const instance of instances) expect(await statuses(instance, old)).toEqual([200, 200]);
    const rotated = (await user.call('POST', `/users/@me/projects/${old.id}/regenerate-keys`)).json();
    for (const instance of instances) {
      expect(await statuses(instance, old)).toEqual([401, 401]);
      expect(await statuses(instance, rotated)).toEqual([200, 200]);
    }
  });

  test('a disabled project can read, and every mutating request returns 403 PROJECT_DISABLED', async () => {
    const { id, secret, public: publicKey } = await project();
    await first(instances).ctx.prisma.project.update({ where: { id }, data: { disabled: true } });
    expect((await request(app(), 'GET', '/probe', { headers: bearer(secret) })).statusCode).toBe(200);
    for (const method of ['POST', 'DELETE'] as const)
      expect(refusal(await request(app(), method, '/probe', { headers: bearer(secret) }))).toEqual([
        403,
        'PROJECT_DISABLED',
      ]);
    expect(refusal(await request(app(), 'POST', '/v1/probe', { headers: bearer(publicKey) }))).toEqual([
      403,
      'PROJECT_DISABLED',
    ]);
  });

  describe('a session on a secret-key endpoint', () => {
    test('names its project with X-Project-Id', async () => {
      const user = await newUser(first(instances));
      const { id } = await ownProject(user);
      const reply = await user.call('GET', '/probe', undefined, { 'x-project-id': id });
      expect([reply.statusCode, reply.json()]).toEqual([200, { projectId: id, query: {} }]);
    });

    test('without the header returns 400 BAD_REQUEST', async () => {
      const user = await newUser(first(instances));
      expect(refusal(await user.call('GET', '/probe'))).toEqual([400, 'BAD_REQUEST']);
      expect(refusal(await user.call('GET', '/probe', undefined, { 'x-project-id': '' }))).toEqual([
        400,
        'BAD_REQUEST',
      ]);
    });

    test('of another, an unknown, or a malformed project returns the same 403 FORBIDDEN', async () => {
      const user = await newUser(first(instances));
      const foreign = await project();
      const answers = await Promise.all(
        [foreign.id, '019b0000-0000-7000-8000-00000000ffff', 'x'].map((id) =>
          user.call('GET', '/probe', undefined, { 'x-project-id': id }),
        ),
      );
      for (const answer of answers) expect(refusal(answer)).toEqual([403, 'FORBIDDEN']);
      expect(new Set(answers.map((answer) => errorOf(answer).message)).size).toBe(1);
    });

    test('does not work on a public-key endpoint', async () => {
      const user = await newUser(first(instances));
      const { id } = await ownProject(user);
      expect(refusal(await user.call('POST', '/v1/probe', {}, { 'x-project-id': id }))).toEqual([
        401,
        'INVALID_API_KEY',
      ]);
    });

    test('with a key uses the key, even if it is invalid', async () => {
      const user = await newUser(first(instances));
      const own = await ownProject(user);
      const other = await project();
      const reply = await user.call('GET', '/probe', undefined, { 'x-project-id': own.id, ...bearer(other.secret) });
      expect(reply.json()).toEqual({ projectId: other.id, query: {} });
      expect(
        refusal(await user.call('GET', '/probe', undefined, { 'x-project-id': own.id, ...bearer(`sk_${HEX}`) })),
      ).toEqual([401, 'INVALID_API_KEY']);
    });

    test('an expired or forged cookie without a key returns 401 INVALID_API_KEY', async () => {
      expect(
        refusal(await request(app(), 'GET', '/probe', { token: 'forged', headers: { 'x-project-id': HEX } })),
      ).toEqual([401, 'INVALID_API_KEY']);
    });

    test('of a disabled project can read and not write', async () => {
      const user = await newUser(first(instances));
      const { id } = await ownProject(user);
      await first(instances).ctx.prisma.project.update({ where: { id }, data: { disabled: true } });
      expect((await user.call('GET', '/probe', undefined, { 'x-project-id': id })).statusCode).toBe(200);
      expect(refusal(await user.call('POST', '/probe', {}, { 'x-project-id': id }))).toEqual([403, 'PROJECT_DISABLED']);
    });
  });
});

describe('the rate limit', () => {
  const LIMIT = 5;
  const instances = useInstances(2, { RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  const app = () => first(instances).app;
  const project = () => insertProject(first(instances).ctx);
  const limits = (reply: { headers: Record<string, unknown> }) =>
    ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => Number(reply.headers[name]));

  test('every response has RateLimit headers; over the limit, 429 RATE_LIMIT_EXCEEDED has Retry-After', async () => {
    const { secret } = await project();
    for (let remaining = LIMIT - 1; remaining >= 0; remaining--) {
      // Rejected requests also count and have the headers.
      const reply = await request(app(), 'POST', '/probe', {
        headers: bearer(secret),
        body: remaining === 2 ? { text: 7 } : {},
      });
      expect(reply.statusCode).toBe(remaining === 2 ? 422 : 200);
      const [limit, left, reset] = limits(reply);
      expect([limit, left]).toEqual([LIMIT, remaining]);
      expect(reset).toBeGreaterThan(55);
      expect(reset).toBeLessThanOrEqual(60);
    }
    const reply = await request(app(), 'GET', '/probe', { headers: bearer(secret) });
    expect(refusal(reply)).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(limits(reply).slice(0, 2)).toEqual([LIMIT, 0]);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(55);
    expect(Number(reply.headers['retry-after'])).toBeLessThanOrEqual(60);
  });

  test('allows exactly the limit of 20 concurrent requests through two instances', async () => {
    const { secret } = await project();
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        request((instances[index % 2] ?? first(instances)).app, 'GET', '/probe', { headers: bearer(secret) }),
      ),
    );
    const accepted = responses.filter(({ statusCode }) => statusCode === 200);
    expect(accepted).toHaveLength(LIMIT);
    expect(responses.filter(({ statusCode }) => statusCode === 429)).toHaveLength(20 - LIMIT);
    expect(accepted.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4,
    ]);
  });

  test("counts the secret key, the public key, and each user's sessions separately", async () => {
    const [ada, bob] = [await newUser(first(instances)), await newUser(first(instances))];
    const { id, secret, public: publicKey } = await ownProject(ada);
    await first(instances).ctx.prisma.membership.create({ data: { projectId: id, userId: bob.id, role: 'MEMBER' } });
    const credentials = [
      () => request(app(), 'POST', '/v1/probe', { headers: bearer(publicKey) }),
      () => request(app(), 'GET', '/probe', { headers: bearer(secret) }),
      () => ada.call('GET', '/probe', undefined, { 'x-project-id': id }),
      () => bob.call('GET', '/probe', undefined, { 'x-project-id': id }),
    ];
    for (const call of credentials) {
      for (let remaining = LIMIT - 1; remaining >= 0; remaining--) {
        const response = await call();
        expect([response.statusCode, limits(response)[1]]).toEqual([200, remaining]);
      }
      expect((await call()).statusCode).toBe(429);
    }
  });

  test('counts each project separately, and a session for the project in its header', async () => {
    const user = await newUser(first(instances));
    const [one, two] = [await ownProject(user, 'One'), await ownProject(user, 'Two')];
    const probe = (projectId: string) => user.call('GET', '/probe', undefined, { 'x-project-id': projectId });
    for (let i = 0; i < LIMIT; i++) expect((await probe(one.id)).statusCode).toBe(200);
    expect([(await probe(one.id)).statusCode, (await probe(two.id)).statusCode]).toEqual([429, 200]);
    expect((await request(app(), 'GET', '/probe', { headers: bearer(two.secret) })).statusCode).toBe(200);
    // Paths of the dashboard without a project are not counted.
    expect((await user.call('GET', '/users/@me/projects')).statusCode).toBe(200);
  });

  test('a request that fails authentication is not counted', async () => {
    const { secret, public: publicKey } = await project();
    for (let i = 0; i < LIMIT; i++) {
      const reply = await request(app(), 'GET', '/probe', { headers: bearer(publicKey) });
      expect(reply.statusCode).toBe(401);
      expect(reply.headers).not.toHaveProperty('ratelimit-limit');
    }
    expect(limits(await request(app(), 'GET', '/probe', { headers: bearer(secret) }))[1]).toBe(LIMIT - 1);
  });

  test('requests older than a minute are not counted', async () => {
    const { id, secret } = await project();
    const { pool } = first(instances).ctx;
    await pool.query(
      `INSERT INTO rate_windows (project_id, second, count) VALUES ($1, floor(extract(epoch FROM now())) - 61, 5), ($1, floor(extract(epoch FROM now())) - 50, 3)`,
      [id],
    );
    const reply = await request(app(), 'GET', '/probe', { headers: bearer(secret) });
    expect(reply.statusCode).toBe(200);
    const [, left, reset] = limits(reply);
    expect(left).toBe(1);
    expect(reset).toBeGreaterThanOrEqual(9);
    expect(reset).toBeLessThanOrEqual(10);
  });
});
