/** Composes emails: loads their message and their sender's domain, merges the variables, renders, writes MIME, signs. */
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { usesReturnPaths } from '../../config.js';
import type { Context } from '../../context.js';
import { sendingHost } from '../../address.js';
import { loadAttachments, loadMessage, type ClaimedEmail, type MessageRow } from './sql/delivery.js';
import { compileMessage, type CompiledMessage, type EmailValues } from '../../mail/compiled-message.js';
import type { OutgoingAttachment } from '../../mail/compose.js';
import type { RenderedContent } from '../../mail/content.js';
import type { UnsubscribeTargets } from '../../mail/links.js';
import { loadDkimKey, signMessage } from '../../mail/sign.js';
import { TemplateError } from '../../mail/template-error.js';
import { loadDkim } from '../domains/dkim.js';
import { domainOf, returnPathHost } from '../domains/sender.js';
import { decryptVariables } from '../platform/emails.js';
import { PLATFORM_PROJECT, platformDkim } from '../platform/sender.js';
import { identifyBulkMail, type EmailPurpose } from './bulk-identity.js';
import { completeHtml } from './html.js';
import { messageIdDomain } from './message-id.js';
import { conditionNames, readAboutContact, workflowData, type WorkflowVariables } from './workflow-variables.js';

/** A message that can be composed for any number of recipients, with its sender's domain. */
export interface ComposableMessage {
  message: MessageRow;
  compiled: CompiledMessage;
  /** The links that the templates use. Each needs a code, so the others are not created. */
  links: LinkName[];
  sender: Sender;
}

interface Sender {
  /** Null if email is not signed, or if the domain was removed. */
  signer: { domain: string; selector: string; key: KeyObject } | null;
  /** The host of the domain's return path; null if bounces go to the From address. */
  returnPathHost: string | null;
}

export const LINKS = ['unsubscribeUrl', 'subscribeUrl', 'manageUrl'] as const;
export type LinkName = (typeof LINKS)[number];

/** What differs between the emails of a message. A claimed email has these fields. */
export type EmailToCompose = Pick<
  ClaimedEmail,
  'id' | 'source' | 'contactId' | 'toEmail' | 'toName' | 'variables' | 'date' | 'tracked' | 'contactData'
>;

export interface Recipient {
  /** The contact whose subscription the email's links change; null if the recipient is not a contact. */
  contactId: string | null;
  /** Null unless a workflow sends the email. */
  workflow: WorkflowVariables | null;
}

/** An email that no retry can compose, for example because its domain was removed. */
export class UnsendableError extends Error {}

/** Returns the recorded reason if `error` makes every attempt to compose the email fail; null for other errors. */
export const unsendableReason = (error: unknown): string | null =>
  error instanceof TemplateError || error instanceof UnsendableError ? error.message : null;

export interface MessageRef extends EmailPurpose {
  projectId: string;
  messageId: string;
  /** The message, if the caller has read it. */
  message?: MessageRow | null;
}

export interface Composer {
  /**
   * Loads a message and the key and return path of its sender's domain. Messages are cached, domains for a minute.
   *
   * @returns null if the message was deleted
   */
  load: (ref: MessageRef) => Promise<ComposableMessage | null>;
  /**
   * Composes one email, and signs it if `DKIM_SIGNING` is set. Only signing is asynchronous. The same email gives the
   * same bytes, so that a retry sends the same email.
   *
   * @throws an error whose reason `unsendableReason` returns if no retry can succeed
   */
  compose: (email: EmailToCompose, recipient: Recipient, message: ComposableMessage) => Buffer | Promise<Buffer>;
  /**
   * Renders one email as plain data, without tracking and signature, so that showing it records no open.
   *
   * @throws as compose
   */
  preview: (email: EmailToCompose, recipient: Recipient, message: ComposableMessage) => Preview;
  /** Returns the envelope sender: the inbound listener if the domain's return path leads there, otherwise From. */
  envelopeFrom: (emailId: string, message: ComposableMessage) => string;
}

export interface Preview extends RenderedContent {
  /** All headers except the signature, in their order. Values are unfolded and not decoded. */
  headers: Array<{ name: string; value: string }>;
}

/** How long a domain's key and return path are cached. A removed domain stops signing after this time. */
const DOMAIN_CACHE_MS = 60_000;
const MAX_CACHED_MESSAGES = 500;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
const MAX_CACHED_DOMAINS = 10_000;

interface CachedMessage extends Omit<ComposableMessage, 'sender'> {
  bytes: number;
}

