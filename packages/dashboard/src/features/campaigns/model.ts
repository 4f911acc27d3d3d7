/** A campaign as its pages edit it: empty texts instead of nulls, and the audience in one piece. Pure. */
import type { Schemas } from '../../../../client/src/index.js';
import { isEmpty, operandOf, toCondition, toDraft, type ConditionDraft } from '../conditions/model.js';
import type { Saved } from '../editor/autosave.js';
import type { Content } from '../editor/content.js';

export type Campaign = Schemas['Campaign'];
export type CampaignStatus = Campaign['status'];
export type Progress = Schemas['CampaignProgress'];
export type Stats = Schemas['CampaignStats'];
export type Recipient = Schemas['CampaignRecipient'];

export const STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'] as const;
export const STEPS = ['content', 'audience', 'schedule', 'review'] as const;
export const TYPES = ['MARKETING', 'TRANSACTIONAL', 'HEADLESS'] as const;
export const AUDIENCES = ['ALL', 'SEGMENT', 'FILTERED'] as const;
/** In place of a time zone: that of each recipient. */
export const RECIPIENT = 'recipient';
/** What becomes of recipients whose local time has passed when sending begins. */
export const PAST_RULES = ['next_day', 'now', 'skip'] as const;
/** Hours after which an email is not sent any more. */
export const MAX_LATENESS = { min: 1, max: 72, default: 6 } as const;
export const TABS = ['overview', 'links', 'recipients', 'failures'] as const;
export const DEEDS = [
  'opened',
  'clicked',
  'not_opened',
  'not_clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'failed',
  'unknown',
  'cancelled',
] as const;

export type Variant = NonNullable<Campaign['variants']>[number];
export type VariantTest = NonNullable<Campaign['test']>;
export type PastRule = (typeof PAST_RULES)[number];
export type Step = (typeof STEPS)[number];
export type Deed = (typeof DEEDS)[number];

export interface AudienceDraft {
  type: (typeof AUDIENCES)[number] | null;
  segmentId: string | null;
  condition: ConditionDraft | null;
}

export interface CampaignFields extends Content {
  name: string;
  type: Campaign['type'];
  from: string;
  fromName: string;
  replyTo: string;
  audience: AudienceDraft;
  /** Null: that of the project. */
  sendWindow: Schemas['SendWindow'] | null;
  /** Null without a variant test. */
  variants: Variant[] | null;
  test: VariantTest | null;
}

/** A campaign with the ETag of its version. */
export interface LoadedCampaign {
  campaign: Campaign;
  etag: string | null;
}

export const toSaved = ({ campaign, etag }: LoadedCampaign): Saved<CampaignFields> => ({
  etag,
  fields: {
    name: campaign.name,
    subject: campaign.subject ?? '',
    preheader: campaign.preheader ?? '',
    body: campaign.body ?? '',
    editor: campaign.editor,
    design: campaign.design,
    type: campaign.type,
    from: campaign.from ?? '',
    fromName: campaign.fromName ?? '',
    replyTo: campaign.replyTo ?? '',
    sendWindow: campaign.sendWindow,
    variants: campaign.variants,
    test: campaign.test,
    audience: {
      type: campaign.audienceType,
      segmentId: campaign.segmentId,
      condition: isTree(campaign.audienceCondition) ? toDraft(campaign.audienceCondition) : null,
    },
  },
});

/** The API documents the condition of a campaign only as an object. It stores only condition trees. */
const isTree = (value: unknown): value is Schemas['ConditionTree'] =>
  typeof value === 'object' && value !== null && 'groups' in value;

const NULLABLE = ['preheader', 'fromName', 'replyTo'] as const;

/** Returns the body of a PATCH: empty optional fields are null, and the body of blocks is the server's. */
export function toPatch({ body, audience, ...change }: Partial<CampaignFields>) {
  const cleared: Partial<Record<(typeof NULLABLE)[number], null>> = {};
  for (const name of NULLABLE) if (change[name] === '') cleared[name] = null;
  return {
    ...change,
    ...cleared,
    ...(body !== undefined && change.editor !== 'blocks' && { body }),
    ...(audience && toAudience(audience)),
  };
}

/** Returns the audience for the API: only what its type uses. */
export const toAudience = ({ type, segmentId, condition }: AudienceDraft) => ({
  audienceType: type,
  segmentId: type === 'SEGMENT' ? segmentId : null,
  audienceCondition: type === 'FILTERED' && condition ? toCondition(condition) : null,
});

/** Whether every filter has all its parts, so that the API accepts the condition. */
export const isComplete = (tree: ConditionDraft): boolean =>
  !isEmpty(tree) &&
  tree.groups.every(
    ({ filters, conditions }) =>
      filters.every((filter) => {
        if (filter.field === undefined || !filter.operator) return false;
        if (operandOf(filter) === 'none') return true;
        const { value } = filter;
        return value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0);
      }) &&
      (!conditions || isComplete(conditions)),
  );

/** Whether the audience can be counted and sent to. */
export const isChosen = ({ type, segmentId, condition }: AudienceDraft): boolean => {
  if (type === 'SEGMENT') return segmentId !== null;
  return type === 'ALL' || (type === 'FILTERED' && condition !== null && isComplete(condition));
};

/** Returns the typed hours after which an email is not sent any more; null if the API refuses them. */
export function readLateness(text: string): number | null {
  const hours = /^\d+$/.test(text) ? Number(text) : NaN;
  return hours >= MAX_LATENESS.min && hours <= MAX_LATENESS.max ? hours : null;
}

/** A sender as recipients see it. */
export const senderOf = (name: string, address: string): string => (name === '' ? address : `${name} <${address}>`);

/** The step of the wizard on which a problem is solved. */
export const stepOf = (path = ''): Step => (/^(audience|segmentId)/.test(path) ? 'audience' : 'content');

/** A part of a whole; 0 of nothing. */
export const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
