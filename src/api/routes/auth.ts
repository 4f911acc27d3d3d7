/** Accounts: signup, login, logout. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { logIn, signUp, type Session } from '../../domain/accounts/accounts.js';
import { signInProviders } from '../../domain/accounts/providers.js';
import { EmailAddress } from '../schemas.js';
import { endSession, startSession } from '../session.js';
import { withTypes } from '../typed.js';

/** The upper end keeps a request from buying more hashing than a password needs. */
const NewPassword = z.string().min(8).max(1000);
const SignupBody = z.object({ email: EmailAddress, password: NewPassword });
const LoginBody = z.object({ email: EmailAddress, password: z.string().min(1).max(1000) });
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
        description: 'Sets the session cookie `token` for 7 days. 409 `CONFLICT` for an address that has an account; 403 `FORBIDDEN` where signups are disabled.',
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
    { config, schema: { tags, summary: 'Log out', description: 'Clears the session cookie.', response: { 200: z.object({ success: z.literal(true) }) } } },
    async (_request, reply) => {
      endSession(ctx, reply);
      return { success: true as const };
    },
  );

  app.get(
    '/auth/oauth-config',
    { config, schema: { tags, summary: 'Which providers one can sign in with', response: { 200: z.object({ google: z.boolean(), github: z.boolean() }) } } },
    async () => signInProviders(ctx.config),
  );
};
