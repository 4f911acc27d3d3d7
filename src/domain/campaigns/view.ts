/** The API's view of a campaign, and the source of its counters. */
import type { Context } from '../../context.js';
import { figuresOfCampaigns, type CampaignFigures } from '../analytics/sql/figures.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { readDesign } from '../content/stored-design.js';
import type { Problem } from '../problems.js';
import { REVISION } from '../revisions.js';
import type { SendWindow } from '../send-window.js';
import type { LocalSchedule } from './local-schedule.js';
import type { Decision, Variant, VariantTest } from './variants.js';
import { listCampaignProblems } from './problems.js';

/** A campaign in API responses. */
export type Campaign = ReturnType<typeof toCampaign>;

function toCampaign(
  row: CampaignRow,
  {
    totalRecipients,
    sentCount,
    deliveredCount,
    openedCount,
    clickedCount,
    bouncedCount,
  }: Omit<CampaignFigures, 'complainedCount'>,
  problems: Problem[],
) {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    subject: row.subject,
    preheader: row.preheader,
    editor: row.editor,
    design: readDesign(row.design),
    body: row.body,
    from: row.from,
    fromName: row.fromName,
    replyTo: row.replyTo,
    type: row.type,
    status: row.status,
    draft: row.draft,
    [REVISION]: row.revision,
    audienceType: row.audienceType,
    segmentId: row.segmentId,
    audienceCondition: row.audienceCondition,
    templateId: row.templateId,
    scheduledFor: row.scheduledFor,
    localSchedule: row.localSchedule as LocalSchedule | null,
    sendWindow: row.sendWindow as SendWindow | null,
    variants: row.variants as Variant[] | null,
    test: row.test as VariantTest | null,
    decision: row.decision as Decision | null,
    sentAt: row.sentAt,
    totalRecipients,
    sentCount,
    deliveredCount,
    openedCount,
    clickedCount,
    bouncedCount,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    problems,
  };
}

/** Returns a campaign with its current figures. Opens and bounces arrive for weeks after sending. */
export async function toLiveCampaign(ctx: Context, row: CampaignRow): Promise<Campaign> {
  const [campaign] = await toListedCampaigns(ctx, [row]);
  return campaign ?? toCampaign(row, row, []);
}

/** Returns the campaigns of one project with their current figures and their problems. */
export async function toListedCampaigns(ctx: Context, rows: CampaignRow[]): Promise<Campaign[]> {
  const [first] = rows;
  if (!first) return [];
  const { projectId } = first;
  const ids = rows.map(({ id }) => id);
  const [figures, problems] = await Promise.all([
    figuresOfCampaigns(ctx.pool, projectId, ids),
    listCampaignProblems(ctx, projectId, rows),
  ]);
  return rows.map((row, index) => toCampaign(row, figures.get(row.id) ?? row, problems[index] ?? []));
}
