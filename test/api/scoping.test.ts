/**
 * Authentication and isolation of every route on the app's own list. A route that is in no table here requires a secret
 * key; one with an id in its path fails these tests until it has an entry.
 */
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { campaignHelpers, content, refused } from '../helpers/campaign-api.js';
import { dump, fill, routesOf, type Route } from '../helpers/routes.js';
import { newUser, ownProject, type TestUser } from '../helpers/session.js';

/** Public routes (specification, "Endpoints"; the links of the pages are signed). */
const OPEN = new Set([
  'GET /config',
  'GET /health/live',
  'GET /health/ready',
  'POST /auth/signup',
  'POST /auth/login',
  'GET /auth/logout',
  'POST /auth/logout',
  'GET /auth/oauth-config',
  ...['request-verification', 'verify-email', 'request-password-reset', 'reset-password'].map(
    (path) => `POST /auth/${path}`,
  ),
  ...['verify-email', 'reset-password'].flatMap((path) => [`GET /auth/${path}`, `POST /auth/${path}/:token`]),
  ...['google', 'github'].flatMap((provider) => [`GET /auth/${provider}`, `GET /auth/${provider}/callback`]),
  ...['unsubscribe', 'subscribe', 'manage'].flatMap((page) => [`GET /${page}/:token`, `POST /${page}/:token`]),
  'GET /o/:token',
  'GET /c/:token',
  // Files of exports, at signed addresses.
  'GET /exports/:token',
  // Images of templates, at unguessable addresses.
  'GET /uploads/:folder/:file',
  // Verified by the payment provider's signature.
  'POST /webhooks/incoming/stripe',
  // Verified by Amazon's signature.
  'POST /webhooks/sns',
]);
/** The routes of the public key. */
const PUBLIC = new Set(['POST /v1/track']);
/** The routes that accept only the dashboard's cookie. */
const isSessionRoute = ({ url }: Route): boolean =>
  url.startsWith('/users/') || (url.startsWith('/projects/') && url !== '/projects/:id/stream');

/** Resources of another project. */
interface Foreign {
  project: TestProject;
  campaign: string;
  contact: string;
  import: string;
  bulk: string;
  template: string;
  savedBlock: string;
  webhook: string;
  domain: string;
  email: string;
  segment: string;
  workflow: string;
  /** A suppressed address of the project. */
  suppressed: string;
  /** A project of another user. */
  owned: string;
  /** A session of another user. */
  session: string;
}

interface Scoped {
  /** The id of another project's resource for the route's path. */
  id: (foreign: Foreign) => string;
  code: string;
  /** A valid body for the route. */
  body?: (own: TestProject) => unknown;
  /** A valid query for the route. */
  query?: string;
}

const campaign = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.campaign,
  code: 'CAMPAIGN_NOT_FOUND',
  body,
});
const contact = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.contact,
  code: 'CONTACT_NOT_FOUND',
  body,
});
const template = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.template,
  code: 'TEMPLATE_NOT_FOUND',
  body,
});
const savedBlock = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.savedBlock,
  code: 'SAVED_BLOCK_NOT_FOUND',
  body,
});
const webhook = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.webhook,
  code: 'WEBHOOK_NOT_FOUND',
  body,
});
const segment = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.segment,
  code: 'SEGMENT_NOT_FOUND',
  body,
});
const workflow = (body?: Scoped['body']): Scoped => ({
  id: (foreign) => foreign.workflow,
  code: 'WORKFLOW_NOT_FOUND',
  body,
});
const domain: Scoped = { id: (foreign) => foreign.domain, code: 'DOMAIN_NOT_FOUND' };
const job: Scoped = { id: (foreign) => foreign.import, code: 'JOB_NOT_FOUND' };
const suppression: Scoped = { id: (foreign) => foreign.suppressed, code: 'SUPPRESSION_NOT_FOUND' };
const owned = (body?: Scoped['body']): Scoped => ({ id: (foreign) => foreign.owned, code: 'PROJECT_NOT_FOUND', body });

