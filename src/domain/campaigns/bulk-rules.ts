/** The warning for campaigns to many recipients from a domain without SPF or DMARC (additions, section 7). */
import { usesReturnPaths } from '../../config.js';
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { ApiError } from '../../errors.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { findMissingRecords } from '../domains/authentication.js';
import { domainOf } from '../domains/sender.js';
import { selectCheckedRecords } from '../domains/sql.js';
import { readRecords } from '../domains/view.js';
import type { Problem } from '../problems.js';
import { campaignAudience, type Audience } from './audience.js';
import { countRecipientsUpTo } from './sql/campaigns.js';

/** Google counts senders of about this many emails per day as bulk senders. */
const BULK_RECIPIENTS = 5_000;
/** A condition of which so many contacts are not found in this time probably has fewer. */
const COUNT_TIMEOUT_MS = 500;
/** After this time, the other campaigns of a list are not counted. */
const LIST_TIMEOUT_MS = 1_000;

type Campaign = Pick<CampaignRow, 'id' | 'projectId' | 'type' | 'from' | 'audienceType' | 'segmentId'> & {
  audienceCondition: unknown;
};

/** Returns the warnings of campaigns of one project, by id. Reads stored results of the DNS, and never the DNS. */
export async function findBulkRuleProblems(
  ctx: Context,
  projectId: string,
  campaigns: readonly Campaign[],
): Promise<Map<string, Problem>> {
  const problems = new Map<string, Problem>();
  const bulk = campaigns.filter(({ type, from }) => type !== 'TRANSACTIONAL' && from !== null);
  const missingByDomain = await loadMissingRecords(ctx, projectId, bulk);
  const startedAt = performance.now();
  for (const campaign of bulk) {
    const domain = domainOf(campaign.from ?? '');
    const missing = missingByDomain.get(domain);
    if (!missing || performance.now() - startedAt > LIST_TIMEOUT_MS) continue;
    if (await hasManyRecipients(ctx, campaign)) problems.set(campaign.id, toProblem(domain, missing));
  }
  return problems;
}

/** Returns the missing records of the campaigns' domains. Complete domains are not in the result. */
async function loadMissingRecords(
  { pool, config }: Context,
  projectId: string,
  campaigns: readonly Campaign[],
): Promise<Map<string, string[]>> {
  const domains = new Set(campaigns.map(({ from }) => domainOf(from ?? '')));
  if (domains.size === 0) return new Map();
  const rows = await selectCheckedRecords(pool, projectId, [...domains]);
  const hasReturnPaths = usesReturnPaths(config);
  return new Map(
    rows
      .map(({ domain, ...row }): [string, string[]] => [
        domain,
        findMissingRecords({ ...row, records: readRecords(row) }, { hasReturnPaths }),
      ])
      .filter(([, missing]) => missing.length > 0),
  );
}

async function hasManyRecipients({ surveys }: Context, campaign: Campaign): Promise<boolean> {
  const { projectId, audienceType, segmentId, audienceCondition } = campaign;
  if (audienceType === null) return false;
  const audience: Audience = { projectId, audienceType, segmentId, audienceCondition };
  try {
    const count = await surveys.audiences.read(projectId, JSON.stringify(audience), async (tx) => {
      await tx.query(`SELECT set_config('statement_timeout', $1, true)`, [String(COUNT_TIMEOUT_MS)]);
      const clause = await campaignAudience(tx, { ...audience, type: campaign.type });
      return countRecipientsUpTo(tx, clause, BULK_RECIPIENTS + 1);
    });
    return count > BULK_RECIPIENTS;
  } catch (error) {
    // The segment was deleted, or the count took too long.
    if (error instanceof ApiError || sqlState(error) === '57014') return false;
    throw error;
  }
}

const toProblem = (domain: string, missing: readonly string[]): Problem => ({
  code: 'bulk_sender_rules',
  level: 'warning',
  message:
    `The campaign has more than ${BULK_RECIPIENTS.toLocaleString('en-US')} recipients, and the DNS has no valid ` +
    `${missing.join(' and no ')} record for ${domain}. Google, Yahoo, and Microsoft may reject the emails. Publish ` +
    `the records of the domain, and verify it again.`,
  path: 'from',
});