export function createComposer(ctx: Context): Composer {
  const messages = new LRUCache<string, CachedMessage, MessageRef>({
    max: MAX_CACHED_MESSAGES,
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ bytes }) => Math.max(bytes, 1),
    ignoreFetchAbort: true,
    fetchMethod: async (_id, _stale, { context }) => (await loadAndPrepare(ctx, context)) ?? undefined,
  });
  const senderOf = cacheByDomain((projectId, domain) => loadSender(ctx, projectId, domain));
  return {
    async load(ref) {
      const key = cacheKey(ref);
      let cached = messages.get(key);
      if (!cached && ref.message && !ref.message.hasAttachments) {
        // Not by `fetch`, which takes 10 µs: most messages are those of one email.
        cached = prepareMessage(ctx, ref, ref.message, []);
        messages.set(key, cached);
      }
      cached ??= await messages.fetch(key, { context: ref });
      if (!cached) return null;
      const { message, compiled, links } = cached;
      return { message, compiled, links, sender: await senderOf(ref.projectId, domainOf(message.from)) };
    },
    compose(email, recipient, composable) {
      const { compiled, sender } = composable;
      const raw = compiled.write(valuesOf(ctx, email, recipient, composable));
      if (!ctx.config.DKIM_SIGNING) return raw;
      if (!sender.signer) throw new UnsendableError('The sender domain was removed, so the email cannot be signed.');
      // Part headers of attachments can contain white space that DKIM changes.
      const isBodyRelaxed = compiled.isStatic(email) && !composable.message.hasAttachments;
      return signMessage(raw, sender.signer, { isBodyRelaxed });
    },
    preview(email, recipient, composable) {
      const values = valuesOf(ctx, { ...email, tracked: false }, recipient, composable);
      const { compiled } = composable;
      return { ...compiled.render(values), headers: readHeaders(compiled.write(values)) };
    },
    envelopeFrom: (emailId, { message, sender }) =>
      sender.returnPathHost === null ? message.from : ctx.returnPaths.of(emailId, sender.returnPathHost),
  };
}

/** The workflows that send a template share its message, but not its identity. */
const cacheKey = ({ messageId, workflowId }: MessageRef): string =>
  workflowId === null ? messageId : `${messageId}/${workflowId}`;

/** @returns null if the message was deleted */
async function loadAndPrepare(ctx: Context, ref: MessageRef): Promise<CachedMessage | null> {
  const message = ref.message ?? (await loadMessage(ctx.pool, ref.projectId, ref.messageId));
  if (!message) return null;
  const attachments = message.hasAttachments
    ? (await loadAttachments(ctx.pool, ref.messageId)).map((row): OutgoingAttachment => ({
        filename: row.filename,
        content: row.content,
        contentType: row.contentType,
        ...(row.contentId !== null && { contentId: row.contentId }),
        disposition: row.inline ? 'inline' : 'attachment',
      }))
    : [];
  return prepareMessage(ctx, ref, message, attachments);
}

function prepareMessage(
  { links, config }: Context,
  ref: MessageRef,
  message: MessageRow,
  attachments: OutgoingAttachment[],
): CachedMessage {
  const { projectId } = ref;
  const html = completeHtml(message);
  return {
    message,
    compiled: compileMessage(
      {
        messageIdDomain: messageIdDomain(message.from),
        from: { address: message.from, ...(message.fromName && { name: message.fromName }) },
        ...(message.copies && {
          cc: message.copies.cc.map(({ email, name }) => ({ address: email, ...(name && { name }) })),
        }),
        ...(message.replyTo && { replyTo: message.replyTo }),
        subject: message.subject,
        html,
        ...(message.text !== null && { text: message.text }),
        headers: message.headers ?? {},
        attachments,
        bulk: message.type !== 'TRANSACTIONAL',
        identity: identifyBulkMail({
          type: message.type,
          projectId,
          projectName: message.projectName,
          purpose: ref,
          host: sendingHost(config.PUBLIC_URL),
        }),
      },
      links.tracking,
    ),
    links: LINKS.filter((name) =>
      new RegExp(`\\b${name}\\b`).test(`${message.subject}\n${html}\n${message.text ?? ''}`),
    ),
    // The content, its base64, and the static bytes of the message.
    bytes: attachments.reduce((sum, { content }) => sum + content.length * 3, html.length * 6),
  };
}

