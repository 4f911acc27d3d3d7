/**
 * `POST /v1/send`: accepts transactional email.
 *
 * Everything in the request is checked before anything is written. Contacts, emails, and the idempotency key are then
 * committed together, and the dispatcher hands the emails over after the commit.
 */
import type { Context } from '../../context.js';
import type { NewAttachment, NewRecipient, SendRequest } from './sql/accept.js';
import { ApiError, unverifiedDomain, validationError, type FieldError } from '../../errors.js';
import { newId } from '../../ids.js';
import { isReservedHeader } from '../../mail/headers.js';
import { currentTrace } from '../../trace.js';
import { overLimit } from '../billing/limits.js';
import { dataTooLarge, readContactData } from '../contacts/data.js';
import { domainOf } from '../domains/sender.js';
import { idempotencyKeyReused, preferReusedKey } from '../idempotency/idempotency.js';
import { templateProblems } from '../templates/content.js';
import { templateLoader, type TemplateLoader, type UsableTemplate } from '../templates/use.js';
import type { AcceptSend, SendRefusal } from './accept.js';
import { readSchedule, type Schedule } from './schedule.js';

export interface Address {
  email: string;
  name?: string | null;
}

export interface AttachmentInput {
  filename: string;
  /** base64 */
  content: string;
  contentType: string;
  contentId?: string | null;
  disposition: 'attachment' | 'inline';
}

export interface SendInput extends Schedule {
  to: Address[];
  subject?: string;
  body?: string;
  template?: string;
  from?: Address;
  subscribed?: boolean;
  data?: Record<string, unknown>;
  headers?: Record<string, string>;
  reply?: string;
  attachments: AttachmentInput[];
  group?: string;
  tags: string[];
  /** The text alternative. */
  text?: string;
  cc: Address[];
  bcc: Address[];
}

/** The sending project. `limited`: whether it has a limit for transactional email. */
export interface SendProject {
  id: string;
  limited: boolean;
}

export interface SendResult {
  emails: Array<{ contact: { id: string | null; email: string }; email: string }>;
  timestamp: string;
  /** Only if the emails are scheduled. */
  status?: 'SCHEDULED';
  scheduledFor?: Date;
}

/** Of `cc` and `bcc` together. */
export const MAX_COPIES = 50;
const MEGABYTE = 1024 * 1024;
/** Specification, Limits: "Whole message size". */
const MAX_MESSAGE_BYTES = 40 * MEGABYTE;

/** Decodes strictly. Buffer would skip invalid characters. @returns null for invalid base64 */
function decodeBase64(content: string): Buffer | null {
  const compact = content.replace(/[\r\n]/g, '');
  const decoded = Buffer.from(compact, 'base64');
  return decoded.toString('base64').replace(/=+$/, '') === compact.replace(/=+$/, '') ? decoded : null;
}

function readAttachments(
  attachments: AttachmentInput[],
  { MAX_ATTACHMENTS, MAX_ATTACHMENTS_MB }: Context['config'],
): NewAttachment[] {
  if (attachments.length > MAX_ATTACHMENTS) {
    throw validationError([
      {
        field: 'attachments',
        message: `must have at most ${MAX_ATTACHMENTS} items`,
        code: 'too_big',
        received: attachments.length,
      },
    ]);
  }
  const errors: FieldError[] = [];
  const decoded = attachments.map((attachment, index): NewAttachment => {
    const content = decodeBase64(attachment.content);
    if (!content)
      errors.push({ field: `attachments.${index}.content`, message: 'must be base64', code: 'invalid_string' });
    if (attachment.disposition === 'inline' && !attachment.contentId) {
      errors.push({
        field: `attachments.${index}.contentId`,
        message: 'is required for an inline attachment',
        code: 'required',
      });
    }
    return {
      filename: attachment.filename,
      contentType: attachment.contentType,
      contentId: attachment.contentId ?? null,
      inline: attachment.disposition === 'inline',
      content: content ?? Buffer.alloc(0),
    };
  });
  if (errors.length > 0) throw validationError(errors);
  const bytes = decoded.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > MAX_ATTACHMENTS_MB * MEGABYTE) {
    throw validationError([
      {
        field: 'attachments',
        message: `must have at most ${MAX_ATTACHMENTS_MB} MB in total, decoded`,
        code: 'too_big',
        received: bytes,
      },
    ]);
  }
  return decoded;
}

/**
 * Merges the fields of the request over those of the template.
 *
 * @throws VALIDATION_ERROR (422) for fields that neither has, reserved headers, template syntax errors, and fields that
 * only transactional email can have
 */
