/**
 * Pages behind the links of mails to users. Mails lead to the dashboard; where none is configured, its address is this
 * API's.
 */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { isTokenUsable, type TokenPurpose } from '../../domain/accounts/tokens.js';
import { resetPassword } from '../../domain/accounts/reset.js';
import { verifyEmail } from '../../domain/accounts/verification.js';
import { ApiError } from '../../errors.js';
import { resetDonePage, resetPage, unusableTokenPage, verifiedPage, verifyPage } from '../../pages/account.js';
import { htmlPage } from '../error-replies.js';
import { answerPages, textOf } from '../pages.js';
import { NewPassword } from './auth.js';

const PATHS: Record<TokenPurpose, string> = {
  verification: '/auth/verify-email',
  'password-reset': '/auth/reset-password',
};

interface LinkRoute {
  Querystring: { token?: string };
}
interface FormRoute {
  Params: { token: string };
}

const schema = (summary: string, description: string, more: Record<string, z.ZodType>) => ({
  config: { auth: 'none' as const },
  schema: {
    tags: ['Public pages'],
    summary,
    description,
    response: { 200: htmlPage('The page.'), default: htmlPage('A page that describes the error.') },
    ...more,
  },
});
const Link = { querystring: z.object({ token: z.string().max(200).optional() }) };
const Form = { params: z.object({ token: z.string() }) };

export const accountPageRoutes: FastifyPluginAsync<{ ctx: Context }> = async (app, { ctx }) => {
  answerPages(app);

  const ask =
    (purpose: TokenPurpose, page: (action: string) => string) =>
    async (token: string | undefined, reply: FastifyReply): Promise<FastifyReply> => {
      if (!token || !(await isTokenUsable(ctx, token, purpose))) return reply.code(404).send(unusableTokenPage());
      return reply.send(page(`${PATHS[purpose]}/${token}`));
    };
  const askVerify = ask('verification', verifyPage);
  const askReset = ask('password-reset', resetPage);

  /** The page of what was done; a token that can't be used is the reader's to hear, in words. */
  const done = async (reply: FastifyReply, work: Promise<void>, page: () => string): Promise<FastifyReply> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'BAD_REQUEST') return reply.code(400).send(unusableTokenPage());
      throw error;
    }
    return reply.send(page());
  };

  app.get<LinkRoute>(
    '/auth/verify-email',
    schema(
      'Asks whether to verify an address',
      'The link of a mail, where there is no dashboard. Changes nothing: mail scanners follow links.',
      Link,
    ),
    ({ query }, reply) => askVerify(query.token, reply),
  );
  app.post<FormRoute>(
    '/auth/verify-email/:token',
    schema('Verifies an address', 'By the button of the page.', Form),
    ({ params }, reply) => done(reply, verifyEmail(ctx, params.token), verifiedPage),
  );
  app.get<LinkRoute>(
    '/auth/reset-password',
    schema('Asks for a new password', 'The link of a mail, where there is no dashboard.', Link),
    ({ query }, reply) => askReset(query.token, reply),
  );
  app.post<FormRoute>(
    '/auth/reset-password/:token',
    schema('Changes the password', 'By the form of the page: the field `password`.', Form),
    async ({ params, body }, reply) => {
      const password = NewPassword.safeParse(new URLSearchParams(textOf(body)).get('password') ?? '');
      if (!password.success)
        return reply
          .code(422)
          .send(
            resetPage(
              `${PATHS['password-reset']}/${encodeURIComponent(params.token)}`,
              'The password must have 8 to 1,000 characters.',
            ),
          );
      return done(reply, resetPassword(ctx, params.token, password.data), resetDonePage);
    },
  );
};
