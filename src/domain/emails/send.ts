/**
 * `POST /v1/send`: accepts transactional mail.
 *
 * Everything in the request is checked before anything is written; then contacts, emails and the idempotency key are
 * committed together. The dispatcher hands the emails over after the commit.
 */
import type { Context } from '../../context.js';
import { isDataTooLarge, isNotSubscribed } from '../contacts/sql/contacts.js';
import { findSendTemplate, type AcceptSend, type NewAttachment, type SendTemplate } from './sql/accept.js';
import { ApiError, notFound, unverifiedDomain, validationError, type FieldError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { isReservedHeader } from '../../mail/headers.js';
import { currentTrace } from '../../trace.js';
import { overLimit } from '../billing/limits.js';
import { dataTooLarge, readContactData } from '../contacts/data.js';
import { domainOf } from '../domains/sender.js';
import { keyReused, withKey } from '../idempotency/idempotency.js';
import { templateProblems } from '../templates/content.js';
import type { Accept } from './accept.js';

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

export interface SendInput {
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
}

/** Who sends; `limited`: whether there is a limit for its transactional mail. */
export interface SendProject {
  id: string;
  limited: boolean;
}

export interface SendResult {
  emails: Array<{ contact: { id: string | null; email: string }; email: string }>;
  timestamp: string;
}

interface StoredResponse extends Record<string, unknown> {
  emails: string[];
  timestamp: string;
}

const MEGABYTE = 1024 * 1024;
/** Specification, Limits: "Whole message size". */
const MAX_MESSAGE_BYTES = 40 * MEGABYTE;

/** Decodes strictly: whatever Buffer would skip is an error. */
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
        message: `at most ${MAX_ATTACHMENTS} attachments`,
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
        message: 'Required for an inline attachment',
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
        message: `at most ${MAX_ATTACHMENTS_MB} MB together, decoded`,
        code: 'too_big',
        received: bytes,
      },
    ]);
  }
  return decoded;
}

/** The template that a request names. @throws TEMPLATE_NOT_FOUND */
async function loadTemplate(ctx: Context, projectId: string, id: string): Promise<SendTemplate> {
  const template = isId(id) ? await findSendTemplate(ctx.pool, projectId, id) : null;
  if (!template) throw notFound('TEMPLATE');
  return template;
}

/**
 * What is mailed: the template's fields, and over them those of the request. @throws VALIDATION_ERROR naming what is
 * missing from both
 */
function readContent(
  input: SendInput,
  template: SendTemplate | null,
): { subject: string; body: string; from: string; fromName: string | null; replyTo: string | null } {
  const subject = input.subject ?? template?.subject;
  const body = input.body ?? template?.body;
  const from = input.from?.email ?? template?.from;
  const errors: FieldError[] = [];
  if (subject === undefined)
    errors.push({ field: 'subject', message: 'Required without a template', code: 'required' });
  if (body === undefined) errors.push({ field: 'body', message: 'Required without a template', code: 'required' });
  if (from === undefined) errors.push({ field: 'from', message: 'Required without a template', code: 'required' });
  const bulk = template !== null && template.type !== 'TRANSACTIONAL';
  for (const name of Object.keys(input.headers ?? {})) {
    if (isReservedHeader(name, { bulk }))
      errors.push({ field: `headers.${name}`, message: 'is set by the service and can not be given', code: 'custom' });
  }
  errors.push(...templateProblems({ subject, body }));
  if (errors.length > 0 || subject === undefined || body === undefined || from === undefined)
    throw validationError(errors);
  const sameSender = input.from === undefined || input.from.email === template?.from;
  return {
    subject,
    body,
    from,
    fromName: input.from?.name ?? (sameSender ? (template?.fromName ?? null) : null),
    replyTo: input.reply ?? template?.replyTo ?? null,
  };
}

