/** The account of the logged-in user: its address, its password, and its sessions. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { changeAccount } from '../../domain/accounts/change.js';
import { nameDevice } from '../../domain/accounts/device.js';
import { endSessionOfUser, listSessions } from '../../domain/accounts/sessions.js';
import { sendTestEmail } from '../../domain/accounts/test-email.js';
import { EmailAddress, IdParams, Timestamp } from '../schemas.js';
import { clearSessionCookie, setSessionCookie } from '../session.js';
import { withTypes } from '../typed.js';
import { NewPassword } from './auth.js';

export const CurrentUser = z
  .object({ id: z.string(), email: z.string(), emailVerified: z.boolean() })
  .meta({ id: 'CurrentUser' });

const ChangeBody = z
  .object({
    email: EmailAddress.optional(),
    newPassword: NewPassword.optional(),
    currentPassword: z.string().min(1).max(1000),
  })
  .refine(({ email, newPassword }) => email !== undefined || newPassword !== undefined, {
    path: ['email'],
    message: 'is required if `newPassword` is missing',
  });

const ActiveSession = z
  .object({
    id: z.string(),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.describe('Up to five minutes before the last request.'),
    device: z
      .string()
      .nullable()
      .describe('The browser and the system that logged in, as far as they are known.')
      .meta({ examples: ['Firefox on Windows'] }),
    userAgent: z.string().nullable().describe('The header `User-Agent` of the login.'),
    ip: z
      .string()
      .nullable()
      .describe('The address of the login.')
      .meta({ examples: ['192.0.2.1'] }),
    current: z.boolean().describe('Whether this request has this session.'),
  })
  .meta({ id: 'ActiveSession' });

export const accountRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const tags = ['Authentication'];

  app.patch(
    '/users/@me',
    {
      // Otherwise, a typo in a new address could not be corrected.
      config: { auth: 'session', unverified: true },
      schema: {
        tags,
        summary: 'Change the address or the password',
        description:
          'Requires the current password. A wrong one returns 422 at `currentPassword` and counts as a failed login: ' +
          'after 10 for the address, or 100 from one network, within 15 minutes, the endpoint returns 429 ' +
          '`RATE_LIMIT_EXCEEDED` with `Retry-After`.\n\nA new `email` is not verified, links in earlier emails about ' +
          'the account stop working, and the former address gets a notice. As after a sign-up, the verification email ' +
          'is sent if the installation requires verified addresses. An address of another account returns 422 at ' +
          '`email`. Attempts count like sign-ups.\n\nA `newPassword` has 8 to 1,000 characters. It ends all other ' +
          'sessions; the current one gets a new cookie.\n\nAn account that only signs in with a provider has no ' +
          'password and gets 422 at `currentPassword`. Its first password comes from ' +
          '`POST /auth/request-password-reset`.',
        body: ChangeBody,
        response: { 200: CurrentUser },
      },
    },
    async ({ account, body, ip }, reply) => {
      const { token, ...user } = await changeAccount(ctx, account, body, ip);
      if (token) await setSessionCookie(ctx, reply, token);
      return user;
    },
  );

  app.post(
    '/users/@me/test-email',
    {
      config: { auth: 'session' },
      schema: {
        tags,
        summary: 'Send a test email to the user',
        description:
          'Sends a fixed text from the sender of the installation to the address of the user. It needs no verified ' +
          'domain, belongs to no project, and counts toward no limit of a project. After 5 emails in 15 minutes, the ' +
          'endpoint returns 429 `RATE_LIMIT_EXCEEDED` with `Retry-After`.',
        response: { 202: z.object({ email: z.string() }) },
      },
    },
    async ({ account }, reply) => {
      await sendTestEmail(ctx, account.email);
      return reply.code(202).send({ email: account.email });
    },
  );

  app.get(
    '/users/@me/sessions',
    {
      config: { auth: 'session' },
      schema: {
        tags,
        summary: 'List the sessions of the user',
        description: 'The active sessions, the last used one first.',
        response: { 200: z.array(ActiveSession) },
      },
    },
    async ({ account }) =>
      (await listSessions(ctx.pool, account.id)).map((session) => ({
        ...session,
        device: nameDevice(session.userAgent),
        current: session.id === account.sessionId,
      })),
  );

  app.delete(
    '/users/@me/sessions/:id',
    {
      config: { auth: 'session' },
      schema: {
        tags,
        summary: 'End a session',
        description:
          'Its cookie stops working immediately, and its live streams end within seconds. To end the current session ' +
          'is to log out. A session that has ended or belongs to another user returns 404 `SESSION_NOT_FOUND`.',
        params: IdParams,
        response: { 204: z.null().describe('Ended.') },
      },
    },
    async ({ account, params }, reply) => {
      await endSessionOfUser(ctx.pool, account.id, params.id);
      if (params.id.toLowerCase() === account.sessionId) clearSessionCookie(ctx, reply);
      return reply.code(204).send(null);
    },
  );
};
