/** The dashboard's session: a signed token in a cookie (specification, "Authentication", 10; contract, section 2). */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply } from 'fastify';
import type { Context } from '../context.js';
import type { Session } from '../domain/accounts/accounts.js';

export const SESSION_COOKIE = 'token';

/** How long a session lasts, in seconds. */
export const SESSION_SECONDS = 7 * 24 * 3600;

const attributes = (ctx: Context): CookieSerializeOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'lax',
  secure: ctx.config.PUBLIC_URL.startsWith('https:'),
});

/** Sets the cookie of a new session. */
export async function startSession(ctx: Context, reply: FastifyReply, { id, sessionVersion }: Session): Promise<void> {
  const token = await reply.jwtSign({ sub: id, version: sessionVersion });
  void reply.setCookie(SESSION_COOKIE, token, { ...attributes(ctx), maxAge: SESSION_SECONDS });
}

/** Clears the cookie. */
export function endSession(ctx: Context, reply: FastifyReply): void {
  void reply.clearCookie(SESSION_COOKIE, attributes(ctx));
}
