/** Delivers a claimed email: render, compose, sign, hand over. */
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { usesReturnPaths } from '../../config.js';
import type { Context } from '../../context.js';
import {
  loadAttachments,
  loadMessage,
  type ClaimedEmail,
  type DeliveryResult,
  type MessageRow,
} from './sql/delivery.js';
import { contactOfAddress } from '../executions/sql/send.js';
import { compose, type OutgoingAttachment } from '../../mail/compose.js';
import { compileContent, type CompiledContent } from '../../mail/content.js';
import { withUnsubscribeFooter } from '../../mail/footer.js';
import { loadDkimKey, signMessage } from '../../mail/sign.js';
import { TemplateError } from '../../mail/template-error.js';
import type { Transport } from '../../mail/smtp/transport.js';
import { TransportError } from '../../mail/smtp/errors.js';
import { clientSpan } from '../../trace.js';
import { loadDkim } from '../domains/dkim.js';
import { domainOf, returnPathHost } from '../domains/sender.js';
import { decryptVariables } from '../platform/emails.js';
import { PLATFORM_PROJECT, platformDkim } from '../platform/sender.js';
import { suppressionRefusal } from '../suppressions/refusal.js';
import { messageIdOf } from './message-id.js';
import { MAX_ATTEMPTS, retryDelay } from './retry.js';
import { conditionNames, readWorkflowVariables, workflowData, type WorkflowVariables } from './workflow-variables.js';

/** A message that can be rendered any number of times. */
interface Prepared {
  message: MessageRow;
  content: CompiledContent;
  attachments: OutgoingAttachment[];
  /** The links that the source uses. Each needs a signature, so the others are not created. */
  links: LinkName[];
  bytes: number;
}

const LINKS = ['unsubscribeUrl', 'subscribeUrl', 'manageUrl'] as const;
type LinkName = (typeof LINKS)[number];

interface Signer {
  domain: string;
  selector: string;
  key: KeyObject;
}

export interface Delivered extends DeliveryResult {
  /** Whether the mail server was unreachable; null if no connection was needed. */
  transportDown: boolean | null;
}

export interface Mailer {
  /** Hands over one claimed email. Never throws: every failure is a result to record. */
  deliver: (email: ClaimedEmail) => Promise<Delivered>;
}

/** How long a domain's key and return path are cached. A removed domain stops signing after this time. */
const DOMAIN_CACHE_MS = 60_000;
const MAX_CACHED_MESSAGES = 500;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

const MAX_CACHED_DOMAINS = 10_000;

type MessageRef = Pick<ClaimedEmail, 'projectId' | 'messageId'>;

