/** Sign-up, login, logout, password reset, and address verification. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { logIn, signUp } from '../../domain/accounts/accounts.js';
import { signInProviders } from '../../domain/accounts/providers.js';
import { requestPasswordReset, resetPassword } from '../../domain/accounts/reset.js';
import { endSession } from '../../domain/accounts/sessions.js';
import type { SessionUser } from '../../domain/accounts/sql/users.js';
import { requestVerification, verifyEmail } from '../../domain/accounts/verification.js';
import { validationError } from '../../errors.js';
import { EmailAddress } from '../schemas.js';
import { clearSessionCookie, startSession } from '../session.js';
import { withTypes } from '../typed.js';

/** The maximum bounds the cost of the hash. Unlike JSON bodies, a form can contain NUL, which no login could repeat. */
export const NewPassword = z
  .string()
  .min(8)
  .max(1000)
  .refine((password) => !password.includes('\0'), 'must not contain NUL characters');
const SignupBody = z.object({ email: EmailAddress, password: NewPassword });
const LoginBody = z.object({ email: EmailAddress, password: z.string().min(1).max(1000) });
const Token = z.string().min(1).max(200).describe('The token from the email.');
const Done = z.object({ success: z.literal(true) });
const SessionReply = z.object({ id: z.string(), email: z.string() }).meta({ id: 'Session' });

const toReply = ({ id, email }: SessionUser) => ({ id, email });

const LOGOUT_RULES =
  'Ends the session on the server, so that copies of its cookie stop working, and clears the cookie. Other sessions ' +
  'of the user continue. Also returns 200 without a session. A browser request from another site returns 403 `FORBIDDEN` ' +
  'and ends nothing.';

export const authRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const config = { auth: 'none' } as const;
  const tags = ['Authentication'];

  app.post(
    '/auth/signup',
    {
      config,
      schema: {
        tags,
        summary: 'Create an account',
        description:
          'Creates an account and sets the session cookie for 7 days. Returns 409 `CONFLICT` if the address ' +
          'already has an account, and 403 `FORBIDDEN` if sign-ups are disabled. After 10 attempts for one ' +
          'address, or 100 from one network (an IPv4 address or an IPv6 /64), within 15 minutes, it returns ' +
          '429 `RATE_LIMIT_EXCEEDED` with `Retry-After`. Successful attempts count, too.\n\nIf the installation ' +
          'requires verified addresses, it sends the verification email. Until the address is verified, all ' +
          'endpoints except `GET` and `PATCH /users/@me` and `/auth/*` return 403 `EMAIL_VERIFICATION_REQUIRED`.',
        body: SignupBody,
        response: { 201: SessionReply },
      },
    },
    async ({ body, ip }, reply) => {
      const user = await signUp(ctx, body, ip);
      await startSession(ctx, reply, user);
      return reply.code(201).send(toReply(user));
    },
  );

  app.post(
    '/auth/login',
    {
      config,
      schema: {
        tags,
        summary: 'Log in',
        description:
          'Sets the session cookie for 7 days. Returns 401 `INVALID_CREDENTIALS` for a wrong password and for ' +
          'an unknown address. After 10 failures for one address, or 100 from one network (an IPv4 address or ' +
          'an IPv6 /64), within 15 minutes, it returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`, even for ' +
          'the correct password. Successful logins do not count.',
        body: LoginBody,
        response: { 200: SessionReply },
      },
    },
    async ({ body, ip }, reply) => {
      const user = await logIn(ctx, body, ip);
      await startSession(ctx, reply, user);
      return toReply(user);
    },
  );

  const logOut = async ({ account }: FastifyRequest, reply: FastifyReply) => {
    // `account` is not set without a session.
    if (account) await endSession(ctx.pool, account.sessionId);
    clearSessionCookie(ctx, reply);
    return { success: true as const };
  };
  app.post(
    '/auth/logout',
    {
      config: { auth: 'optional' },
      schema: { tags, summary: 'Log out', description: LOGOUT_RULES, response: { 200: Done } },
    },
    logOut,
  );
  app.get(
    '/auth/logout',
    {
      config: { auth: 'optional', effect: 'change' },
      schema: {
        tags,
        summary: 'Log out (GET)',
        description: `${LOGOUT_RULES} Prefer \`POST /auth/logout\`.`,
        response: { 200: Done },
      },
    },
    logOut,
  );

  app.get(
    '/auth/oauth-config',
    {
      config,
      schema: {
        tags,
        summary: 'List the sign-in providers',
        response: { 200: z.object({ google: z.boolean(), github: z.boolean() }) },
      },
    },
    async () => signInProviders(ctx.config),
  );

  app.post(
    '/auth/request-verification',
    {
      config: { auth: 'optional' },
      schema: {
        tags,
        summary: 'Send a verification email',
        description:
          "Verifies `email`, or the address of the session's user. The response is the same for every address. " +
          'Verified addresses and addresses without an account get no email. The link in the email opens ' +
          '`/auth/verify-email?token=…` in the dashboard; the token is valid for one hour and works once. ' +
          'After 5 requests for an address within 15 minutes, it returns 429 `RATE_LIMIT_EXCEEDED` with ' +
          '`Retry-After`.',
        body: z.object({ email: EmailAddress.optional() }),
        response: { 200: Done },
      },
    },
    async ({ body, account }) => {
      const email = body.email ?? account?.email;
      if (email === undefined)
        throw validationError([{ field: 'email', message: 'Required without a session', code: 'required' }]);
      await requestVerification(ctx, email);
      return { success: true as const };
    },
  );

  app.post(
    '/auth/verify-email',
    {
      config,
      schema: {
        tags,
        summary: 'Verify an address',
        description:
          'Verifies the address that received the token. Returns 400 `BAD_REQUEST` if the token is unknown, ' +
          'was already used, or is older than one hour.',
        body: z.object({ token: Token }),
        response: { 200: Done },
      },
    },
    async ({ body }) => {
      await verifyEmail(ctx, body.token);
      return { success: true as const };
    },
  );

  app.post(
    '/auth/request-password-reset',
    {
      config,
      schema: {
        tags,
        summary: 'Send a password reset email',
        description:
          'The response and its time are the same for every address. Addresses without an account get no ' +
          'email. The link in the email opens `/auth/reset-password?token=…` in the dashboard; the token is ' +
          'valid for one hour and works once. After 5 requests for an address within 15 minutes, it returns ' +
          '429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.',
        body: z.object({ email: EmailAddress }),
        response: { 200: Done },
      },
    },
    async ({ body }) => {
      await requestPasswordReset(ctx, body.email);
      return { success: true as const };
    },
  );

  app.post(
    '/auth/reset-password',
    {
      config,
      schema: {
        tags,
        summary: 'Choose a new password',
        description:
          'Replaces the password with the token from the email, ends all sessions of the user, and marks the ' +
          'address as verified. It starts no session, so log in with the new password. Returns 400 ' +
          '`BAD_REQUEST` if the token is unknown, was already used, or is older than one hour.',
        body: z.object({ token: Token, password: NewPassword }),
        response: { 200: Done },
      },
    },
    async ({ body }) => {
      await resetPassword(ctx, body.token, body.password);
      return { success: true as const };
    },
  );
};
