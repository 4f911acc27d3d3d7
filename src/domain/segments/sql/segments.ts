/** Segments: rows, members, counts. */
import type { Segment as SegmentModel } from '../../../generated/prisma/client.js';
import type { Queryable } from '../../../db/pool.js';
import type { Predicate } from '../../../db/predicate.js';
import { contactsWhere, type ContactClause } from '../../conditions/sql/conditions.js';
import type { ContactRow } from '../../contacts/sql/rows.js';
import { timezoneColumn } from '../../contacts/timezone.js';

export interface SegmentRow extends Omit<SegmentModel, 'condition' | 'eventNames'> {
  condition: unknown;
  /** The events that the condition names; null: every event, because it refers to other segments. */
  eventNames: string[] | null;
}

export const SEGMENT_COLUMNS = `s.id, s.project_id AS "projectId", s.name, s.description, s.slug, s.type, s.condition, s.revision,
  s.track_membership AS "trackMembership", s.member_count AS "memberCount", s.counted_at AS "countedAt", s.event_names AS "eventNames",
  s.computed_at AS "computedAt", s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;

/** The segments of a project, newest first, or the one with this id. */
export async function selectSegments(db: Queryable, projectId: string, id?: string): Promise<SegmentRow[]> {
  const { rows } = await db.query<SegmentRow>({
    name: 'segments-select',
    text: `SELECT ${SEGMENT_COLUMNS} FROM segments s
            WHERE s.project_id = $1 AND ($2::uuid IS NULL OR s.id = $2) ORDER BY s.created_at DESC, s.id DESC`,
    values: [projectId, id ?? null],
  });
  return rows;
}

export type SegmentCondition = Pick<SegmentRow, 'id' | 'name' | 'type' | 'condition'>;

/** The conditions of these segments; ids that are not segments of the project are left out. */
export async function selectSegmentConditions(
  db: Queryable,
  projectId: string,
  ids: string[],
): Promise<SegmentCondition[]> {
  const { rows } = await db.query<SegmentCondition>({
    name: 'segment-conditions',
    text: `SELECT id, name, type, condition FROM segments WHERE project_id = $1 AND id = ANY ($2::uuid[])`,
    values: [projectId, ids],
  });
  return rows;
}

/** The other segments of a project whose conditions name this one. */
export async function segmentsThatName(
  db: Queryable,
  projectId: string,
  segmentId: string,
): Promise<Array<{ id: string; name: string }>> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'segments-naming',
    text: `SELECT id, name FROM segments
            WHERE project_id = $1 AND id <> $2
              AND position('"segment.' || $2::text || '"' IN lower(condition::text)) > 0 ORDER BY id`,
    values: [projectId, segmentId],
  });
  return rows;
}

/** The workflows of a project with a CONDITION step that names a segment. */
export async function workflowsThatName(
  db: Queryable,
  projectId: string,
  segmentId: string,
): Promise<Array<{ id: string; name: string }>> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'segment-workflows',
    text: `SELECT w.id, w.name FROM workflows w
            WHERE w.project_id = $1 AND EXISTS (
              SELECT FROM workflow_steps s
               WHERE s.project_id = $1 AND s.workflow_id = w.id AND s.type = 'CONDITION'
                 AND position('"segment.' || $2::text || '"' IN lower(s.config::text)) > 0)
            ORDER BY w.id`,
    values: [projectId, segmentId],
  });
  return rows;
}

/** The campaigns that are scheduled or being sent to a segment, or to an audience whose condition names it. */
export async function activeCampaignsOf(
  db: Queryable,
  projectId: string,
  segmentId: string,
): Promise<Array<{ id: string; name: string }>> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'segment-active-campaigns',
    text: `SELECT id, name FROM campaigns
            WHERE project_id = $1 AND status IN ('SCHEDULED', 'SENDING')
              AND (segment_id = $2
                   OR position('"segment.' || $2::text || '"' IN lower(audience_condition::text)) > 0) ORDER BY id`,
    values: [projectId, segmentId],
  });
  return rows;
}

/**
 * Locks the conditions of a project's segments until the end of the transaction. Otherwise, two concurrent writes could
 * make two segments name each other.
 */
export async function lockSegmentGraph(tx: Queryable, projectId: string): Promise<void> {
  await tx.query({
    name: 'segment-graph-lock',
    text: `SELECT pg_advisory_xact_lock(hashtextextended($1, 4))`,
    values: [projectId],
  });
}

/** Locks a segment. @returns undefined if the project has no segment with this id */
export async function lockSegment(tx: Queryable, projectId: string, id: string): Promise<SegmentRow | undefined> {
  const { rows } = await tx.query<SegmentRow>({
    name: 'segment-lock',
    text: `SELECT ${SEGMENT_COLUMNS} FROM segments s WHERE s.project_id = $1 AND s.id = $2 FOR UPDATE`,
    values: [projectId, id],
  });
  return rows[0];
}

export interface NewSegment {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  slug: string;
  type: 'DYNAMIC' | 'STATIC';
  condition: unknown;
  /** The events that the condition names; null: any. */
  eventNames: string[] | null;
  trackMembership: boolean;
}

export async function insertSegment(tx: Queryable, segment: NewSegment): Promise<SegmentRow> {
  const { id, projectId, name, description, slug, type, condition, eventNames, trackMembership } = segment;
  const { rows } = await tx.query<SegmentRow>({
    name: 'segment-insert',
    text: `INSERT INTO segments AS s
             (id, project_id, name, description, slug, type, condition, track_membership, event_names)
           VALUES ($1, $2, $3, $4, $5, $6::segment_type, $7, $8, $9) RETURNING ${SEGMENT_COLUMNS}`,
    values: [
      id,
      projectId,
      name,
      description,
      slug,
      type,
      condition === null ? null : JSON.stringify(condition),
      trackMembership,
      eventNames,
    ],
  });
  const [row] = rows;
  if (!row) throw new Error('The insert of a segment returned no row.');
  return row;
}

/** The slugs of a project that equal `base` or start with `base-`. */
export async function slugsLike(db: Queryable, projectId: string, base: string): Promise<Set<string>> {
  const { rows } = await db.query<{ slug: string }>({
    name: 'segment-slugs',
    text: `SELECT slug FROM segments WHERE project_id = $1 AND (slug = $2 OR starts_with(slug, $2 || '-'))`,
    values: [projectId, base],
  });
  return new Set(rows.map(({ slug }) => slug));
}

export type SegmentChange = Pick<NewSegment, 'name' | 'description' | 'trackMembership' | 'condition' | 'eventNames'>;

/** Updates a locked segment. */
export async function updateSegmentRow(
  tx: Queryable,
  id: string,
  { name, description, trackMembership, condition, eventNames }: SegmentChange,
): Promise<SegmentRow> {
  const { rows } = await tx.query<SegmentRow>({
    name: 'segment-update',
    text: `UPDATE segments s SET name = $2, description = $3, track_membership = $4, condition = $5, event_names = $6,
                  updated_at = clock_timestamp() WHERE id = $1 RETURNING ${SEGMENT_COLUMNS}`,
    values: [id, name, description, trackMembership, condition === null ? null : JSON.stringify(condition), eventNames],
  });
  const [row] = rows;
  if (!row) throw new Error('The update of a locked segment returned no row.');
  return row;
}

/**
 * Deletes a locked segment. Inactive campaigns lose their reference to it: sending such a draft returns 404.
 *
 * @throws an error with SQLSTATE 23503 if a campaign of the segment has become active meanwhile
 */
export async function deleteSegmentRow(tx: Queryable, projectId: string, id: string): Promise<void> {
  await tx.query({
    name: 'segment-forget',
    text: `UPDATE campaigns SET segment_id = NULL
            WHERE project_id = $1 AND segment_id = $2 AND status NOT IN ('SCHEDULED', 'SENDING')`,
    values: [projectId, id],
  });
  await tx.query({
    name: 'segment-delete',
    text: `DELETE FROM segments WHERE project_id = $1 AND id = $2`,
    values: [projectId, id],
  });
}

export async function setMemberCount(tx: Queryable, id: string, memberCount: number): Promise<void> {
  await tx.query({
    name: 'segment-member-count',
    text: `UPDATE segments SET member_count = $2, counted_at = now() WHERE id = $1`,
    values: [id, memberCount],
  });
}

/** Adds to the number of members of a locked segment. */
export async function addToMemberCount(tx: Queryable, id: string, added: number): Promise<void> {
  await tx.query({
    name: 'segment-member-count-add',
    text: `UPDATE segments SET member_count = member_count + $2, counted_at = now() WHERE id = $1`,
    values: [id, added],
  });
}

/** Stores the number of members of these segments. */
export async function recountMembers(db: Queryable, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.query({
    name: 'segment-recount',
    text: `UPDATE segments s SET counted_at = now(),
                  member_count = (SELECT count(*) FROM segment_members m WHERE m.segment_id = s.id)
            WHERE s.id = ANY ($1::uuid[])`,
    values: [ids],
  });
}

export async function countMembers(db: Queryable, segmentId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'segment-count-members',
    text: `SELECT count(*) AS count FROM segment_members WHERE segment_id = $1`,
    values: [segmentId],
  });
  return rows[0]?.count ?? 0;
}

/** Counts the contacts of a clause. */
export async function countWhere(db: Queryable, { sql, values }: ContactClause): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT count(*) AS count FROM contacts c WHERE ${sql}`, values);
  return rows[0]?.count ?? 0;
}

