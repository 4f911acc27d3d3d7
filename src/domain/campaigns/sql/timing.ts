/** When the emails of a campaign are due: its schedule, its send window, and the time zones of recipients. */
import type { Queryable } from '../../../db/pool.js';
import { SEND_WINDOW } from '../../delivery/sql/campaigns.js';
import { RECIPIENT, type SendWindow } from '../../send-window.js';
import { zoneForDatabase } from '../../timezone.js';
import type { LocalSchedule, RecipientSchedule } from '../local-schedule.js';

/** The time zone of a project. */
export async function selectTimezone(db: Queryable, projectId: string): Promise<string> {
  const { rows } = await db.query<{ timezone: string }>({
    name: 'project-timezone',
    text: `SELECT timezone FROM projects WHERE id = $1`,
    values: [projectId],
  });
  return rows[0]?.timezone ?? 'UTC';
}

/** Returns what determines when the emails of a campaign are due; null if it does not exist. */
export async function readTiming(
  db: Queryable,
  campaignId: string,
): Promise<{ localSchedule: LocalSchedule | null; sendWindow: SendWindow | null; timezone: string } | null> {
  const { rows } = await db.query<{
    localSchedule: LocalSchedule | null;
    sendWindow: SendWindow | null;
    timezone: string;
  }>({
    name: 'campaign-timing',
    text: `SELECT c.local_schedule AS "localSchedule", ${SEND_WINDOW} AS "sendWindow", p.timezone
             FROM campaigns c JOIN projects p ON p.id = c.project_id WHERE c.id = $1`,
    values: [campaignId],
  });
  return rows[0] ?? null;
}

/** When the local time of a schedule is due in a time zone; null: recipients there are skipped. */
export interface ZoneDue {
  zone: string;
  due: Date | null;
}

export interface DueRule {
  /** The local time; null: the beginning. */
  time: string | null;
  past: RecipientSchedule['past'];
  /** The beginning, from which on a local time is not past. */
  begunAt: Date;
  /** The hours in which email may be sent; null: always. */
  sendWindow: SendWindow | null;
}

/** Returns when emails are due in each of the time zones, by PostgreSQL's rule for changes of clocks (timezone.ts). */
export async function selectDues(
  db: Queryable,
  { time, past, begunAt, sendWindow }: DueRule,
  zones: readonly string[],
): Promise<ZoneDue[]> {
  const { rows } = await db.query<ZoneDue>(
    `SELECT z.name AS zone,
            CASE WHEN $6::jsonb IS NULL THEN s.due
                 ELSE next_open($6, s.due, coalesce($7, z.stored)) END AS due
       FROM unnest($4::text[], $5::text[]) AS z(name, stored)
      CROSS JOIN LATERAL (SELECT coalesce($1::timestamp AT TIME ZONE z.stored, $2) AS due) d
      CROSS JOIN LATERAL (
     SELECT CASE WHEN d.due >= $2 THEN d.due
                 WHEN $3 = 'now' THEN $2
                 -- A local time that is past everywhere else by one day can be past by 26 hours here.
                 WHEN $3 = 'next_day' THEN (SELECT min(n.due)
                                              FROM generate_series(1, 3) AS day(number)
                                             CROSS JOIN LATERAL (
                                               SELECT ($1::timestamp + day.number * interval '1 day') AT TIME ZONE z.stored AS due) n
                                             WHERE n.due >= $2)
                 END AS due) s`,
    [time, begunAt, past, zones, zones.map(zoneForDatabase), sendWindow, fixedZone(sendWindow)],
  );
  return rows;
}

/** The time zone of a window, as PostgreSQL knows it; null if that of each recipient counts. */
const fixedZone = (sendWindow: SendWindow | null): string | null =>
  sendWindow === null || sendWindow.timezone === RECIPIENT ? null : zoneForDatabase(sendWindow.timezone);
