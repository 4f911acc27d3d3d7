/** Writing the members of segments: given ones (static segments) and those that meet a condition (tracked segments). */
import type { PoolClient } from 'pg';
import { ofProject } from '../../../db/of-project.js';
import type { Queryable } from '../../../db/pool.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';
import type { SegmentRow } from './segments.js';

/** Locks the contacts with these addresses, so that none is deleted before a membership refers to it. */
export async function lockContactsByEmail(
  tx: Queryable,
  projectId: string,
  emails: string[],
): Promise<Array<{ id: string; email: string }>> {
  const { rows } = await tx.query<{ id: string; email: string }>({
    name: 'segment-lock-emails',
    text: `SELECT c.id, c.email
             FROM (SELECT DISTINCT email FROM unnest($2::text[]) AS e(email) ORDER BY email) AS wanted
            CROSS JOIN LATERAL (SELECT id, email FROM contacts
                                 WHERE project_id = $1 AND email = wanted.email FOR KEY SHARE) AS c`,
    values: [projectId, emails],
  });
  return rows;
}

/** Adds locked contacts. @returns the ids of those that were not members yet */
export async function addMembers(
  tx: Queryable,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segment-add-members',
    text: `INSERT INTO segment_members (project_id, segment_id, contact_id)
           SELECT $1, $2, t.id FROM unnest($3::uuid[]) AS t(id) ON CONFLICT DO NOTHING RETURNING contact_id AS id`,
    values: [projectId, segmentId, contactIds],
  });
  return rows.map(({ id }) => id);
}

/** @returns the ids of those that were members */
export async function removeMembers(tx: Queryable, segmentId: string, contactIds: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segment-remove-members',
    text: `DELETE FROM segment_members
            WHERE segment_id = $1 AND contact_id = ANY ($2::uuid[]) RETURNING contact_id AS id`,
    values: [segmentId, contactIds],
  });
  return rows.map(({ id }) => id);
}

export async function removeAllMembers(tx: Queryable, segmentId: string): Promise<void> {
  await tx.query({
    name: 'segment-remove-all-members',
    text: `DELETE FROM segment_members WHERE segment_id = $1`,
    values: [segmentId],
  });
}

/** Locks contacts until the end of the transaction. @returns the ids of those that still exist */
export async function lockContacts(tx: Queryable, projectId: string, ids: string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segment-lock-contacts',
    text: `SELECT id FROM contacts
            WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')} ORDER BY id FOR KEY SHARE`,
    values: [projectId, ids],
  });
  return new Set(rows.map(({ id }) => id));
}

export interface MembershipChange {
  contactId: string;
  /** Whether the contact becomes a member, or is no longer one. */
  joins: boolean;
}

/**
 * Compares the members of a segment with the contacts that meet its condition, in pages by contact id. The condition is
 * evaluated once; nothing is written.
 */
export async function* membershipChanges(
  tx: PoolClient,
  segmentId: string,
  { sql, values }: ContactClause,
  pageSize: number,
): AsyncGenerator<MembershipChange[]> {
  await tx.query(
    `DECLARE membership_changes NO SCROLL CURSOR FOR
      SELECT coalesce(m.contact_id, x.id) AS "contactId", m.contact_id IS NULL AS joins
        FROM (SELECT c.id FROM contacts c WHERE ${sql}) x
        FULL JOIN (SELECT contact_id FROM segment_members WHERE segment_id = $${values.length + 1}) m
             ON m.contact_id = x.id
       WHERE m.contact_id IS NULL OR x.id IS NULL
       ORDER BY 1`,
    [...values, segmentId],
  );
  for (;;) {
    const { rows } = await tx.query<MembershipChange>(`FETCH ${Math.trunc(pageSize)} FROM membership_changes`);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) break;
  }
  await tx.query('CLOSE membership_changes');
}

/** Like membershipChanges, for these contacts only. */
export async function membershipChangesOf(
  tx: Queryable,
  segmentId: string,
  { sql, values }: ContactClause,
  contactIds: string[],
): Promise<MembershipChange[]> {
  const n = values.length;
  // OFFSET 0 keeps PostgreSQL from evaluating the condition twice.
  const { rows } = await tx.query<MembershipChange>(
    `SELECT x.id AS "contactId", x.matches AS joins
       FROM (SELECT c.id, (${sql}) IS TRUE AS matches,
                    EXISTS (SELECT FROM segment_members m
                             WHERE m.segment_id = $${n + 1} AND m.contact_id = c.id) AS "isMember"
               FROM contacts c WHERE c.project_id = $1 AND c.id = ANY ($${n + 2}::uuid[]) OFFSET 0) x
      WHERE x.matches <> x."isMember" ORDER BY 1`,
    [...values, segmentId, contactIds],
  );
  return rows;
}

/** Records that a segment's members are up to date. */
export async function markComputed(tx: Queryable, segmentId: string, memberCount: number): Promise<void> {
  await tx.query({
    name: 'segment-computed',
    text: `UPDATE segments SET member_count = $2, counted_at = now(), computed_at = now() WHERE id = $1`,
    values: [segmentId, memberCount],
  });
}

export type TrackedSegment = Pick<SegmentRow, 'id' | 'projectId' | 'condition' | 'computedAt' | 'updatedAt'>;

/** The tracked dynamic segments of all enabled projects, least recently computed first. */
export async function selectTrackedSegments(db: Queryable): Promise<TrackedSegment[]> {
  const { rows } = await db.query<TrackedSegment>(
    `SELECT s.id, s.project_id AS "projectId", s.condition, s.computed_at AS "computedAt", s.updated_at AS "updatedAt"
       FROM segments s JOIN projects p ON p.id = s.project_id
      WHERE s.track_membership AND s.type = 'DYNAMIC' AND NOT p.disabled ORDER BY s.computed_at NULLS FIRST, s.id`,
  );
  return rows;
}
