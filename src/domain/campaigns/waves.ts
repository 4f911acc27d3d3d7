/** The waves of a campaign at the reader's local time (`GET /campaigns/:id/waves`). */
import type { ApiContext } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import { wideQuery } from '../../db/wide-query.js';
import { knownTimezones } from '../timezone.js';
import { campaignAudience } from './audience.js';
import { RECIPIENT, type SendWindow } from '../send-window.js';
import { isForRecipients, type LocalSchedule } from './local-schedule.js';
import { requireCampaign } from './manage.js';
import { requireComplete } from './problems.js';
import { readTiming, selectDues, type ZoneDue } from './sql/timing.js';
import { countZones, selectWaves, type WaveRow } from './sql/waves.js';

/** What determines when the emails of a campaign are due. */
export interface Timing {
  localSchedule: LocalSchedule | null;
  sendWindow: SendWindow | null;
  /** The time zone of the project. */
  timezone: string;
}

export interface Dues {
  /** For each time zone, if the moment depends on that of the recipient. */
  dues: ZoneDue[];
  /** For other recipients. */
  fallback: ZoneDue;
}

/** Returns when the emails of a campaign are due; null: immediately, without waves. */
export async function readDues(
  db: Queryable,
  { localSchedule, sendWindow, timezone }: Timing,
  begunAt: Date,
): Promise<Dues | null> {
  const local = isForRecipients(localSchedule) ? localSchedule : null;
  if (local === null && sendWindow === null) return null;
  const rule = { time: local?.time ?? null, past: local?.past ?? 'next_day', begunAt, sendWindow } as const;
  const ofRecipients = local !== null || sendWindow?.timezone === RECIPIENT;
  const wanted = local?.fallbackTimezone ?? (ofRecipients ? timezone : (sendWindow?.timezone ?? timezone));
  const zones = await knownTimezones(db);
  // The zone may have disappeared from the database since it was chosen.
  const fallbackZone = zones.find((zone) => zone.toLowerCase() === wanted.toLowerCase()) ?? 'UTC';
  const dues = await selectDues(db, rule, ofRecipients ? zones : [fallbackZone]);
  const fallback = dues.find(({ zone }) => zone === fallbackZone) ?? { zone: fallbackZone, due: begunAt };
  return { dues: ofRecipients ? dues : [], fallback };
}

export interface CampaignWaves {
  data: WaveRow[];
  /** Whether the audience can still change: the snapshot is taken when sending begins. */
  isForecast: boolean;
}

/**
 * Returns the waves of a campaign, first the one that is due first. Before sending begins, they are a forecast for the
 * audience as it is now. Empty for a campaign that is sent to all recipients immediately.
 *
 * @throws CAMPAIGN_NOT_FOUND (404)
 */
export async function listWaves(ctx: ApiContext, projectId: string, id: string): Promise<CampaignWaves> {
  const campaign = await requireCampaign(ctx, projectId, id);
  if (campaign.status !== 'SCHEDULED')
    return { data: await selectWaves(ctx.pool, { projectId, campaignId: id }), isForecast: false };
  const begunAt = new Date(Math.max(Date.now(), campaign.scheduledFor?.getTime() ?? 0));
  const timing = await readTiming(ctx.pool, id);
  const plan = timing && (await readDues(ctx.pool, timing, begunAt));
  if (!plan) return { data: [], isForecast: false };
  const { dues, fallback } = plan;
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
