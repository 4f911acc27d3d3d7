/** The content and audience of a campaign: the rules of `POST /campaigns` and `PUT /campaigns/:id`. */
import type { Context } from '../../context.js';
import type { AudienceTypeName } from './sql/campaigns.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { findSendTemplate, type SendTemplate } from '../emails/sql/accept.js';
import { notFound, validationError, type FieldError } from '../../errors.js';
import { isId } from '../../ids.js';
import { resolveCondition } from '../conditions/resolve.js';
import type { ConditionTree } from '../conditions/tree.js';
import { readAudienceCondition } from '../conditions/validate.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { templateProblems } from '../templates/content.js';

export interface CampaignInput {
  name: string;
  description?: string | null;
  subject?: string;
  preheader?: string | null;
  body?: string;
  /** Trimmed and in lower case. */
  from?: string;
  fromName?: string | null;
  replyTo?: string | null;
  type?: EmailTypeName;
  audienceType: AudienceTypeName;
  segmentId?: string | null;
  /** A condition tree. */
  audienceCondition?: unknown;
  /** Supplies the fields that are not given. */
  templateId?: string | null;
}

/** Complete and checked content of a campaign. */
export interface CampaignContent {
  name: string;
  description: string | null;
  subject: string;
  preheader: string | null;
  body: string;
  from: string;
  fromName: string | null;
  replyTo: string | null;
  type: EmailTypeName;
  audienceType: AudienceTypeName;
  segmentId: string | null;
  audienceCondition: ConditionTree | null;
  templateId: string | null;
}

type RequiredField = 'subject' | 'body' | 'from' | 'audienceType';

/** A stored campaign that has every required field. */
export type CompleteCampaign = CampaignRow & { [Field in RequiredField]: NonNullable<CampaignRow[Field]> };

/** @throws VALIDATION_ERROR (422) that names the required fields that an incomplete draft lacks */
export function requireComplete(row: CampaignRow): CompleteCampaign {
  const { subject, body, from, audienceType } = row;
  if (subject !== null && body !== null && from !== null && audienceType !== null)
    return { ...row, subject, body, from, audienceType };
  throw validationError(
    Object.entries({ subject, body, from, audienceType })
      .filter(([, value]) => value === null)
      .map(([field]) => ({ field, message: 'is missing in this draft', code: 'required' })),
  );
}

/**
 * Completes a campaign's content from its template and checks it.
 *
 * Only the reference that the audience type uses is stored. For example, `segmentId` is ignored with ALL.
 *
 * @throws VALIDATION_ERROR (422) for missing fields and template syntax errors; TEMPLATE_NOT_FOUND, SEGMENT_NOT_FOUND
 * (404); BAD_REQUEST (400) if the condition references a segment that does not exist; 403 if the sender's domain is not
 * verified
 */
export async function readCampaign(ctx: Context, projectId: string, input: CampaignInput): Promise<CampaignContent> {
  const template = input.templateId ? await loadTemplate(ctx, projectId, input.templateId) : null;
  const content = complete(input, template);
  await requireSegment(ctx, projectId, content);
  if (content.audienceCondition) await resolveCondition(ctx.pool, content.audienceCondition, { projectId });
  await requireVerifiedSender(ctx.pool, projectId, content.from);
  return content;
}

async function loadTemplate({ pool }: Context, projectId: string, id: string): Promise<SendTemplate> {
  const template = isId(id) ? await findSendTemplate(pool, projectId, id) : null;
  if (!template) throw notFound('TEMPLATE');
  return template;
}

/** @throws SEGMENT_NOT_FOUND (404) */
async function requireSegment({ prisma }: Context, projectId: string, { segmentId }: CampaignContent): Promise<void> {
  if (segmentId === null) return;
  const segment = await prisma.segment.findUnique({
    where: { projectId_id: { projectId, id: segmentId } },
    select: { id: true },
  });
  if (!segment) throw notFound('SEGMENT');
}

function complete(input: CampaignInput, template: SendTemplate | null): CampaignContent {
  const subject = input.subject ?? template?.subject;
  const preheader = input.preheader === undefined ? (template?.preheader ?? null) : input.preheader;
  const body = input.body ?? template?.body;
  const from = input.from ?? template?.from;
  const segmentId = input.audienceType === 'SEGMENT' ? (input.segmentId ?? null) : null;
  const condition = input.audienceType === 'FILTERED' ? (input.audienceCondition ?? null) : null;
  const read = condition === null ? null : readAudienceCondition(condition, 'audienceCondition');
  const errors: FieldError[] = [];
  const required = (field: string, message: string): void => {
    errors.push({ field, message, code: 'required' });
  };
  if (subject === undefined) required('subject', 'is required without a template');
  if (body === undefined) required('body', 'is required without a template');
  if (from === undefined) required('from', 'is required without a template');
  if (input.audienceType === 'SEGMENT' && segmentId === null)
    required('segmentId', 'is required if audienceType is SEGMENT');
  if (input.audienceType === 'FILTERED' && read === null)
    required('audienceCondition', 'is required if audienceType is FILTERED');
  errors.push(...(read?.errors ?? []), ...templateProblems({ subject, preheader, body }));
  if (errors.length > 0 || subject === undefined || body === undefined || from === undefined)
    throw validationError(errors);
  // The template's sender name applies only to the template's address.
  const sameSender = input.from === undefined || input.from === template?.from;
  return {
    name: input.name,
    description: input.description ?? null,
    subject,
    preheader,
    body,
    from,
    fromName: input.fromName ?? (sameSender ? (template?.fromName ?? null) : null),
    replyTo: input.replyTo ?? template?.replyTo ?? null,
    type: input.type ?? template?.type ?? 'MARKETING',
    audienceType: input.audienceType,
    segmentId,
    audienceCondition: read?.tree ?? null,
    templateId: template?.id ?? null,
  };
}
