/** The statement of the live feed: the entries that were committed after a mark, in the order of the feed. */
import type { Queryable } from '../../db/pool.js';
import { partsOf, type OpenTransaction } from '../../db/snapshots.js';
import { FIRST_PLACE, type Place, type Position } from './live-position.js';
import type { ActivityRef } from './sql.js';

/** Entries of a page, without the sends of campaigns. */
export const MAX_ENTRIES_PER_PAGE = 1000;
/**
 * With more of them in a page, one entry stands for all sends of campaigns. A running campaign adds thousands per poll,
 * and each entry is loaded, formatted, and written to every listener.
 */
export const MAX_SENDS_PER_PAGE = 100;
/** The number of events that one statement reads. */
const MAX_SCANNED_EVENTS = 20_000;

export interface NewsRequest {
  projectId: string;
  /** The entries after this position. */
  position: Position;
  /** The transactions that were open at the position's mark, if they are known. They narrow the range to read. */
  open: readonly OpenTransaction[] | null;
  /** The time at which `open` was read. */
  readAt: Date | null;
  /** Only entries that are visible in this snapshot; null: all. */
  until: string | null;
}

export interface News {
  /** The snapshot of the statement. */
  snapshot: string;
  entries: ActivityRef[];
  /** The sends of campaigns that are not in `entries`, with the newest one. */
  sends: { count: number; firstAt: Date; last: ActivityRef } | null;
  /** The place up to which the page is complete; null if there are no later entries. */
  lastPlace: Place | null;
}

interface NewsRow {
  snapshot: string;
  sources: Array<ActivityRef['source']> | null;
  ids: string[] | null;
  times: Date[] | null;
  sends: number;
  firstSendAt: Date | null;
  lastSendAt: Date | null;
  lastSendId: string | null;
  lastAt: Date | null;
  lastId: string | null;
}

/*
 * `xmin` is the 32-bit id of the transaction that inserted an event. Comparing ages avoids its conversion to 64 bits.
 *
 * $1 project, $2 start of the range, $3 and $4 transactions that were open at the mark, $5 to $7 the mark's snapshot
 * (whole, xmax, running), $8 to $10 the snapshot of the window's end, $11 and $12 the place, $13 and $14 the place of the
 * sends, which is not later.
 */
