/** `POST /v1/send` and `GET /emails/:id`. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { Context } from '../../context.js';
import { getEmail } from '../../domain/emails/get.js';
import { readIdempotencyKey } from '../../domain/idempotency/idempotency.js';
import { createAcceptSend } from '../../domain/emails/accept.js';
import { sendTransactional, type Address } from '../../domain/emails/send.js';
import { EmailSchema, Group, ScheduledFor } from '../email-schema.js';
import { ContactData, EmailAddress, IdParams, Subject, Timestamp } from '../schemas.js';
import { withTypes } from '../typed.js';

const oneLine = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters');
const DisplayName = oneLine(320);
/** The maximum number of recipients of one request. */
export const MAX_RECIPIENTS = 1000;

const Party = z.union([EmailAddress, z.object({ name: DisplayName.nullish(), email: EmailAddress })]);

const Attachment = z.object({
  filename: z
    .string()
    .min(1)
    .max(255)
    .regex(/^[^\r\n"]*$/, 'must not contain newlines or quotes'),
  content: z.string().describe('Base64.'),
  contentType: z
    .string()
    .max(255)
    .regex(/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(\s*;\s*[\w-]+=("[^"\r\n]*"|[^\s;"]+))*$/, 'must be a media type')
    .default('application/octet-stream'),
  contentId: z
    .string()
    .max(255)
    .regex(/^[^\s<>"]+$/, 'must not contain spaces, angle brackets, or quotes')
    .nullish(),
  disposition: z.enum(['attachment', 'inline']).default('attachment'),
});

/** Header names of RFC 5322, and values of at most 998 characters on one line (specification, Limits). */
const Headers = z
  .record(z.string().regex(/^[!-9;-~]{1,100}$/, 'must be a header name, without CR or LF'), oneLine(998))
  .describe(
    'Additional headers. Headers that the API sets itself (From, Subject, Content-Type, and similar) ' +
      'return 422, and so does List-Unsubscribe with a template that is not transactional.',
  );

const SendBody = z.object({
  to: z
    .union([Party, z.array(Party).min(1).max(MAX_RECIPIENTS)])
    .describe('One recipient, or a list of 1 to 1,000 recipients. Each gets a separate email.'),
  subject: Subject.optional(),
  body: z.string().min(1).optional().describe('HTML with `{{ variable }}` placeholders.'),
  template: z.guid('must be a uuid').optional(),
  from: Party.optional(),
  name: DisplayName.optional().meta({ deprecated: true, description: 'The sender name if `from` is a string.' }),
  subscribed: z.boolean().optional(),
  data: ContactData.optional(),
  headers: Headers.optional(),
  reply: EmailAddress.optional(),
  attachments: z.array(Attachment).optional().default([]),
  scheduledFor: ScheduledFor.optional(),
  group: Group.optional(),
});

const SendReply = z.object({
  success: z.literal(true),
  data: z.object({
    emails: z.array(
      z.object({ contact: z.object({ id: z.string().nullable(), email: z.string() }), email: z.string() }),
    ),
    timestamp: Timestamp,
    status: z.literal('SCHEDULED').optional().describe('Only if the emails are scheduled.'),
    scheduledFor: Timestamp.optional(),
  }),
});

const toAddress = (party: z.output<typeof Party>): Address => (typeof party === 'string' ? { email: party } : party);

export const sendRoutes: FastifyPluginAsync<{ ctx: Context }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const acceptSend = createAcceptSend(ctx);

  app.post(
    '/v1/send',
    {
      bodyLimit: 60 * 1024 * 1024,
      schema: {
        tags: ['Public API'],
        summary: 'Send transactional email',
        description:
          'Sends one email per recipient, and creates or updates the contact of each. The response comes after ' +
          'the commit. The emails are then handed to the mail server in the order of the recipients. With the ' +
          'header `Idempotency-Key`, a repeat returns 409 with the original response in its details. If a ' +
          'recipient of a MARKETING template is not subscribed, or a recipient of a MARKETING or HEADLESS ' +
          'template has a suppressed address, the whole request returns 400 `CONTACT_UNSUBSCRIBED` and nothing ' +
          'is sent.',
        body: SendBody,
        response: { 200: SendReply },
      },
    },
    async ({ project, body, headers }) => {
      const key = readIdempotencyKey(headers['idempotency-key'], 'secret');
      const from = body.from === undefined ? undefined : toAddress(body.from);
      const data = await sendTransactional(
        ctx,
        acceptSend,
        project,
        {
          ...body,
          to: (Array.isArray(body.to) ? body.to : [body.to]).map(toAddress),
          // `name` applies only if `from` is a string.
          from: from && { ...from, name: (typeof body.from === 'string' ? body.name : from.name) || null },
        },
        key,
      );
      return { success: true as const, data };
    },
  );

  app.get(
    '/emails/:id',
    {
      schema: {
        tags: ['Emails'],
        summary: 'Retrieve an email',
        params: IdParams,
        response: { 200: EmailSchema },
      },
    },
    async ({ project, params }) => getEmail(ctx, project.id, params.id),
  );
};