const SCOPED: Record<string, Scoped> = {
  'GET /campaigns/:id': campaign(),
  'PUT /campaigns/:id': campaign((own) => content(own)),
  'PATCH /campaigns/:id': campaign(() => ({ name: 'Mine now' })),
  'DELETE /campaigns/:id': campaign(),
  'POST /campaigns/:id/duplicate': campaign(),
  'POST /campaigns/:id/winner': campaign(() => ({ variant: 'a' })),
  'POST /campaigns/:id/send': campaign(() => ({})),
  'POST /campaigns/:id/cancel': campaign(),
  'POST /campaigns/:id/test': campaign(() => ({ email: 'me@x.test' })),
  'GET /campaigns/:id/stats': campaign(),
  'GET /campaigns/:id/recipients': campaign(),
  'GET /campaigns/:id/links': campaign(),
  'GET /campaigns/:id/timeseries': campaign(),
  'GET /campaigns/:id/waves': campaign(),
  'GET /campaigns/:id/failures': campaign(),
  'POST /campaigns/:id/retry-failed': campaign(() => ({})),
  'GET /contacts/:id': contact(),
  'PATCH /contacts/:id': contact(() => ({ subscribed: false, data: { plan: 'pro' } })),
  'DELETE /contacts/:id': contact(),
  'GET /contacts/:id/executions': contact(),
  'GET /contacts/:id/emails': contact(),
  'GET /events/contact/:contactId': contact(),
  'GET /segments/:id': segment(),
  'PATCH /segments/:id': segment(() => ({ name: 'Mine now' })),
  'DELETE /segments/:id': segment(),
  'GET /segments/:id/contacts': segment(),
  'GET /segments/:id/explain': { ...segment(), query: `?contactId=${newId()}` },
  'POST /segments/:id/members': segment(() => ({ emails: ['theirs@x.test'] })),
  'DELETE /segments/:id/members': segment(() => ({ emails: ['theirs@x.test'] })),
  'POST /segments/:id/compute': segment(),
  'POST /segments/:id/refresh': segment(),
  'GET /contacts/import/:jobId': { id: (foreign) => foreign.import, code: 'JOB_NOT_FOUND' },
  'GET /contacts/bulk/:jobId': { id: (foreign) => foreign.bulk, code: 'JOB_NOT_FOUND' },
  'GET /jobs/:id': job,
  'DELETE /jobs/:id': job,
  'GET /jobs/:id/errors.csv': job,
  'PATCH /saved-blocks/:id': savedBlock(() => ({ name: 'Mine now' })),
  'DELETE /saved-blocks/:id': savedBlock(),
  'GET /webhooks/:id': webhook(),
  'PATCH /webhooks/:id': webhook(() => ({ enabled: false })),
  'DELETE /webhooks/:id': webhook(),
  'POST /webhooks/:id/rotate-secret': webhook(() => ({})),
  'POST /webhooks/:id/test': webhook(() => ({ type: 'email.sent' })),
  'POST /webhooks/:id/replay': webhook(() => ({ since: '2026-01-01T00:00:00Z' })),
  'GET /webhooks/:id/deliveries': webhook(),
  'GET /webhooks/:id/deliveries/:deliveryId': webhook(),
  'POST /webhooks/:id/deliveries/:deliveryId/retry': webhook(),
  'GET /templates/:id': template(),
  'PATCH /templates/:id': template(() => ({ name: 'Mine now' })),
  'DELETE /templates/:id': template(),
  'POST /templates/:id/duplicate': template(),
  'POST /templates/:id/test': template(() => ({ email: 'me@x.test' })),
  'GET /templates/:id/usage': template(),
  'GET /templates/:id/versions': template(),
  'GET /templates/:id/versions/:version': template(),
  'POST /templates/:id/versions/:version/restore': template(),
  'GET /domains/project/:projectId': { id: (foreign) => foreign.project.id, code: 'PROJECT_NOT_FOUND' },
  'GET /domains/:id': domain,
  'GET /domains/:id/zone': domain,
  'GET /domains/:id/verify': domain,
  'POST /domains/:id/verify': domain,
  'DELETE /domains/:id': domain,
  'GET /workflows/:id': workflow(),
  'PATCH /workflows/:id': workflow(() => ({ name: 'Mine now', enabled: true })),
  'DELETE /workflows/:id': workflow(),
  'PUT /workflows/:id/graph': workflow(() => ({ steps: [{ key: 'start', type: 'TRIGGER' }], transitions: [] })),
  'POST /workflows/:id/validate': workflow(),
  'POST /workflows/:id/duplicate': workflow(),
  'GET /workflows/:id/stats': workflow(),
  'POST /workflows/:id/steps': workflow(() => ({ type: 'EXIT' })),
  'PATCH /workflows/:id/steps/:stepId': workflow(() => ({ name: 'Mine now' })),
  'DELETE /workflows/:id/steps/:stepId': workflow(),
  'POST /workflows/:id/transitions': workflow(() => ({ fromStepId: newId(), toStepId: newId() })),
  'DELETE /workflows/:id/transitions/:transitionId': workflow(),
  'POST /workflows/:id/executions': workflow(() => ({ contactId: newId() })),
  'GET /workflows/:id/executions': workflow(),
  'GET /workflows/:id/executions/:executionId': workflow(),
  'DELETE /workflows/:id/executions/:executionId': workflow(),
  'POST /workflows/:id/executions/:executionId/skip-wait': workflow(),
  'POST /workflows/:id/executions/cancel-all': workflow(),
  'PATCH /emails/:id': {
    id: (foreign) => foreign.email,
    code: 'EMAIL_NOT_FOUND',
    body: () => ({ scheduledFor: new Date().toISOString() }),
  },
  'POST /emails/:id/cancel': { id: (foreign) => foreign.email, code: 'EMAIL_NOT_FOUND' },
  'GET /emails/:id/content': { id: (foreign) => foreign.email, code: 'EMAIL_NOT_FOUND' },
  'GET /emails/:id/events': { id: (foreign) => foreign.email, code: 'EMAIL_NOT_FOUND' },
  'GET /emails/:id': { id: (foreign) => foreign.email, code: 'EMAIL_NOT_FOUND' },
  'GET /suppressions/:email': suppression,
  'DELETE /suppressions/:email': suppression,
  'GET /users/@me/projects/:id/security': owned(),
  'GET /projects/:id/security': owned(),
  'PATCH /users/@me/projects/:id': owned(() => ({ name: 'Mine now' })),
  'DELETE /users/@me/projects/:id': owned(),
  'POST /users/@me/projects/:id/regenerate-keys': owned(),
  'POST /users/@me/projects/:id/reset': owned(),
  'POST /users/@me/projects/:id/checkout': owned(),
  'POST /users/@me/projects/:id/billing-portal': owned(),
  'GET /users/@me/projects/:id/billing-limits': owned(),
  'PUT /users/@me/projects/:id/billing-limits': owned(() => ({ transactional: 0 })),
  'GET /users/@me/projects/:id/billing-consumption': owned(),
  'GET /users/@me/projects/:id/billing-invoices': owned(),
  'GET /projects/:id/setup-state': owned(),
  'DELETE /users/@me/sessions/:id': { id: (foreign) => foreign.session, code: 'SESSION_NOT_FOUND' },
  'GET /projects/:id/members': owned(),
  'GET /projects/:id/stream': { id: (foreign) => foreign.project.id, code: 'PROJECT_NOT_FOUND' },
  'POST /projects/:id/members': owned(() => ({ email: 'mine@x.test' })),
  'PATCH /projects/:id/members/:userId': owned(() => ({ role: 'ADMIN' })),
  'DELETE /projects/:id/members/:userId': owned(),
};

