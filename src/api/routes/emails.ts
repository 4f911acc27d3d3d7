/** The log of emails. */
import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { createEmailViewer, listEmailEvents, MAX_HITS } from '../../domain/emails/content.js';
import { listEmails, MAX_COUNTED_EMAILS } from '../../domain/emails/log.js';
import { cancelEmail, cancelGroup, rescheduleEmail } from '../../domain/emails/schedule.js';
import { EmailSource, EmailStatus } from '../../generated/prisma/enums.js';
import { EmailSchema, Group, ScheduledFor, ScheduleTimezone, Tag } from '../email-schema.js';
import { CursorQuery, EmailType, IdParams, ShownSubject, Timestamp, cursorPage, dateRangeEnds } from '../schemas.js';
import { withTypes } from '../typed.js';

const Uuid = z.guid('must be a uuid');

export const LoggedEmail = z
  .object({
    id: z.string(),
    status: z.enum(EmailStatus),
    statusDetail: z.literal('unknown').nullable(),
    source: z.enum(EmailSource),
    type: EmailType,
    to: z.string(),
    toName: z.string().nullable(),
    from: z.string().nullable(),
    subject: ShownSubject.nullable(),
    contactId: z.string().nullable(),
    campaignId: z.string().nullable(),
    templateId: z.string().nullable(),
    workflowId: z.string().nullable(),
    executionId: z.string().nullable(),
    attempts: z.int(),
    ambiguous: z.boolean(),
    error: z.string().nullable(),
    response: z.string().nullable().describe("The mail server's reply."),
    opens: z.int(),
    clicks: z.int(),
    machineOpens: z.int(),
    machineClicks: z.int(),
    bounceType: z.string().nullable().describe('`permanent` or `transient`.'),
    bounceReason: z.string().nullable(),
    scheduledFor: Timestamp.nullable(),
    group: z.string().nullable(),
    tags: z.array(z.string()),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    deliveredAt: Timestamp.nullable(),
    openedAt: Timestamp.nullable(),
    clickedAt: Timestamp.nullable(),
    bouncedAt: Timestamp.nullable(),
    complainedAt: Timestamp.nullable(),
  })
  .meta({ id: 'LoggedEmail' });

const EmailContent = z
  .object({
    subject: z.string(),
    html: z.string(),
    text: z.string(),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .describe('In their order, unfolded and not decoded, without the signature.'),
    exact: z
      .boolean()
      .describe('False if the data of the contact has changed since the email was sent, or the contact was deleted.'),
  })
  .meta({ id: 'EmailContent' });

const EmailEvents = z
  .object({
    attempts: z.array(
      z.object({
        number: z.int(),
        at: Timestamp.nullable().describe('Null for an attempt of an earlier version.'),
        outcome: z
          .enum(['SENT', 'DEFERRED', 'FAILED', 'UNKNOWN'])
          .describe('DEFERRED: the email was due again later. UNKNOWN: the reply was lost.'),
        response: z.string().nullable().describe("The mail server's reply."),
        error: z.string().nullable(),
      }),
    ),
    hits: z.array(
      z.object({
        at: Timestamp,
        kind: z.enum(['open', 'click']),
        url: z.string().nullable(),
        label: z.string().nullable().describe('The `data-link` of the clicked link.'),
        machine: z.boolean(),
        reason: z.string().nullable().describe('Why the hit is that of a machine, or how a person was recognized.'),
        userAgent: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'EmailEvents' });

const tags = ['Emails'];

export const emailRoutes: FastifyPluginAsync<{ ctx: ApiContext }> = async (instance, { ctx }) => {
  const app = withTypes(instance);
  const viewer = createEmailViewer(ctx);

  app.get(
    '/emails',
    {
      schema: {
        tags,
        summary: 'List emails',
        description:
          'Newest first, of all sources. An email must match all filters. Ids of other projects match nothing. ' +
          `\`total\` is at most ${MAX_COUNTED_EMAILS}.`,
        querystring: CursorQuery.extend({
          status: z.enum(EmailStatus).optional(),
          source: z.enum(EmailSource).optional(),
          type: EmailType.optional(),
          to: z.string().trim().toLowerCase().max(320).optional().describe('The complete address.'),
          campaignId: Uuid.optional(),
          templateId: Uuid.optional().describe('Emails of campaigns have no template.'),
          workflowId: Uuid.optional(),
          contactId: Uuid.optional(),
          tag: Tag.optional(),
          group: Group.optional(),
          since: dateRangeEnds.first.optional().describe('Created at this ISO 8601 date or timestamp, or later.'),
          until: dateRangeEnds.last
            .optional()
            .describe('Created at this ISO 8601 timestamp or earlier, or until the end of this UTC day.'),
        }),
        response: { 200: cursorPage(LoggedEmail) },
      },
    },
    async ({ project, query }) => listEmails(ctx, project.id, query),
  );

  app.patch(
    '/emails/:id',
    {
      schema: {
        tags,
        summary: 'Move a scheduled email',
        description:
          'Also moves its copies (`cc` and `bcc`). Returns 409 with the status of the email if it is no longer scheduled.',
        params: IdParams,
        body: z.object({ scheduledFor: ScheduledFor, timezone: ScheduleTimezone.optional() }),
        response: { 200: EmailSchema },
      },
    },
    async ({ project, params, body }) => rescheduleEmail(ctx, project.id, params.id, body),
  );

  app.post(
    '/emails/:id/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel an email',
        description:
          'Cancels an email that is scheduled or waits to be sent. It is then never sent. An email that was canceled ' +
          'before is returned as it is; one that is being sent or has ended returns 409 with its status. Its copies ' +
          '(`cc` and `bcc`) are canceled with it. Emails of campaigns are canceled with their campaign.',
        params: IdParams,
        response: { 200: EmailSchema },
      },
    },
    async ({ project, params }) => cancelEmail(ctx, project.id, params.id),
  );

  app.post(
    '/emails/cancel',
    {
      schema: {
        tags,
        summary: 'Cancel a group of emails',
        description: 'Cancels all emails of the `group` of `POST /v1/send` that are scheduled or wait to be sent.',
        body: z.object({ group: Group }),
        response: { 200: z.object({ count: z.int().describe('The number of canceled emails.') }) },
      },
    },
    async ({ project, body }) => ({ count: await cancelGroup(ctx, project.id, body.group) }),
  );

  app.get(
    '/emails/:id/content',
    {
      schema: {
        tags,
        summary: 'Show the content of an email',
        description:
          'Renders the email for its recipient, without tracking, so that showing it records nothing. Links to ' +
          'unsubscribe are those of the recipient. Returns 404 if retention has deleted the content, and 409 if it ' +
          'cannot be rendered.',
        params: IdParams,
        response: { 200: EmailContent },
      },
    },
    async ({ project, params }) => viewer.content(project.id, params.id),
  );

  app.get(
    '/emails/:id/events',
    {
      schema: {
        tags,
        summary: 'List the attempts and hits of an email',
        description: `Attempts to hand the email over, and the first ${MAX_HITS} opens and clicks, oldest first.`,
        params: IdParams,
        response: { 200: EmailEvents },
      },
    },
    async ({ project, params }) => listEmailEvents(ctx, project.id, params.id),
  );
};
