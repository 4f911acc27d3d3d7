/** Accounts: signup, login, logout, and what comes by mail. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { logIn, signUp, type Session } from '../../domain/accounts/accounts.js';
import { signInProviders } from '../../domain/accounts/providers.js';
import { requestPasswordReset, resetPassword } from '../../domain/accounts/reset.js';
import { requestVerification, verifyEmail } from '../../domain/accounts/verification.js';
import { validationError } from '../../errors.js';
import { EmailAddress } from '../schemas.js';
import { endSession, startSession } from '../session.js';
import { withTypes } from '../typed.js';

/**
 * The upper end keeps a request from buying more hashing than a password needs. A body of JSON has no NUL; a form
 * could, and then nobody could log in with it.
 */
export const NewPassword = z
  .string()
  .min(8)
  .max(1000)
  .refine((password) => !password.includes('\0'), 'must not contain NUL characters');
const SignupBody = z.object({ email: EmailAddress, password: NewPassword });
const LoginBody = z.object({ email: EmailAddress, password: z.string().min(1).max(1000) });
const Token = z.string().min(1).max(200).describe('From the mail');
const Done = z.object({ success: z.literal(true) });
const SessionReply = z.object({ id: z.string(), email: z.string() }).meta({ id: 'Session' });

const toReply = ({ id, email }: Session) => ({ id, email });

export const authRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
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
          'Sets the session cookie `token` for 7 days. 409 `CONFLICT` for an address that has an account; 403 `FORBIDDEN` where signups are disabled. ' +
          'Where the installation wants verified addresses, the mail for it is sent, and everything but `GET /users/@me` and `/auth/*` is 403 `EMAIL_VERIFICATION_REQUIRED` until it is done.',
        body: SignupBody,
        response: { 201: SessionReply },
      },
    },
    async ({ body }, reply) => {
      const session = await signUp(ctx, body);
      await startSession(ctx, reply, session);
      return reply.code(201).send(toReply(session));
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
          'Sets the session cookie `token` for 7 days. 401 `INVALID_CREDENTIALS` for a wrong password and for an unknown address alike. ' +
          'After 10 failures for one address, or 100 from one network (an IPv4 address, an IPv6 /64), within 15 minutes: 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`, for the right password too. Successes do not count.',
        body: LoginBody,
        response: { 200: SessionReply },
      },
    },
    async ({ body, ip }, reply) => {
      const session = await logIn(ctx, body, ip);
      await startSession(ctx, reply, session);
      return toReply(session);
    },
  );

  app.get(
    '/auth/logout',
    {
      config,
      schema: { tags, summary: 'Log out', description: 'Clears the session cookie.', response: { 200: Done } },
    },
    async (_request, reply) => {
      endSession(ctx, reply);
      return { success: true as const };
    },
  );

  app.get(
    '/auth/oauth-config',
    {
      config,
      schema: {
        tags,
        summary: 'Which providers one can sign in with',
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
        summary: 'Have a mail sent that verifies an address',
        description:
          "Of the session's user, or of `email`: then the answer is the same whatever that address is. Nothing is sent where it is verified already. " +
          'The mail leads to `/auth/verify-email?token=…` of the dashboard; the token works once, for an hour. ' +
          'After 5 requests for an address within 15 minutes: 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.',
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
          'By the token of a mail. 400 `BAD_REQUEST` for one that is unknown, was used, or is older than an hour.',
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
        summary: 'Have a mail sent for a new password',
        description:
          'The same answer, after the same time, whether the address has an account or not. The mail leads to `/auth/reset-password?token=…` of the dashboard; the token works once, for an hour. ' +
          'After 5 requests for an address within 15 minutes: 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.',
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
          'By the token of a mail. Ends all sessions of the user, and starts none: log in with the new password. The address counts as verified. ' +
          '400 `BAD_REQUEST` for a token that is unknown, was used, or is older than an hour.',
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
