/**
 * Sends invalid bodies to every route on the app's own list. A route with a body fails these tests until it has an
 * entry.
 */
import net from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { hashToken } from '../../src/domain/accounts/tokens.js';
import { keyColumns, generateKeys } from '../../src/domain/projects/keys.js';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, CONDITION, content, refused, TOMORROW } from '../helpers/campaign-api.js';
import { eventually } from '../helpers/eventually.js';
import { dump, fill, routesOf, type Route } from '../helpers/routes.js';
import { newUser, ownProject, signUp, PASSWORD, type TestUser } from '../helpers/session.js';

const MEGABYTE = 1024 * 1024;

interface BodyRoute {
  /** Returns a new valid body at each call. */
  body: () => Record<string, unknown>;
  /** Returns a new id for the route's path at each call. */
  id?: () => Promise<string>;
  /** In bytes; 5 MB by default. */
  limit?: number;
}

const api = useApi();
const { contact, draft, segment } = campaignHelpers(api);
let own: TestProject;
let user: TestUser;
let other: TestUser;
let routes: Route[];

const unique = (): string => `${newId().slice(-12)}@x.test`;
const template = (): Record<string, unknown> => ({
  name: 'T',
  subject: 's',
  body: '<b>b</b>',
  from: `t@${own.domain}`,
});
const savedBlock = (): Record<string, unknown> => ({
  name: unique(),
  blocks: [{ id: 'p', type: 'text', content: [{ type: 'text', text: 'Regards' }] }],
});

async function newSavedBlock(): Promise<string> {
  const { id } = (await api.as(own, 'POST', '/saved-blocks', savedBlock())).json();
  return id;
}

const webhook = (): Record<string, unknown> => ({ url: 'https://hook.test/', events: ['email.*'] });

