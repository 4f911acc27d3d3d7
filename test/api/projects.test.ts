import { describe, expect, test } from 'vitest';
import { insertEmail } from '../../src/domain/emails/sql/emails.js';
import { newId } from '../../src/ids.js';
import { first, useInstances } from '../helpers/probe.js';
import { fillProject, rowsOf } from '../helpers/project-content.js';
import { errorOf, ownProject, refusal, request, newUser, type TestUser } from '../helpers/session.js';

const UNKNOWN = '019b0000-0000-7000-8000-00000000ffff';
const instances = useInstances(1);
const app = () => first(instances).app;
const ctx = () => first(instances).ctx;

/** A project of a new owner with an admin, a member, and a stranger. */
async function team(): Promise<{ id: string; owner: TestUser; admin: TestUser; member: TestUser; stranger: TestUser }> {
  const [owner, admin, member, stranger] = await Promise.all([
    newUser(first(instances)),
    newUser(first(instances)),
    newUser(first(instances)),
    newUser(first(instances)),
  ]);
  const { id } = await ownProject(owner);
  await ctx().prisma.membership.createMany({
    data: [
      { projectId: id, userId: admin.id, role: 'ADMIN' },
      { projectId: id, userId: member.id, role: 'MEMBER' },
    ],
  });
  return { id, owner, admin, member, stranger };
}

const stored = (id: string) => ctx().prisma.project.findUnique({ where: { id } });

