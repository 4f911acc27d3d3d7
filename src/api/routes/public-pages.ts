/**
 * The pages behind an email's links: unsubscribe, subscribe, preferences. Without a key: the signed token in the path
 * says who it is.
 */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import {
  findSubscriber,
  snoozeByLink,
  subscribeByLink,
  unsubscribeByLink,
  type Subscriber,
} from '../../domain/contacts/subscription.js';
import type { LinkPurpose, LinkTarget } from '../../mail/links.js';
import { acceptedLanguage, languageOf } from '../../pages/language.js';
import {
  managePage,
  plainPage,
  SNOOZE_DAYS,
  subscribedPage,
  subscribePage,
  unsubscribedPage,
  unsubscribePage,
  type SubscriptionPage,
} from '../../pages/subscription.js';
import { htmlPage } from '../error-replies.js';
import { answerPages, textOf } from '../pages.js';

const TokenParams = z.object({ token: z.string() });

interface TokenRoute {
  Params: { token: string };
}

/** `List-Unsubscribe=One-Click`, as a form in either of the two encodings that RFC 8058 allows. */
function isOneClick(body: string): boolean {
  if (/name="?List-Unsubscribe"?\s*\r?\n(?:[^\r\n]+\r?\n)*\r?\n\s*One-Click/i.test(body)) return true;
  return [...new URLSearchParams(body)].some(
    ([name, value]) => name.toLowerCase() === 'list-unsubscribe' && value.trim().toLowerCase() === 'one-click',
  );
}

export const publicPageRoutes: FastifyPluginAsync<{ ctx: Context }> = async (app, { ctx }) => {
  const { links } = ctx;

  // Mailbox providers and browsers post forms; whatever comes, the link alone decides.
  answerPages(app);

  /** Paths and not addresses, so that the forms stay on the host that the reader is on. */
  const paths = ({ contactId, emailId }: LinkTarget): SubscriptionPage['paths'] => ({
    unsubscribe: new URL(links.unsubscribeUrl(contactId, emailId)).pathname,
    subscribe: new URL(links.subscribeUrl(contactId, emailId)).pathname,
    manage: new URL(links.manageUrl(contactId, emailId)).pathname,
  });

  /** Verifies the token, lets `work` find or change its contact, and shows the page of what it is then. */
  const show =
    (
      purpose: LinkPurpose,
      page: (page: SubscriptionPage) => string,
      work: (target: LinkTarget, body: string) => Promise<Subscriber | null>,
    ) =>
    async (request: FastifyRequest<TokenRoute>, reply: FastifyReply): Promise<FastifyReply> => {
      const language = acceptedLanguage(request.headers['accept-language']);
      const target = links.verify(request.params.token, purpose);
      if (!target) return reply.code(404).send(plainPage(language, 'invalid'));
      const body = textOf(request.body);
      const subscriber = await work(target, body);
      // A provider's one-click has what it asked for: nothing more is sent to a contact that is gone.
      if (!subscriber) return reply.code(isOneClick(body) ? 200 : 404).send(plainPage(language, 'gone'));
      return reply.send(page({ ...subscriber, language: languageOf(subscriber.language), paths: paths(target) }));
    };

  const find = ({ contactId }: LinkTarget): Promise<Subscriber | null> => findSubscriber(ctx, contactId);
  const schema = (summary: string, description: string) => ({
    config: { auth: 'none' as const },
    schema: {
      tags: ['Public pages'],
      summary,
      description,
      params: TokenParams,
      response: { 200: htmlPage('The page.'), default: htmlPage('A page that describes the error.') },
    },
  });

  app.get<TokenRoute>(
    '/unsubscribe/:token',
    schema('Asks whether to unsubscribe', 'Changes nothing: mail scanners follow links.'),
    show('unsubscribe', unsubscribePage, find),
  );
  app.post<TokenRoute>(
    '/unsubscribe/:token',
    schema(
      'Unsubscribes',
      'By the button of the page, or by a mailbox provider with `List-Unsubscribe=One-Click` (RFC 8058).',
    ),
    show('unsubscribe', unsubscribedPage, (target, body) =>
      unsubscribeByLink(ctx, target, isOneClick(body) ? 'one_click' : 'page'),
    ),
  );
  app.get<TokenRoute>(
    '/subscribe/:token',
    schema('Asks whether to subscribe', 'Changes nothing.'),
    show('subscribe', subscribePage, find),
  );
  app.post<TokenRoute>(
    '/subscribe/:token',
    schema('Subscribes', 'By the button of the page.'),
    show('subscribe', subscribedPage, (target) => subscribeByLink(ctx, target)),
  );
  app.get<TokenRoute>(
    '/manage/:token',
    schema('Shows the preferences', 'The state of now, and a button for each other one.'),
    show('manage', managePage, find),
  );
  app.post<TokenRoute>(
    '/manage/:token',
    schema(
      'Changes the preferences',
      'The form field `action`: subscribe, unsubscribe, snooze-30, snooze-60 or snooze-90 (days). Any other changes nothing.',
    ),
    show('manage', managePage, (target, body) => {
      const action = new URLSearchParams(body).get('action');
      if (action === 'subscribe') return subscribeByLink(ctx, target);
      if (action === 'unsubscribe') return unsubscribeByLink(ctx, target, 'page');
      const days = SNOOZE_DAYS.find((count) => action === `snooze-${count}`);
      return days === undefined ? find(target) : snoozeByLink(ctx, target, days);
    }),
  );
};
