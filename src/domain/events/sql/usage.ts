/** References to an event name, counts of its events, and their deletion. */
import type { Queryable } from '../../../db/pool.js';
import { FIRST_ID } from '../../../ids.js';

export interface NamedRef {
  id: string;
  name: string;
}

/** A condition tree with a filter on one of the fields in $2, at any depth. */
const REFERS = (column: string): string => `jsonb_path_exists(${column}, '$.**.field ? (@ == $fields[*])', $2::jsonb)`;

/** `event.<name>`; names of the service, such as `email.opened`, are also fields. */
const fieldsOf = (name: string): string =>
  JSON.stringify({ fields: [`event.${name}`, ...(name.startsWith('email.') ? [name] : [])] });

export async function segmentsWithEvent(db: Queryable, projectId: string, name: string): Promise<NamedRef[]> {
  const { rows } = await db.query<NamedRef>({
    name: 'event-segments',
    text: `SELECT id, name FROM segments WHERE project_id = $1 AND ${REFERS('condition')} ORDER BY created_at, id`,
    values: [projectId, fieldsOf(name)],
  });
  return rows;
}

/** Campaigns whose audience is not yet fixed. */
export async function campaignsWithEvent(db: Queryable, projectId: string, name: string): Promise<NamedRef[]> {
  const { rows } = await db.query<NamedRef>({
    name: 'event-campaigns',
    text: `SELECT id, name FROM campaigns
            WHERE project_id = $1 AND status IN ('DRAFT', 'SCHEDULED', 'SENDING') AND ${REFERS('audience_condition')} ORDER BY created_at, id`,
    values: [projectId, fieldsOf(name)],
  });
  return rows;
}

/**
 * Workflows that start with the event, wait for it, or test it in a condition. With other operators, a condition's
 * `event.<key>` is a value in the execution's context and not a name. A condition with several branches has the
 * operators in its branches.
 */
export async function workflowsWithEvent(db: Queryable, projectId: string, name: string): Promise<NamedRef[]> {
  const { rows } = await db.query<NamedRef>({
    name: 'event-workflows',
    text: `SELECT w.id, w.name FROM workflows w
            WHERE w.project_id = $1
              AND (w.event_name = $3 OR EXISTS (
                SELECT FROM workflow_steps s
                 WHERE s.project_id = w.project_id AND s.workflow_id = w.id
                   AND (s.config->>'eventName' = $3
                        OR s.type = 'CONDITION'
                           AND jsonb_path_exists(s.config, '$.** ? (@.field == $fields[*] && (@.operator like_regex "^(t|notT)riggered" || @.branches[*].operator like_regex "^(t|notT)riggered"))', $2::jsonb))))
            ORDER BY w.created_at, w.id`,
    values: [projectId, fieldsOf(name), name],
  });
  return rows;
}

/** Returns the number of a name's events and of their contacts. */
export async function countEventUse(
  db: Queryable,
  projectId: string,
  name: string,
): Promise<{ totalCount: number; uniqueContacts: number }> {
  const { rows } = await db.query<{ totalCount: number; uniqueContacts: number }>({
    name: 'event-use',
    text: `SELECT coalesce(sum(n), 0)::bigint AS "totalCount", count(contact_id) AS "uniqueContacts"
             FROM (SELECT contact_id, count(*) AS n FROM events WHERE project_id = $1 AND name = $2 GROUP BY contact_id) AS per_contact`,
    values: [projectId, name],
  });
  return rows[0] ?? { totalCount: 0, uniqueContacts: 0 };
}

/** The position up to which events have been deleted. */
export interface DeletedUpTo {
  createdAt: string;
  id: string;
}

/**
 * Deletes up to `limit` events of a name, the oldest first, after `after` and not newer than `until`. It skips rows
 * that another deletion has locked, because two deletions that wait for each other would deadlock.
 *
 * @returns their number and the position to continue from; null if no events are left
 */
export async function deleteEventsStep(
  db: Queryable,
  projectId: string,
  name: string,
  { after, until, limit }: { after: DeletedUpTo | null; until: string; limit: number },
): Promise<{ deleted: number; upTo: DeletedUpTo | null }> {
  const { rows } = await db.query<{ deleted: number; createdAt: string | null; id: string | null }>({
    name: 'events-delete',
    text: `WITH step AS MATERIALIZED (
             SELECT id, created_at FROM events
              WHERE project_id = $1 AND name = $2 AND created_at <= $5 AND (created_at, id) > ($3::timestamptz, $4::uuid)
              ORDER BY created_at, id LIMIT $6 FOR UPDATE SKIP LOCKED
           ), deleted AS (
             DELETE FROM events e USING step WHERE e.id = step.id RETURNING e.id
           ), last AS (
             SELECT created_at, id FROM step ORDER BY created_at DESC, id DESC LIMIT 1
           )
           SELECT (SELECT count(*) FROM deleted) AS deleted, to_char(last.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "createdAt", last.id
             FROM (SELECT) AS one LEFT JOIN last ON true`,
    values: [projectId, name, after?.createdAt ?? '-infinity', after?.id ?? FIRST_ID, until, limit],
  });
  const [row] = rows;
  return {
    deleted: row?.deleted ?? 0,
    upTo: row?.createdAt && row.id ? { createdAt: row.createdAt, id: row.id } : null,
  };
}

/** Returns the database's time with full precision. Events inserted later are newer. */
export async function databaseNow(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ now: string }>(`SELECT clock_timestamp()::timestamptz(3)::text AS now`);
  const [row] = rows;
  if (!row) throw new Error('PostgreSQL does not know the time');
  return row.now;
}
