/** Lists, creates, reads, replaces, deletes, and duplicates campaigns. */
import type { ApiContext, Context } from '../../context.js';
import type { SendWindow } from '../send-window.js';
import { sqlState } from '../../db/errors.js';
import { copyCampaign, deleteCampaignRow, lockCampaign } from './sql/campaigns.js';
import { readOpenWork } from '../delivery/sql/campaigns.js';
import { badRequest, conflict, invalidField, notFound, type ApiError } from '../../errors.js';
import { Prisma, type Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { newId } from '../../ids.js';
import { withLockTimeout } from '../lock-timeout.js';
import { toPage, type Page, type PageRequest } from '../pagination.js';
import { requireRevision, type ExpectedRevisions } from '../revisions.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { requireParsable } from '../templates/content.js';
import { toStoredDesign } from '../content/design.js';
import { readDesign } from '../content/stored-design.js';
import { wideQuery } from '../../db/wide-query.js';
import { campaignAudience, requireMinAudience } from './audience.js';
import { readCampaign, type CampaignContent, type CampaignInput } from './content.js';
import { isForRecipients, type LocalSchedule } from './local-schedule.js';
import { isPlainSplit, minAudience, type Variant, type VariantTest } from './variants.js';
import { toListedCampaigns, toLiveCampaign, type Campaign } from './view.js';

export const CAMPAIGN_STATUSES = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'] as const;
/** The statuses in which the content can change. */
const EDITABLE = ['DRAFT', 'SCHEDULED'] as const;
export type CampaignStatusName = (typeof CAMPAIGN_STATUSES)[number];

const isStatus = (value: string): value is CampaignStatusName => CAMPAIGN_STATUSES.some((status) => status === value);

export interface ListCampaigns extends PageRequest {
  status?: string;
  /** A case-insensitive substring of the name, the subject, or the sender's address. */
  search?: string;
  sort: 'createdAt' | 'name' | 'updatedAt';
  dir: 'asc' | 'desc';
}

/** @throws BAD_REQUEST (400) for an unknown status (specification, `GET /campaigns`) */
export async function listCampaigns(
  ctx: ApiContext,
  projectId: string,
  { page, pageSize, status, search, sort, dir }: ListCampaigns,
): Promise<Page<Campaign>> {
  if (status !== undefined && !isStatus(status))
    throw badRequest(`Unknown campaign status "${status.slice(0, 50)}". Use one of ${CAMPAIGN_STATUSES.join(', ')}.`);
  // Prisma does not escape the text for LIKE.
  const contains = { contains: search?.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
  const where: Prisma.CampaignWhereInput = {
    projectId,
    status,
    ...(search && { OR: [{ name: contains }, { subject: contains }, { from: contains }] }),
  };
  const [rows, total] = await Promise.all([
    ctx.prisma.campaign.findMany({
      where,
      orderBy: [{ [sort]: dir }, { id: dir }],
      skip: (page - 1) * pageSize,
      take: pageSize,
    }),
    ctx.prisma.campaign.count({ where }),
  ]);
  return toPage(await toListedCampaigns(ctx, rows), total, { page, pageSize });
}

/** Returns a campaign's row. @throws CAMPAIGN_NOT_FOUND (404) */
export async function requireCampaign({ prisma }: ApiContext, projectId: string, id: string): Promise<CampaignRow> {
  const row = await prisma.campaign.findUnique({ where: { projectId_id: { projectId, id } } });
  if (!row) throw notFound('CAMPAIGN');
  return row;
}

/** @throws CAMPAIGN_NOT_FOUND (404) */
export async function getCampaign(ctx: ApiContext, projectId: string, id: string): Promise<Campaign> {
  return toLiveCampaign(ctx, await requireCampaign(ctx, projectId, id));
}

const toData = <T extends ChangedContent>({
  audienceCondition,
  design,
  sendWindow,
  variants,
  test,
  ...content
}: T) => ({
  ...content,
  sendWindow: sendWindow === null ? Prisma.DbNull : { ...sendWindow },
  variants: variants ?? Prisma.DbNull,
  test: test ?? Prisma.DbNull,
  design: toStoredDesign(design),
  // The condition was parsed from a JSON body, so it is valid JSON.
  audienceCondition:
    audienceCondition === null ? Prisma.DbNull : (audienceCondition as unknown as Prisma.InputJsonObject),
});

/** Runs a write with a reference to a segment or template. Returns 404 if it was deleted since the check. */
async function referring<T>({ segmentId }: { segmentId: string | null }, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (sqlState(error) === '23503') throw notFound(segmentId === null ? 'TEMPLATE' : 'SEGMENT');
    throw error;
  }
}

/** @param draft lifts the required fields, the syntax check, and the check of the sender's domain */
export type SaveCampaign = CampaignInput & { draft?: boolean };

/**
 * Creates a campaign with the status DRAFT.
 *
 * @throws as readCampaign
 */
export async function createCampaign(
  ctx: ApiContext,
  projectId: string,
  { draft = false, ...input }: SaveCampaign,
): Promise<Campaign> {
  const content = await readCampaign(ctx, projectId, input, { draft });
  return toLiveCampaign(
    ctx,
    await referring(content, () =>
      ctx.prisma.campaign.create({ data: { id: newId(), projectId, ...toData(content) } }),
    ),
  );
}

/**
 * Replaces the content of a campaign that has not started. A scheduled campaign stays scheduled, and must be complete.
 *
 * @throws as readCampaign; CAMPAIGN_NOT_FOUND (404), CONFLICT (409, not DRAFT or SCHEDULED), PRECONDITION_FAILED (412,
 * another revision); for a scheduled campaign, VALIDATION_ERROR (422, a test with a winner at the local time of recipients) and
 * TEST_TOO_SMALL (422)
 */
export const replaceCampaign = (
  ctx: ApiContext,
  projectId: string,
  id: string,
  { draft = false, ...input }: SaveCampaign,
  expected: ExpectedRevisions = null,
): Promise<Campaign> =>
  changeContent(ctx, { projectId, id, expected }, ({ status }) =>
    readCampaign(ctx, projectId, input, { draft: draft && status !== 'SCHEDULED' }),
  );

/**
 * Changes the given fields of a campaign that has not started. A new template supplies the fields that have no value. A
 * draft stays one until it is saved with `draft: false`; without `draft`, only its given fields are checked. A scheduled
 * campaign must stay complete.
 *
 * @throws as replaceCampaign
 */
export const updateCampaign = (
  ctx: ApiContext,
  projectId: string,
  id: string,
  { draft, ...patch }: Partial<SaveCampaign>,
  expected: ExpectedRevisions = null,
): Promise<Campaign> =>
  changeContent(ctx, { projectId, id, expected }, async (row) => {
    const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
    // Only a template of the patch supplies fields, also the preheader if there is none.
    const { editor, design, body, ...others } = row;
    const { sendWindow, variants, test } = timingOf(row);
    const input = {
      ...others,
      sendWindow,
      variants,
      test,
      preheader: row.preheader ?? undefined,
      templateId: null,
      ...given,
    };
    const { templateId, ...content } = await readCampaign(ctx, projectId, input, {
      draft: row.status !== 'SCHEDULED' && (draft ?? row.draft),
      before: { editor, design: readDesign(design), body },
    });
    if (draft === undefined && row.draft)
      await requireValid(ctx, projectId, patch, content.body === body ? {} : content);
    return patch.templateId === undefined ? content : { ...content, templateId };
  });

/** The parts of a campaign that are stored as JSON and were checked before. */
const timingOf = ({ sendWindow, variants, test }: CampaignRow) => ({
  sendWindow: sendWindow as SendWindow | null,
  variants: variants as Variant[] | null,
  test: test as VariantTest | null,
});

/**
 * Checks the given fields of a draft, whose other fields can be incomplete.
 *
 * @throws VALIDATION_ERROR (422, syntax errors); 403 (the sender's domain is not verified)
 */
async function requireValid(
  { pool }: Context,
  projectId: string,
  { subject, preheader, from }: Partial<SaveCampaign>,
  { body, design }: Partial<CampaignContent>,
): Promise<void> {
  requireParsable({ subject, preheader, body, design });
  if (from) await requireVerifiedSender(pool, projectId, from);
}

/** `templateId` stays as it is if it is not given. */
type ChangedContent = Omit<CampaignContent, 'templateId'> & { templateId?: string | null };

interface ContentRef {
  projectId: string;
  id: string;
  expected: ExpectedRevisions;
}

/**
 * Checks the test that a scheduled campaign gets, as sending it does. What was forced stays allowed.
 *
 * @throws VALIDATION_ERROR (422, field `test`) for a test with a winner, which is sent to the rest at one moment, if recipients
 * get the campaign at their local time; TEST_TOO_SMALL (422) if its shares become smaller than the audience allows
 */
async function requireTestOfScheduled(ctx: Context, before: CampaignRow, content: ChangedContent): Promise<void> {
  if (!isPlainSplit(content.test) && isForRecipients(before.localSchedule as LocalSchedule | null))
    throw invalidField('test', 'cannot have a winner while the campaign is scheduled with timezone "recipient"');
  const contacts = minAudience(content);
  const { audienceType, type, segmentId, audienceCondition } = content;
  // A scheduled campaign has an audience.
  if (contacts <= minAudience(before) || audienceType === null) return;
  await wideQuery(ctx.pool, async (tx) => {
    const { projectId } = before;
    const audience = await campaignAudience(tx, { projectId, audienceType, type, segmentId, audienceCondition });
    await requireMinAudience(tx, audience, contacts);
  });
}

/** Stores the content that `read` returns for a campaign. Repeats it if the campaign changes in the meantime. */
async function changeContent(
  ctx: ApiContext,
  ref: ContentRef,
  read: (row: CampaignRow) => Promise<ChangedContent>,
): Promise<Campaign> {
  const { projectId, id, expected } = ref;
  // Checked first, so that an unknown campaign returns 404 for any body.
  const before = await requireCampaign(ctx, projectId, id);
  const content = await read(before);
  if (!EDITABLE.some((status) => status === before.status)) throw await wrongState(ctx, projectId, id, 'changed');
  requireRevision(before.revision, expected);
  if (before.status === 'SCHEDULED') await requireTestOfScheduled(ctx, before, content);
  const [row] = await referring(content, () =>
    ctx.prisma.campaign.updateManyAndReturn({
      // The content was checked for this revision and this status.
      where: { id, projectId, revision: before.revision, status: before.status },
      data: { ...toData(content), updatedAt: new Date() },
    }),
  );
  return row ? toLiveCampaign(ctx, row) : changeContent(ctx, ref, read);
}

/** Returns the error for a guarded update that changed no row: the campaign does not exist or is in another state. */
export async function wrongState(
  ctx: ApiContext,
  projectId: string,
  id: string,
  verb: 'changed' | 'sent' | 'cancelled' | 'retried',
): Promise<ApiError> {
  const { status } = await requireCampaign(ctx, projectId, id);
  return conflict(`A campaign with the status ${status} cannot be ${verb}.`, { details: { status } });
}

/**
 * Deletes a campaign. Its emails are kept.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); CONFLICT (409, it is SCHEDULED or SENDING, or its last emails are in flight);
 * PRECONDITION_FAILED (412, another revision)
 */
export async function deleteCampaign(
  ctx: Context,
  projectId: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  await withLockTimeout(ctx.pool, async (tx) => {
    const campaign = await lockCampaign(tx, projectId, id);
    if (!campaign) throw notFound('CAMPAIGN');
    if (campaign.active) throw conflict('The campaign is scheduled or sending. Cancel it first.');
    // An email in flight may need a retry, which would ignore the cancellation if the campaign did not exist.
    if ((await readOpenWork(tx, id)).isHeld)
      throw conflict('The last emails of the campaign are still in flight. Try again in a few seconds.');
    requireRevision(campaign.revision, expected);
    await deleteCampaignRow(tx, id);
  });
}

/** Creates a draft with the same content, named "… (copy)". @throws CAMPAIGN_NOT_FOUND (404) */
export async function duplicateCampaign(ctx: ApiContext, projectId: string, id: string): Promise<Campaign> {
  const copyId = newId();
  if (!(await copyCampaign(ctx.pool, projectId, id, copyId))) throw notFound('CAMPAIGN');
  return getCampaign(ctx, projectId, copyId);
}
