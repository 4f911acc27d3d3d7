/** The API's view of a campaign, and the source of its counters. */
import type { Context } from '../../context.js';
import { figuresOfCampaigns, type CampaignFigures } from '../analytics/sql/figures.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { REVISION } from '../revisions.js';

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
) {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    subject: row.subject,
    preheader: row.preheader,
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
    sentAt: row.sentAt,
    totalRecipients,
    sentCount,
    deliveredCount,
    openedCount,
    clickedCount,
    bouncedCount,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** Returns a campaign with its current figures. Opens and bounces arrive for weeks after sending. */
export async function toLiveCampaign(ctx: Context, row: CampaignRow): Promise<Campaign> {
  const [campaign] = await toListedCampaigns(ctx, [row]);
  return campaign ?? toCampaign(row, row);
}

/** Returns the campaigns of one project with their current figures. */
export async function toListedCampaigns({ pool }: Context, rows: CampaignRow[]): Promise<Campaign[]> {
  const figures = await figuresOfCampaigns(
    pool,
    rows[0]?.projectId ?? '',
    rows.map(({ id }) => id),
  );
  return rows.map((row) => toCampaign(row, figures.get(row.id) ?? row));
}
