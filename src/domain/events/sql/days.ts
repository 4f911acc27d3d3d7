/**
 * Counts of events by UTC day. Each statement that inserts or deletes events appends deltas (count_events in
 * src/db/functions), because a row that every event increments would serialize them. Housekeeping folds the deltas into
 * days. Readers add days and unfolded deltas in one statement, so a fold does not change a sum.
 */
import type { Queryable } from '../../../db/pool.js';
import { nameClauses, type EventChoice } from './choice.js';

const FOLD = `
WITH turn AS MATERIALIZED (
  -- One fold at a time: concurrent folds would wait for each other's days.
  SELECT pg_try_advisory_xact_lock(hashtextextended('fold events', 0)) AS mine
), taken AS (
  DELETE FROM event_deltas WHERE id = ANY (ARRAY(SELECT id FROM event_deltas WHERE (SELECT mine FROM turn) ORDER BY id LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING *
), days AS (
  INSERT INTO event_days AS d (project_id, day, name, count, expired)
  -- Deltas of a deleted project are dropped.
  SELECT t.project_id, t.day, t.name, sum(t.count), sum(t.expired) FROM taken t JOIN projects p ON p.id = t.project_id
   GROUP BY t.project_id, t.day, t.name ORDER BY t.project_id, t.day, t.name
  ON CONFLICT (project_id, day, name) DO UPDATE SET count = d.count + excluded.count, expired = d.expired + excluded.expired
)
SELECT count(*)::int AS count FROM taken`;

/** Folds up to `limit` deltas unless another fold is running. @returns their number */
export async function foldEvents(db: Queryable, limit: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>({ name: 'events-fold', text: FOLD, values: [limit] });
  return rows[0]?.count ?? 0;
}

/** `from` is included, `until` is not. */
export interface TimeRange {
  from?: Date;
  until?: Date;
}

/** UTC days in the form `2026-03-10`, both included. */
export interface DayRange {
  first?: string;
  last?: string;
}

const DAY = 24 * 3600 * 1000;
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** A range, split into its whole days, which are rolled up, and the partial days at its ends, counted from events. */
export interface SplitRange {
  /** null if the range contains no whole day. */
  days: DayRange | null;
  edges: TimeRange[];
}

export function splitRange({ from, until }: TimeRange): SplitRange {
  const begin = from && Math.ceil(from.getTime() / DAY) * DAY;
  const end = until && Math.floor(until.getTime() / DAY) * DAY;
  if (from && until && begin !== undefined && end !== undefined && begin >= end)
    return { days: null, edges: from < until ? [{ from, until }] : [] };
  return {
    days: { ...(begin !== undefined && { first: dayOf(begin) }), ...(end !== undefined && { last: dayOf(end - DAY) }) },
    edges: [
      ...(from && begin !== undefined && from.getTime() < begin ? [{ from, until: new Date(begin) }] : []),
      ...(until && end !== undefined && end < until.getTime() ? [{ from: new Date(end), until }] : []),
    ],
  };
}

export function dayClauses({ first, last }: DayRange, values: unknown[]): string[] {
  return [
    ...(first ? [`day >= $${values.push(first)}::date`] : []),
    ...(last ? [`day <= $${values.push(last)}::date`] : []),
  ];
}

/**
 * The days of a project's events: rows with name, day, count, and expired. Appends its parameters to `values`, whose
 * first element is the project's id.
 */
export function rolledUp(days: DayRange, values: unknown[]): string {
  const range = ['project_id = $1', ...dayClauses(days, values)].join(' AND ');
  return `(SELECT name, day, count, expired FROM event_days WHERE ${range} UNION ALL SELECT name, day, count, expired FROM event_deltas WHERE ${range})`;
}

export function timeClauses(column: string, { from, until }: TimeRange, values: unknown[]): string[] {
  return [
    ...(from ? [`${column} >= $${values.push(from.toISOString())}::timestamptz`] : []),
    ...(until ? [`${column} < $${values.push(until.toISOString())}::timestamptz`] : []),
  ];
}

