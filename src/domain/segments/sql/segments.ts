/** Segments: rows, members, counts. */
import type { Segment as SegmentModel } from '../../../generated/prisma/client.js';
import { ofProject } from '../../../db/of-project.js';
import type { Queryable } from '../../../db/pool.js';
import type { Predicate } from '../../../db/predicate.js';
import { contactsWhere, type ContactClause } from '../../conditions/sql/conditions.js';
import type { ContactRow } from '../../contacts/sql/rows.js';

export type SegmentRow = Omit<SegmentModel, 'condition'> & { condition: unknown };

const COLUMNS = `s.id, s.project_id AS "projectId", s.name, s.description, s.slug, s.type, s.condition, s.track_membership AS "trackMembership",
                 s.member_count AS "memberCount", s.computed_at AS "computedAt", s.created_at AS "createdAt", s.updated_at AS "updatedAt"`;

/** The segments of a project, the newest first, or the one with this id. */
export async function selectSegments(db: Queryable, projectId: string, id?: string): Promise<SegmentRow[]> {
  const { rows } = await db.query<SegmentRow>({
    name: 'segments-select',
    text: `SELECT ${COLUMNS} FROM segments s WHERE s.project_id = $1 AND ($2::uuid IS NULL OR s.id = $2) ORDER BY s.created_at DESC, s.id DESC`,
    values: [projectId, id ?? null],
  });
  return rows;
}

export type SegmentCondition = Pick<SegmentRow, 'id' | 'name' | 'type' | 'condition'>;

/** What decides who belongs to these segments of a project; those that it doesn't have are left out. */
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

/** The dynamic segments of a project whose conditions name another segment. */
export async function segmentsThatName(
  db: Queryable,
  projectId: string,
  segmentId: string,
): Promise<Array<{ id: string; name: string }>> {
  const { rows } = await db.query<{ id: string; name: string }>({
    name: 'segments-naming',
    text: `SELECT id, name FROM segments WHERE project_id = $1 AND id <> $2 AND position('"segment.' || $2::text || '"' IN lower(condition::text)) > 0 ORDER BY id`,
    values: [projectId, segmentId],
  });
  return rows;
}

