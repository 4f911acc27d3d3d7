/** The content and audience of a campaign: the rules of creation, replacement, and partial updates. */
import type { Design } from '../../../packages/email-blocks/src/index.js';
import type { ApiContext, Context } from '../../context.js';
import type { AudienceTypeName } from './sql/campaigns.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import type { SendTemplate } from '../emails/sql/accept.js';
import { notFound, validationError, type FieldError } from '../../errors.js';
import { resolveCondition } from '../conditions/resolve.js';
import type { ConditionTree } from '../conditions/tree.js';
import { readAudienceCondition } from '../conditions/validate.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { EMPTY_BODY, resolveBody, type EditedBody, type EditorName } from '../content/design.js';
import { templateProblems } from '../templates/content.js';
import { findTemplateBody } from '../templates/sql.js';
import { loadTemplate, loadUsableTemplate } from '../templates/use.js';
import type { SendWindow } from '../send-window.js';
import { isIncompleteCampaign } from './problems.js';
import { requireTest, type Variant, type VariantTest } from './variants.js';

/** A required field can only be missing in a draft, or if the template has it. */
export interface CampaignInput {
  name: string;
  description?: string | null;
  subject?: string | null;
  preheader?: string | null;
  editor?: EditorName;
  design?: Design | null;
  body?: string | null;
  /** Trimmed and in lower case. */
  from?: string | null;
  fromName?: string | null;
  replyTo?: string | null;
  type?: EmailTypeName;
  audienceType?: AudienceTypeName | null;
  segmentId?: string | null;
  /** A condition tree. */
  audienceCondition?: unknown;
  /** Supplies the fields that are not given. */
  templateId?: string | null;
  sendWindow?: SendWindow | null;
  variants?: Variant[] | null;
  test?: VariantTest | null;
}

/** Checked content of a campaign. The nullable fields of CampaignInput without `?` are null only in a draft. */
export interface CampaignContent {
  name: string;
  description: string | null;
  subject: string | null;
  preheader: string | null;
  editor: EditorName;
  design: Design | null;
  body: string | null;
  from: string | null;
  fromName: string | null;
  replyTo: string | null;
  type: EmailTypeName;
  audienceType: AudienceTypeName | null;
  segmentId: string | null;
  audienceCondition: ConditionTree | null;
  templateId: string | null;
  sendWindow: SendWindow | null;
  variants: Variant[] | null;
  test: VariantTest | null;
  draft: boolean;
  incomplete: boolean;
}

export interface ReadOptions {
  /** Lifts the required fields, the syntax check, and the check of the sender's domain. */
  draft: boolean;
  /** The body that the campaign has now. Default: that of the template. */
  before?: EditedBody;
}

/**
 * Completes a campaign's content from its template and checks it.
 *
 * Only the reference that the audience type uses is stored. For example, `segmentId` is ignored with ALL.
 *
 * @throws VALIDATION_ERROR (422) for an invalid condition; TEMPLATE_NOT_FOUND, SEGMENT_NOT_FOUND (404); BAD_REQUEST
 * (400) if the condition references a segment that does not exist. Without `draft` also VALIDATION_ERROR (422) for
 * missing fields, template syntax errors, and a template that is a draft with errors; 403 if the sender's domain is not
 * verified
 */
export async function readCampaign(
  ctx: ApiContext,
  projectId: string,
  input: CampaignInput,
  { draft, before }: ReadOptions,
): Promise<CampaignContent> {
  const { templateId } = input;
  const load = draft ? loadTemplate : loadUsableTemplate;
  const template = templateId ? await load(ctx, projectId, templateId) : null;
  const content = { ...mergeTemplate(input, template), ...(await readBody(ctx, projectId, input, before)) };
  const condition = readCondition(content);
  const errors = [...(draft ? [] : findMissing(content)), ...condition.errors];
  if (!draft) errors.push(...templateProblems(content));
  if (errors.length > 0) throw validationError(errors);
  requireTest(content.variants, content.test);
  for (const { from } of content.variants ?? [])
    if (from !== undefined) await requireVerifiedSender(ctx.pool, projectId, from);
  await requireSegment(ctx, projectId, content.segmentId);
  if (condition.tree) await resolveCondition(ctx.pool, condition.tree, { projectId });
  if (!draft && content.from !== null) await requireVerifiedSender(ctx.pool, projectId, content.from);
  const checked = { ...content, audienceCondition: condition.tree };
  return { ...checked, draft, incomplete: draft && isIncompleteCampaign(checked) };
}