const api = useApi();
const helpers = campaignHelpers(api);
let routes: Route[];
let own: TestProject;
let user: TestUser;
let foreign: Foreign;

beforeAll(async () => {
  routes = await routesOf(api.app);
  own = await api.project();
  user = await newUser(api);
  await api.ctx.prisma.membership.create({ data: { projectId: own.id, userId: user.id, role: 'OWNER' } });
  foreign = await insertForeign();
});

async function newJob(project: TestProject, kind: 'IMPORT' | 'BULK'): Promise<string> {
  const id = newId();
  await api.ctx.prisma.job.create({
    data: { id, projectId: project.id, kind, params: { operation: 'delete', contactIds: [], requested: 0 } },
  });
  return id;
}

async function insertForeign(): Promise<Foreign> {
  const project = await api.project();
  const { prisma } = api.ctx;
  const campaignId = await helpers.draft(project);
  const contactId = await helpers.contact(project, 'theirs@x.test');
  const templateId = newId();
  const endpoint = await prisma.webhookEndpoint.create({
    data: { id: newId(), projectId: project.id, url: 'https://theirs.test/', events: ['*'], secret: 'sealed' },
  });
  const saved = await prisma.savedBlock.create({
    data: { id: newId(), projectId: project.id, name: 'S', blocks: [] },
  });
  await prisma.template.create({
    data: { id: templateId, projectId: project.id, name: 'T', subject: 's', body: 'b', from: `t@${project.domain}` },
  });
  const workflowId = newId();
  await prisma.workflow.create({ data: { id: workflowId, projectId: project.id, name: 'W', eventName: 'e' } });
  const { id: domainId } = await prisma.domain.findFirstOrThrow({ where: { projectId: project.id } });
  const owner = await newUser(api);
  return {
    project,
    campaign: campaignId,
    contact: contactId,
    import: await newJob(project, 'IMPORT'),
    bulk: await newJob(project, 'BULK'),
    template: templateId,
    savedBlock: saved.id,
    webhook: endpoint.id,
    domain: domainId,
    email: await helpers.email(project, campaignId, { contactId, status: 'SENT' }),
    segment: await helpers.segment(project, [contactId]),
    workflow: workflowId,
    suppressed: (
      await prisma.suppression.create({ data: { projectId: project.id, email: 'gone@theirs.test', reason: 'bounce' } })
    ).email,
    owned: (await ownProject(owner, 'Theirs')).id,
    session: (await prisma.session.findFirstOrThrow({ where: { userId: owner.id } })).id,
  };
}

