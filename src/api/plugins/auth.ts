/**
 * Authenticates each request and applies the rate limit, before the body is read. `config.auth` of a route names the
 * credentials that it accepts.
 *
 * Source: the specification's "Authentication", and sections 1 and 2 of the contract.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { ApiContext } from '../../context.js';
import type { ProjectRef } from '../../db/admission.js';
import { requireVerified } from '../../domain/accounts/accounts.js';
import { findSession, type Account } from '../../domain/accounts/sessions.js';
import { findMemberProject, requireEnabled } from '../../domain/projects/access.js';
import { ApiError, badRequest, forbidden, notFound } from '../../errors.js';
import { createAdmission, type RateLimit } from '../admission.js';
import { readSessionToken } from '../session.js';

/**
 * - `secret`: the secret key, or a session that names its project in `X-Project-Id` (the default)
 * - `public`: the public key only
 * - `session`: a session only
 * - `optional`: no credential; `account` is set if the request has a session
 * - `none`: no credential
 */
export type AuthKind = 'secret' | 'public' | 'session' | 'optional' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: AuthKind;
    /**
     * With `auth: 'secret'`: where a session names its project, in `X-Project-Id` (the default) or in the path
     * parameter `projectId` or `id`. A key must belong to the project in the path. Any other project there returns 404, so that
     * non-members learn nothing about it.
     */
    projectFrom?: 'header' | 'path';
    /** With `auth: 'session'`: also accepts users without a verified address (see REQUIRE_EMAIL_VERIFICATION). */
    unverified?: boolean;
    /**
     * Whether the route only reads or changes something, if its method does not show it. Disabled projects may only
     * read, and changes with a session must come from our own pages. Default: `read` for GET, HEAD, and OPTIONS.
     */
    effect?: 'read' | 'change';
  }
  interface FastifyRequest {
    /** The project of the key or session. Not set on routes without a project. */
    project: ProjectRef;
    /** The user of the session. Not set on requests with a key. */
    account: Account;
  }
}

interface Admitted {
  project: ProjectRef;
  rate: RateLimit;
}

const invalidKey = (message: string): ApiError => new ApiError('INVALID_API_KEY', message);
const READ_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

const changesSomething = ({ method, routeOptions }: FastifyRequest): boolean =>
  routeOptions.config.effect === undefined ? !READ_METHODS.has(method) : routeOptions.config.effect === 'change';

/** Returns the path parameter `projectId` or `id`, or an empty string if the route has neither. */
function projectInPath({ params }: FastifyRequest): string {
  if (typeof params !== 'object' || params === null) return '';
  const id = 'projectId' in params ? params.projectId : 'id' in params ? params.id : '';
  return typeof id === 'string' ? id.toLowerCase() : '';
}

/** Returns the key of `Authorization: Bearer <key>`. */
function bearer(header: string): string {
  const match = /^Bearer +(\S+) *$/i.exec(header);
  if (!match?.[1]) throw invalidKey('The Authorization header must have the form "Bearer <API key>".');
  return match[1];
}

export const authPlugin = fp<{ ctx: ApiContext }>(
  async (app, { ctx }) => {
    const admission = createAdmission(ctx);
    const { DASHBOARD_URL, PUBLIC_URL } = ctx.config;
    const ownOrigins = new Set([new URL(DASHBOARD_URL).origin, new URL(PUBLIC_URL).origin]);
    app.decorateRequest('project');
    app.decorateRequest('account');

    const admitKey = async (header: string, wanted: 'secret' | 'public'): Promise<Admitted> => {
      const key = bearer(header);
      if (wanted === 'secret' && key.startsWith('pk_'))
        throw invalidKey('This endpoint requires a secret key (sk_…), not a public key.');
      if (wanted === 'public' && key.startsWith('sk_'))
        throw invalidKey('This endpoint requires a public key (pk_…), not a secret key.');
      const admitted = /^[ps]k_[0-9a-f]{64}$/.test(key) ? await admission.admitKey(key) : null;
      if (!admitted) throw invalidKey('The API key is not valid.');
      return admitted;
    };

    /** Prevents CSRF: a browser sends the cookie along with requests that another site causes. */
    const requireOwnOrigin = ({ headers }: FastifyRequest): void => {
      const { origin, 'sec-fetch-site': site } = headers;
      if (site === 'same-origin' || site === 'none' || (origin !== undefined && ownOrigins.has(origin))) return;
      if (site === undefined && origin === undefined) return;
      throw forbidden('A browser sent this request for another site. Send it from the dashboard or with an API key.');
    };

    const sessionUser = async (request: FastifyRequest): Promise<Account | null> => {
      const token = await readSessionToken(ctx, request);
      const account = token && (await findSession(ctx.pool, token));
      if (account && changesSomething(request)) requireOwnOrigin(request);
      return account;
    };

    const projectOfSession = async (request: FastifyRequest, { id: userId }: Account): Promise<ProjectRef> => {
      if (request.routeOptions.config.projectFrom === 'path') {
        const project = await findMemberProject(ctx, userId, projectInPath(request));
        if (!project) throw notFound('PROJECT');
        return project;
      }
      const id = request.headers['x-project-id'];
      if (typeof id !== 'string' || id === '')
        throw badRequest('Requests with a session must name the project in the X-Project-Id header.');
      const project = await findMemberProject(ctx, userId, id);
      if (!project) throw forbidden('You are not a member of this project.');
      return project;
    };

    /** Returns the project of a request and its rate limit; null on routes that accept only a session. */
    const authenticate = async (
      request: FastifyRequest,
      kind: 'secret' | 'public' | 'session',
    ): Promise<Admitted | null> => {
      const header = request.headers.authorization;
      if (kind !== 'session' && header !== undefined) return admitKey(header, kind);
      if (kind === 'public')
        throw invalidKey('This endpoint requires a public key. Send it as "Authorization: Bearer pk_…".');
      const account = await sessionUser(request);
      if (!account) {
        if (kind === 'session') throw new ApiError('UNAUTHORIZED', 'This endpoint requires a session. Log in first.');
        throw invalidKey('This endpoint requires a secret key. Send it as "Authorization: Bearer sk_…".');
      }
      request.account = account;
      if (!request.routeOptions.config.unverified) requireVerified(ctx, account);
      if (kind === 'session') return null;
      const project = await projectOfSession(request, account);
      return { project, rate: await admission.admitSession(project.id, account.id) };
    };

    app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      const { auth: kind = 'secret', projectFrom } = request.routeOptions.config;
      if (kind === 'none' || request.is404) return;
      if (kind === 'optional') {
        const account = await sessionUser(request);
        if (account) request.account = account;
        return;
      }
      const authenticated = await authenticate(request, kind);
      if (!authenticated) return;
      const { project, rate } = authenticated;
      request.project = project;
      void reply.headers({
        'RateLimit-Limit': rate.limit,
        'RateLimit-Remaining': rate.remaining,
        'RateLimit-Reset': rate.reset,
      });
      if (!rate.allowed) {
        void reply.header('Retry-After', Math.max(rate.reset, 1));
        throw new ApiError(
          'RATE_LIMIT_EXCEEDED',
          `This project and credential have used all ${rate.limit} requests per minute. Wait before you retry.`,
        );
      }
      if (projectFrom === 'path' && projectInPath(request) !== project.id) throw notFound('PROJECT');
      if (changesSomething(request)) requireEnabled(project);
    });
  },
  { name: 'auth', dependencies: ['@fastify/cookie', '@fastify/jwt'] },
);
