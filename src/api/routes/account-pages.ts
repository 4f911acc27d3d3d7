/** The pages that links in emails to users open if `DASHBOARD_URL` is `PUBLIC_URL` itself: an API without a dashboard. */
import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { isTokenUsable, type TokenPurpose } from '../../domain/accounts/tokens.js';
import { resetPassword } from '../../domain/accounts/reset.js';
import { verifyEmail } from '../../domain/accounts/verification.js';
import { ApiError } from '../../errors.js';
import { resetDonePage, resetPage, unusableTokenPage, verifiedPage, verifyPage } from '../../pages/account.js';
import { htmlPage } from '../error-replies.js';
import { servePages, textOf } from '../pages.js';
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

export const accountPageRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (app, { ctx }) => {
  servePages(app);

  const confirmationHandler =
    (purpose: TokenPurpose, page: (action: string) => string) =>
    async (token: string | undefined, reply: FastifyReply): Promise<FastifyReply> => {
      if (!token || !(await isTokenUsable(ctx, token, purpose))) return reply.code(404).send(unusableTokenPage());
      return reply.send(page(`${PATHS[purpose]}/${token}`));
    };
  const showVerify = confirmationHandler('verification', verifyPage);
  const showReset = confirmationHandler('password-reset', resetPage);

  /** Sends the page after `work`, or the page for an unusable token. */
  const sendOutcome = async (reply: FastifyReply, work: Promise<void>, page: () => string): Promise<FastifyReply> => {
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
      'Confirm the verification of an address',
      'The link of the verification email, if no dashboard is configured. Changes nothing, because mail ' +
        'scanners follow links.',
      Link,
    ),
    ({ query }, reply) => showVerify(query.token, reply),
  );
  app.post<FormRoute>(
    '/auth/verify-email/:token',
    schema('Verify an address (page)', 'Called by the button of the page.', Form),
    ({ params }, reply) => sendOutcome(reply, verifyEmail(ctx, params.token), verifiedPage),
  );
  app.get<LinkRoute>(
    '/auth/reset-password',
    schema('Show the form for a new password', 'The link of the reset email, if no dashboard is configured.', Link),
    ({ query }, reply) => showReset(query.token, reply),
  );
  app.post<FormRoute>(
    '/auth/reset-password/:token',
    schema('Change the password (page)', 'Called by the form of the page, with the field `password`.', Form),
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
      return sendOutcome(reply, resetPassword(ctx, params.token, password.data), resetDonePage);
    },
  );
};
