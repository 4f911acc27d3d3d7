/** The session cookie: a signed token (specification, "Authentication", 10; contract, section 2). */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.js';
import type { ApiContext } from '../context.js';
import { createSession, SESSION_SECONDS, type SessionToken } from '../domain/accounts/sessions.js';
import { isId } from '../ids.js';

type SessionUser = Parameters<typeof createSession>[1];

const isSecure = ({ PUBLIC_URL }: Config): boolean => PUBLIC_URL.startsWith('https:');

/** The cookie's name. On https it has the prefix `__Host-`, so that no other host of the domain can set it. */
export const sessionCookieName = (config: Config): string => (isSecure(config) ? '__Host-token' : 'token');

const cookieOptions = (config: Config): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: isSecure(config),
});

const isSessionToken = (value: unknown): value is SessionToken =>
  typeof value === 'object' &&
  value !== null &&
  'sid' in value &&
  typeof value.sid === 'string' &&
  isId(value.sid) &&
  'sub' in value &&
  typeof value.sub === 'string' &&
  isId(value.sub) &&
  'version' in value &&
  typeof value.version === 'number';

/** Returns the token of a request's cookie, or null if there is none with a valid signature. */
export async function readSessionToken({ config }: ApiContext, request: FastifyRequest): Promise<SessionToken | null> {
  if (!request.cookies[sessionCookieName(config)]) return null;
  const token: unknown = await request.jwtVerify({ onlyCookie: true }).catch(() => null);
  return isSessionToken(token) ? token : null;
}

/** Creates a session for a user and sets its cookie. */
export async function startSession(ctx: ApiContext, reply: FastifyReply, user: SessionUser): Promise<void> {
  const { ip, headers } = reply.request;
  const client = { ip, userAgent: headers['user-agent'] ?? null };
  await setSessionCookie(ctx, reply, await createSession(ctx.pool, user, client));
}

/** Sets the cookie of a session, for its whole lifetime from now on. */
export async function setSessionCookie(ctx: ApiContext, reply: FastifyReply, token: SessionToken): Promise<void> {
  void reply.setCookie(sessionCookieName(ctx.config), await reply.jwtSign({ ...token }), {
    ...cookieOptions(ctx.config),
    maxAge: SESSION_SECONDS,
  });
}

export function clearSessionCookie({ config }: ApiContext, reply: FastifyReply): void {
  void reply.clearCookie(sessionCookieName(config), cookieOptions(config));
}
