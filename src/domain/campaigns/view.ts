/** How a campaign is shown, and where its counters come from. */
import type { Context } from '../../context.js';
import { countCampaignEmails, countEmailsOfCampaigns, type CampaignCounters } from '../../db/sql/campaigns.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';

type ShownCounters = Pick<CampaignCounters, 'totalRecipients' | 'sentCount' | 'deliveredCount' | 'openedCount' | 'clickedCount' | 'bouncedCount'>;

/** A campaign as the API gives it. */
export type Campaign = ReturnType<typeof toCampaign>;

function toCampaign(row: CampaignRow, { totalRecipients, sentCount, deliveredCount, openedCount, clickedCount, bouncedCount }: ShownCounters) {
  return {
    id: row.id,
    projectId: row.projectId,
    name: row.name,
    description: row.description,
    subject: row.subject,
    body: row.body,
    from: row.from,
    fromName: row.fromName,
    replyTo: row.replyTo,
    type: row.type,
    status: row.status,
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

/** A campaign by itself, with the counters of this moment: opens, bounces and unsubscribes come for weeks after it was sent. */
export async function toLiveCampaign({ pool }: Context, row: CampaignRow): Promise<Campaign> {
  return toCampaign(row, await countCampaignEmails(pool, row.id));
}

/** Campaigns of a list. What is being sent is counted; of what has ended the row has the numbers of its end, whatever the size of the list. */
export async function toListedCampaigns({ pool }: Context, rows: CampaignRow[]): Promise<Campaign[]> {
  const live = await countEmailsOfCampaigns(
    pool,
    rows.filter(({ status }) => status === 'SENDING').map(({ id }) => id),
  );
  return rows.map((row) => toCampaign(row, live.get(row.id) ?? row));
}
