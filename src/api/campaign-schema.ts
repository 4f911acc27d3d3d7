/** The bodies of requests and responses about campaigns. */
import { z } from 'zod';
import { CAMPAIGN_STATUSES } from '../domain/campaigns/manage.js';
import { MAX_LATENESS, PAST_RULES } from '../domain/campaigns/local-schedule.js';
import { Variant, VariantTest } from '../domain/campaigns/variants.js';
import { EmailStatus } from '../generated/prisma/enums.js';
import { ConditionTree } from './condition-schema.js';
import { editedFields, editorFields } from './design-schema.js';
import {
  AsDraft,
  DRAFT_HOLE,
  DraftAddress,
  DraftSubject,
  DraftText,
  IsDraft,
  NotDraft,
  Problems,
} from './draft-schema.js';
import { EmailAddress, EmailType, Preheader, Subject, Timestamp, pageQuery } from './schemas.js';
import { SendWindow } from './send-window-schema.js';

const Uuid = z.guid('must be a uuid');
export const CampaignParams = z.object({ id: Uuid });
const CampaignStatus = z.enum(CAMPAIGN_STATUSES);
const AudienceType = z.enum(['ALL', 'SEGMENT', 'FILTERED']);

const counter = z.int();

const WINDOW =
  'The hours in which it is sent. Outside of them, emails wait as SCHEDULED. Null: those of the project, or at any time if ' +
  'it is TRANSACTIONAL.';

const VARIANTS =
  'Contents to compare. A variant replaces the given parts of the campaign. Which contact gets which variant does not change. ' +
  'Templates that do not parse and unverified senders are errors in drafts, too.';
const TEST =
  'How the variants are compared: a part of the audience gets them, and the rest waits for the winner. Null: all contacts ' +
  'get one of the variants, by their weights.';

export const Decision = z
  .object({
    variant: z.string(),
    by: z.enum(['auto', 'manual']),
    significant: z
      .boolean()
      .nullable()
      .describe('Whether its rate is higher than all others at a level of 95%. Null for a manual decision.'),
    at: Timestamp,
  })
  .meta({ id: 'VariantDecision' });

const LocalSchedule = z
  .object({
    time: z.string().describe('The local time, such as `2030-01-31T09:00`.'),
    timezone: z.string().describe('An IANA name, or `recipient`.'),
    fallbackTimezone: z.string().optional(),
    past: z.enum(PAST_RULES).optional(),
    maxLateness: z.int().optional().describe('Hours.'),
  })
  .describe('The local time at which the campaign is or was scheduled. Null if it was scheduled for a moment.')
  .meta({ id: 'LocalSchedule' });

export const Campaign = z
  .object({
    id: z.string(),
    projectId: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    subject: z.string().nullable().describe(DRAFT_HOLE),
    preheader: z.string().nullable(),
    ...editedFields,
    body: z.string().nullable().describe(DRAFT_HOLE),
    from: z.string().nullable().describe(DRAFT_HOLE),
    fromName: z.string().nullable(),
    replyTo: z.string().nullable(),
    type: EmailType,
    status: CampaignStatus,
    draft: IsDraft,
    audienceType: AudienceType.nullable().describe(DRAFT_HOLE),
    segmentId: z.string().nullable(),
    audienceCondition: z.record(z.string(), z.unknown()).nullable(),
    templateId: z.string().nullable().describe('The template that the campaign was created from.'),
    scheduledFor: Timestamp.nullable().describe('With `timezone: recipient`, when it is due in the first time zone.'),
    localSchedule: LocalSchedule.nullable(),
    sendWindow: SendWindow.nullable().describe(WINDOW),
    variants: z
      .array(Variant.extend({ from: z.string().optional(), preheader: z.string().optional() }))
      .nullable()
      .describe(VARIANTS),
    test: VariantTest.nullable().describe(TEST),
    decision: Decision.nullable().describe('The winner of the test. Null before the decision, and without a test.'),
    sentAt: Timestamp.nullable().describe('The time at which the last recipient reached a final status.'),
    totalRecipients: counter.describe('The number of recipients in the snapshot, which is taken when sending starts.'),
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter,
    clickedCount: counter,
    bouncedCount: counter,
    createdAt: Timestamp,
    updatedAt: Timestamp,
    problems: Problems.describe('As in `POST /render`, and `missing_audience`. Empty once the campaign is sent.'),
  })
  .meta({ id: 'Campaign' });

const Fields = z.object({
  name: z.string().trim().min(1),
  description: z.string().nullish(),
  subject: Subject.optional().describe('Required without `templateId`.'),
  preheader: Preheader,
  ...editorFields,
  body: z
    .string()
    .min(1)
    .optional()
    .describe('HTML with `{{ variable }}` placeholders. Required without `design` and `templateId`.'),
  from: EmailAddress.optional().describe('Required without `templateId`. The domain must be verified.'),
  fromName: z
    .string()
    .max(320)
    .regex(/^[^\r\n]*$/, 'must not contain newline characters')
    .nullish(),
  replyTo: EmailAddress.nullish(),
  type: EmailType.optional().describe("Default: the template's type, or MARKETING without a template."),
  audienceType: AudienceType,
  sendWindow: SendWindow.nullish().describe(WINDOW),
  variants: z.array(Variant).min(2).max(5).nullish().describe(VARIANTS),
  test: VariantTest.nullish().describe(TEST),
  segmentId: Uuid.nullish().describe('Required if `audienceType` is SEGMENT. Ignored otherwise.'),
  audienceCondition: ConditionTree.nullish().describe('Required if `audienceType` is FILTERED. Ignored otherwise.'),
  templateId: Uuid.nullish().describe(
    'A template that provides the missing fields among subject, body, from, fromName, replyTo, and type.',
  ),
});