interface Call {
  headers?: Record<string, string>;
  body?: unknown;
}

const call = (
  { method, url }: Pick<Route, 'method' | 'url'>,
  { headers = {}, body }: Call,
): Promise<LightMyRequestResponse> =>
  api.app.inject({
    method,
    url,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });

/** The response of each of these routes, by name. */
async function answers(
  selected: Route[],
  request: (route: Route) => Promise<LightMyRequestResponse>,
): Promise<Record<string, string>> {
  const entries: Array<[string, string]> = [];
  for (const route of selected) {
    const { status, code } = refused(await request(route));
    entries.push([route.name, `${status} ${code}`]);
  }
  return Object.fromEntries(entries);
}

const all = (selected: Route[], answer: (route: Route) => string): Record<string, string> =>
  Object.fromEntries(selected.map((route) => [route.name, answer(route)]));
const key = (value: string): Record<string, string> => ({ authorization: `Bearer ${value}` });
const guarded = (): Route[] => routes.filter(({ name }) => !OPEN.has(name));
/** Parameters that are words of the project, not ids: another project can have the same word. */
const WORDS = /:eventName|:field/;
const withId = (): Route[] => guarded().filter(({ url }) => url.includes(':') && !WORDS.test(url));
const bodyOf = ({ name }: Route): unknown => SCOPED[name]?.body?.(own);

describe('every route', () => {
  test('without a key returns 401: INVALID_API_KEY, or UNAUTHORIZED if only a session is accepted', async () => {
    const before = await dump(api.ctx);
    expect(guarded().length).toBeGreaterThan(25);
    expect(await answers(guarded(), (route) => call({ ...route, url: fill(route.url, newId()) }, {}))).toEqual(
      all(guarded(), (route) => (isSessionRoute(route) ? '401 UNAUTHORIZED' : '401 INVALID_API_KEY')),
    );
    expect(await dump(api.ctx)).toEqual(before);
  });

  test('that accepts GET accepts HEAD by the same rule', async () => {
    const gets = guarded().filter(({ method }) => method === 'GET');
    const statuses = await Promise.all(
      gets.map(async ({ url }) => (await api.app.inject({ method: 'HEAD', url: fill(url, newId()) })).statusCode),
    );
    expect(statuses).toEqual(gets.map(() => 401));
  });

  test('for secret keys rejects the public key, for public keys the secret key, and for sessions both', async () => {
    const before = await dump(api.ctx);
    // With ids of its own project, where a key of the other kind would find something.
    const kind = (route: Route): string => (isSessionRoute(route) ? '401 UNAUTHORIZED' : '401 INVALID_API_KEY');
    const secrets = guarded().filter((route) => !PUBLIC.has(route.name));
    expect(
      await answers(secrets, (route) =>
        call({ ...route, url: fill(route.url, own.id) }, { headers: key(own.public), body: bodyOf(route) }),
      ),
    ).toEqual(all(secrets, kind));
    const others = guarded().filter((route) => PUBLIC.has(route.name) || isSessionRoute(route));
    expect(
      await answers(others, (route) =>
        call({ ...route, url: fill(route.url, own.id) }, { headers: key(own.secret), body: bodyOf(route) }),
      ),
    ).toEqual(all(others, kind));
    expect(await dump(api.ctx)).toEqual(before);
  });

  test('without authentication is on the public list', async () => {
    const open: string[] = [];
    for (const route of routes)
      if ((await call({ ...route, url: fill(route.url, newId()) }, {})).statusCode !== 401) open.push(route.name);
    expect(open.sort()).toEqual([...OPEN].sort());
  });
});