function readHeaders(raw: Buffer): Preview['headers'] {
  const head = raw.toString('latin1', 0, raw.indexOf('\r\n\r\n'));
  return head
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line) => {
      const nameEnd = line.indexOf(':');
      return { name: line.slice(0, nameEnd), value: line.slice(nameEnd + 1).trim() };
    });
}

async function loadSender(ctx: Context, projectId: string, domain: string): Promise<Sender> {
  const [key, host] = await Promise.all([
    ctx.config.DKIM_SIGNING
      ? projectId === PLATFORM_PROJECT
        ? platformDkim(ctx, domain)
        : loadDkim(ctx, projectId, domain)
      : null,
    usesReturnPaths(ctx.config) ? returnPathHost(ctx.pool, projectId, domain) : null,
  ]);
  return {
    signer: key && { domain: key.domain, selector: key.selector, key: loadDkimKey(key.privateKeyPem) },
    returnPathHost: host,
  };
}

/** Caches the results of `load` for DOMAIN_CACHE_MS. Failures are not cached. */
function cacheByDomain<T extends object>(
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

function valuesOf(
  ctx: Context,
  email: EmailToCompose,
  recipient: Recipient,
  { message, links }: ComposableMessage,
): EmailValues {
  const { contactId } = recipient;
  const listUnsubscribe =
    message.type === 'TRANSACTIONAL' ? undefined : unsubscribeTargets(ctx, email, recipient, message);
  const urls: Partial<Record<LinkName, string>> = {};
  for (const name of links) urls[name] = linkOf(ctx, name, { emailId: email.id, contactId, listUnsubscribe });
  return {
    id: email.id,
    date: email.date,
    to: { name: email.toName ?? undefined, address: email.toEmail },
    variables: mergeVariables(ctx, email, recipient, message, urls),
    tracked: email.tracked,
    listUnsubscribe,
    subjectPrefix: email.source === 'TEST' ? '[TEST] ' : undefined,
  };
}

/**
 * Returns how the recipient of a bulk email unsubscribes. A workflow can send to an address that is not a contact. A
 * test to such an address has no subscription to change.
 */
function unsubscribeTargets(
  { links }: Context,
  { id: emailId, toEmail }: EmailToCompose,
  { contactId, workflow }: Recipient,
  { projectId }: MessageRow,
): UnsubscribeTargets | undefined {
  if (contactId) return links.unsubscribeTargets({ contactId, emailId });
  return workflow?.about ? links.unsubscribeTargets({ projectId, address: toEmail, emailId }) : undefined;
}

interface LinkOwner {
  emailId: string;
  contactId: string | null;
  listUnsubscribe: UnsubscribeTargets | undefined;
}

/** Returns the URL of a link. An address that is not a contact has only the page that unsubscribes it. */
function linkOf(
  { links, config }: Context,
  name: LinkName,
  { emailId, contactId, listUnsubscribe }: LinkOwner,
): string {
  if (name === 'unsubscribeUrl' && listUnsubscribe) return listUnsubscribe.url;
  if (contactId) return links[name](contactId, emailId);
  return name === 'manageUrl' && listUnsubscribe ? listUnsubscribe.url : config.PUBLIC_URL;
}

/**
 * Merges the template's variables: contact data, then request data, then the email's own, then the reserved ones.
 *
 * `Object.assign` takes 0.5 µs. An object literal that begins with a spread takes 9 µs.
 */
export function mergeVariables(
  ctx: Pick<Context, 'config'>,
  email: Pick<EmailToCompose, 'source' | 'contactId' | 'toEmail' | 'variables' | 'contactData'>,
  { workflow }: Pick<Recipient, 'workflow'>,
  message: Pick<MessageRow, 'variables' | 'language'>,
  urls: Partial<Record<LinkName, string>>,
): Record<string, unknown> {
  const own = email.source === 'PLATFORM' ? decryptVariables(ctx.config, email.variables) : email.variables;
  // A test can show the data of any contact.
  const tested = email.source === 'TEST' ? readAboutContact(email.variables) : null;
  const data = workflow
    ? workflowData(workflow, email.contactData)
    : Object.assign({}, tested?.data ?? email.contactData, message.variables, tested ? null : own);
  const about = workflow?.about ?? tested ?? { id: email.contactId, email: email.toEmail };
  const names =
    workflow && conditionNames(workflow, { id: email.contactId, email: email.toEmail, data: email.contactData });
  const reserved = {
    data,
    id: about.id,
    email: about.email,
    svc_id: about.id,
    svc_email: about.email,
    locale: message.language,
  };
  return Object.assign({}, names, data, reserved, urls);
}
