/** The pages that links in emails open: unsubscribe, subscribe, and preferences. The signed token names the contact. */
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import {
  findAddressee,
  findSubscriber,
  snoozeByLink,
  subscribeByLink,
  unsubscribeAddressByLink,
  unsubscribeByLink,
  type Subscriber,
} from '../../domain/contacts/subscription.js';
import type { AddressTarget } from '../../mail/address-token.js';
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
import { servePages, textOf } from '../pages.js';

const TokenParams = z.object({ token: z.string() });

interface TokenRoute {
  Params: { token: string };
}

/** Returns whether a body is `List-Unsubscribe=One-Click`, in either of the two encodings of RFC 8058. */
function isOneClick(body: string): boolean {
  if (/name="?List-Unsubscribe"?\s*\r?\n(?:[^\r\n]+\r?\n)*\r?\n\s*One-Click/i.test(body)) return true;
  return [...new URLSearchParams(body)].some(
    ([name, value]) => name.toLowerCase() === 'list-unsubscribe' && value.trim().toLowerCase() === 'one-click',
  );
}

export const publicPageRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (app, { ctx }) => {
  const { links } = ctx;

  servePages(app);

  /** Paths instead of URLs, so that the forms stay on the current host. */
  const paths = (contactId: string, emailId?: string): SubscriptionPage['paths'] => ({
    unsubscribe: new URL(links.unsubscribeUrl(contactId, emailId)).pathname,
    subscribe: new URL(links.subscribeUrl(contactId, emailId)).pathname,
    manage: new URL(links.manageUrl(contactId, emailId)).pathname,
  });

  /** Returns a handler that reads the token, calls `work` to find or change the reader, and renders the page. */
  const pageHandler =
    <Target extends LinkTarget | AddressTarget>(
      read: (token: string) => Target | null,
      page: (page: SubscriptionPage) => string,
      work: (target: Target, body: string) => Promise<Subscriber | null>,
    ) =>
    async (request: FastifyRequest<TokenRoute>, reply: FastifyReply): Promise<FastifyReply> => {
      const language = acceptedLanguage(request.headers['accept-language']);
      const target = read(request.params.token);
      if (!target) return reply.code(404).send(plainPage(language, 'invalid'));
      const body = textOf(request.body);
      const subscriber = await work(target, body);
      // A deleted contact gets no more email, so a one-click request has succeeded.
      if (!subscriber) return reply.code(isOneClick(body) ? 200 : 404).send(plainPage(language, 'gone'));
      const { id, language: code } = subscriber;
      const pagePaths = id === null ? null : paths(id, target.emailId);
      return reply.send(page({ ...subscriber, language: languageOf(code), paths: pagePaths }));
    };

  const of = (purpose: LinkPurpose) => (token: string) => links.verify(token, purpose);
  /** Only unsubscribe links can belong to an address that is not a contact. */
  const ofReader = (token: string): LinkTarget | AddressTarget | null =>
    links.verify(token, 'unsubscribe') ?? links.verifyAddress(token);
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
    schema('Confirm an unsubscription', 'Changes nothing, because mail scanners follow links.'),
    pageHandler(ofReader, unsubscribePage, (target) =>
      'contactId' in target ? find(target) : findAddressee(ctx, target),
    ),
  );
  app.post<TokenRoute>(
    '/unsubscribe/:token',
    schema(
      'Unsubscribe',
      'Called by the button of the page, or by a mailbox provider with `List-Unsubscribe=One-Click` (RFC 8058). If ' +
        'the recipient of the email is not a contact, the address is suppressed in the project.',
    ),
    pageHandler(ofReader, unsubscribedPage, (target, body) => {
      const source = isOneClick(body) ? 'one_click' : 'page';
      return 'contactId' in target
        ? unsubscribeByLink(ctx, target, source)
        : unsubscribeAddressByLink(ctx, target, source);
    }),
  );
  app.get<TokenRoute>(
    '/subscribe/:token',
    schema('Confirm a subscription', 'Changes nothing.'),
    pageHandler(of('subscribe'), subscribePage, find),
  );
  app.post<TokenRoute>(
    '/subscribe/:token',
    schema('Subscribe', 'Called by the button of the page.'),
    pageHandler(of('subscribe'), subscribedPage, (target) => subscribeByLink(ctx, target)),
  );
  app.get<TokenRoute>(
    '/manage/:token',
    schema('Show the preferences', 'Shows the current state and a button for each other state.'),
    pageHandler(of('manage'), managePage, find),
  );
  app.post<TokenRoute>(
    '/manage/:token',
    schema(
      'Change the preferences',
      'The form field `action` is subscribe, unsubscribe, snooze-30, snooze-60, or snooze-90 (days). Any ' +
        'other value changes nothing.',
    ),
    pageHandler(of('manage'), managePage, (target, body) => {
      const action = new URLSearchParams(body).get('action');
      if (action === 'subscribe') return subscribeByLink(ctx, target);
      if (action === 'unsubscribe') return unsubscribeByLink(ctx, target, 'page');
      const days = SNOOZE_DAYS.find((count) => action === `snooze-${count}`);
      return days === undefined ? find(target) : snoozeByLink(ctx, target, days);
    }),
  );
};
