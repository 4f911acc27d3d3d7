/**
 * Permissions in a project (contract, section 2): every dashboard endpoint on the app's own list with every kind of
 * caller. A route of a project that is in neither table fails these tests until it has an entry.
 */
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/ids.js';
import { useApi, type TestProject } from '../helpers/api.js';
import { dump, fill, routesOf, type Route } from '../helpers/routes.js';
import { errorOf, newUser, request, type TestUser } from '../helpers/session.js';

const CALLERS = ['owner', 'admin', 'member', 'non-member', 'key of the project', 'no session'] as const;
type Caller = (typeof CALLERS)[number];

/** The permitted roles: all members; owner and admins, who manage; or the owner alone. */
type Rule = 'all' | 'managers' | 'owner';

interface Endpoint {
  rule: Rule;
  body?: (team: Team) => unknown;
  /** The response to permitted callers if it is not a success, because the endpoint needs more than a role. */
  otherwise?: number;
  /** The value of `:userId`. */
  userId?: (team: Team) => string;
}

interface Team {
  project: TestProject;
  users: Record<'owner' | 'admin' | 'member' | 'non-member', TestUser>;
  /** The member who is changed or removed, and never a caller. */
  target: TestUser;
  /** An account without a project. */
  newcomer: TestUser;
}

const billing = (body?: Endpoint['body']): Endpoint => ({ rule: 'managers', otherwise: 404, body });

/** The endpoints with a project in their path that accept only the cookie. */
const OF_THE_PROJECT: Record<string, Endpoint> = {
  'PATCH /users/@me/projects/:id': { rule: 'managers', body: () => ({ name: 'Renamed' }) },
  'DELETE /users/@me/projects/:id': { rule: 'owner' },
  'POST /users/@me/projects/:id/regenerate-keys': { rule: 'managers' },
  'POST /users/@me/projects/:id/reset': { rule: 'managers' },
  'GET /users/@me/projects/:id/security': { rule: 'all' },
  'GET /projects/:id/security': { rule: 'all' },
  'GET /projects/:id/setup-state': { rule: 'all' },
  'GET /projects/:id/members': { rule: 'all' },
  'POST /projects/:id/members': { rule: 'managers', body: ({ newcomer }) => ({ email: newcomer.email }) },
  'PATCH /projects/:id/members/:userId': {
    rule: 'managers',
    body: () => ({ role: 'ADMIN' }),
    userId: ({ target }) => target.id,
  },
  'DELETE /projects/:id/members/:userId': { rule: 'managers', userId: ({ target }) => target.id },
  // Billing is not configured here, and permitted callers get that response.
  'POST /users/@me/projects/:id/checkout': billing(() => ({})),
  'POST /users/@me/projects/:id/billing-portal': billing(() => ({})),
  'GET /users/@me/projects/:id/billing-invoices': billing(),
  'GET /users/@me/projects/:id/billing-limits': { rule: 'managers' },
  'PUT /users/@me/projects/:id/billing-limits': {
    rule: 'managers',
    body: () => ({ workflows: null, campaigns: 100, transactional: null }),
  },
  'GET /users/@me/projects/:id/billing-consumption': { rule: 'managers' },
};

/** The endpoints with the secret key or a session that do not manage content, and so are not open to every member. */
const MANAGED = new Set([
  'POST /domains',
  'DELETE /domains/:id',
  'POST /webhooks',
  'PATCH /webhooks/:id',
  'DELETE /webhooks/:id',
  'POST /webhooks/:id/rotate-secret',
  'POST /webhooks/:id/test',
  'POST /webhooks/:id/replay',
  'POST /webhooks/:id/deliveries/:deliveryId/retry',
]);
/** Valid for every route of webhooks. */
const WEBHOOK = { url: 'https://hook.test/', events: ['*'], type: 'email.sent', since: '2026-01-01T00:00:00Z' };
/** With a project in its path, but open to its key, and so among the endpoints of content. */
const STREAM = 'GET /projects/:id/stream';
/** These require the cookie, but belong to the user and to no project. */
const OF_THE_USER = new Set([
  'GET /users/@me',
  'PATCH /users/@me',
  'POST /users/@me/test-email',
  'GET /users/@me/sessions',
  'DELETE /users/@me/sessions/:id',
  'GET /users/@me/projects',
  'POST /users/@me/projects',
]);

const api = useApi();
let routes: Route[];

beforeAll(async () => {
  routes = await routesOf(api.app);
});

async function newTeam(): Promise<Team> {
  const project = await api.project();
  const [owner, admin, member, stranger, target, newcomer] = await Promise.all([
    newUser(api),
    newUser(api),
    newUser(api),
    newUser(api),
    newUser(api),
    newUser(api),
  ]);
  await api.ctx.prisma.membership.createMany({
    data: (
      [
        [owner, 'OWNER'],
        [admin, 'ADMIN'],
        [member, 'MEMBER'],
        [target, 'MEMBER'],
      ] as const
    ).map(([{ id }, role]) => ({ projectId: project.id, userId: id, role })),
  });
  return { project, users: { owner, admin, member, 'non-member': stranger }, target, newcomer };
}

const isProjectRoute = ({ url, name }: Route): boolean =>
  /^\/(users|projects)\//.test(url) && !OF_THE_USER.has(name) && name !== STREAM;

