/** The figures of a campaign's waves: what is due when, and how much of it is sent. */
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import { ZONE_OF_CONTACT } from '../../contacts/timezone.js';

/** The recipients of a campaign that are due at the same moment. */
export interface WaveRow {
  at: Date;
  /** That with the most recipients first. */
  zones: string[];
  total: number;
  /** Recipients without a known time zone. */
  fallback: number;
  sent: number;
}

/** Returns the waves of a campaign whose snapshot has begun, in the order of their moments. */
export async function selectWaves(
  db: Queryable,
  { projectId, campaignId }: { projectId: string; campaignId: string },
): Promise<WaveRow[]> {
  const { rows } = await db.query<WaveRow>({
    name: 'campaign-waves',
    text: `SELECT w.due_at AS at, w.zones, w.total, w.fallback, (w.sent + coalesce(d.sent, 0))::int AS sent
             FROM campaign_waves w
             LEFT JOIN (
               SELECT wave, sum(sent) AS sent FROM stat_deltas
                WHERE project_id = $1 AND campaign_id = $2 AND wave IS NOT NULL GROUP BY wave
             ) d ON d.wave = w.due_at
            WHERE w.campaign_id = $2 AND w.total > 0 ORDER BY w.due_at`,
    values: [projectId, campaignId],
  });
  return rows;
}

/** Returns the number of a campaign's recipients without a known time zone. */
export async function countFallback(db: Queryable, campaignId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'campaign-fallback-zone',
    text: `SELECT coalesce(sum(fallback), 0)::int AS count FROM campaign_waves WHERE campaign_id = $1`,
    values: [campaignId],
  });
  return rows[0]?.count ?? 0;
}

/** Returns the number of an audience's contacts by time zone, for the zones `known` and for the others. */
export async function countZones(
  db: Queryable,
  audience: ContactClause,
  known: readonly string[],
): Promise<Array<{ zone: string | null; count: number }>> {
  const { rows } = await db.query<{ zone: string | null; count: number }>(
    `SELECT k.zone, sum(c.count)::bigint AS count
       FROM (SELECT ${ZONE_OF_CONTACT} AS key, count(*) AS count FROM contacts c WHERE ${audience.sql} GROUP BY 1) c
       LEFT JOIN (SELECT lower(zone) AS key, zone FROM unnest($${audience.values.length + 1}::text[]) AS k(zone)) k ON k.key = c.key
      GROUP BY k.zone ORDER BY 2 DESC, 1`,
    [...audience.values, known],
  );
  return rows;
}

/** The next wave of a campaign, for people. */
export interface NextWave {
  number: number;
  waves: number;
  /** The zone with the most recipients. */
  zone: string;
  recipients: number;
}

/** Describes the wave that is due at a moment; null if there is none. */
export async function describeWave(db: Queryable, campaignId: string, dueAt: Date): Promise<NextWave | null> {
  const { rows } = await db.query<NextWave>({
    name: 'campaign-wave-describe',
    text: `SELECT count(*) FILTER (WHERE o.due_at <= w.due_at)::int AS number, count(*)::int AS waves,
                  w.zones[1] AS zone, w.total AS recipients
             FROM campaign_waves w JOIN campaign_waves o ON o.campaign_id = w.campaign_id
            WHERE w.campaign_id = $1 AND w.due_at = $2 AND o.total > 0 GROUP BY w.campaign_id, w.due_at`,
    values: [campaignId, dueAt],
  });
  return rows[0] ?? null;
}
