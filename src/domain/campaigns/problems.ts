/** The problems of a campaign: those of its content, a missing audience, and the rules of bulk senders. */
import type { Context } from '../../context.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { listContentErrors, listContentProblems } from '../content/facts.js';
import { isIncomplete, type Content } from '../content/problems.js';
import { requireUsable, type Problem } from '../problems.js';
import { findBulkRuleProblems } from './bulk-rules.js';

type Audience = Pick<CampaignRow, 'audienceType' | 'segmentId'> & { audienceCondition: unknown };

/** Whether a campaign lacks a required field, or has a text that does not parse. Such a campaign is only a draft. */
export const isIncompleteCampaign = (campaign: Content & Audience): boolean =>
  isIncomplete(campaign) || findAudienceProblems(campaign).length > 0;

/** Returns the problems of each campaign of one project. A campaign that was sent has none. */
export async function listCampaignProblems(
  ctx: Context,
  projectId: string,
  campaigns: readonly CampaignRow[],
): Promise<Problem[][]> {
  const open = campaigns.filter(({ status }) => status === 'DRAFT' || status === 'SCHEDULED');
  const [problems, bulkProblems] = await Promise.all([
    listContentProblems(ctx, projectId, open, 'campaign'),
    findBulkRuleProblems(ctx, projectId, open),
  ]);
  const byId = new Map(
    open.map((campaign, index) => {
      const bulkProblem = bulkProblems.get(campaign.id);
      const found = [...(problems[index] ?? []), ...findAudienceProblems(campaign)];
      return [campaign.id, bulkProblem ? [...found, bulkProblem] : found];
    }),
  );
  return campaigns.map(({ id }) => byId.get(id) ?? []);
}

/** A stored campaign that has every required field. */
export type CompleteCampaign = CampaignRow & {
  [Field in 'subject' | 'body' | 'from' | 'audienceType']: NonNullable<CampaignRow[Field]>;
};

/**
 * Checks a campaign before it is sent. A campaign that was saved without `draft` was checked then.
 *
 * @throws VALIDATION_ERROR (422) that lists the errors of a draft
 */
export async function requireSendableContent(ctx: Context, campaign: CampaignRow): Promise<CompleteCampaign> {
  if (campaign.draft) {
    const [errors = []] = await listContentErrors(ctx.pool, campaign.projectId, [campaign]);
    requireUsable([...errors, ...findAudienceProblems(campaign)], 'The campaign cannot be sent.');
  }
  return requireComplete(campaign);
}

/** Returns a campaign that is not an incomplete draft. */
export function requireComplete(campaign: CampaignRow): CompleteCampaign {
  const { subject, body, from, audienceType } = campaign;
  if (subject === null || body === null || from === null || audienceType === null)
    throw new Error('A complete campaign lacks a field');
  return { ...campaign, subject, body, from, audienceType };
}

function findAudienceProblems({ audienceType, segmentId, audienceCondition }: Audience): Problem[] {
  const missing = (message: string, path: string): Problem[] => [
    { code: 'missing_audience', level: 'error', message, path },
  ];
  if (audienceType === null) return missing('The audience is missing.', 'audienceType');
  if (audienceType === 'SEGMENT' && segmentId === null)
    return missing('The segment of the audience is missing, or was deleted.', 'segmentId');
  if (audienceType === 'FILTERED' && audienceCondition === null)
    return missing('The condition of the audience is missing.', 'audienceCondition');
  return [];
}
