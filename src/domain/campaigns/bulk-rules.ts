/** The warning for campaigns to many recipients from a domain without SPF or DMARC (additions, section 7). */
import type { PoolClient } from 'pg';
import { usesReturnPaths } from '../../config.js';
import type { Context } from '../../context.js';
import { sqlState } from '../../db/errors.js';
import { prepareWideQuery } from '../../db/wide-query.js';
import { ApiError } from '../../errors.js';
import type { Campaign as CampaignRow } from '../../generated/prisma/client.js';
import { findMissingRecords } from '../domains/authentication.js';
import { domainOf } from '../domains/sender.js';
import { selectCheckedRecords } from '../domains/sql.js';
import { readRecords } from '../domains/view.js';
import type { Problem } from '../problems.js';
import { campaignAudience, type Audience } from './audience.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { isLargerThan } from './sql/campaigns.js';

/** Google counts senders of about this many emails per day as bulk senders. */
const BULK_RECIPIENTS = 5_000;
/** Most audiences have so many contacts early in the index. */
const WALK_TIMEOUT_MS = 100;
/** Finding all contacts of a condition takes at most a second with a million contacts. */
const COUNT_TIMEOUT_MS = 2_000;
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
  const key = JSON.stringify(audience);
  try {
    const { isLarge } = await surveys.audiences.read(projectId, key, async (tx) => ({
      isLarge: await isLargeAudience(tx, { ...audience, type: campaign.type }),
    }));
    return isLarge;
  } catch (error) {
    // The segment was deleted.
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Reads along the index first. If this takes too long, finds all contacts of the audience. */
async function isLargeAudience(tx: PoolClient, audience: Audience & { type: EmailTypeName }): Promise<boolean> {
  const walked = await withTimeout(tx, WALK_TIMEOUT_MS, async () => {
    await prepareWideQuery(tx, { inIndexOrder: true });
    const clause = await campaignAudience(tx, audience, { use: 'walk' });
    return isLargerThan(tx, clause, BULK_RECIPIENTS, { inIndexOrder: true });
  });
  if (walked !== null) return walked;
  const found = await withTimeout(tx, COUNT_TIMEOUT_MS, async () =>
    isLargerThan(tx, await campaignAudience(tx, audience), BULK_RECIPIENTS),
  );
  return found ?? false;
}

/** Runs statements with a time limit for each. After it, restores the settings of the transaction and returns null. */
async function withTimeout<T>(tx: PoolClient, timeoutMs: number, work: () => Promise<T>): Promise<T | null> {
  await tx.query('SAVEPOINT timed');
  try {
    await tx.query(`SELECT set_config('statement_timeout', $1, true)`, [String(timeoutMs)]);
    return await work();
  } catch (error) {
    if (sqlState(error) !== '57014') throw error;
    await tx.query('ROLLBACK TO SAVEPOINT timed');
    return null;
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