export interface EventCount {
  name: string;
  count: number;
}

/**
 * Returns the count of each event name, the most frequent first, up to `limit` names. Events that retention has deleted
 * count, except on the partial days at the ends of a range, which are counted from the events.
 */
export async function countEventsByName(
  db: Queryable,
  projectId: string,
  range: TimeRange,
  limit: number,
): Promise<EventCount[]> {
  const values: unknown[] = [projectId];
  const { days, edges } = splitRange(range);
  const parts = [
    ...(days ? [`SELECT name, sum(count) AS count FROM ${rolledUp(days, values)} AS rolled GROUP BY name`] : []),
    ...edges.map(
      (edge) =>
        `SELECT name, count(*) AS count FROM events WHERE ${['project_id = $1', ...timeClauses('created_at', edge, values)].join(' AND ')} GROUP BY name`,
    ),
  ];
  if (parts.length === 0) return [];
  const { rows } = await db.query<EventCount>(
    `SELECT name, sum(count)::bigint AS count FROM (${parts.join(' UNION ALL ')}) AS part GROUP BY name HAVING sum(count) > 0 ORDER BY count DESC, name LIMIT $${values.push(limit)}`,
    values,
  );
  return rows;
}

export interface DayCount extends EventCount {
  /** A UTC day. */
  day: string;
}

/**
 * Returns the days with events of the most frequent names since a day, up to `limit` names: the most frequent name first,
 * and the days of a name in order. Events that retention has deleted count.
 */
export async function countEventsByDay(
  db: Queryable,
  projectId: string,
  first: string,
  limit: number,
): Promise<DayCount[]> {
  const values: unknown[] = [projectId];
  const { rows } = await db.query<DayCount>(
    `WITH counts AS (
       SELECT name, day, sum(count) AS count FROM ${rolledUp({ first }, values)} AS rolled GROUP BY name, day HAVING sum(count) > 0
     ), top AS (
       SELECT name, sum(count) AS total FROM counts GROUP BY name ORDER BY total DESC, name LIMIT $${values.push(limit)}
     )
     SELECT name, c.day::text AS day, c.count::bigint AS count FROM top JOIN counts c USING (name) ORDER BY total DESC, name, c.day`,
    values,
  );
  return rows;
}

/**
 * Returns the number of selected events. The cost does not depend on their number, except for the partial days at the
 * ends of a range.
 */
export async function countStoredEvents(
  db: Queryable,
  projectId: string,
  choice: EventChoice,
  range: TimeRange = {},
): Promise<number> {
  const values: unknown[] = [projectId];
  const named = nameClauses(choice, 'name', values);
  const { days, edges } = splitRange(range);
  const parts = [
    ...(days
      ? [
          `SELECT sum(count - expired) AS count FROM ${rolledUp(days, values)} AS rolled WHERE ${['true', ...named].join(' AND ')}`,
        ]
      : []),
    ...edges.map(
      (edge) =>
        `SELECT count(*) FROM events WHERE ${['project_id = $1', ...timeClauses('created_at', edge, values), ...named].join(' AND ')}`,
    ),
  ];
  if (parts.length === 0) return 0;
  const { rows } = await db.query<{ count: number }>(
    `SELECT coalesce(sum(count), 0)::bigint AS count FROM (${parts.join(' UNION ALL ')}) AS part`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Subtracts a name's expired events from its counts, in the caller's transaction, so that only stored events count. */
export async function forgetExpiredEvents(tx: Queryable, projectId: string, name: string): Promise<void> {
  // Two concurrent calls would subtract them twice.
  await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('forget events ' || $1 || $2, 0))`, [projectId, name]);
  await tx.query({
    name: 'events-forget',
    text: `INSERT INTO event_deltas (project_id, day, name, count, expired)
           SELECT $1, day, name, -sum(expired), -sum(expired) FROM ${rolledUp({}, [projectId])} AS rolled WHERE name = $2 GROUP BY day, name HAVING sum(expired) <> 0`,
    values: [projectId, name],
  });
}