/** The workflows of a project with a CONDITION that names a segment. */
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
               WHERE s.project_id = $1 AND s.workflow_id = w.id AND s.type = 'CONDITION' AND position('"segment.' || $2::text || '"' IN lower(s.config::text)) > 0)
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
              AND (segment_id = $2 OR position('"segment.' || $2::text || '"' IN lower(audience_condition::text)) > 0) ORDER BY id`,
    values: [projectId, segmentId],
  });
  return rows;
}

/**
 * Has the conditions of a project's segments to itself until the end of the transaction: two that are written at the
 * same time could name each other without either seeing it.
 */
export async function lockSegmentGraph(tx: Queryable, projectId: string): Promise<void> {
  await tx.query({
    name: 'segment-graph-lock',
    text: `SELECT pg_advisory_xact_lock(hashtextextended($1, 4))`,
    values: [projectId],
  });
}

/** Locks a segment; undefined when the project has none with this id. */
export async function lockSegment(tx: Queryable, projectId: string, id: string): Promise<SegmentRow | undefined> {
  const { rows } = await tx.query<SegmentRow>({
    name: 'segment-lock',
    text: `SELECT ${COLUMNS} FROM segments s WHERE s.project_id = $1 AND s.id = $2 FOR UPDATE`,
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
  trackMembership: boolean;
}

export async function insertSegment(tx: Queryable, segment: NewSegment): Promise<SegmentRow> {
  const { id, projectId, name, description, slug, type, condition, trackMembership } = segment;
  const { rows } = await tx.query<SegmentRow>({
    name: 'segment-insert',
    text: `INSERT INTO segments AS s (id, project_id, name, description, slug, type, condition, track_membership)
           VALUES ($1, $2, $3, $4, $5, $6::segment_type, $7, $8) RETURNING ${COLUMNS}`,
    values: [
      id,
      projectId,
      name,
      description,
      slug,
      type,
      condition === null ? null : JSON.stringify(condition),
      trackMembership,
    ],
  });
  const [row] = rows;
  if (!row) throw new Error('An insert has no row');
  return row;
}

/** The slugs of a project that are `base` or begin with `base-`. */
export async function slugsLike(db: Queryable, projectId: string, base: string): Promise<Set<string>> {
  const { rows } = await db.query<{ slug: string }>({
    name: 'segment-slugs',
    text: `SELECT slug FROM segments WHERE project_id = $1 AND (slug = $2 OR starts_with(slug, $2 || '-'))`,
    values: [projectId, base],
  });
  return new Set(rows.map(({ slug }) => slug));
}

export type SegmentChange = Pick<SegmentRow, 'name' | 'description' | 'trackMembership'> & { condition: unknown };

/** Writes what is changeable of a locked segment. */
export async function updateSegmentRow(
  tx: Queryable,
  id: string,
  { name, description, trackMembership, condition }: SegmentChange,
): Promise<SegmentRow> {
  const { rows } = await tx.query<SegmentRow>({
    name: 'segment-update',
    text: `UPDATE segments s SET name = $2, description = $3, track_membership = $4, condition = $5, updated_at = clock_timestamp() WHERE id = $1 RETURNING ${COLUMNS}`,
    values: [id, name, description, trackMembership, condition === null ? null : JSON.stringify(condition)],
  });
  const [row] = rows;
  if (!row) throw new Error('A segment that this transaction holds is gone');
  return row;
}

/**
 * Deletes a locked segment. Campaigns that are not active forget it: sending such a draft is a 404. One that has become
 * active meanwhile still refers to it, and the statement fails with SQLSTATE 23503.
 */
export async function deleteSegmentRow(tx: Queryable, projectId: string, id: string): Promise<void> {
  await tx.query({
    name: 'segment-forget',
    text: `UPDATE campaigns SET segment_id = NULL WHERE project_id = $1 AND segment_id = $2 AND status NOT IN ('SCHEDULED', 'SENDING')`,
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
    text: `UPDATE segments SET member_count = $2 WHERE id = $1`,
    values: [id, memberCount],
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

export interface NewestWhere {
  total: number;
  /** The newest first; the times in milliseconds since 1970. */
  places: Array<{ id: string; createdAt: number }>;
}

/** How many contacts a clause has, and the newest `limit` of them. */
export async function newestWhere(db: Queryable, { sql, values }: ContactClause, limit: number): Promise<NewestWhere> {
  const { rows } = await db.query<{ id: string; createdAt: number; total: number }>(
    `SELECT c.id, (extract(epoch FROM c.created_at) * 1000)::float8 AS "createdAt", count(*) OVER () AS total
       FROM contacts c WHERE ${sql} ORDER BY c.created_at DESC, c.id DESC LIMIT ${Math.trunc(limit)}`,
    values,
  );
  return { total: rows[0]?.total ?? 0, places: rows };
}

/** Contacts by their ids, the newest first. */
export async function selectByIds(db: Queryable, projectId: string, ids: string[]): Promise<ContactRow[]> {
  const { rows } = await db.query<ContactRow>({
    name: 'contacts-by-ids',
    text: `SELECT ${CONTACT} FROM contacts c WHERE c.id = ANY ($2::uuid[]) AND ${ofProject('c.project_id')} ORDER BY c.created_at DESC, c.id DESC`,
    values: [projectId, ids],
  });
  return rows;
}

const CONTACT = `c.id, c.email, c.subscribed, c.snoozed_until AS "snoozedUntil", c.data, c.created_at AS "createdAt", c.updated_at AS "updatedAt"`;

export interface PageWhere {
  limit: number;
  offset: number;
  /** How many contacts there are in all, as far as is known. */
  total: number;
}

/**
 * Below this many, all of them are fetched and sorted; above, they are met soon enough on a walk along the index of
 * creation.
 */
const FEW = 10_000;

/** A page of the contacts for which a predicate holds, the newest first. */
export async function selectWhere(
  db: Queryable,
  projectId: string,
  predicate: Predicate,
  { limit, offset, total }: PageWhere,
): Promise<ContactRow[]> {
  const { sql, values } = contactsWhere(projectId, predicate, total <= FEW ? 'set' : 'walk');
  const n = values.length;
  // The planner does not know how many contacts a condition on their data has; whoever calls does. Sorting by an
  // expression keeps it from the index.
  const order = total <= FEW ? `c.created_at + interval '0' DESC, c.id DESC` : 'c.created_at DESC, c.id DESC';
  const { rows } = await db.query<ContactRow>(
    `SELECT ${CONTACT} FROM (SELECT c.id FROM contacts c WHERE ${sql} ORDER BY ${order} LIMIT $${n + 1} OFFSET $${n + 2}) page
       JOIN contacts c ON c.id = page.id ORDER BY c.created_at DESC, c.id DESC`,
    [...values, limit, offset],
  );
  return rows;
}