describe('every route with an id in its path', () => {
  const urlOf = ({ url, name }: Route, id: string): string => fill(url, id) + (SCOPED[name]?.query ?? '');
  const asOwner: Array<[string, (route: Route) => Record<string, string>]> = [
    ['the secret key', (route) => (isSessionRoute(route) ? { cookie: `token=${user.token}` } : key(own.secret))],
    ['a session', () => ({ cookie: `token=${user.token}`, 'x-project-id': own.id })],
  ];

  test('has an entry in the table of these tests', () => {
    expect(
      withId()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(SCOPED).sort());
  });

  test.each(asOwner)(
    'with %s returns 404 for an id of another project, and changes nothing there',
    async (_, headers) => {
      const before = await dump(api.ctx);
      const request = (route: Route) =>
        call(
          { ...route, url: urlOf(route, SCOPED[route.name]?.id(foreign) ?? '') },
          { headers: headers(route), body: bodyOf(route) },
        );
      expect(await answers(withId(), request)).toEqual(all(withId(), ({ name }) => `404 ${SCOPED[name]?.code}`));
      expect(await dump(api.ctx)).toEqual(before);
    },
  );

  test('responds to an id of another project exactly as to an unknown one', async () => {
    const [headers] = asOwner.map(([, given]) => given);
    for (const route of withId()) {
      const ids = [
        newId(),
        SCOPED[route.name]?.id(foreign) ?? '',
        (SCOPED[route.name]?.id(foreign) ?? '').toUpperCase(),
      ];
      const responses = await Promise.all(
        ids.map((id) => call({ ...route, url: urlOf(route, id) }, { headers: headers?.(route), body: bodyOf(route) })),
      );
      const errors = responses.map((response) => ({ ...response.json<{ error: object }>().error, requestId: null }));
      expect(errors, route.name).toEqual(errors.map(() => errors[0]));
    }
  });

  test.each([
    ['a word', 'nope'],
    ['a number', '1'],
    ['SQL', "' OR 1=1 --"],
    ['a digit too few', '01a1fdb0-2c5b-7330-ad7a-83300162068'],
    ['a character too many', '01a1fdb0-2c5b-7330-ad7a-833001620682x'],
    ['no hyphens', '01a1fdb02c5b7330ad7a833001620682'],
    ['braces', '{01a1fdb0-2c5b-7330-ad7a-833001620682}'],
    ['2,000 characters', 'x'.repeat(2000)],
    ['an emoji', '😀'],
  ])('returns 404 for a malformed id, and 422 for campaigns: %s', async (_, id) => {
    const before = await dump(api.ctx);
    const [headers] = asOwner.map(([, given]) => given);
    const request = (route: Route) =>
      call({ ...route, url: urlOf(route, encodeURIComponent(id)) }, { headers: headers?.(route), body: bodyOf(route) });
    expect(await answers(withId(), request)).toEqual(
      all(withId(), ({ name, url }) =>
        url.startsWith('/campaigns/') ? '422 VALIDATION_ERROR' : `404 ${SCOPED[name]?.code}`,
      ),
    );
    expect(await dump(api.ctx)).toEqual(before);
  });
});

test.each<[string, string, () => Record<string, unknown>]>([
  ['POST /campaigns', 'SEGMENT_NOT_FOUND', () => content(own, { audienceType: 'SEGMENT', segmentId: foreign.segment })],
  ['POST /campaigns', 'TEMPLATE_NOT_FOUND', () => content(own, { templateId: foreign.template })],
  [
    'PUT /campaigns/:id',
    'SEGMENT_NOT_FOUND',
    () => content(own, { audienceType: 'SEGMENT', segmentId: foreign.segment }),
  ],
  ['PUT /campaigns/:id', 'TEMPLATE_NOT_FOUND', () => content(own, { templateId: foreign.template })],
  [
    'POST /v1/send',
    'TEMPLATE_NOT_FOUND',
    () => ({ to: 'a@x.test', template: foreign.template, from: `a@${own.domain}` }),
  ],
])('%s returns 404 %s for an id of another project in the body, and changes nothing', async (name, code, body) => {
  const route = routes.find((candidate) => candidate.name === name);
  const id = await helpers.draft(own);
  const before = await dump(api.ctx);
  expect(
    refused(
      await call(
        { method: route?.method ?? 'GET', url: fill(route?.url ?? '', id) },
        { headers: key(own.secret), body: body() },
      ),
    ),
  ).toEqual({ status: 404, code });
  expect(await dump(api.ctx)).toEqual(before);
});

test('the lists of a project contain nothing of another project', async () => {
  const lists = guarded().filter(
    ({ method, url }) => method === 'GET' && !url.includes(':') && !url.startsWith('/users/'),
  );
  expect(lists.length).toBeGreaterThan(0);
  for (const { name, url } of lists) {
    const query = name === 'GET /search' ? '?q=e&limit=100' : '';
    const response = await call({ method: 'GET', url: `${url}${query}` }, { headers: key(own.secret) });
    expect(response.statusCode, name).toBe(200);
    for (const id of Object.values(foreign).filter((value) => typeof value === 'string'))
      expect(response.body, name).not.toContain(id);
    expect(response.body, name).not.toContain(foreign.project.id);
  }
});
