/**
 * The members of projects. The manager's and the member's rows are locked together, so if two admins remove each other
 * concurrently, only one removal succeeds.
 */
import type { Queryable } from '../../../db/pool.js';

export type RoleName = 'OWNER' | 'ADMIN' | 'MEMBER';

export interface MemberRow {
  userId: string;
  email: string;
  role: RoleName;
  createdAt: Date;
}

const MEMBER = `m.user_id AS "userId", u.email, m.role, m.created_at AS "createdAt"`;

/** Returns the members of a project, oldest membership first. */
export async function listMemberRows(db: Queryable, projectId: string): Promise<MemberRow[]> {
  const { rows } = await db.query<MemberRow>({
    name: 'members-list',
    text: `SELECT ${MEMBER} FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = $1 ORDER BY m.created_at, m.user_id`,
    values: [projectId],
  });
  return rows;
}

/** Locks the members among `userIds`, in the order of their ids, and returns them. */
export async function lockMembers(tx: Queryable, projectId: string, userIds: string[]): Promise<MemberRow[]> {
  const { rows } = await tx.query<MemberRow>({
    name: 'members-lock',
    text: `SELECT ${MEMBER} FROM memberships m JOIN users u ON u.id = m.user_id
            WHERE m.project_id = $1 AND m.user_id = ANY ($2::uuid[]) ORDER BY m.user_id FOR UPDATE OF m`,
    values: [projectId, userIds],
  });
  return rows;
}

export async function findUserId(db: Queryable, email: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>({
    name: 'user-id-of-address',
    text: `SELECT id FROM users WHERE email = $1`,
    values: [email],
  });
  return rows[0]?.id ?? null;
}

/** @returns null if the user is already a member */
export async function insertMember(
  tx: Queryable,
  projectId: string,
  userId: string,
  role: RoleName,
): Promise<MemberRow | null> {
  const { rows } = await tx.query<MemberRow>({
    name: 'members-insert',
    text: `WITH m AS (
             INSERT INTO memberships (project_id, user_id, role) VALUES ($1, $2, $3)
             ON CONFLICT (project_id, user_id) DO NOTHING RETURNING *
           )
           SELECT ${MEMBER} FROM m JOIN users u ON u.id = m.user_id`,
    values: [projectId, userId, role],
  });
  return rows[0] ?? null;
}

export async function updateMemberRole(
  tx: Queryable,
  projectId: string,
  userId: string,
  role: RoleName,
): Promise<void> {
  await tx.query({
    name: 'members-role',
    text: `UPDATE memberships SET role = $3 WHERE project_id = $1 AND user_id = $2 AND role <> 'OWNER'`,
    values: [projectId, userId, role],
  });
}

export async function deleteMember(tx: Queryable, projectId: string, userId: string): Promise<void> {
  await tx.query({
    name: 'members-delete',
    text: `DELETE FROM memberships WHERE project_id = $1 AND user_id = $2 AND role <> 'OWNER'`,
    values: [projectId, userId],
  });
}