/** The request of a caller, with the headers that identify them. */
function call(
  team: Team,
  caller: Caller,
  route: Route,
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<LightMyRequestResponse> {
  if (caller === 'key of the project') return api.as(team.project, route.method, url, body);
  const token = caller === 'no session' ? undefined : team.users[caller].token;
  return request(api.app, route.method, url, { body, token, headers });
}

const mayCall = (rule: Rule, caller: Caller): boolean =>
  caller === 'owner' || (caller === 'admin' && rule !== 'owner') || (caller === 'member' && rule === 'all');

/** `204`, or `403 FORBIDDEN`. */
const said = (response: LightMyRequestResponse): string =>
  response.statusCode < 400 ? String(response.statusCode) : `${response.statusCode} ${errorOf(response).code}`;

const REFUSALS: Record<Exclude<Caller, 'owner'>, string> = {
  admin: '403 FORBIDDEN',
  member: '403 FORBIDDEN',
  'non-member': '404 PROJECT_NOT_FOUND',
  'key of the project': '401 UNAUTHORIZED',
  'no session': '401 UNAUTHORIZED',
};

describe('the endpoints of a project that accept only the cookie', () => {
  test('all have an entry in the table of these tests, and every entry is an endpoint', () => {
    expect(
      routes
        .filter(isProjectRoute)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(Object.keys(OF_THE_PROJECT).sort());
  });

  const cells = Object.entries(OF_THE_PROJECT).flatMap(([name, endpoint]) =>
    CALLERS.map((caller) => ({ name, caller, endpoint, may: mayCall(endpoint.rule, caller) ? 'may' : 'may not' })),
  );

  /** For rejected requests, which change nothing. */
  let unchanged: Team;
  beforeAll(async () => {
    unchanged = await newTeam();
  });

  test.each(cells)('$name: $caller $may', async ({ name, caller, endpoint: { rule, body, otherwise, userId } }) => {
    const route = routes.find((one) => one.name === name);
    if (!route) throw new Error(`There is no ${name}`);
    const isPermitted = mayCall(rule, caller);
    const team = isPermitted ? await newTeam() : unchanged;
    const url = route.url.replace(':userId', userId?.(team) ?? '').replace(':id', team.project.id);
    const before = isPermitted ? null : await dump(api.ctx);
    const response = await call(team, caller, route, url, body?.(team));
    if (isPermitted) {
      if (otherwise === undefined) expect([200, 201, 204], response.body).toContain(response.statusCode);
      else expect(response.statusCode, response.body).toBe(otherwise);
      return;
    }
    expect(said(response)).toBe(caller === 'owner' ? '' : REFUSALS[caller]);
    expect(await dump(api.ctx)).toEqual(before);
  });
});

describe('the endpoints that accept the secret key or a session with X-Project-Id', () => {
  const keyed = new Set<string>();
  const content = (): Route[] => routes.filter(({ name }) => keyed.has(name));

  beforeAll(async () => {
    const team = await newTeam();
    for (const route of routes) {
      const response = await call(team, 'no session', route, fill(route.url, newId()), undefined);
      if (
        response.statusCode === 401 &&
        errorOf(response).code === 'INVALID_API_KEY' &&
        route.name !== 'POST /v1/track'
      )
        keyed.add(route.name);
    }
    expect(keyed.size).toBeGreaterThan(50);
  });

  /** Returns the code with which each endpoint rejects a caller, or a word for any response to a permitted caller. */
  async function answers(caller: Caller): Promise<Record<string, string>> {
    const entries: Array<[string, string]> = [];
    const team = await newTeam();
    const { id: domain } = await api.ctx.prisma.domain.findFirstOrThrow({ where: { projectId: team.project.id } });
    for (const route of content()) {
      const url =
        route.url === '/domains/:id'
          ? `/domains/${domain}`
          : route.url.replace(route.name === STREAM ? ':id' : ':projectId', team.project.id);
      const response = await call(
        team,
        caller,
        route,
        fill(url, newId()),
        route.hasBody ? { domain: `${newId().slice(-12)}.test`, ...WEBHOOK } : undefined,
        { 'x-project-id': team.project.id },
      );
      const refused =
        [401, 403].includes(response.statusCode) ||
        (response.statusCode === 404 && errorOf(response).code === 'PROJECT_NOT_FOUND');
      entries.push([route.name, refused ? said(response) : 'may']);
    }
    return Object.fromEntries(entries);
  }
  const all = (answer: (name: string) => string): Record<string, string> =>
    Object.fromEntries(content().map(({ name }) => [name, answer(name)]));

  test.each(['owner', 'admin', 'key of the project'] as const)(
    '%s can call all of them',
    async (caller) => {
      expect(await answers(caller)).toEqual(all(() => 'may'));
    },
    120_000,
  );

  test('a member can call all of them except those that manage domains and webhooks', async () => {
    expect(await answers('member')).toEqual(all((name) => (MANAGED.has(name) ? '403 FORBIDDEN' : 'may')));
  }, 120_000);

  test('a non-member can call none: 403, or 404 if the path names the project', async () => {
    expect(await answers('non-member')).toEqual(
      all((name) => (name.includes(':projectId') || name === STREAM ? '404 PROJECT_NOT_FOUND' : '403 FORBIDDEN')),
    );
  }, 120_000);

  test('requests without a key and a session return 401', async () => {
    expect(await answers('no session')).toEqual(all(() => '401 INVALID_API_KEY'));
  }, 120_000);
});
