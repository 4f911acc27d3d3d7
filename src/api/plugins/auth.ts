/**
 * Authentication and the rate limit, before anything of a request is read. Each route says what it takes in
 * `config.auth`.
 *
 * Source: the specification's "Authentication", and sections 1 and 2 of the contract.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Context } from '../../context.js';
import type { ProjectRef } from '../../db/admission.js';
import { requireVerified, type Account } from '../../domain/accounts/accounts.js';
import { ApiError, badRequest, forbidden, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { createAdmission } from '../admission.js';

/**
 * - `secret`: the secret key, or a session that names its project with X-Project-Id (the default)
 * - `public`: the public key only
 * - `session`: the dashboard's cookie only
 * - `optional`: anybody; `account` is there with the dashboard's cookie
 * - `none`: anybody
 */
export type AuthKind = 'secret' | 'public' | 'session' | 'optional' | 'none';

declare module 'fastify' {
  interface FastifyContextConfig {
    auth?: AuthKind;
    /**
     * With `auth: 'secret'`, what names the project of a session: X-Project-Id (the default), or the path parameter
     * `projectId`. In the path it must be the key's own project too. Anything else there is 404: whoever is no member
     * learns nothing about a project.
     */
    projectFrom?: 'header' | 'path';
    /**
     * With `auth: 'session'`: also for users whose address is not verified, where the installation wants verified ones
     * (REQUIRE_EMAIL_VERIFICATION).
     */
    unverified?: boolean;
    /** Of a POST that only asks: a disabled project may, too. */
    changesNothing?: boolean;
  }
  interface FastifyRequest {
    /** The project of the key or of X-Project-Id; reading it on a route without one is a programming error. */
    project: ProjectRef;
    /** The user of the session; likewise. */
    account: Account;
  }
}

const invalidKey = (message: string): ApiError => new ApiError('INVALID_API_KEY', message);
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

interface SessionToken {
  sub: string;
  version: number;
}

const isSessionToken = (value: unknown): value is SessionToken =>
  typeof value === 'object' &&
  value !== null &&
  'sub' in value &&
  typeof value.sub === 'string' &&
  isId(value.sub) &&
  'version' in value &&
  typeof value.version === 'number';

/** The path parameter `projectId` of a route that has one. */
function projectInPath({ params }: FastifyRequest): string {
  return typeof params === 'object' && params !== null && 'projectId' in params && typeof params.projectId === 'string'
    ? params.projectId.toLowerCase()
    : '';
}

/** The key of `Authorization: Bearer <key>`. */
function bearer(header: string): string {
  const match = /^Bearer +(\S+) *$/i.exec(header);
  if (!match?.[1]) throw invalidKey('The Authorization header must have the form "Bearer <API key>".');
  return match[1];
}

export const authPlugin = fp<{ ctx: Context }>(
  async (app, { ctx }) => {
    const admission = createAdmission(ctx);
    app.decorateRequest('project');
    app.decorateRequest('account');

    const projectOfKey = async (header: string, wanted: 'secret' | 'public'): Promise<ProjectRef> => {
      const key = bearer(header);
      if (wanted === 'secret' && key.startsWith('pk_'))
        throw invalidKey('This endpoint requires a secret key (sk_…), not a public key.');
      if (wanted === 'public' && key.startsWith('sk_'))
        throw invalidKey('This endpoint requires a public key (pk_…), not a secret key.');
      const project = /^[ps]k_[0-9a-f]{64}$/.test(key) ? await admission.projectOfKey(key) : null;
      if (!project) throw invalidKey('The API key is not valid.');
      return project;
    };

    const sessionUser = async (request: FastifyRequest): Promise<Account | null> => {
      if (!request.cookies.token) return null;
      const token: unknown = await request.jwtVerify({ onlyCookie: true }).catch(() => null);
      if (!isSessionToken(token)) return null;
      const user = await ctx.prisma.user.findUnique({
        where: { id: token.sub },
        select: { id: true, email: true, emailVerified: true, sessionVersion: true },
      });
      if (!user || user.sessionVersion !== token.version) return null;
      return { id: user.id, email: user.email, emailVerified: user.emailVerified };
    };

    const projectOfMember = async (projectId: string, user: Account): Promise<ProjectRef | null> => {
      if (!isId(projectId)) return null;
      const membership = await ctx.prisma.membership.findUnique({
        where: { projectId_userId: { projectId, userId: user.id } },
        select: {
          project: {
            select: { id: true, disabled: true, tracking: true, language: true, billingLimitTransactional: true },
          },
        },
      });
      if (!membership) return null;
      const { billingLimitTransactional, ...project } = membership.project;
      return { ...project, limited: billingLimitTransactional !== null };
    };

    const projectOfSession = async (request: FastifyRequest, user: Account): Promise<ProjectRef> => {
      if (request.routeOptions.config.projectFrom === 'path') {
        const project = await projectOfMember(projectInPath(request), user);
        if (!project) throw notFound('PROJECT');
        return project;
      }
      const id = request.headers['x-project-id'];
      if (typeof id !== 'string' || id === '')
        throw badRequest('A session names its project with the header X-Project-Id.');
      const project = await projectOfMember(id, user);
      if (!project) throw forbidden('You are not a member of this project.');
      return project;
    };

    const identify = async (
      request: FastifyRequest,
      kind: Exclude<AuthKind, 'none' | 'optional'>,
    ): Promise<ProjectRef | null> => {
      const header = request.headers.authorization;
      if (kind !== 'session' && header !== undefined) return projectOfKey(header, kind);
      if (kind === 'public')
        throw invalidKey('This endpoint requires a public key: send it as "Authorization: Bearer pk_…".');
      const user = await sessionUser(request);
      if (!user) {
        if (kind === 'session') throw new ApiError('UNAUTHORIZED', 'Log in first: this endpoint requires a session.');
        throw invalidKey('This endpoint requires a secret key: send it as "Authorization: Bearer sk_…".');
      }
      request.account = user;
      if (!request.routeOptions.config.unverified) requireVerified(ctx, user);
      if (kind === 'session') return null;
      return projectOfSession(request, user);
    };

    app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
      const kind = request.routeOptions.config.auth ?? 'secret';
      if (kind === 'none' || request.is404) return;
      if (kind === 'optional') {
        const user = await sessionUser(request);
        if (user) request.account = user;
        return;
      }
      const project = await identify(request, kind);
      if (!project) return;
      request.project = project;
      const rate = await admission.take(project.id);
      void reply.headers({
        'RateLimit-Limit': rate.limit,
        'RateLimit-Remaining': rate.remaining,
        'RateLimit-Reset': rate.reset,
      });
      if (!rate.allowed) {
        void reply.header('Retry-After', Math.max(rate.reset, 1));
        throw new ApiError('RATE_LIMIT_EXCEEDED', `The project has used its ${rate.limit} requests of this minute.`);
      }
      if (request.routeOptions.config.projectFrom === 'path' && projectInPath(request) !== project.id)
        throw notFound('PROJECT');
      const reads = READS.has(request.method) || request.routeOptions.config.changesNothing === true;
      if (project.disabled && !reads)
        throw new ApiError('PROJECT_DISABLED', 'This project is disabled; see its security page.');
    });
  },
  { name: 'auth', dependencies: ['@fastify/cookie', '@fastify/jwt'] },
);
