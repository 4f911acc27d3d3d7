/** Who wins a variant test: by its figures after a time, or by a request. One guarded update decides. */
import type { ApiContext, Context } from '../../context.js';
import { enqueue } from '../../db/outbox.js';
import { transaction } from '../../db/pool.js';
import { conflict } from '../../errors.js';
import { managersOf } from '../billing/sql/billing.js';
import { platformBody, queuePlatformEmail } from '../platform/emails.js';
import { campaignPoke, type CampaignRun } from './intents.js';
import { requireCampaign } from './manage.js';
import { isSignificantlyHigher, rateOf, wilsonInterval } from './significance.js';
import { makeManual, noteTestSent, storeDecision, variantFigures, type VariantFigures } from './sql/variants.js';
import {
  decide,
  isPlainSplit,
  requireVariant,
  type Decision,
  type Variant,
  type VariantShare,
  type VariantTest,
} from './variants.js';

const HOUR_MS = 3_600_000;

const NO_WINNER = {
  subject: 'The test of {{ campaign }} has no winner',
  body: platformBody('A test has no winner', [
    'No email of the test of the campaign {{ campaign }} could be sent. The rest of the audience waits.',
    'See why the emails failed. You can choose a version nevertheless, or cancel the campaign:',
  ]),
};

const eventOf = ({ metric }: VariantTest): string | null =>
  metric.startsWith('event:') ? metric.slice('event:'.length) : null;

const successesOf = ({ opened, clicked, converted }: VariantFigures, { metric }: VariantTest): number =>
  metric === 'opens' ? opened : metric === 'clicks' ? clicked : converted;

async function readShares({ pool }: Context, run: CampaignRun, test: VariantTest): Promise<VariantShare[]> {
  const figures = await variantFigures(pool, run, eventOf(test));
  return figures.map((one) => ({
    id: one.id,
    trials: one.sent,
    successes: successesOf(one, test),
    hasFailed: one.sent === 0 && one.failed > 0,
  }));
}

/** What a campaign's workflow does after the emails of its test. */
export interface TestStep {
  /** Whether the rest can be sent. */
  isDecided: boolean;
  /** When to look again, in milliseconds since 1970; null: when it is poked. */
  at: number | null;
  /** `test 2 of 3 h: a 4.1%, b 5.6%` */
  summary: string;
}

/**
 * Decides a test whose emails all have a result, if it is automatic and its time has come.
 *
 * @param now the time of the Temporal workflow, which waits
 */
export async function advanceTest(ctx: Context, run: CampaignRun, now: Date): Promise<TestStep> {
  const state = await noteTestSent(ctx.pool, run, now);
  if (!state?.test || state.decision) return { isDecided: true, at: null, summary: '' };
  const { test, sentAt } = state;
  const shares = await readShares(ctx, run, test);
  const elapsed = (now.getTime() - sentAt.getTime()) / HOUR_MS;
  const rates = shares.map((share) => `${share.id} ${(rateOf(share) * 100).toFixed(1)}%`).join(', ');
  const waiting = { isDecided: false, at: null, summary: `test waits for its winner: ${rates}` };
  if (test.decide === 'auto' && elapsed >= test.after) {
    const decided = decide(shares, test.ifTied);
    if (decided === null) {
      await leaveToManagers(ctx, run);
      return waiting;
    }
    await storeDecision(ctx.pool, run, { ...decided, by: 'auto', at: now.toISOString() });
    return { isDecided: true, at: null, summary: '' };
  }
  return test.decide === 'auto'
    ? {
        isDecided: false,
        at: sentAt.getTime() + test.after * HOUR_MS,
        summary: `test ${Math.floor(elapsed)} of ${test.after} h: ${rates}`,
      }
    : waiting;
}

/**
 * Leaves the decision about a test of which nothing could be sent to the project's owner and admins, who get one email. The rest
 * waits.
 */
async function leaveToManagers(ctx: Context, { campaignId, projectId }: CampaignRun): Promise<void> {
  const { pool, config, log } = ctx;
  const isLeft = await transaction(pool, async (tx) => {
    const campaign = await makeManual(tx, campaignId);
    if (campaign === null) return false;
    const variables = { campaign, link: `${config.DASHBOARD_URL}/projects/${projectId}/campaigns/${campaignId}` };
    for (const to of await managersOf(tx, projectId))
      await queuePlatformEmail(tx, config, { to, ...NO_WINNER, variables });
    return true;
  });
  if (!isLeft) return;
  log.warn(
    { campaignId, projectId },
    'No email of a test could be sent. The rest of the campaign waits for a decision',
  );
  ctx.wake('emails');
}

/**
 * Chooses the winner of a test. The rest of the audience then gets it.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); VALIDATION_ERROR (422, field `variant`); CONFLICT (409, with the status and the decision) if
 * there is no test, before the snapshot is complete, and after the decision
 */
export async function chooseWinner(ctx: ApiContext, projectId: string, id: string, variant: string): Promise<Decision> {
  const campaign = await requireCampaign(ctx, projectId, id);
  const variants = (campaign.variants ?? []) as unknown as Variant[];
  if (variants.length > 0) requireVariant(variants, variant);
  const decision: Decision = { variant, by: 'manual', significant: null, at: new Date().toISOString() };
  const isStored = await transaction(ctx.pool, async (tx) => {
    const attempt = await storeDecision(tx, { projectId, campaignId: id }, decision);
    if (attempt === null) return false;
    await enqueue(tx, [campaignPoke({ campaignId: id, projectId, attempt })]);
    return true;
  });
  if (!isStored) throw await undecidable(ctx, projectId, id);
  ctx.wake('outbox');
  return decision;
}

async function undecidable(ctx: ApiContext, projectId: string, id: string) {
  const { status, test, decision } = await requireCampaign(ctx, projectId, id);
  const details = { status, decision };
  if (isPlainSplit(test as VariantTest | null)) return conflict('The campaign has no test with a winner.', { details });
  if (decision !== null) return conflict('The winner of the test is already chosen.', { details });
  return conflict('The test has not begun, or the campaign has ended.', { details });
}

/** The results of a variant in a test. */
export interface VariantStats extends VariantFigures {
  /** What the test counts, as a fraction of `sent`, with its confidence interval for 95%. */
  rate: number;
  interval: { low: number; high: number };
  /** Whether the rate is higher than all others at a level of 95%. */
  significant: boolean;
  isWinner: boolean;
}

/** Returns the results of each variant of a campaign; empty without variants. */
export async function variantStats(
  ctx: Context,
  campaign: { projectId: string; campaignId: string },
  test: VariantTest | null,
  decision: Decision | null,
): Promise<VariantStats[]> {
  const counted = test ?? { share: 100, metric: 'clicks', after: 0, decide: 'manual' as const };
  const figures = await variantFigures(ctx.pool, campaign, eventOf(counted));
  const shares = figures.map((one) => ({ successes: successesOf(one, counted), trials: one.sent }));
  return figures.map((one, index) => {
    const share = { successes: successesOf(one, counted), trials: one.sent };
    const others = shares.filter((_, other) => other !== index);
    return {
      ...one,
      rate: rateOf(share),
      interval: wilsonInterval(share),
      significant: others.every((other) => isSignificantlyHigher(share, other)),
      isWinner: one.id === decision?.variant,
    };
  });
}
