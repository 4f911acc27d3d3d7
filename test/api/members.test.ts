import { describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { first, useInstances } from '../helpers/probe.js';
import { errorOf, newUser, ownProject, refusal, type TestUser } from '../helpers/session.js';

const instances = useInstances(1);
const ctx = () => first(instances).ctx;
const user = () => newUser(first(instances));

interface Team {
  id: string;
  owner: TestUser;
  admin: TestUser;
  member: TestUser;
  /** The paths `/projects/<id>/members` and below. */
  path: (userId?: string) => string;
}

async function team(): Promise<Team> {
  const [owner, admin, member] = await Promise.all([user(), user(), user()]);
  const { id } = await ownProject(owner);
  const path = (userId?: string): string => `/projects/${id}/members${userId === undefined ? '' : `/${userId}`}`;
  for (const [{ email }, role] of [
    [admin, 'ADMIN'],
    [member, 'MEMBER'],
  ] as const)
    expect((await owner.call('POST', path(), { email, role })).statusCode).toBe(201);
  return { id, owner, admin, member, path };
}

const rolesOf = async (projectId: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await ctx().prisma.membership.findMany({ where: { projectId } })).map(({ userId, role }) => [userId, role]),
  );

describe('GET /projects/:id/members', () => {
  test('returns userId, email, role, and createdAt, oldest membership first, to every member', async () => {
    const { owner, admin, member, path } = await team();
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const list = [
      [owner, 'OWNER'],
      [admin, 'ADMIN'],
      [member, 'MEMBER'],
    ] as const;
    for (const [reader] of list) {
      const response = await reader.call('GET', path());
      expect([response.statusCode, response.json()]).toEqual([
        200,
        list.map(([{ id, email }, role]) => ({ userId: id, email, role, createdAt: at })),
      ]);
    }
  });
});

describe('POST /projects/:id/members', () => {
  test('returns 201 with the member, MEMBER by default, for an address in any case', async () => {
    const { id, admin, path } = await team();
    const added = await user();
    const response = await admin.call('POST', path(), { email: ` ${added.email.toUpperCase()} ` });
    expect([response.statusCode, response.json()]).toEqual([
      201,
      { userId: added.id, email: added.email, role: 'MEMBER', createdAt: expect.any(String) },
    ]);
    expect((await added.call('GET', '/users/@me/projects')).json()).toEqual([expect.objectContaining({ id })]);
  });

  test('an unknown user returns 404 USER_NOT_FOUND', async () => {
    const { owner, path } = await team();
    expect(refusal(await owner.call('POST', path(), { email: 'unknown@users.test' }))).toEqual([404, 'USER_NOT_FOUND']);
  });

  test('a member or the owner returns 409 CONFLICT, and keeps the role', async () => {
    const { id, owner, admin, member, path } = await team();
    const before = await rolesOf(id);
    for (const { email } of [owner, admin, member])
      expect(refusal(await admin.call('POST', path(), { email, role: 'ADMIN' }))).toEqual([409, 'CONFLICT']);
    expect(await rolesOf(id)).toEqual(before);
  });

  test('only one of several concurrent requests for one user succeeds', async () => {
    const { owner, path } = await team();
    const { email } = await user();
    const statuses = await Promise.all(
      Array.from({ length: 5 }, () => owner.call('POST', path(), { email }).then(({ statusCode }) => statusCode)),
    );
    expect(statuses.sort((a, b) => a - b)).toEqual([201, 409, 409, 409, 409]);
  });

  test.each([
    ['no body', undefined, 'email', 'required'],
    ['a malformed address', { email: 'bad@' }, 'email', 'invalid_string'],
    ['the role OWNER', { email: 'a@users.test', role: 'OWNER' }, 'role', 'invalid_string'],
    ['an unknown role', { email: 'a@users.test', role: 'admin' }, 'role', 'invalid_string'],
    ['a role of another type', { email: 'a@users.test', role: 1 }, 'role', 'invalid_type'],
    ['no role but null', { email: 'a@users.test', role: null }, 'role', 'invalid_type'],
  ])('%s returns 422', async (_what, body, field, code) => {
    const { owner, path } = await team();
    const response = await owner.call('POST', path(), body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', field]);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
  });
});

describe('PATCH /projects/:id/members/:userId', () => {
  test('owner and admins change roles, and the new role applies immediately', async () => {
    const { id, owner, admin, member, path } = await team();
    const response = await owner.call('PATCH', path(member.id), { role: 'ADMIN' });
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { userId: member.id, email: member.email, role: 'ADMIN', createdAt: expect.any(String) },
    ]);
    expect((await member.call('PATCH', `/users/@me/projects/${id}`, { name: 'Renamed' })).statusCode).toBe(200);
    expect((await member.call('PATCH', path(admin.id.toUpperCase()), { role: 'MEMBER' })).statusCode).toBe(200);
    expect(refusal(await admin.call('PATCH', `/users/@me/projects/${id}`, { name: 'Mine' }))).toEqual([
      403,
      'FORBIDDEN',
    ]);
  });

  test("the owner's role cannot be changed: 403", async () => {
    const { id, owner, admin, path } = await team();
    for (const caller of [owner, admin])
      expect(refusal(await caller.call('PATCH', path(owner.id), { role: 'MEMBER' }))).toEqual([403, 'FORBIDDEN']);
    expect((await rolesOf(id))[owner.id]).toBe('OWNER');
  });

  test.each([
    ['no role', {}, 'required'],
    ['the role OWNER', { role: 'OWNER' }, 'invalid_string'],
    ['a role of another type', { role: true }, 'invalid_type'],
  ])('%s returns 422 and changes nothing', async (_what, body, code) => {
    const { id, owner, member, path } = await team();
    const response = await owner.call('PATCH', path(member.id), body);
    expect(refusal(response)).toEqual([422, 'VALIDATION_ERROR', 'role']);
    expect(errorOf(response).errors?.[0]?.code).toBe(code);
    expect((await rolesOf(id))[member.id]).toBe('MEMBER');
  });
});