async function newWebhook(): Promise<string> {
  const id = newId();
  await api.ctx.prisma.webhookEndpoint.create({
    data: { id, projectId: own.id, url: 'https://hook.test/', events: ['*'], secret: 'sealed' },
  });
  return id;
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

async function newScheduled(): Promise<string> {
  const content = { subject: 's', body: 'b', from: `t@${own.domain}`, scheduledFor: inAnHour() };
  const response = await api.as(own, 'POST', '/v1/send', { to: unique(), ...content });
  return response.json<{ data: { emails: Array<{ email: string }> } }>().data.emails[0]?.email ?? '';
}

async function newTemplate(): Promise<string> {
  const id = newId();
  await api.ctx.prisma.template.create({
    data: { id, projectId: own.id, name: 'T', subject: 's', body: 'b', from: `t@${own.domain}` },
  });
  return id;
}

/** Creates ids that a body names, for the resource in the route's path. */
let named: string[] = [];
const name = (count: number): string[] => (named = Array.from({ length: count }, () => newId()));

/**
 * Creates a token of a user without a session, so that the sender's own session does not end.
 *
 * @returns an id, which the route's path does not have
 */
async function newToken(purpose: 'verification' | 'password-reset'): Promise<string> {
  const { id: userId } = await newUser(api);
  await api.ctx.prisma.authToken.create({
    data: {
      tokenHash: Buffer.from(hashToken(named[0] ?? '')),
      userId,
      purpose,
      expiresAt: new Date(Date.now() + 60_000),
    },
  });
  return userId;
}

/** Creates a project and a member with the same id, because all parameters of a path get one value. @returns that id */
async function newMember(): Promise<string> {
  const id = newId();
  const keys = keyColumns(generateKeys());
  await api.ctx.prisma.user.create({ data: { id, email: unique() } });
  await api.ctx.prisma.project.create({
    data: {
      id,
      name: 'P',
      ...keys,
      memberships: { createMany: { data: [{ userId: id }, { userId: user.id, role: 'OWNER' }] } },
    },
  });
  return id;
}

function transition(): Record<string, unknown> {
  const [fromStepId, toStepId] = name(2);
  return { fromStepId, toStepId };
}

/**
 * Creates an enabled workflow; its TRIGGER has the workflow's id, because all parameters of a path get one value.
 *
 * @returns that id
 */
async function newWorkflow(delays: string[] = []): Promise<string> {
  const [id, projectId] = [newId(), own.id];
  await api.ctx.prisma.workflow.create({ data: { id, projectId, name: 'W', eventName: 'e', enabled: true } });
  const steps = [
    { id, type: 'TRIGGER' as const, config: { eventName: 'e' } },
    ...delays.map((step) => ({ id: step, type: 'DELAY' as const, config: { amount: 1, unit: 'days' } })),
  ];
  await api.ctx.prisma.workflowStep.createMany({
    data: steps.map((step) => ({ projectId, workflowId: id, name: 'S', ...step })),
  });
  return id;
}

const graph = (): Record<string, unknown> => ({
  steps: [{ key: 'start', type: 'TRIGGER', config: { eventName: 'signed up' } }],
  transitions: [],
});

const VARIANTS = [
  { id: 'a', weight: 50 },
  { id: 'b', weight: 50 },
];

async function sentCampaign(): Promise<string> {
  const id = await draft(own);
  await api.ctx.prisma.campaign.update({ where: { id }, data: { status: 'SENT' } });
  return id;
}

async function testedCampaign(): Promise<string> {
  const id = await draft(own, { variants: VARIANTS, test: { share: 50, metric: 'clicks', decide: 'manual' } });
  await api.ctx.prisma.campaign.update({ where: { id }, data: { status: 'SENDING', snapshotDone: true } });
  return id;
}

async function newWorkflowWith(contacts: string[]): Promise<string> {
  await api.ctx.prisma.contact.createMany({
    data: contacts.map((id) => ({ id, projectId: own.id, email: unique(), subscribed: true })),
  });
  return newWorkflow();
}

const BODIES: Record<string, BodyRoute> = {
  'POST /auth/signup': { body: () => ({ email: unique(), password: PASSWORD }) },
  'POST /auth/login': { body: () => ({ email: user.email, password: PASSWORD }) },
  'POST /auth/request-verification': { body: () => ({ email: unique() }) },
  'POST /auth/verify-email': { body: () => ({ token: name(1)[0] }), id: () => newToken('verification') },
  'POST /auth/request-password-reset': { body: () => ({ email: unique() }) },
  'POST /auth/reset-password': {
    body: () => ({ token: name(1)[0], password: PASSWORD }),
    id: () => newToken('password-reset'),
  },
  'POST /users/@me/projects': { body: () => ({ name: 'Acme' }) },
  // The address stays, so that the next login has the same one.
  'PATCH /users/@me': { body: () => ({ email: user.email, currentPassword: PASSWORD }) },
  'PATCH /users/@me/projects/:id': {
    body: () => ({ name: 'Acme', language: 'de' }),
    id: async () => (await ownProject(user)).id,
  },
  'PUT /users/@me/projects/:id/billing-limits': {
    body: () => ({ workflows: null, campaigns: 5000, transactional: 10_000 }),
    id: async () => (await ownProject(user)).id,
  },
  'POST /suppressions': { body: () => ({ email: unique() }) },
  'POST /projects/:id/members': { body: () => ({ email: other.email }), id: async () => (await ownProject(user)).id },
  'PATCH /projects/:id/members/:userId': { body: () => ({ role: 'ADMIN' }), id: newMember },
  'POST /v1/send': {
    body: () => ({
      to: { email: unique(), name: 'You' },
      from: `a@${own.domain}`,
      subject: 's',
      body: 'b',
      data: { plan: 'pro' },
    }),
    limit: 60 * MEGABYTE,
  },
  'POST /v1/batch': {
    body: () => ({ emails: [{ to: unique(), from: `a@${own.domain}`, subject: 's', body: 'b' }] }),
    limit: 60 * MEGABYTE,
  },
  'POST /v1/track': { body: () => ({ email: unique(), event: 'signed up', data: { plan: 'pro' } }) },
  'POST /v1/verify': { body: () => ({ email: unique() }) },
  'POST /events/track': { body: () => ({ email: unique(), event: 'signed up', data: { plan: 'pro' } }) },
  'POST /contacts': { body: () => ({ email: unique(), data: { plan: 'pro' } }) },
  'POST /contacts/fields/:field/rename': { body: () => ({ to: unique() }) },
  'POST /contacts/lookup': { body: () => ({ emails: [unique()] }) },
  'POST /contacts/bulk': { body: () => ({ operation: 'set', data: { plan: 'pro' }, contactIds: [newId()] }) },
  'POST /contacts/preview': { body: () => ({ condition: CONDITION }) },
  'POST /contacts/query': { body: () => ({ condition: CONDITION }) },
  'POST /contacts/bulk-subscribe': { body: () => ({ contactIds: [newId()] }) },
  'POST /contacts/bulk-unsubscribe': { body: () => ({ contactIds: [newId()] }) },
  'POST /contacts/bulk-delete': { body: () => ({ contactIds: [newId()] }) },
  'PATCH /contacts/:id': { body: () => ({ email: unique(), data: { plan: 'pro' } }), id: () => contact(own, unique()) },
  'PATCH /emails/:id': { body: () => ({ scheduledFor: inAnHour() }), id: newScheduled },
  'POST /emails/cancel': { body: () => ({ group: 'order 17' }) },
  'POST /templates': { body: template },
  'PATCH /templates/:id': { body: template, id: newTemplate },
  'POST /saved-blocks': { body: savedBlock },
  'PATCH /saved-blocks/:id': { body: savedBlock, id: newSavedBlock },
  'POST /webhooks': { body: webhook },
  'PATCH /webhooks/:id': { body: webhook, id: newWebhook },
  'POST /webhooks/:id/rotate-secret': { body: () => ({ graceHours: 1 }), id: newWebhook },
  'POST /webhooks/:id/test': { body: () => ({ type: 'email.sent' }), id: newWebhook },
  'POST /webhooks/:id/replay': { body: () => ({ since: '2026-11-01T00:00:00Z' }), id: newWebhook },
  'POST /domains': { body: () => ({ domain: `${newId().slice(-12)}.test` }) },
  'POST /campaigns': { body: () => content(own) },
  'PUT /campaigns/:id': { body: () => content(own), id: () => draft(own) },
  'PATCH /campaigns/:id': { body: () => ({ subject: 'News' }), id: () => draft(own) },
  'POST /campaigns/:id/retry-failed': { body: () => ({ includeAmbiguous: false }), id: sentCampaign },
  'POST /exports': { body: () => ({ kind: 'contacts', format: 'csv' }) },
  'POST /render': { body: () => ({ subject: 's', body: 'b', data: { plan: 'pro' } }) },
  'POST /templates/:id/test': { body: () => ({ email: unique() }), id: newTemplate },
  'POST /campaigns/audience': { body: () => ({ audienceType: 'FILTERED', audienceCondition: CONDITION }) },
  'POST /segments': { body: () => ({ name: unique(), condition: CONDITION }) },
  'PATCH /segments/:id': { body: () => ({ name: 'S', condition: CONDITION }), id: () => segment(own, []) },
  'POST /segments/:id/members': {
    body: () => ({ emails: [unique()], createMissing: true }),
    id: () => segment(own, []),
  },
  'DELETE /segments/:id/members': { body: () => ({ emails: [unique()] }), id: () => segment(own, []) },
  'POST /workflows': { body: () => ({ name: 'W', eventName: 'signed up' }) },
  'PATCH /workflows/:id': {
    body: () => ({ name: 'W', triggerConfig: { eventName: 'signed up' } }),
    id: () => newWorkflow(),
  },
  'POST /workflows/:id/steps': {
    body: () => ({ type: 'WEBHOOK', name: 'S', config: { url: 'https://x.test', body: { plan: 'pro' } } }),
    id: () => newWorkflow(),
  },
  'PATCH /workflows/:id/steps/:stepId': {
    body: () => ({ name: 'S', config: { eventName: 'signed up' } }),
    id: () => newWorkflow(),
  },
  'POST /workflows/:id/transitions': { body: transition, id: () => newWorkflow(named) },
  'POST /workflows/:id/validate': { body: graph, id: () => newWorkflow() },
  'PUT /workflows/:id/graph': { body: graph, id: () => newWorkflow() },
  'POST /workflows/:id/executions': {
    body: () => ({ contactId: name(1)[0], context: { plan: 'pro' } }),
    id: () => newWorkflowWith(named),
  },
  'POST /campaigns/:id/winner': { body: () => ({ variant: 'a' }), id: testedCampaign },
  'POST /campaigns/:id/send': { body: () => ({ scheduledFor: TOMORROW() }), id: () => draft(own) },
  'POST /campaigns/:id/test': { body: () => ({ email: unique() }), id: () => draft(own) },
};

/** Only the link decides, and the body is ignored; public-pages.test.ts tests them. */
const isPublicPage = ({ url }: Route): boolean => url.endsWith('/:token');

beforeAll(async () => {
  routes = await routesOf(api.app);
  own = await api.project();
  user = await signUp(api.app);
  other = await newUser(api);
});

/** They accept only a form, text, or signed bytes; other files test them. */
const FORMS = new Set([
  'POST /contacts/import',
  'POST /uploads/image',
  'POST /webhooks/sns',
  'POST /webhooks/incoming/stripe',
]);

const withBody = (): Route[] => routes.filter(({ name, hasBody }) => hasBody && !FORMS.has(name));
const writing = (): Route[] =>
  routes.filter((route) => route.method !== 'GET' && !isPublicPage(route) && !FORMS.has(route.name));
const limitOf = ({ name }: Route): number => BODIES[name]?.limit ?? 5 * MEGABYTE;

/** A request of an authorized caller. */
async function post(
  route: Route,
  payload: string | Buffer,
  { type = 'application/json', id = newId() }: { type?: string; id?: string } = {},
): Promise<LightMyRequestResponse> {
  const isOpen = route.url.startsWith('/auth/');
  return api.app.inject({
    method: route.method,
    url: fill(route.url, id),
    headers: {
      ...(type !== '' && { 'content-type': type }),
      ...(!isOpen &&
        (/^\/(users|projects)\//.test(route.url)
          ? { cookie: `token=${user.token}` }
          : { authorization: `Bearer ${route.name === 'POST /v1/track' ? own.public : own.secret}` })),
    },
    payload,
  });
}

/**
 * Sends a payload to each route, compares status and code with the expected ones, and checks that the database is
 * unchanged.
 */
async function expectRefused(
  selected: Route[],
  expected: string,
  send: (route: Route) => Promise<LightMyRequestResponse>,
): Promise<void> {
  const before = await dump(api.ctx);
  const entries: Array<[string, string]> = [];
  for (const route of selected) {
    const { status, code } = refused(await send(route));
    entries.push([route.name, `${status} ${code}`]);
  }
  expect(Object.fromEntries(entries)).toEqual(Object.fromEntries(selected.map(({ name }) => [name, expected])));
  expect(await dump(api.ctx)).toEqual(before);
}

describe('every route with a body', () => {
  test('has an entry in the table of these tests', () => {
    expect(
      withBody()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(BODIES).sort());
  });

  test('accepts the body of its entry', async () => {
    for (const route of withBody()) {
      const entry = BODIES[route.name];
      const response = await post(route, JSON.stringify(entry?.body()), { id: await entry?.id?.() });
      expect([200, 201, 202], `${route.name}: ${response.body}`).toContain(response.statusCode);
    }
  });

  test.each(['[]', '[{}]', '"text"', '7', 'true', 'false'])(
    'returns 422 for JSON that is not an object, %s, and changes nothing',
    async (payload) => {
      await expectRefused(withBody(), '422 VALIDATION_ERROR', (route) => post(route, payload));
    },
  );

  test('returns 422 for NUL in any text, and names the field', async () => {
    const before = await dump(api.ctx);
    for (const route of withBody()) {
      const body = BODIES[route.name]?.body() ?? {};
      const fields = Object.keys(body).filter((field) => typeof body[field] === 'string');
      for (const field of [...fields, 'unknown']) {
        const response = await post(route, JSON.stringify({ ...body, [field]: 'a\0b' }));
        expect(refused(response), `${route.name} ${field}`).toEqual({
          status: 422,
          code: 'VALIDATION_ERROR',
          errors: [`${field} invalid_string`],
        });
      }
      expect(await dump(api.ctx), route.name).toEqual(before);
    }
  });

  test('accepts the names of prototypes at every level, without any effect on prototypes or rows', async () => {
    const prototype = Object.getOwnPropertyNames(Object.prototype);
    for (const route of withBody()) {
      const entry = BODIES[route.name];
      const response = await post(route, poisoned(entry?.body()), { id: await entry?.id?.() });
      expect([200, 201, 202], `${route.name}: ${response.body}`).toContain(response.statusCode);
      expect(response.body, route.name).not.toMatch(/__proto__|polluted/);
    }
    expect({}).not.toHaveProperty('polluted');
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(prototype);
    expect(JSON.stringify(await dump(api.ctx))).not.toMatch(/__proto__|polluted/);
  });
});

/** Returns a value as JSON whose objects all have prototype names, before and after their own. */
function poisoned(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(poisoned).join(',')}]`;
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${poisoned(item)}`);
  return `{${['"__proto__":{"polluted":"yes"}', '"constructor":{"prototype":{"polluted":"yes"}}', ...fields, '"__proto__":{"polluted":"again"}'].join(',')}}`;
}

