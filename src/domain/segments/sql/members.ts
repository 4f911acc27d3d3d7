/** Writing the members of segments: by hand (static ones) and by their condition (tracked ones). */
import type { PoolClient } from 'pg';
import { ofProject } from '../../../db/of-project.js';
import type { Queryable } from '../../../db/pool.js';
import { IS_CHANGED } from '../../columns/sql/columns.js';
import type { ContactClause } from '../../conditions/sql/conditions.js';

/** The contacts of these addresses, held so that none is deleted before a row refers to it. */
export async function holdContactsOf(
  tx: Queryable,
  projectId: string,
  emails: string[],
): Promise<Array<{ id: string; email: string }>> {
  const { rows } = await tx.query<{ id: string; email: string }>({
    name: 'segment-hold-contacts',
    text: `SELECT c.id, c.email FROM (SELECT DISTINCT email FROM unnest($2::text[]) AS e(email) ORDER BY email) AS wanted
            CROSS JOIN LATERAL (SELECT id, email FROM contacts
                                 WHERE project_id = $1 AND email = wanted.email FOR KEY SHARE) AS c`,
    values: [projectId, emails],
  });
  return rows;
}

/** Adds contacts that are held. @returns the ids of those that were not members yet */
export async function addMembers(
  tx: Queryable,
  projectId: string,
  segmentId: string,
  contactIds: string[],
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segment-add-members',
    text: `INSERT INTO segment_members (project_id, segment_id, contact_id) SELECT $1, $2, t.id FROM unnest($3::uuid[]) AS t(id)
           ON CONFLICT DO NOTHING RETURNING contact_id AS id`,
    values: [projectId, segmentId, contactIds],
  });
  return rows.map(({ id }) => id);
}

/** @returns the ids of those that were members */
export async function removeMembers(tx: Queryable, segmentId: string, contactIds: string[]): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segment-remove-members',
    text: `DELETE FROM segment_members WHERE segment_id = $1 AND contact_id = ANY ($2::uuid[]) RETURNING contact_id AS id`,
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

/** Of these contacts those that still are, held until the end of the transaction. */
export async function holdContacts(tx: Queryable, projectId: string, ids: string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'segment-hold-ids',
    text: `SELECT id FROM contacts WHERE id = ANY ($2::uuid[]) AND ${ofProject('project_id')} ORDER BY id FOR KEY SHARE`,
    values: [projectId, ids],
  });
  return new Set(rows.map(({ id }) => id));
}

export interface MembershipChange {
  contactId: string;
  /** Whether it comes, or goes. */
  joins: boolean;
}

/**
 * How the members of a segment differ from the contacts of its condition, in pages by contact id. The condition is
 * evaluated once; nothing is changed.
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
        FULL JOIN (SELECT contact_id FROM segment_members WHERE segment_id = $${values.length + 1}) m ON m.contact_id = x.id
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

/** The same of the contacts that columns don't know as they are (columns.ts), all at once. */
export async function changedMembership(
  tx: Queryable,
  { sql, values }: ContactClause,
  segmentId: string,
): Promise<MembershipChange[]> {
  const { rows } = await tx.query<MembershipChange>(
    `SELECT x.id AS "contactId", x.holds AS joins
       FROM (SELECT c.id, (${sql}) IS TRUE AS holds, EXISTS (SELECT FROM segment_members m WHERE m.segment_id = $${values.length + 1} AND m.contact_id = c.id) AS member
               FROM contacts c WHERE c.project_id = $1 AND ${IS_CHANGED}) x
      WHERE x.holds <> x.member ORDER BY 1`,
    [...values, segmentId],
  );
  return rows;
}

/** Notes that a segment's members are up to date. */
export async function markComputed(tx: Queryable, segmentId: string, memberCount: number): Promise<void> {
  await tx.query({
    name: 'segment-computed',
    text: `UPDATE segments SET member_count = $2, computed_at = now() WHERE id = $1`,
    values: [segmentId, memberCount],
  });
}

/** The tracked dynamic segments of all projects that are enabled, the ones that were computed longest ago first. */
export async function trackedSegments(db: Queryable): Promise<Array<{ id: string; projectId: string }>> {
  const { rows } = await db.query<{ id: string; projectId: string }>(
    `SELECT s.id, s.project_id AS "projectId" FROM segments s JOIN projects p ON p.id = s.project_id
      WHERE s.track_membership AND s.type = 'DYNAMIC' AND NOT p.disabled ORDER BY s.computed_at NULLS FIRST, s.id`,
  );
  return rows;
}