export function createMailer(ctx: Context, transport: Transport): Mailer {
  const messages = new LRUCache<string, Prepared, MessageRef>({
    max: MAX_CACHED_MESSAGES,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _stale, { context: { projectId, messageId } }) =>
      (await prepare(projectId, messageId)) ?? undefined,
  });
  const prepare = async (projectId: string, id: string): Promise<Prepared | null> => {
    const message = await loadMessage(ctx.pool, projectId, id);
    if (!message) return null;
    const html =
      message.type === 'MARKETING' ? withUnsubscribeFooter(message.body, { language: message.language }) : message.body;
    const attachments = message.hasAttachments
      ? (await loadAttachments(ctx.pool, id)).map((row): OutgoingAttachment => ({
          filename: row.filename,
          content: row.content,
          contentType: row.contentType,
          ...(row.contentId !== null && { contentId: row.contentId }),
          disposition: row.inline ? 'inline' : 'attachment',
        }))
      : [];
    return {
      message,
      content: compileContent({ subject: message.subject, html }),
      attachments,
      links: LINKS.filter((name) => new RegExp(`\\b${name}\\b`).test(`${message.subject}\n${html}`)),
      bytes: attachments.reduce((sum, { content }) => sum + content.length, html.length * 2),
    };
  };

  const signerOf = cacheByDomain(async (projectId, domain): Promise<Signer | null> => {
    const row = await (projectId === PLATFORM_PROJECT ? platformDkim(ctx, domain) : loadDkim(ctx, projectId, domain));
    return row && { domain: row.domain, selector: row.selector, key: loadDkimKey(row.privateKeyPem) };
  });
  const returnPathOf = cacheByDomain((projectId, domain) => returnPathHost(ctx, projectId, domain));

  /** Bounces go to the inbound listener if the domain's return path leads there, otherwise to the sender. */
  const envelopeSender = async ({ id, projectId }: ClaimedEmail, from: string): Promise<string> => {
    const host = usesReturnPaths(ctx.config) ? await returnPathOf(projectId, domainOf(from)) : null;
    return host === null ? from : ctx.returnPaths.of(id, host);
  };

  const write = async (
    email: ClaimedEmail,
    { message, content, attachments, links }: Prepared,
    recipient: Recipient,
  ): Promise<Buffer> => {
    const bulk = message.type !== 'TRANSACTIONAL';
    const { contactId } = recipient;
    const rendered = content.render(
      variablesOf(ctx, email, message, links, recipient),
      email.tracked ? ctx.links.tracking.of(email.id) : undefined,
    );
    const raw = compose({
      messageId: messageIdOf(email.id, message.from),
      // The same for every attempt, so that a retry sends the same bytes.
      date: email.createdAt,
      from: { address: message.from, ...(message.fromName && { name: message.fromName }) },
      to: { address: email.toEmail, ...(email.toName && { name: email.toName }) },
      ...(message.replyTo && { replyTo: message.replyTo }),
      subject: email.source === 'TEST' ? `[TEST] ${rendered.subject}` : rendered.subject,
      html: rendered.html,
      text: rendered.text,
      headers: message.headers ?? {},
      attachments,
      ...(bulk && contactId && { listUnsubscribe: { url: ctx.links.oneClickUrl(contactId, email.id) } }),
      bulk,
    });
    if (!ctx.config.DKIM_SIGNING) return raw;
    const signer = await signerOf(email.projectId, domainOf(message.from));
    if (!signer) throw new PermanentFailure('The sender domain was removed, so the email cannot be signed.');
    return signMessage(raw, signer);
  };

  return {
    async deliver(email) {
      const result = (status: DeliveryResult['status'], rest: Partial<Delivered> = {}): Delivered => ({
        id: email.id,
        status,
        error: null,
        response: null,
        retryMs: 0,
        transportDown: null,
        ...rest,
      });
      const retry = (error: string, rest: Partial<Delivered> = {}) =>
        email.attempts >= MAX_ATTEMPTS
          ? result('FAILED', { error: `${error} (gave up after ${email.attempts} attempts)`, ...rest })
          : result('PENDING', { error, retryMs: retryDelay(email.attempts), ...rest });
      try {
        if (email.projectDisabled && email.source !== 'PLATFORM')
          return result('CANCELLED', { error: 'The project was disabled before this email was handed over.' });
        const refused = suppressionRefusal(email);
        if (refused !== null) return result('CANCELLED', { error: refused });
        const recipient = await recipientOf(ctx, email);
        // The contact may have unsubscribed since the snapshot, or while a workflow's email waited.
        if (recipient.isUnsubscribed)
          return result('CANCELLED', { error: 'The contact unsubscribed before this email was handed over.' });
        const ready = await messages.fetch(email.messageId, { context: email });
        if (!ready) return result('FAILED', { error: 'The content of this email was deleted.' });
        const raw = await write(email, ready, recipient);
        const from = await envelopeSender(email, ready.message.from);
        const span = {
          'sendloom.email_id': email.id,
          'sendloom.project_id': email.projectId,
          'sendloom.source': email.source,
          'sendloom.attempt': email.attempts,
        };
        const { response } = await clientSpan('SMTP send', span, recipient.workflow?.trace ?? ready.message.trace, () =>
          transport.send({ from, to: email.toEmail, raw }),
        );
        return result('SENT', { response, transportDown: false });
      } catch (error) {
        if (error instanceof TransportError) {
          const { kind, message, response } = error;
          const transportDown = kind === 'connection' || (response === undefined ? null : false);
          if (kind === 'permanent')
            return result('FAILED', { error: message, response: response ?? null, transportDown });
          return retry(message, { response: response ?? null, transportDown, ambiguous: error.ambiguous });
        }
        if (error instanceof TemplateError || error instanceof PermanentFailure)
          return result('FAILED', { error: error.message });
        ctx.log.error({ err: error, emailId: email.id }, 'An email could not be composed');
        return retry('The email could not be composed. See the log.');
      }
    },
  };
}