function readContent(
  input: SendInput,
  template: UsableTemplate | null,
): Pick<SendRequest['message'], 'subject' | 'preheader' | 'body' | 'text' | 'from' | 'fromName' | 'replyTo'> {
  const subject = input.subject ?? template?.subject;
  const body = input.body ?? template?.body;
  const from = input.from?.email ?? template?.from;
  const errors: FieldError[] = [];
  for (const [field, value] of Object.entries({ subject, body, from })) {
    if (value === undefined) errors.push({ field, message: 'is required without a template', code: 'required' });
  }
  const bulk = template !== null && template.type !== 'TRANSACTIONAL';
  for (const name of Object.keys(input.headers ?? {})) {
    if (isReservedHeader(name, { bulk }))
      errors.push({ field: `headers.${name}`, message: 'is set by the service', code: 'custom' });
  }
  if (bulk) errors.push(...transactionalOnly(input));
  errors.push(...templateProblems({ subject, body, text: input.text }));
  if (errors.length > 0 || subject === undefined || body === undefined || from === undefined)
    throw validationError(errors);
  const sameSender = input.from === undefined || input.from.email === template?.from;
  return {
    subject,
    preheader: template?.preheader ?? null,
    body,
    text: input.text ?? null,
    from,
    fromName: input.from?.name ?? (sameSender ? (template?.fromName ?? null) : null),
    replyTo: input.reply ?? template?.replyTo ?? null,
  };
}

/**
 * Returns errors for parts that bulk email cannot have: a text of the request would lack the unsubscribe link, and the link in
 * a copy would unsubscribe another person.
 */
const transactionalOnly = ({ text, cc, bcc }: SendInput): FieldError[] =>
  Object.entries({ text: text !== undefined, cc: cc.length > 0, bcc: bcc.length > 0 })
    .filter(([, isGiven]) => isGiven)
    .map(([field]) => ({ field, message: 'can only be given with a transactional template', code: 'custom' }));

/** @throws VALIDATION_ERROR (422) for copies of more than one email, and for too many */
function checkCopies({ to, cc, bcc }: SendInput): void {
  const count = cc.length + bcc.length;
  if (count === 0) return;
  const field = cc.length > 0 ? 'cc' : 'bcc';
  if (to.length > 1)
    throw validationError([{ field, message: 'can only be given with one recipient in to', code: 'custom' }]);
  if (count > MAX_COPIES)
    throw validationError([
      { field, message: `must have at most ${MAX_COPIES} items, together with bcc`, code: 'too_big', received: count },
    ]);
}

/**
 * Accepts one email per recipient, in the order of the recipients.
 *
 * A repeated idempotency key returns 409 even if the request would be rejected now, for example because its template
 * was deleted since: the caller must learn that the first request succeeded.
 *
 * @throws VALIDATION_ERROR (422, also for a draft with errors); TEMPLATE_NOT_FOUND (404); INTERNAL_SERVER_ERROR with 403 (the sender's domain is not
 * verified); IDEMPOTENCY_KEY_REUSED (409); CONTACT_UNSUBSCRIBED (400: a MARKETING template to a contact that is not
 * subscribed, or a MARKETING or HEADLESS template to a suppressed address); PAYLOAD_TOO_LARGE (413, over 40 MB as an
 * email); BILLING_LIMIT_EXCEEDED (429, more emails than the project's limit allows). No email is sent then.
 */
export async function sendTransactional(
  ctx: Context,
  acceptSend: AcceptSend,
  project: SendProject,
  input: SendInput,
  idempotencyKey: string | null,
  {
    loadTemplate = templateLoader(ctx, project.id),
    endpoint = 'POST /v1/send',
  }: Partial<Pick<SendCircumstances, 'loadTemplate' | 'endpoint'>> = {},
): Promise<SendResult> {
  try {
    const timestamp = new Date().toISOString();
    const request = await checkSend(ctx, project, input, { key: idempotencyKey, timestamp, loadTemplate, endpoint });
    const outcome = await acceptSend(request);
    if (outcome.kind !== 'accepted') throw await rejection(ctx, request, outcome.kind);
    return toResult(request, outcome.contactIds, timestamp);
  } catch (error) {
    throw await preferReusedKey(ctx.pool, project.id, idempotencyKey, error);
  }
}