/** The fields of a draft can be empty. */
const draftFields = {
  subject: DraftSubject,
  body: DraftText,
  from: DraftAddress,
  audienceType: AudienceType.nullish(),
  draft: AsDraft,
};

export const CampaignBody = z.discriminatedUnion('draft', [
  Fields.extend({ draft: NotDraft }),
  Fields.extend(draftFields),
]);

export const PatchBody = z.discriminatedUnion('draft', [
  Fields.partial().extend({ draft: NotDraft }),
  Fields.partial().extend(draftFields),
]);

export const AudienceBody = Fields.pick({ audienceType: true, segmentId: true, audienceCondition: true }).extend({
  type: EmailType.default('MARKETING'),
});

export const AudiencePreview = z
  .object({
    matched: z.int().describe('Contacts in the audience.'),
    unsubscribed: z.int().describe('Contacts in the audience that are not subscribed.'),
    willSend: z.int().describe('Contacts that a campaign of this type would be sent to.'),
  })
  .meta({ id: 'AudiencePreview' });

export const ListQuery = pageQuery(['createdAt', 'name', 'updatedAt']).extend({
  status: z
    .string()
    .optional()
    .meta({ enum: [...CAMPAIGN_STATUSES] })
    .describe('Any other value returns 400.'),
});

export const SendBody = z.object({
  scheduledFor: z
    .string()
    .nullish()
    .describe(
      "The time to send. Missing or null means now. Any date that JavaScript's `Date` parses, in UTC if it " +
        'has no zone. An invalid date or a date in the past returns 400. With `timezone`, a local time such as ' +
        '`2030-01-31T09:00`.',
    ),
  timezone: z
    .string()
    .max(100)
    .optional()
    .describe(
      'The time zone of `scheduledFor`: an IANA name, or `recipient` for that of each recipient (the field `timezone` ' +
        'of the contact). An offset in `scheduledFor` then returns 422.',
    ),
  fallbackTimezone: z
    .string()
    .max(100)
    .optional()
    .describe("For recipients without a known time zone. Default: the project's. Only with `timezone: recipient`."),
  past: z
    .enum(PAST_RULES)
    .optional()
    .describe(
      'What becomes of recipients whose local time has passed when sending begins: on the next day at this time ' +
        '(`next_day`, default), now, or no email. Only with `timezone: recipient`.',
    ),
  maxLateness: z
    .int()
    .min(MAX_LATENESS.min)
    .max(MAX_LATENESS.max)
    .optional()
    .describe(
      `Hours. Emails that are still unsent this long after their local time fail with \`LATE\`. Default: ${MAX_LATENESS.default}. ` +
        'Only with `timezone: recipient`.',
    ),
  force: z.boolean().optional().describe('Tests variants also with fewer than 100 recipients each.'),
});

export const SendReply = z.object({
  success: z.literal(true),
  data: z.object({ id: z.string(), name: z.string(), status: CampaignStatus, scheduledFor: Timestamp.nullable() }),
  message: z.string(),
});

const rate = z.number().describe('A fraction of `sentCount`. 0 if nothing was sent.');

export const CampaignStats = z
  .object({
    totalRecipients: counter,
    sentCount: counter,
    deliveredCount: counter,
    openedCount: counter,
    clickedCount: counter,
    bouncedCount: counter,
    complainedCount: counter,
    unsubscribedCount: counter.describe(
      'Recipients who used the unsubscribe link, the preferences page, or one-click unsubscribe.',
    ),
    failedCount: counter.describe('Emails that failed, without those in `unknownCount`.'),
    unknownCount: counter.describe(
      'Emails that failed because a crash hid whether the mail server accepted them (`AMBIGUOUS_SEND=skip`).',
    ),
    pendingCount: counter.describe('Emails that are not sent yet.'),
    cancelledCount: counter.describe(
      'Emails that were canceled with the campaign, or because the contact unsubscribed before it was sent.',
    ),
    deliveryRate: rate,
    openRate: rate,
    clickRate: rate,
    bounceRate: rate,
    variants: z
      .array(
        z.object({
          id: z.string(),
          recipients: counter,
          sent: counter,
          delivered: counter,
          failed: counter,
          opened: counter,
          clicked: counter,
          converted: counter.describe('Recipients who had the event of the metric after their email.'),
          rate: z.number().describe('What the test counts, as a fraction of `sent`.'),
          interval: z
            .object({ low: z.number(), high: z.number() })
            .describe("Wilson's confidence interval of the rate, for 95%."),
          significant: z.boolean().describe('Whether the rate is higher than all others at a level of 95%.'),
          isWinner: z.boolean(),
        }),
      )
      .describe('The results of variants, without the rest of the audience. Empty without variants.'),
    fallbackZone: counter.describe('Recipients without a known time zone, of a campaign in waves.'),
  })
  .meta({ id: 'CampaignStats' });

export const Recipient = z
  .object({
    emailId: z.string().describe('The id for `GET /emails/:id`.'),
    contactId: z.string().nullable().describe('Null if the contact was deleted.'),
    email: z.string().describe('The address at the start of the campaign.'),
    status: z.enum(EmailStatus),
    attempts: z.int(),
    error: z.string().nullable(),
    bounceType: z.string().nullable().describe('`permanent` or `transient`.'),
    bounceReason: z.string().nullable(),
    opens: z.int(),
    clicks: z.int(),
    createdAt: Timestamp,
    sentAt: Timestamp.nullable(),
    deliveredAt: Timestamp.nullable(),
    openedAt: Timestamp.nullable(),
    clickedAt: Timestamp.nullable(),
    bouncedAt: Timestamp.nullable(),
    complainedAt: Timestamp.nullable(),
  })
  .meta({ id: 'CampaignRecipient' });