/** The columns of a contact `c`. */
export const CONTACT = `c.id, c.email, c.subscribed, c.snoozed_until AS "snoozedUntil", ${timezoneColumn('c.')}, c.data, c.created_at AS "createdAt",
  c.updated_at AS "updatedAt"`;

export interface PageWhere {
  limit: number;
  offset: number;
  /** How many contacts match, approximately. */
  total: number;
}

/**
 * A walk along the index of creation times ends with the page. If the page and those before it have at most a quarter of
 * the matches, the walk visits about as many of the contacts. Otherwise, finding and sorting all matches is faster.
 */
const MAX_WALK_SHARE = 0.25;

/** Returns a page of the contacts that match a predicate, newest first, in a transaction for wide queries. */
export async function selectWhere(
  tx: Queryable,
  projectId: string,
  predicate: Predicate,
  { limit, offset, total }: PageWhere,
): Promise<ContactRow[]> {
  // PostgreSQL cannot estimate how many contacts match a condition on their data; the caller can.
  const walks = offset + limit <= total * MAX_WALK_SHARE;
  const { sql, values } = contactsWhere(projectId, predicate, walks ? 'walk' : 'set');
  const n = values.length;
  if (walks) await tx.query(`SELECT set_config('enable_sort', 'off', true)`);
  // Ordering by an expression keeps PostgreSQL from walking along the index.
  const order = walks ? 'c.created_at DESC, c.id DESC' : `c.created_at + interval '0' DESC, c.id DESC`;
  const { rows } = await tx.query<ContactRow>(
    `SELECT ${CONTACT}
       FROM (SELECT c.id FROM contacts c WHERE ${sql} ORDER BY ${order} LIMIT $${n + 1} OFFSET $${n + 2}) page
       JOIN contacts c ON c.id = page.id ORDER BY c.created_at DESC, c.id DESC`,
    [...values, limit, offset],
  );
  return rows;
}
