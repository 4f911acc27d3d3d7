/**
 * From a claimed email to the mail server's answer: render, compose, sign, hand over.
 */
import type { KeyObject } from 'node:crypto';
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
import type { Transport } from '../../mail/transport.js';
import { TransportError } from '../../mail/transport-error.js';
import { clientSpan } from '../../trace.js';
import { loadDkim } from '../domains/dkim.js';
import { returnPathHost } from '../domains/return-path.js';
import { domainOf } from '../domains/sender.js';
import { openVariables } from '../platform/mail.js';
import { PLATFORM_PROJECT, platformDkim } from '../platform/sender.js';
import { whyRefused } from '../suppressions/judge.js';
import { messageIdOf } from './message-id.js';
import { MAX_ATTEMPTS, retryDelay } from './retry.js';
import { conditionNames, readWorkflowVariables, workflowData, type WorkflowVariables } from './workflow-variables.js';

/** A message that is ready to be rendered any number of times. */
interface Prepared {
  message: MessageRow;
  content: CompiledContent;
  attachments: OutgoingAttachment[];
  /** The links that the source names: each costs a signature, so the others aren't made. */
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
  /** Whether the mail server could not be reached; null when it was not asked. */
  transportDown: boolean | null;
}

export interface Mailer {
  /** Hands one claimed email over. Never throws: whatever happens is a result to record. */
  deliver: (email: ClaimedEmail) => Promise<Delivered>;
}

/**
 * How long a domain's key and return path are used without a look at the database: a domain that was removed stops
 * signing after it.
 */
const DOMAIN_SECONDS = 60;
const CACHED_MESSAGES = 500;
const CACHED_BYTES = 64 * 1024 * 1024;

export function createMailer(ctx: Context, transport: Transport): Mailer {
  const messages = new Map<string, Promise<Prepared | null>>();
  let cachedBytes = 0;

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

  const prepared = async ({ projectId, messageId }: ClaimedEmail): Promise<Prepared | null> => {
    const known = messages.get(messageId);
    if (known) return known;
    // Beginning anew is enough: a campaign's content is back with the next email.
    if (messages.size >= CACHED_MESSAGES || cachedBytes > CACHED_BYTES) {
      messages.clear();
      cachedBytes = 0;
    }
    const loading = prepare(projectId, messageId);
    messages.set(messageId, loading);
    try {
      const result = await loading;
      cachedBytes += result?.bytes ?? 0;
      return result;
    } catch (error) {
      messages.delete(messageId);
      throw error;
    }
  };

  const signerOf = ofDomain(async (projectId, domain): Promise<Signer | null> => {
    const row = await (projectId === PLATFORM_PROJECT ? platformDkim(ctx, domain) : loadDkim(ctx, projectId, domain));
    return row && { domain: row.domain, selector: row.selector, key: loadDkimKey(row.privateKeyPem) };
  });
  const returnPathOf = ofDomain((projectId, domain) => returnPathHost(ctx, projectId, domain));

  /**
   * Where the bounces of an email go: to the listener where the domain's return path leads there, else to its sender.
   */
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
      // The same at every attempt, so that a retry sends the same bytes.
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
    if (!signer) throw new PermanentFailure('The sender domain is no longer there to sign with');
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
          ? result('FAILED', { error: `${error} (given up after ${email.attempts} attempts)`, ...rest })
          : result('PENDING', { error, retryMs: retryDelay(email.attempts), ...rest });
      try {
        if (email.projectDisabled && email.source !== 'PLATFORM')
          return result('CANCELLED', { error: 'The project was disabled before this email was handed over' });
        const refused = whyRefused(email);
        if (refused !== null) return result('CANCELLED', { error: refused });
        const recipient = await recipientOf(ctx, email);
        // The audience was a snapshot, and a workflow's email has waited: who has unsubscribed since is not mailed
        // after all.
        if (recipient.hasLeft)
          return result('CANCELLED', { error: 'The contact unsubscribed before this email was handed over' });
        const ready = await prepared(email);
        if (!ready) return result('FAILED', { error: 'The content of this email is gone' });
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
        ctx.log.error({ err: error, emailId: email.id }, 'An email could not be written');
        return retry('The email could not be written; see the log');
      }
    },
  };
}

/** Keeps what `load` finds out about a project's domain for DOMAIN_SECONDS; a failure is not kept. */
function ofDomain<T>(
  load: (projectId: string, domain: string) => Promise<T>,
): (projectId: string, domain: string) => Promise<T> {
  const kept = new Map<string, { until: number; value: Promise<T> }>();
  return (projectId, domain) => {
    const key = `${projectId}/${domain}`;
    const known = kept.get(key);
    if (known && known.until > Date.now()) return known.value;
    const value = load(projectId, domain);
    kept.set(key, { until: Date.now() + DOMAIN_SECONDS * 1000, value });
    value.catch(() => kept.delete(key));
    return value;
  };
}

/** A reason that no retry can mend. */
class PermanentFailure extends Error {}

interface Recipient {
  /** Whose subscription the email's links are about; null for a stranger. */
  contactId: string | null;
  /** Of an email that may go to subscribed contacts only: whether this one is none. */
  hasLeft: boolean;
  /** Of a workflow's email. */
  workflow: WorkflowVariables | null;
}

async function recipientOf(
  { pool }: Context,
  { source, type, projectId, contactId, contactSubscribed, toEmail, variables }: ClaimedEmail,
): Promise<Recipient> {
  const workflow = source === 'WORKFLOW' ? readWorkflowVariables(variables) : null;
  const hasLeft =
    type !== 'TRANSACTIONAL' && (source === 'CAMPAIGN' || source === 'WORKFLOW') && contactSubscribed !== true;
  if (!workflow?.about) return { contactId, hasLeft, workflow };
  // About a contact, to another address: that may be a contact too, with a subscription of its own.
  const found = type === 'TRANSACTIONAL' ? null : await contactOfAddress(pool, projectId, toEmail);
  return { contactId: found?.id ?? null, hasLeft: found?.subscribed === false, workflow };
}

/** What the template sees: the contact's data, over it the request's, the email's own, and what nobody can override. */
function variablesOf(
  ctx: Context,
  email: ClaimedEmail,
  message: MessageRow,
  links: LinkName[],
  { contactId, workflow }: Recipient,
): Record<string, unknown> {
  const own = email.source === 'PLATFORM' ? openVariables(ctx.config, email.variables) : email.variables;
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
    // An email without a contact (a test to a stranger) has nobody who could unsubscribe.
    ...Object.fromEntries(
      links.map((name) => [name, contactId ? ctx.links[name](contactId, email.id) : ctx.config.PUBLIC_URL]),
    ),
  };
}
