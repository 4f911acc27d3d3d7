/** `POST /v1/send`, `POST /v1/batch`, and `GET /emails/:id`. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { getEmail } from '../../domain/emails/get.js';
import { readIdempotencyKey } from '../../domain/idempotency/idempotency.js';
import { createAcceptSend } from '../../domain/emails/accept.js';
import { BATCH_MODES, sendAll, sendEach } from '../../domain/emails/batch.js';
import { MAX_COPIES, sendTransactional, type Address, type SendInput } from '../../domain/emails/send.js';
import { ApiError, validationError } from '../../errors.js';
import { errorBody, fieldErrors } from '../plugins/errors.js';
import { EmailSchema, Group, ScheduledFor, ScheduleTimezone, Tags } from '../email-schema.js';
import { ErrorReply } from '../error-replies.js';
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

const Copies = z.union([Party, z.array(Party).max(MAX_COPIES)]);
const COPIES =
  `One or more addresses that get a copy of the email to the only recipient in \`to\`; with the others, at most ${MAX_COPIES}. Each ` +
  'copy is an email of its own, and its address does not become a contact.';

const SendBody = z.object({
  to: z
    .union([Party, z.array(Party).min(1).max(MAX_RECIPIENTS)])
    .describe('One recipient, or a list of 1 to 1,000 recipients. Each gets a separate email.'),
  subject: Subject.optional(),
  body: z.string().min(1).optional().describe('HTML with `{{ variable }}` placeholders.'),
  text: z
    .string()
    .min(1)
    .optional()
    .describe('The text alternative, with placeholders. Without it, it is derived from the body.'),
  cc: Copies.optional().describe(`${COPIES} The header Cc shows them.`),
  bcc: Copies.optional().describe(`${COPIES} No recipient sees them.`),
  template: z.guid('must be a uuid').optional(),
  from: Party.optional(),
  name: DisplayName.optional().meta({ deprecated: true, description: 'The sender name if `from` is a string.' }),
  subscribed: z.boolean().optional(),
  data: ContactData.optional(),
  headers: Headers.optional(),
  reply: EmailAddress.optional(),
  attachments: z.array(Attachment).optional().default([]),
  scheduledFor: ScheduledFor.optional(),
  timezone: ScheduleTimezone.optional(),
  group: Group.optional(),
  tags: Tags.optional().default([]),
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

const toAddresses = (parties: z.output<typeof SendBody>['to'] = []): Address[] =>
  (Array.isArray(parties) ? parties : [parties]).map(toAddress);

function toInput({ to, cc, bcc, from: sender, name, ...rest }: z.output<typeof SendBody>): SendInput {
  const from = sender === undefined ? undefined : toAddress(sender);
  return {
    ...rest,
    to: toAddresses(to),
    cc: toAddresses(cc),
    bcc: toAddresses(bcc),
    // `name` applies only if `from` is a string.
    from: from && { ...from, name: (typeof sender === 'string' ? name : from.name) || null },
  };
}

/** The maximum number of requests of one batch. */
const MAX_BATCH = 100;

const BatchBody = z.object({
  emails: z
    .array(SendBody)
    .min(1)
    .max(MAX_BATCH)
    .superRefine((emails, context) => {
      const recipients = emails.reduce((sum, { to, cc = [], bcc = [] }) => sum + [to, cc, bcc].flat().length, 0);
      if (recipients > MAX_RECIPIENTS)
        context.addIssue({
          code: 'custom',
          input: recipients,
          message: `must have at most ${MAX_RECIPIENTS} recipients in total`,
        });
    })
    .describe(`1 to ${MAX_BATCH} requests as for \`POST /v1/send\`, with at most 1,000 recipients in total.`),
  mode: z
    .enum(BATCH_MODES)
    .default('all')
    .describe('`all`: every request is accepted, or none. `each`: each has its own result.'),
});

/** The body of a batch whose requests are accepted one by one, with requests of any shape. */
const EachBody = BatchBody.extend({ emails: z.array(z.unknown()).min(1).max(MAX_BATCH), mode: z.literal('each') });

/**
 * Reads a batch in which requests break the schema, if its mode is `each`.
 *
 * @returns the requests in their order, with an error in place of each that breaks the schema
 * @throws `failure` if the batch itself breaks the schema, or if its mode is `all`
 */
function readEach(body: unknown, failure: Error): Array<SendInput | ApiError> {
  const batch = EachBody.safeParse(body);
  if (!batch.success) throw failure;
  const emails = batch.data.emails.map((email) => SendBody.safeParse(email));
  const valid = batch.data.emails.filter((_, index) => emails[index]?.success);
  // All together may have too many recipients.
  if (valid.length > 0 && !BatchBody.shape.emails.safeParse(valid).success) throw failure;
  return emails.map(({ data, error }) => (data ? toInput(data) : validationError(fieldErrors(error?.issues ?? []))));
}

const BatchReply = z.object({
  success: z.literal(true),
  data: z.array(z.union([SendReply, ErrorReply])).describe('One result per request, in their order.'),
});

export const sendRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
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
          'header `Idempotency-Key`, a repeat returns 409 with the original response in its details. An address in ' +
          '`cc` or `bcc` gets an email of its own with the same content, and follows the recipient in the response. If a ' +
          'recipient of a MARKETING template is not subscribed, or a recipient of a MARKETING or HEADLESS ' +
          'template has a suppressed address, the whole request returns 400 `CONTACT_UNSUBSCRIBED` and nothing ' +
          'is sent.',
        body: SendBody,
        response: { 200: SendReply },
      },
    },
    async ({ project, body, headers }) => {
      const key = readIdempotencyKey(headers['idempotency-key'], 'secret');
      const data = await sendTransactional(ctx, acceptSend, project, toInput(body), key);
      return { success: true as const, data };
    },
  );

  app.post(
    '/v1/batch',
    {
      bodyLimit: 60 * 1024 * 1024,
      attachValidation: true,
      schema: {
        tags: ['Public API'],
        summary: 'Send a batch of transactional email',
        description:
          'Takes up to 100 requests as for `POST /v1/send`, each with its own content, recipients, attachments, and ' +
          '`scheduledFor`. In the mode `all`, they are accepted in one transaction: an error of one of them, which the ' +
          'response names (`emails.3.template`, or `details.index`), rejects the batch. In the mode `each`, the response ' +
          'is 200 with a result or an error per request, also of one that breaks the schema. With the header ' +
          '`Idempotency-Key`, a repeated batch returns 409 with the original response in its details; in the mode `each`, ' +
          'a repeat sends only what was not accepted before, and the others have this error.',
        body: BatchBody,
        response: { 200: BatchReply },
      },
    },
    async ({ project, body, headers, id, validationError: failure }) => {
      const key = readIdempotencyKey(headers['idempotency-key'], 'secret');
      const results =
        !failure && body.mode === 'all'
          ? await sendAll(ctx, project, body.emails.map(toInput), key)
          : await sendEach(ctx, acceptSend, project, failure ? readEach(body, failure) : body.emails.map(toInput), key);
      const data = results.map((result) =>
        result instanceof ApiError ? errorBody(result, id) : { success: true as const, data: result },
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