/** Caches the results of `load` for DOMAIN_CACHE_MS. Failures are not cached. */
function cacheByDomain<T extends object | string | null>(
  load: (projectId: string, domain: string) => Promise<T>,
): (projectId: string, domain: string) => Promise<T> {
  const cache = new LRUCache<string, Promise<T>>({ max: MAX_CACHED_DOMAINS, ttl: DOMAIN_CACHE_MS });
  return (projectId, domain) => {
    const key = `${projectId}/${domain}`;
    const cached = cache.get(key);
    if (cached) return cached;
    const loading = load(projectId, domain);
    cache.set(key, loading);
    loading.catch(() => cache.delete(key));
    return loading;
  };
}

/** The reason for a permanent failure. */
class PermanentFailure extends Error {}

interface Recipient {
  /** The contact whose subscription the email's links change; null if the recipient is not a contact. */
  contactId: string | null;
  /** Whether the email requires a subscribed contact and the contact is not subscribed. */
  isUnsubscribed: boolean;
  /** Null unless a workflow sends the email. */
  workflow: WorkflowVariables | null;
}

async function recipientOf(
  { pool }: Context,
  { source, type, projectId, contactId, contactSubscribed, toEmail, variables }: ClaimedEmail,
): Promise<Recipient> {
  const workflow = source === 'WORKFLOW' ? readWorkflowVariables(variables) : null;
  const isUnsubscribed =
    type !== 'TRANSACTIONAL' && (source === 'CAMPAIGN' || source === 'WORKFLOW') && contactSubscribed !== true;
  if (!workflow?.about) return { contactId, isUnsubscribed, workflow };
  // The email is about a contact but goes to another address, which can belong to a contact with its own subscription.
  const found = type === 'TRANSACTIONAL' ? null : await contactOfAddress(pool, projectId, toEmail);
  return { contactId: found?.id ?? null, isUnsubscribed: found?.subscribed === false, workflow };
}

/** Merges the template's variables: contact data, then request data, then the email's own, then the reserved ones. */
function variablesOf(
  ctx: Context,
  email: ClaimedEmail,
  message: MessageRow,
  links: LinkName[],
  { contactId, workflow }: Recipient,
): Record<string, unknown> {
  const own = email.source === 'PLATFORM' ? decryptVariables(ctx.config, email.variables) : email.variables;
  const data = workflow
    ? workflowData(workflow, email.contactData)
    : { ...email.contactData, ...message.variables, ...own };
  const about = workflow?.about ?? { id: email.contactId, email: email.toEmail };
  return {
    ...(workflow && conditionNames(workflow, { id: email.contactId, email: email.toEmail, data: email.contactData })),
    ...data,
    data,
    id: about.id,
    email: about.email,
    svc_id: about.id,
    svc_email: about.email,
    locale: message.language,
    // An email without a contact (a test to another address) has no subscription to change.
    ...Object.fromEntries(
      links.map((name) => [name, contactId ? ctx.links[name](contactId, email.id) : ctx.config.PUBLIC_URL]),
    ),
  };
}