/** Returns the given body, or else the one that the campaign has now, or else that of the template. */
async function readBody(
  ctx: Context,
  projectId: string,
  input: CampaignInput,
  before: EditedBody = EMPTY_BODY,
): Promise<EditedBody> {
  const template = input.templateId ? await findTemplateBody(ctx.pool, projectId, input.templateId) : null;
  const inherited = before.body === null && template ? template : before;
  // A body of null is missing, so the template supplies it.
  const given = template && input.body === null ? { ...input, body: undefined } : input;
  return (await resolveBody(ctx, projectId, given, inherited)) ?? inherited;
}

/** @throws SEGMENT_NOT_FOUND (404) */
async function requireSegment({ prisma }: ApiContext, projectId: string, segmentId: string | null): Promise<void> {
  if (segmentId === null) return;
  const segment = await prisma.segment.findUnique({
    where: { projectId_id: { projectId, id: segmentId } },
    select: { id: true },
  });
  if (!segment) throw notFound('SEGMENT');
}

type MergedContent = Omit<CampaignContent, 'audienceCondition' | 'draft' | 'incomplete'> & {
  audienceCondition: unknown;
};

type OtherContent = Omit<MergedContent, keyof EditedBody>;

function mergeTemplate(input: CampaignInput, template: SendTemplate | null): OtherContent {
  // The template's sender name applies only to the template's address.
  const isTemplateSender = !input.from || input.from === template?.from;
  return {
    name: input.name,
    description: input.description ?? null,
    subject: input.subject ?? template?.subject ?? null,
    preheader: input.preheader === undefined ? (template?.preheader ?? null) : input.preheader,
    from: input.from ?? template?.from ?? null,
    fromName: input.fromName ?? (isTemplateSender ? (template?.fromName ?? null) : null),
    replyTo: input.replyTo ?? template?.replyTo ?? null,
    type: input.type ?? template?.type ?? 'MARKETING',
    audienceType: input.audienceType ?? null,
    segmentId: input.audienceType === 'SEGMENT' ? (input.segmentId ?? null) : null,
    audienceCondition: input.audienceType === 'FILTERED' ? (input.audienceCondition ?? null) : null,
    templateId: template?.id ?? null,
    sendWindow: input.sendWindow ?? null,
    variants: input.variants ?? null,
    test: input.test ?? null,
  };
}

function findMissing(content: MergedContent): FieldError[] {
  const { subject, body, from, audienceType, segmentId, audienceCondition } = content;
  const errors: FieldError[] = [];
  const require = (field: string, value: unknown, when: string): void => {
    if (value === null) errors.push({ field, message: `is required${when}`, code: 'required' });
  };
  require('subject', subject, ' without a template');
  require('body', body, ' without a template');
  require('from', from, ' without a template');
  require('audienceType', audienceType, '');
  if (audienceType === 'SEGMENT') require('segmentId', segmentId, ' if audienceType is SEGMENT');
  if (audienceType === 'FILTERED') require('audienceCondition', audienceCondition, ' if audienceType is FILTERED');
  return errors;
}

function readCondition({ audienceCondition }: MergedContent): { tree: ConditionTree | null; errors: FieldError[] } {
  if (audienceCondition === null) return { tree: null, errors: [] };
  return readAudienceCondition(audienceCondition, 'audienceCondition');
}
