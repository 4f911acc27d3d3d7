/** How a campaign is shown, and where its counters come from. */
import type { Context } from '../../context.js';
import { countEmailsOfCampaigns, type CampaignCounters } from '../../db/sql/campaigns.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';

/** A campaign as the API gives it. */
export type Campaign = ReturnType<typeof toCampaign>;

function toCampaign(row: CampaignRow, { totalRecipients, sentCount, deliveredCount, openedCount, clickedCount, bouncedCount }: CampaignCounters) {
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

/** While a campaign runs, and after a cancellation left it half done, its emails are counted; else its row has the numbers. */
const isCountedLive = ({ status }: CampaignRow): boolean => status === 'SENDING' || status === 'CANCELLED';

function storedCounters(row: CampaignRow): CampaignCounters {
  return {
    totalRecipients: row.totalRecipients,
    sentCount: row.sentCount,
    deliveredCount: row.deliveredCount,
    openedCount: row.openedCount,
    clickedCount: row.clickedCount,
    bouncedCount: row.bouncedCount,
    complainedCount: row.complainedCount,
    unsubscribedCount: row.unsubscribedCount,
    failedCount: row.failedCount,
    pendingCount: 0,
    // A campaign is SENT when each email is final: what neither left nor failed was cancelled, for a contact who had unsubscribed meanwhile.
    cancelledCount: Math.max(0, row.totalRecipients - row.sentCount - row.failedCount),
  };
}

/** The counters of campaigns, in their order. */
export async function countersOf({ pool }: Context, rows: CampaignRow[]): Promise<CampaignCounters[]> {
  const live = await countEmailsOfCampaigns(
    pool,
    rows.filter(isCountedLive).map(({ id }) => id),
  );
  return rows.map((row) => live.get(row.id) ?? storedCounters(row));
}

export async function toCampaigns(ctx: Context, rows: CampaignRow[]): Promise<Campaign[]> {
  const counters = await countersOf(ctx, rows);
  return rows.map((row, index) => toCampaign(row, counters[index] ?? storedCounters(row)));
}