describe('DELETE /projects/:id/members/:userId', () => {
  test('returns 204, and the member loses access immediately', async () => {
    const { id, admin, member, path } = await team();
    const response = await admin.call('DELETE', path(member.id));
    expect([response.statusCode, response.body]).toEqual([204, '']);
    expect(refusal(await member.call('GET', path()))).toEqual([404, 'PROJECT_NOT_FOUND']);
    expect(refusal(await member.call('GET', '/probe', undefined, { 'x-project-id': id }))).toEqual([403, 'FORBIDDEN']);
    expect(refusal(await admin.call('DELETE', path(member.id)))).toEqual([404, 'USER_NOT_FOUND']);
    expect((await member.call('GET', '/users/@me')).statusCode).toBe(200);
  });

  test('the owner cannot be removed, and members cannot remove themselves: 403', async () => {
    const { id, owner, admin, path } = await team();
    const before = await rolesOf(id);
    for (const [caller, target] of [
      [admin, owner],
      [owner, owner],
      [admin, admin],
    ] as const)
      expect(refusal(await caller.call('DELETE', path(target.id)))).toEqual([403, 'FORBIDDEN']);
    expect(await rolesOf(id)).toEqual(before);
  });

  test('of two admins who remove each other concurrently, one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, owner, admin, member, path } = await team();
      await owner.call('PATCH', path(member.id), { role: 'ADMIN' });
      const answers = await Promise.all([admin.call('DELETE', path(member.id)), member.call('DELETE', path(admin.id))]);
      expect(answers.map(({ statusCode }) => statusCode).sort((a, b) => a - b)).toEqual([204, 404]);
      expect(Object.keys(await rolesOf(id))).toHaveLength(2);
    }
  });
});

describe('a non-member', () => {
  test.each(['PATCH', 'DELETE'] as const)(
    '%s returns the same 404 USER_NOT_FOUND for a stranger, an unknown id, and a malformed id',
    async (method) => {
      const { owner, path } = await team();
      const stranger = await user();
      const messages = [];
      for (const id of [stranger.id, newId(), 'nope', `${stranger.id}x`, '@me']) {
        const response = await owner.call(method, path(id), { role: 'ADMIN' });
        expect(refusal(response)).toEqual([404, 'USER_NOT_FOUND']);
        messages.push(errorOf(response).message);
      }
      expect(new Set(messages).size).toBe(1);
    },
  );
});

