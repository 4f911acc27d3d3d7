/** Logged-in users for tests. */
import { randomBytes } from 'node:crypto';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { expect } from 'vitest';
import type { App } from '../../src/api/app.js';
import type { ApiContext } from '../../src/context.js';
import { createSession } from '../../src/domain/accounts/sessions.js';
import { newId } from '../../src/ids.js';
import type { TestProject } from './api.js';

export const PASSWORD = 'correct horse battery';

export interface TestUser {
  id: string;
  email: string;
  /** The value of the cookie `token`. */
  token: string;
  /** A request with the user's cookie. */
  call: (
    method: InjectOptions['method'],
    url: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<LightMyRequestResponse>;
}

/** Returns the value of the session cookie that a response sets. */
export function tokenOf(response: LightMyRequestResponse): string {
  const cookie = response.cookies.find(({ name }) => name === 'token' || name === '__Host-token');
  if (!cookie) throw new Error(`The response ${response.statusCode} sets no session cookie: ${response.body}`);
  return cookie.value;
}

/** A request with a JSON body, if there is one, and a session, if there is one. */
export function request(
  app: App,
  method: InjectOptions['method'],
  url: string,
  { body, token, headers, ip }: { body?: unknown; token?: string; headers?: Record<string, string>; ip?: string } = {},
) {
  return app.inject({
    method,
    url,
    remoteAddress: ip ?? '127.0.0.1',
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      // One name for http, the other for https; the API reads only its own.
      ...(token !== undefined && { cookie: `token=${token}; __Host-token=${token}` }),
      ...headers,
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
  });
}

const caller =
  (app: App, token: string): TestUser['call'] =>
  (method, url, body, headers) =>
    request(app, method, url, { body, token, headers });

/** Signs a new user up through the API, with PASSWORD. */
export async function signUp(app: App, email = `${randomBytes(6).toString('hex')}@users.test`): Promise<TestUser> {
  const response = await request(app, 'POST', '/auth/signup', { body: { email, password: PASSWORD } });
  expect(response.statusCode, response.body).toBe(201);
  const token = tokenOf(response);
  return { ...response.json<{ id: string; email: string }>(), token, call: caller(app, token) };
}

/** A user without a password, and a session: for tests that are not about logging in, since hashing takes its time. */
export async function newUser({ app, ctx }: { app: App; ctx: ApiContext }): Promise<TestUser> {
  const id = newId();
  const email = `${randomBytes(6).toString('hex')}@users.test`;
  await ctx.prisma.user.create({ data: { id, email } });
  const token = app.jwt.sign({ ...(await createSession(ctx.pool, { id, sessionVersion: 0 })) });
  return { id, email, token, call: caller(app, token) };
}

/** Creates a project that the user owns. */
export async function ownProject(user: TestUser, name = 'Acme'): Promise<Omit<TestProject, 'domain'>> {
  const response = await user.call('POST', '/users/@me/projects', { name });
  expect(response.statusCode, response.body).toBe(201);
  return response.json();
}

/** The `error` of an answer in the specification's envelope, whose other parts it checks. */
export function errorOf(response: LightMyRequestResponse): {
  code: string;
  message: string;
  errors?: Array<{ field: string; message: string; code: string; received?: unknown }>;
  details?: Record<string, unknown>;
} {
  const body = response.json<
    Record<string, unknown> & { error: Record<string, unknown> & ReturnType<typeof errorOf> }
  >();
  expect(Object.keys(body).sort()).toEqual(['error', 'success', 'timestamp']);
  expect(body.success).toBe(false);
  expect(body.error.statusCode).toBe(response.statusCode);
  expect(body.error.requestId).toBe(response.headers['x-request-id']);
  expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return body.error;
}

/** Status, code and first field of a refused request. */
export const refusal = (response: LightMyRequestResponse): [status: number, code: string, field?: string] => {
  const error = errorOf(response);
  return [response.statusCode, error.code, ...(error.errors?.[0] ? [error.errors[0].field] : [])] as [
    number,
    string,
    string?,
  ];
};