/**
 * Accepts one email per recipient, in their order.
 *
 * @throws VALIDATION_ERROR (422); TEMPLATE_NOT_FOUND (404); INTERNAL_SERVER_ERROR with 403 (sender's domain not
 * verified); IDEMPOTENCY_KEY_REUSED
 *   (409); CONTACT_UNSUBSCRIBED (400, a MARKETING template to a contact that is not subscribed, a MARKETING or HEADLESS one to a suppressed address); PAYLOAD_TOO_LARGE (413, above 40 MB as a mail);
 *   BILLING_LIMIT_EXCEEDED (429, more emails than the project's limit leaves: none of them is sent)
 */
export function sendTransactional(
  ctx: Context,
  accept: Accept,
  project: SendProject,
  input: SendInput,
  idempotencyKey: string | null,
): Promise<SendResult> {
  return withKey(ctx.pool, project.id, idempotencyKey, () => send(ctx, accept, project, input, idempotencyKey));
}

async function send(
  ctx: Context,
  accept: Accept,
  { id: projectId, limited }: SendProject,
  input: SendInput,
  idempotencyKey: string | null,
): Promise<SendResult> {
  const { set, unset, variables } = readContactData(input.data);
  const attachments = readAttachments(input.attachments, ctx.config);
  const template = input.template === undefined ? null : await loadTemplate(ctx, projectId, input.template);
  const content = readContent(input, template);
  // Base64 makes 57 bytes a line of 78; the body counts twice for its text alternative.
  const size = attachments.reduce(
    (sum, { content: bytes }) => sum + (bytes.length * 78) / 57,
    2 * Buffer.byteLength(content.body),
  );
  if (size > MAX_MESSAGE_BYTES)
    throw new ApiError('PAYLOAD_TOO_LARGE', 'The whole message would be larger than 40 MB.');

  const timestamp = new Date().toISOString();
  const emails = input.to.map(({ email, name }) => ({ id: newId(), email, name: name ?? null }));
  const stored: StoredResponse = { emails: emails.map(({ id }) => id), timestamp };
  const type = template?.type ?? 'TRANSACTIONAL';
  const request: AcceptSend = {
    projectId,
    senderDomain: domainOf(content.from),
    contacts: [...new Set(emails.map(({ email }) => email))].map((email) => ({ id: newId(), email })),
    set,
    unset,
    subscribed: input.subscribed,
    mustBeSubscribed: type === 'MARKETING',
    message: {
      id: newId(),
      projectId,
      type,
      ...content,
      headers: input.headers ?? null,
      variables: Object.keys(variables).length > 0 ? variables : null,
      trace: currentTrace(),
    },
    hasAttachments: attachments.length > 0,
    emails,
    templateId: template?.id ?? null,
    idempotency:
      idempotencyKey === null
        ? null
        : {
            key: idempotencyKey,
            request: 'POST /v1/send',
            response: stored,
            ttlHours: ctx.config.IDEMPOTENCY_TTL_HOURS,
          },
    limited,
  };

  const result = await accept(request, attachments).catch((error: unknown) => {
    if (isDataTooLarge(error)) throw dataTooLarge();
    if (isNotSubscribed(error))
      throw new ApiError(
        'CONTACT_UNSUBSCRIBED',
        'A marketing template can not be sent to a contact that is not subscribed.',
      );
    throw error;
  });
  if (result === 'over limit') throw await overLimit(ctx, projectId, 'TRANSACTIONAL', emails.length);
  if (!result.verified) throw unverifiedDomain(request.senderDomain);
  if (result.suppressed) {
    throw new ApiError(
      'CONTACT_UNSUBSCRIBED',
      'A marketing template can not be sent to a suppressed address: mail to it has bounced for good, or was called spam, or it was suppressed by hand.',
      {
        suggestion: 'GET /suppressions/:email says why; DELETE /suppressions/:email lifts it.',
      },
    );
  }
  if (!result.accepted) throw await keyReused(ctx.pool, projectId, idempotencyKey ?? '');
  ctx.wake('emails');
  return {
    emails: emails.map(({ id, email }) => ({ contact: { id: result.contacts.get(email) ?? null, email }, email: id })),
    timestamp,
  };
}