test('a disabled project keeps its members: changes return 403 PROJECT_DISABLED, and reads succeed', async () => {
  const { id, owner, member, path } = await team();
  const { email } = await user();
  await ctx().prisma.project.update({ where: { id }, data: { disabled: true } });
  const before = await rolesOf(id);
  expect(refusal(await owner.call('POST', path(), { email }))).toEqual([403, 'PROJECT_DISABLED']);
  expect(refusal(await owner.call('PATCH', path(member.id), { role: 'ADMIN' }))).toEqual([403, 'PROJECT_DISABLED']);
  expect(refusal(await owner.call('DELETE', path(member.id)))).toEqual([403, 'PROJECT_DISABLED']);
  expect(await rolesOf(id)).toEqual(before);
  expect((await owner.call('GET', path())).statusCode).toBe(200);
});

describe('GET /projects/:id/setup-state', () => {
  test('of a new project, every step is open', async () => {
    const { id, member } = await team();
    const response = await member.call('GET', `/projects/${id}/setup-state`);
    expect([response.statusCode, response.json()]).toEqual([
      200,
      {
        hasVerifiedDomain: false,
        contactCount: 0,
        hasEnabledWorkflow: false,
        lastCampaignSentAt: null,
        hasSubscription: false,
        firstEmailSentAt: null,
        firstEventAt: null,
        secretKeyLastUsedAt: null,
        publicKeyLastUsedAt: null,
      },
    ]);
  });

  test('counts verified domains, contacts, enabled workflows, sent campaigns, and a subscription', async () => {
    const { id, owner } = await team();
    const { prisma } = ctx();
    const state = async () => (await owner.call('GET', `/projects/${id}/setup-state`)).json();
    const domain = { projectId: id, dkimSelector: 's', dkimPrivateKey: 'k', records: [] };
    const campaign = {
      projectId: id,
      name: 'n',
      subject: 's',
      body: 'b',
      from: 'a@b.test',
      audienceType: 'ALL' as const,
    };
    await prisma.domain.create({ data: { ...domain, id: newId(), domain: `${id}.test`, status: 'PENDING' } });
    await prisma.workflow.create({ data: { id: newId(), projectId: id, name: 'n', eventName: 'e' } });
    await prisma.campaign.create({ data: { ...campaign, id: newId(), status: 'DRAFT' } });
    expect(await state()).toEqual({
      hasVerifiedDomain: false,
      contactCount: 0,
      hasEnabledWorkflow: false,
      lastCampaignSentAt: null,
      hasSubscription: false,
      firstEmailSentAt: null,
      firstEventAt: null,
      secretKeyLastUsedAt: null,
      publicKeyLastUsedAt: null,
    });

    await prisma.domain.updateMany({ where: { projectId: id }, data: { status: 'VERIFIED' } });
    await prisma.workflow.updateMany({ where: { projectId: id }, data: { enabled: true } });
    await prisma.contact.createMany({
      data: ['a@x.test', 'b@x.test', 'c@x.test'].map((email, index) => ({
        id: newId(),
        projectId: id,
        email,
        subscribed: index > 0,
      })),
    });
    const days = ['2026-03-01', '2026-05-01', '2026-04-01'].map((day) => new Date(`${day}T10:00:00.123Z`));
    await prisma.campaign.createMany({
      data: days.map((sentAt) => ({ ...campaign, id: newId(), status: 'SENT' as const, sentAt })),
    });
    await prisma.project.update({ where: { id }, data: { stripeSubscriptionId: `sub_${id}` } });
    expect(await state()).toEqual({
      hasVerifiedDomain: true,
      contactCount: 3,
      hasEnabledWorkflow: true,
      lastCampaignSentAt: '2026-05-01T10:00:00.123Z',
      hasSubscription: true,
      firstEmailSentAt: null,
      firstEventAt: null,
      secretKeyLastUsedAt: null,
      publicKeyLastUsedAt: null,
    });
  });

  test('shows the first sent email and the first tracked event, but no reserved ones', async () => {
    const { id, owner } = await team();
    const at = (day: number): Date => new Date(Date.UTC(2026, 2, day));
    const events = [
      ['contact.subscribed', 1],
      ['email.sent', 3],
      ['email.sent', 2],
      ['segment.vip.entry', 1],
      ['signup', 6],
      ['order.paid', 5],
      ['zebra', 7],
    ] as const;
    await ctx().prisma.event.createMany({
      data: events.map(([name, day]) => ({ id: newId(), projectId: id, name, createdAt: at(day) })),
    });
    expect((await owner.call('GET', `/projects/${id}/setup-state`)).json()).toMatchObject({
      firstEmailSentAt: at(2).toISOString(),
      firstEventAt: at(5).toISOString(),
    });
  });
});