describe('POST /users/@me/projects', () => {
  test('returns 201 with the project and both keys, and makes the user its owner', async () => {
    const user = await newUser(first(instances));
    const response = await user.call('POST', '/users/@me/projects', { name: '  Acme  ' });
    expect(response.statusCode).toBe(201);
    const project = response.json();
    expect(project).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Acme',
      public: expect.stringMatching(/^pk_[0-9a-f]{64}$/),
      secret: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
      secretLast4: project.secret.slice(-4),
      disabled: false,
      disabledReason: null,
      tracking: 'ENABLED',
      language: 'en',
      timezone: 'UTC',
      postalAddress: null,
      sendWindow: null,
      brand: null,
      defaultFrom: null,
      defaultFromName: null,
      trackMayChangeSubscription: true,
      role: 'OWNER',
      billingLimitWorkflows: null,
      billingLimitCampaigns: null,
      billingLimitTransactional: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    expect(
      await ctx().prisma.membership.findMany({
        where: { projectId: project.id },
        select: { userId: true, role: true },
      }),
    ).toEqual([{ userId: user.id, role: 'OWNER' }]);
  });

  test('only the hash of the secret key is stored', async () => {
    const project = await ownProject(await newUser(first(instances)));
    const { rows } = await ctx().pool.query(`SELECT p::text AS row FROM projects p WHERE id = $1`, [project.id]);
    expect(rows[0].row).not.toContain(project.secret.slice(3));
  });

  test.each([
    ['no body', undefined, 'required'],
    ['no name', {}, 'required'],
    ['an empty name', { name: '' }, 'too_small'],
    ['a blank name', { name: '   ' }, 'too_small'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'too_big'],
    ['a name of another type', { name: 7 }, 'invalid_type'],
  ])('%s returns 422 and creates no project', async (_what, body, code) => {
    const user = await newUser(first(instances));
    const response = await user.call('POST', '/users/@me/projects', body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'name']);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
    expect((await user.call('GET', '/users/@me/projects')).json()).toEqual([]);
  });

  test('without a session, it returns 401', async () => {
    expect(refusal(await request(app(), 'POST', '/users/@me/projects', { body: { name: 'Acme' } }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });
});

describe('if addresses must be verified', () => {
  const strict = useInstances(1, { REQUIRE_EMAIL_VERIFICATION: 'true' });

  test('creating a project and replacing keys return 403 EMAIL_VERIFICATION_REQUIRED before verification', async () => {
    const { app, ctx } = first(strict);
    const user = await newUser({ app, ctx });
    expect(refusal(await user.call('POST', '/users/@me/projects', { name: 'Acme' }))).toEqual([
      403,
      'EMAIL_VERIFICATION_REQUIRED',
    ]);
    expect(await ctx.prisma.project.count()).toBe(0);
    await ctx.prisma.user.update({ where: { id: user.id }, data: { emailVerified: true } });
    const project = await ownProject(user);
    await ctx.prisma.user.update({ where: { id: user.id }, data: { emailVerified: false } });
    expect(refusal(await user.call('POST', `/users/@me/projects/${project.id}/regenerate-keys`))).toEqual([
      403,
      'EMAIL_VERIFICATION_REQUIRED',
    ]);
    expect(refusal(await user.call('GET', '/probe', undefined, { 'x-project-id': project.id }))).toEqual([
      403,
      'EMAIL_VERIFICATION_REQUIRED',
    ]);
  });
});

describe('GET /users/@me/projects', () => {
  test("returns the user's projects, newest first, with public and secretLast4 and without a secret", async () => {
    const [user, other] = [await newUser(first(instances)), await newUser(first(instances))];
    const [one, two, foreign] = [
      await ownProject(user, 'One'),
      await ownProject(user, 'Two'),
      await ownProject(other, 'Foreign'),
    ];
    await ctx().prisma.membership.create({ data: { projectId: foreign.id, userId: user.id } });
    await ownProject(other, 'Not ours');
    const response = await user.call('GET', '/users/@me/projects');
    expect(response.statusCode).toBe(200);
    const list: Array<Record<string, unknown>> = response.json();
    expect(list.map((project) => project.id)).toEqual([foreign.id, two.id, one.id]);
    const { secret, ...shown } = { ...two };
    expect(list[1]).toEqual(shown);
    expect(response.body).not.toContain(secret);
  });
});

describe('PATCH /users/@me/projects/:id', () => {
  test('changes the settings, and null removes those that may be absent', async () => {
    const owner = await newUser(first(instances));
    const { id } = await ownProject(owner);
    const settings = {
      timezone: 'Europe/Berlin',
      postalAddress: 'Shop Ltd, 1 Example Street, Dublin',
      sendWindow: {
        timezone: 'Europe/Berlin',
        days: ['mon', 'fri'],
        from: '22:00',
        until: '06:00',
        except: ['2026-12-25'],
      },
      brand: { logoUrl: 'https://example.com/logo.png', color: '#1f4fd8' },
      defaultFrom: 'shop@example.com',
      defaultFromName: 'Shop',
      trackMayChangeSubscription: false,
    };
    const changed = await owner.call('PATCH', `/users/@me/projects/${id}`, settings);
    expect(changed.json()).toMatchObject(settings);
    const none = { postalAddress: null, sendWindow: null, brand: null, defaultFrom: null, defaultFromName: null };
    expect((await owner.call('PATCH', `/users/@me/projects/${id}`, none)).json()).toMatchObject({
      ...settings,
      ...none,
    });
  });

  test.each([
    ['timezone', { timezone: 'Mars/Olympus' }],
    ['postalAddress', { postalAddress: 'x'.repeat(501) }],
    [
      'sendWindow.timezone',
      { sendWindow: { timezone: 'Europe/Atlantis', days: ['mon'], from: '09:00', until: '18:00' } },
    ],
    ['brand.color', { brand: { logoUrl: null, color: 'blue' } }],
    ['brand.logoUrl', { brand: { logoUrl: 'javascript:alert(1)', color: null } }],
    ['defaultFrom', { defaultFrom: 'shop' }],
    ['defaultFromName', { defaultFromName: 'a\nb' }],
  ])('an invalid %s returns 422 and changes nothing', async (field, body) => {
    const owner = await newUser(first(instances));
    const { id } = await ownProject(owner);
    const before = (await owner.call('GET', '/users/@me/projects')).json();
    const response = await owner.call('PATCH', `/users/@me/projects/${id}`, { name: 'Other', ...body });
    expect([response.statusCode, response.json().error.errors[0].field]).toEqual([422, field]);
    expect((await owner.call('GET', '/users/@me/projects')).json()).toEqual(before);
  });

  test('the owner and admins change name, tracking, and language; omitted settings stay', async () => {
    const { id, owner, admin } = await team();
    const response = await owner.call('PATCH', `/users/@me/projects/${id}`, {
      name: 'Renamed',
      tracking: 'MARKETING_ONLY',
      language: 'pt-BR',
    });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      expect.objectContaining({ id, name: 'Renamed', tracking: 'MARKETING_ONLY', language: 'pt-BR' }),
    ]);
    expect(response.json()).not.toHaveProperty('secret');
    const second = await admin.call('PATCH', `/users/@me/projects/${id}`, { language: 'de' });
    expect([second.statusCode, second.json()]).toEqual([
      200,
      expect.objectContaining({ name: 'Renamed', tracking: 'MARKETING_ONLY', language: 'de' }),
    ]);
    expect((await owner.call('PATCH', `/users/@me/projects/${id}`)).statusCode).toBe(200);
  });

  test('unknown fields and fields that are not settings are ignored', async () => {
    const { id, owner } = await team();
    const before = await stored(id);
    const response = await owner.call('PATCH', `/users/@me/projects/${id}`, {
      id: UNKNOWN,
      public: 'pk_x',
      disabled: true,
      secretLast4: '0000',
      billingLimitCampaigns: 1,
      hello: 'world',
    });
    expect(response.statusCode).toBe(200);
    expect(await stored(id)).toEqual({ ...before, updatedAt: expect.any(Date) });
  });

  test.each([
    ['an empty name', { name: '' }, 'name'],
    ['a null name', { name: null }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['an unknown tracking mode', { tracking: 'SOMETIMES' }, 'tracking'],
    ['tracking as a boolean', { tracking: false }, 'tracking'],
    ['an empty language', { language: '' }, 'language'],
    ['a language that is not a tag', { language: 'en_US' }, 'language'],
    ['a language in words', { language: 'english' }, 'language'],
  ])('%s returns 422 and changes nothing', async (_what, change, field) => {
    const { id, owner } = await team();
    const before = await stored(id);
    expect(refusal(await owner.call('PATCH', `/users/@me/projects/${id}`, { name: 'Changed', ...change }))).toEqual([
      422,
      'VALIDATION_ERROR',
      field,
    ]);
    expect(await stored(id)).toEqual(before);
  });

  test('a member gets 403 FORBIDDEN and changes nothing', async () => {
    const { id, member } = await team();
    expect(refusal(await member.call('PATCH', `/users/@me/projects/${id}`, { name: 'Changed' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    expect((await stored(id))?.name).toBe('Acme');
  });

  test('a disabled project returns 403 PROJECT_DISABLED, and is still listed with its reason', async () => {
    const { id, owner } = await team();
    await ctx().prisma.project.update({ where: { id }, data: { disabled: true, disabledReason: 'bounce rate' } });
    expect(refusal(await owner.call('PATCH', `/users/@me/projects/${id}`, { name: 'Changed' }))).toEqual([
      403,
      'PROJECT_DISABLED',
    ]);
    expect((await owner.call('GET', '/users/@me/projects')).json()).toEqual([
      expect.objectContaining({ id, disabled: true, disabledReason: 'bounce rate', name: 'Acme' }),
    ]);
  });
});

describe('non-members', () => {
  test.each([
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/regenerate-keys'],
  ] as const)(
    "%s …/:id%s returns the same 404 PROJECT_NOT_FOUND for another user's, an unknown, and a malformed id",
    async (method, rest) => {
      const { id, stranger } = await team();
      const before = await stored(id);
      const answers = await Promise.all(
        [id, UNKNOWN, 'not-a-uuid', `${id}x`].map((projectId) =>
          stranger.call(method, `/users/@me/projects/${projectId}${rest}`),
        ),
      );
      for (const answer of answers) expect(refusal(answer)).toEqual([404, 'PROJECT_NOT_FOUND']);
      expect(new Set(answers.map((answer) => errorOf(answer).message)).size).toBe(1);
      expect(await stored(id)).toEqual(before);
      expect(refusal(await request(app(), method, `/users/@me/projects/${id}${rest}`))).toEqual([401, 'UNAUTHORIZED']);
    },
  );
});

describe('POST /users/@me/projects/:id/regenerate-keys', () => {
  test('the owner and admins get two new keys, and the old keys stop working immediately', async () => {
    const owner = await newUser(first(instances));
    const admin = await newUser(first(instances));
    const project = await ownProject(owner);
    await ctx().prisma.membership.create({ data: { projectId: project.id, userId: admin.id, role: 'ADMIN' } });
    const seen = [project];
    for (const user of [owner, admin]) {
      const response = await user.call('POST', `/users/@me/projects/${project.id}/regenerate-keys`);
      expect(response.statusCode).toBe(200);
      const rotated = response.json();
      expect(rotated).toEqual({
        ...project,
        role: user === owner ? 'OWNER' : 'ADMIN',
        public: expect.stringMatching(/^pk_[0-9a-f]{64}$/),
        secret: expect.stringMatching(/^sk_[0-9a-f]{64}$/),
        secretLast4: rotated.secret.slice(-4),
        updatedAt: expect.any(String),
      });
      seen.push(rotated);
    }
    const status = (key: string, url: string, method: 'GET' | 'POST') =>
      request(app(), method, url, { headers: { authorization: `Bearer ${key}` } }).then(
        (response) => response.statusCode,
      );
    expect(await Promise.all(seen.map(({ secret }) => status(secret, '/probe', 'GET')))).toEqual([401, 401, 200]);
    expect(await Promise.all(seen.map((keys) => status(keys.public, '/v1/probe', 'POST')))).toEqual([401, 401, 200]);
  });

  test('a member gets 403 FORBIDDEN and the keys stay', async () => {
    const { id, member } = await team();
    const before = await stored(id);
    expect(refusal(await member.call('POST', `/users/@me/projects/${id}/regenerate-keys`))).toEqual([403, 'FORBIDDEN']);
    expect(await stored(id)).toEqual(before);
  });

  test('a disabled project can replace its keys, because a leaked key may be the reason', async () => {
    const { id, owner } = await team();
    await ctx().prisma.project.update({ where: { id }, data: { disabled: true } });
    expect((await owner.call('POST', `/users/@me/projects/${id}/regenerate-keys`)).statusCode).toBe(200);
  });
});

describe('DELETE /users/@me/projects/:id', () => {
  test('deletes every row of the project and no other, cancels what runs, and revokes the keys', async () => {
    const [owner, other] = [await newUser(first(instances)), await newUser(first(instances))];
    const [project, neighbour] = [await ownProject(owner), await ownProject(other)];
    const { running } = await fillProject(ctx(), project.id);
    await fillProject(ctx(), neighbour.id);
    const kept = await rowsOf(ctx(), neighbour.id);
    expect(Object.entries(await rowsOf(ctx(), project.id)).filter(([, count]) => count === 0)).toEqual([]);

    const response = await owner.call('DELETE', `/users/@me/projects/${project.id}`);
    expect([response.statusCode, response.body]).toEqual([204, '']);

    expect(await stored(project.id)).toBeNull();
    expect(Object.entries(await rowsOf(ctx(), project.id)).filter(([, count]) => count > 0)).toEqual([]);
    expect(await rowsOf(ctx(), neighbour.id)).toEqual(kept);
    const intents = await ctx().prisma.outbox.findMany({ orderBy: { workflowId: 'asc' } });
    expect(intents.map((intent) => intent.workflowId).sort()).toEqual(running);
    for (const intent of intents)
      expect(intent).toMatchObject({
        action: 'cancel',
        payload: { action: 'cancel', workflowId: intent.workflowId, reason: expect.any(String) },
      });
    expect(
      (await request(app(), 'GET', '/probe', { headers: { authorization: `Bearer ${project.secret}` } })).statusCode,
    ).toBe(401);
    expect((await owner.call('GET', '/users/@me/projects')).json()).toEqual([]);
    expect(refusal(await owner.call('DELETE', `/users/@me/projects/${project.id}`))).toEqual([
      404,
      'PROJECT_NOT_FOUND',
    ]);
    await ctx().prisma.outbox.deleteMany();
  });

  test('an email of a deleted project is rejected, although it has no foreign key', async () => {
    const email = {
      id: newId(),
      projectId: UNKNOWN,
      messageId: newId(),
      contactId: null,
      source: 'PLATFORM',
      type: 'TRANSACTIONAL',
      toEmail: 'a@x.test',
    } as const;
    await expect(insertEmail(ctx().pool, email)).rejects.toMatchObject({ code: '23503' });
  });

  test('a campaign that starts during the deletion is canceled too', async () => {
    const owner = await newUser(first(instances));
    const { id } = await ownProject(owner);
    const campaign = await ctx().prisma.campaign.create({
      data: { id: newId(), projectId: id, name: 'n', subject: 's', body: 'b', from: 'a@b.test', audienceType: 'ALL' },
    });
    // The start is not committed when the deletion reads the campaigns, so the deletion has to wait for it.
    const start = await ctx().pool.connect();
    await start.query('BEGIN');
    await start.query(`UPDATE campaigns SET status = 'SENDING', attempt = 1 WHERE id = $1`, [campaign.id]);
    const deletion = owner.call('DELETE', `/users/@me/projects/${id}`);
    await expect
      .poll(
        async () =>
          (
            await ctx().pool.query(
              `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
            )
          ).rowCount,
        { interval: 10 },
      )
      .toBe(1);
    await start.query('COMMIT');
    start.release();
    expect((await deletion).statusCode).toBe(204);
    expect((await ctx().prisma.outbox.findMany()).map((intent) => intent.workflowId)).toEqual([
      `campaign:${campaign.id}:1`,
    ]);
    await ctx().prisma.outbox.deleteMany();
  });

  test('admins and members get 403 FORBIDDEN and the project stays', async () => {
    const { id, admin, member } = await team();
    for (const user of [admin, member])
      expect(refusal(await user.call('DELETE', `/users/@me/projects/${id}`))).toEqual([403, 'FORBIDDEN']);
    expect(await stored(id)).not.toBeNull();
    expect(await ctx().prisma.outbox.count()).toBe(0);
  });

  test('a disabled project can be deleted', async () => {
    const { id, owner } = await team();
    await ctx().prisma.project.update({ where: { id }, data: { disabled: true } });
    expect((await owner.call('DELETE', `/users/@me/projects/${id}`)).statusCode).toBe(204);
  });
});