describe('every route that writes', () => {
  test.each(['{', '{"email":', '{email: 1}', 'nonsense', '{}}', "{'a':1}", '{"a":1,}'])(
    'returns 400 for malformed JSON, %s, and changes nothing',
    async (payload) => {
      expect(writing().length).toBeGreaterThan(20);
      await expectRefused(writing(), '400 BAD_REQUEST', (route) => post(route, payload));
    },
  );

  test.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'text/json',
    '',
  ])('returns 415 for a body of the type "%s", and changes nothing', async (type) => {
    await expectRefused(writing(), '415 UNSUPPORTED_MEDIA_TYPE', (route) =>
      post(route, JSON.stringify(BODIES[route.name]?.body() ?? {}), { type }),
    );
  });

  test('returns 413 for a body over its limit, and changes nothing', async () => {
    await expectRefused(writing(), '413 PAYLOAD_TOO_LARGE', (route) => {
      // A valid body, except for the blanks at its end.
      const body = Buffer.alloc(limitOf(route) + 1, ' ');
      body.write(JSON.stringify(BODIES[route.name]?.body() ?? {}));
      return post(route, body);
    });
  });

  test('returns 422 for JSON that is nested too deep, and changes nothing', async () => {
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    await expectRefused(writing(), '422 VALIDATION_ERROR', (route) => post(route, `{"data":${deep}}`));
  });
});

test('a client that is still sending a body over its limit reads the 413 and can reuse its connection', async () => {
  const { secret } = await api.project();
  const { port } = new URL(await api.app.listen({ port: 0, host: '127.0.0.1' }));
  const socket = net.connect(Number(port), '127.0.0.1').setEncoding('utf8');
  const closed = new Promise<string>((resolve) =>
    socket.on('error', (error) => resolve(error.message)).on('close', () => resolve('closed')),
  );
  let answers = '';
  socket.on('data', (text: string) => (answers += text));
  const half = ' '.repeat(4_000_000);
  socket.write(
    `POST /workflows HTTP/1.1\r\nhost: api\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${2 * half.length}\r\n\r\n`,
  );
  await eventually(() => expect(answers).toContain('HTTP/1.1 413'));
  socket.write(half);
  socket.write(`${half}GET /config HTTP/1.1\r\nhost: api\r\nconnection: close\r\n\r\n`);
  expect(await closed).toBe('closed');
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200']);
});