const SELECT_NEWS = `
WITH start AS MATERIALIZED (
  -- A transaction that is still open has committed nothing, so an old one does not widen the range.
  SELECT least($2::timestamptz, (
           SELECT min(o.started_at) FROM unnest($3::xid8[], $4::timestamptz[]) AS o(xid, started_at)
            WHERE o.xid IS NULL OR pg_visible_in_snapshot(o.xid, pg_current_snapshot()))) AS at
), scanned AS MATERIALIZED (
  SELECT e.id, e.created_at AS at, e.name = 'email.sent' AND e.data ? 'campaignId' AS is_send
    FROM events e
   WHERE e.project_id = $1 AND e.created_at >= (SELECT at FROM start)
     AND (e.created_at, e.id) > ($13::timestamptz, $14::uuid)
     AND (age(e.xmin) <= (SELECT age($6::xid)) OR e.xmin = ANY ($7::xid[]))
     AND ($9::xid IS NULL OR NOT (age(e.xmin) <= (SELECT age($9::xid)) OR e.xmin = ANY ($10::xid[])))
   ORDER BY e.created_at, e.id LIMIT ${MAX_SCANNED_EVENTS + 1}
), others AS MATERIALIZED (
  SELECT * FROM (
    SELECT 'event' AS source, id, at FROM scanned
     WHERE NOT is_send AND (at, id) > ($11::timestamptz, $12::uuid)
    UNION ALL
    SELECT 'execution', x.id, x.at FROM workflows w
     CROSS JOIN LATERAL (
       SELECT x.id, x.started_at AS at FROM workflow_executions x
        WHERE x.project_id = $1 AND x.workflow_id = w.id AND x.started_at >= (SELECT at FROM start)
          AND (x.started_at, x.id) > ($11::timestamptz, $12::uuid)
          AND NOT pg_visible_in_snapshot(x.started_xid, $5::pg_snapshot)
          AND ($8::pg_snapshot IS NULL OR pg_visible_in_snapshot(x.started_xid, $8::pg_snapshot))
        ORDER BY x.started_at, x.id LIMIT ${MAX_ENTRIES_PER_PAGE + 1}) x
     WHERE w.project_id = $1
    UNION ALL
    SELECT 'campaign', c.id, c.sent_at FROM campaigns c
     WHERE c.project_id = $1 AND c.sent_at >= (SELECT at FROM start)
       AND (c.sent_at, c.id) > ($11::timestamptz, $12::uuid)
       AND NOT pg_visible_in_snapshot(c.sent_xid, $5::pg_snapshot)
       AND ($8::pg_snapshot IS NULL OR pg_visible_in_snapshot(c.sent_xid, $8::pg_snapshot))
  ) AS merged ORDER BY at, id LIMIT ${MAX_ENTRIES_PER_PAGE + 1}
), next AS MATERIALIZED (
  -- The first entry of the next page.
  SELECT at, id FROM (
    (SELECT at, id FROM others ORDER BY at, id LIMIT 1 OFFSET ${MAX_ENTRIES_PER_PAGE})
    UNION ALL
    (SELECT at, id FROM scanned WHERE EXISTS (SELECT FROM scanned OFFSET ${MAX_SCANNED_EVENTS})
      ORDER BY at DESC, id DESC LIMIT 1)
  ) AS edges ORDER BY at, id LIMIT 1
), sends AS NOT MATERIALIZED (
  SELECT at, id FROM scanned
   WHERE is_send AND (NOT EXISTS (SELECT FROM next) OR (at, id) < (SELECT at, id FROM next))
), sent AS MATERIALIZED (
  SELECT count(*)::int AS count, min(at) AS first_at, max(at) AS last_at FROM sends
), entries AS (
  SELECT source, id, at FROM others
   WHERE NOT EXISTS (SELECT FROM next) OR (at, id) < (SELECT at, id FROM next)
  UNION ALL
  SELECT 'event', id, at FROM sends WHERE (SELECT count FROM sent) <= ${MAX_SENDS_PER_PAGE}
), last AS (
  SELECT at, id FROM (SELECT at, id FROM others UNION ALL SELECT at, id FROM scanned) AS read
   WHERE EXISTS (SELECT FROM next) AND (at, id) < (SELECT at, id FROM next) ORDER BY at DESC, id DESC LIMIT 1
), last_send AS (
  SELECT at, id FROM sends
   WHERE (SELECT count FROM sent) > ${MAX_SENDS_PER_PAGE} AND at = (SELECT last_at FROM sent) ORDER BY id DESC LIMIT 1
)
SELECT pg_current_snapshot()::text AS snapshot, e.sources, e.ids, e.times, sent.count AS sends,
       sent.first_at AS "firstSendAt", last_send.at AS "lastSendAt", last_send.id AS "lastSendId",
       last.at AS "lastAt", last.id AS "lastId"
  FROM (SELECT array_agg(source ORDER BY at, id) AS sources, array_agg(id ORDER BY at, id) AS ids,
               array_agg(at ORDER BY at, id) AS times FROM entries) AS e
 CROSS JOIN sent LEFT JOIN last ON true LEFT JOIN last_send ON true`;

/**
 * Returns the next page of entries that were committed after a position, oldest first.
 *
 * The statement reads the events since the start of the oldest transaction that could have committed them, and not one
 * event twice in a page. It has no name, so it is planned for the given range.
 */
export async function selectNews(db: Queryable, request: NewsRequest): Promise<News> {
  const { projectId, position, open, readAt, until } = request;
  const { place, mark, window } = position;
  const [seen, end] = [partsOf(mark.snapshot), until === null ? null : partsOf(until)];
  const from = window ? place : FIRST_PLACE;
  const sendsFrom = window?.sendsUntil ?? from;
  const { rows } = await db.query<NewsRow>(SELECT_NEWS, [
    projectId,
    readAt ?? mark.since,
    (open ?? []).map(({ xid }) => xid),
    (open ?? []).map(({ startedAt }) => startedAt),
    mark.snapshot,
    seen.xmax,
    seen.running,
    until,
    end?.xmax ?? null,
    end?.running ?? null,
    from.at,
    from.id,
    sendsFrom.at,
    sendsFrom.id,
  ]);
  const [row] = rows;
  if (!row) throw new Error('The statement of the live feed returned no row.');
  return toNews(row);
}

function toNews(row: NewsRow): News {
  const { snapshot, sources, ids, times, sends, firstSendAt, lastSendAt, lastSendId, lastAt, lastId } = row;
  return {
    snapshot,
    entries: (ids ?? []).flatMap((id, index) => {
      const [source, at] = [sources?.[index], times?.[index]];
      return source && at ? [{ source, id, at }] : [];
    }),
    sends:
      firstSendAt && lastSendAt && lastSendId !== null
        ? { count: sends, firstAt: firstSendAt, last: { source: 'event', id: lastSendId, at: lastSendAt } }
        : null,
    lastPlace: lastAt && lastId !== null ? { at: lastAt.toISOString(), id: lastId } : null,
  };
}
