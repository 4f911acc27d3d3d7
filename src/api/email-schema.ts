/** The schema of an email, and of what determines when it is sent. */
import { z } from 'zod';
import { MAX_SCHEDULE_DAYS } from '../domain/emails/schedule.js';
import { EmailStatus } from '../generated/prisma/enums.js';
import { EmailType, ShownSubject, Timestamp } from './schemas.js';

/** When an email is sent. */
export const ScheduledFor = z.iso
  .datetime({ offset: true, local: true })
  .describe(
    `When it is sent, with an offset from UTC, or as a local time with \`timezone\`; at most ${MAX_SCHEDULE_DAYS} days ahead. A ` +
      'time of the last minute is now.',
  );
export const ScheduleTimezone = z
  .string()
  .max(64)
  .describe(
    'The IANA time zone of `scheduledFor`, such as `Europe/Berlin`. A time that a change of clocks skips is moved forward; of a ' +
      'time that exists twice, the second counts.',
  );
/** In characters. */
const MAX_GROUP = 100;
export const Group = z
  .string()
  .min(1)
  .max(MAX_GROUP)
  .describe('A name of yours for emails that you may cancel together.');
/** In characters. */
const MAX_TAG = 100;
/** Per email. */
const MAX_TAGS = 10;
export const Tag = z.string().trim().min(1).max(MAX_TAG);
export const Tags = z
  .array(Tag)
  .max(MAX_TAGS)
  .transform((tags) => [...new Set(tags)])
  .describe(`Up to ${MAX_TAGS} names of yours, by which emails are listed. Their events and webhooks have them.`);

/** An email as in `GET /emails/:id`. */
export const EmailSchema = z
  .object({
    id: z.string(),
    status: z.enum(EmailStatus),
    statusDetail: z
      .literal('unknown')
      .nullable()
      .describe(
        '`unknown` if the status is FAILED because a crash hid whether the mail server accepted the email. Null otherwise.',
      ),
    source: z.enum(['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST', 'PLATFORM']),
    type: EmailType,
    to: z.string(),
    toName: z.string().nullable(),
    cc: z.array(z.string()).describe('The addresses in its header Cc.'),
    copyOf: z.string().nullable().describe('The email of which it is a copy, for an address in `cc` or `bcc`.'),
    copies: z.array(z.string()).describe('The emails that are copies of it.'),
    from: z.string(),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    subject: ShownSubject,
    messageId: z.string().describe('The Message-ID header, which is the same for every attempt.'),
    contactId: z.string().nullable(),
    campaignId: z.string().nullable(),
    templateId: z.string().nullable(),
    workflowId: z.string().nullable(),
    executionId: z.string().nullable(),
    attempts: z.int(),
    nextAttemptAt: Timestamp.nullable().describe(
      'Null unless the status is PENDING or SCHEDULED. Also null for an email of a campaign that waits for its first attempt.',
    ),
    ambiguous: z
      .boolean()
      .describe(
        'Whether the mail server accepted the email is unknown, because of a crash or a broken connection ' +
          'after the content. See AMBIGUOUS_SEND.',
      ),
    error: z.string().nullable(),
    response: z.string().nullable().describe("The mail server's reply."),
    opens: z.int(),
    clicks: z.int(),
    machineOpens: z.int().describe('Opens by scanners, prefetchers, and proxies. `opens` counts people only.'),
    machineClicks: z.int(),
    bounceType: z.string().nullable().describe('`permanent` or `transient`.'),
    bounceReason: z.string().nullable(),
    scheduledFor: Timestamp.nullable().describe('The time for which it was scheduled, and its header Date.'),
    group: z.string().nullable(),
    tags: z.array(z.string()),
    variant: z
      .string()
      .nullable()
      .describe(
        "The variant of a campaign's test. Null for other emails, and for those of contacts that got the winner.",
      ),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    deliveredAt: Timestamp.nullable(),
    openedAt: Timestamp.nullable(),
    clickedAt: Timestamp.nullable(),
    bouncedAt: Timestamp.nullable(),
    complainedAt: Timestamp.nullable(),
  })
  .meta({ id: 'Email' });
