/** The waves of a campaign at the reader's local time (`GET /campaigns/:id/waves`). */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { wideQuery } from '../../db/wide-query.js';
import { knownTimezones } from '../timezone.js';
import { campaignAudience } from './audience.js';
import { isForRecipients, type LocalSchedule, type RecipientSchedule } from './local-schedule.js';
import { requireCampaign } from './manage.js';
import { requireComplete } from './problems.js';
import { countZones, selectDues, selectWaves, type WaveRow, type ZoneDue } from './sql/waves.js';

/** Returns when a schedule is due in each time zone, and for recipients without one. */
export async function readDues(
  db: Queryable,
  schedule: RecipientSchedule,
  begunAt: Date,
): Promise<{ dues: ZoneDue[]; fallback: ZoneDue }> {
  const dues = await selectDues(db, schedule, await knownTimezones(db), begunAt);
  const key = schedule.fallbackTimezone.toLowerCase();
  const fallback = dues.find(({ zone }) => zone.toLowerCase() === key) ??
    // The zone disappeared from the database since it was chosen.
    dues.find(({ zone }) => zone === 'UTC') ?? { zone: 'UTC', due: begunAt };
  return { dues, fallback };
}

export interface CampaignWaves {
  data: WaveRow[];
  /** Whether the audience can still change: the snapshot is taken when sending begins. */
  isForecast: boolean;
}

/**
 * Returns the waves of a campaign, first the one that is due first. Before sending begins, they are a forecast for the
 * audience as it is now. Empty without a schedule in the recipient's time zone.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function listWaves(ctx: Context, projectId: string, id: string): Promise<CampaignWaves> {
  const campaign = await requireCampaign(ctx, projectId, id);
  const schedule = campaign.localSchedule as LocalSchedule | null;
  if (!isForRecipients(schedule)) return { data: [], isForecast: false };
  if (campaign.status !== 'SCHEDULED') return { data: await selectWaves(ctx.pool, id), isForecast: false };
  const { dues, fallback } = await readDues(ctx.pool, schedule, new Date());
  const complete = requireComplete(campaign);
  const counts = await wideQuery(ctx.pool, async (tx) =>
    countZones(
      tx,
      await campaignAudience(tx, complete),
      dues.map(({ zone }) => zone),
    ),
  );
  return { data: forecast(counts, dues, fallback), isForecast: true };
}

/** Groups the contacts of each zone by the moment at which they are due. */
function forecast(
  counts: ReadonlyArray<{ zone: string | null; count: number }>,
  dues: readonly ZoneDue[],
  fallback: ZoneDue,
): WaveRow[] {
  const dueOf = new Map(dues.map(({ zone, due }) => [zone, due]));
  const waves = new Map<number, WaveRow & { countOf: Map<string, number> }>();
  for (const { zone: known, count } of counts) {
    const zone = known ?? fallback.zone;
    const at = known === null ? fallback.due : (dueOf.get(known) ?? null);
    if (at === null) continue;
    const wave = waves.get(at.getTime()) ?? { at, zones: [], total: 0, fallback: 0, sent: 0, countOf: new Map() };
    wave.countOf.set(zone, (wave.countOf.get(zone) ?? 0) + count);
    wave.total += count;
    if (known === null) wave.fallback += count;
    waves.set(at.getTime(), wave);
  }
  return [...waves.values()]
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .map(({ countOf, ...wave }) => ({ ...wave, zones: byCount(countOf) }));
}

const byCount = (countOf: Map<string, number>): string[] =>
  [...countOf].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([zone]) => zone);