/** Returns the result of an accepted request. */
export function toResult(
  { recipients, copyRecipients, scheduledFor }: SendRequest,
  contactIds: Record<string, string>,
  timestamp: string,
): SendResult {
  const emails = [
    ...recipients.map((recipient) => toReply(recipient, contactIds[recipient.address])),
    ...copyRecipients.map((recipient) => toReply(recipient)),
  ];
  return { emails, timestamp, ...(scheduledFor && { status: 'SCHEDULED' as const, scheduledFor }) };
}

const toReply = ({ emailId, address }: NewRecipient, contactId: string | null = null) => ({
  contact: { id: contactId, email: address },
  email: emailId,
});

interface SendCircumstances {
  /** The idempotency key. */
  key: string | null;
  /** Of the response. */
  timestamp: string;
  loadTemplate: TemplateLoader;
  /** Of the request, for the 409 of a repeat. */
  endpoint: 'POST /v1/send' | 'POST /v1/batch';
}

/** Checks everything that can be checked without writing. */
export async function checkSend(
  ctx: Context,
  { id: projectId, limited }: SendProject,
  input: SendInput,
  { key, timestamp, loadTemplate, endpoint }: SendCircumstances,
): Promise<SendRequest> {
  checkCopies(input);
  const scheduledFor = await readSchedule(ctx.pool, input);
  const { set, unset, variables } = readContactData(input.data);
  const attachments = readAttachments(input.attachments, ctx.config);
  const template = input.template === undefined ? null : await loadTemplate(input.template);
  const content = readContent(input, template);
  if (estimateMessageBytes(content, attachments) > MAX_MESSAGE_BYTES) {
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The whole message would be larger than 40 MB.');
  }
  const type = template?.type ?? 'TRANSACTIONAL';
  const recipients = input.to.map(toRecipient);
  const copyRecipients = [...input.cc, ...input.bcc].map(toRecipient);
  const emailIds = [...recipients, ...copyRecipients].map(({ emailId }) => emailId);
  return {
    projectId,
    limited,
    senderDomain: domainOf(content.from),
    templateId: template?.id ?? null,
    message: {
      id: newId(),
      projectId,
      type,
      ...content,
      headers: input.headers ?? null,
      variables: Object.keys(variables).length > 0 ? variables : null,
      copies:
        copyRecipients.length === 0
          ? null
          : { emailIds, cc: input.cc.map(({ email, name }) => ({ email, name: name ?? null })) },
      trace: currentTrace(),
    },
    attachments,
    scheduledFor,
    group: input.group ?? null,
    tags: input.tags,
    recipients,
    copyRecipients,
    newContactIds: new Map(recipients.map(({ address }) => [address, newId()])),
    set,
    unset,
    subscribed: input.subscribed,
    mustBeSubscribed: type === 'MARKETING',
    idempotency:
      key === null
        ? null
        : {
            key,
            request: endpoint,
            response: { emails: emailIds, timestamp },
            ttlHours: ctx.config.IDEMPOTENCY_TTL_HOURS,
          },
  };
}

const toRecipient = ({ email, name }: Address): NewRecipient => ({
  emailId: newId(),
  address: email,
  name: name ?? null,
});

/** Base64 writes 57 bytes as a line of 78. Without a text alternative, the body counts for one. */
function estimateMessageBytes(
  { body, text }: Pick<SendRequest['message'], 'body' | 'text'>,
  attachments: NewAttachment[],
): number {
  const texts = Buffer.byteLength(body) + Buffer.byteLength(text ?? body);
  return attachments.reduce((sum, { content }) => sum + (content.length * 78) / 57, texts);
}

/** Returns the error of a refused request. */
export async function rejection(ctx: Context, request: SendRequest, refusal: SendRefusal): Promise<ApiError> {
  const { projectId, recipients, copyRecipients, senderDomain, idempotency } = request;
  switch (refusal) {
    case 'duplicate':
      return idempotencyKeyReused(ctx.pool, projectId, idempotency?.key ?? '');
    case 'unverified_domain':
      return unverifiedDomain(senderDomain);
    case 'suppressed':
      return new ApiError(
        'CONTACT_UNSUBSCRIBED',
        'A marketing template cannot be sent to a suppressed address. ' +
          'The address bounced permanently, complained, or was suppressed manually.',
        { suggestion: 'Get the reason with GET /suppressions/:email. Lift it with DELETE /suppressions/:email.' },
      );
    case 'unsubscribed':
      return new ApiError(
        'CONTACT_UNSUBSCRIBED',
        'A marketing template cannot be sent to a contact that is not subscribed.',
      );
    case 'data_too_large':
      return dataTooLarge();
    case 'over_limit':
      return overLimit(ctx, projectId, 'TRANSACTIONAL', recipients.length + copyRecipients.length);
  }
}
