/** The members of a project (specification, "Authentication and user management"; contract, section 2: "Roles"). */
import type { PoolClient } from 'pg';
import type { ApiContext } from '../../context.js';
import { transaction } from '../../db/pool.js';
import {
  deleteMember,
  findUserId,
  insertMember,
  listMemberRows,
  lockMembers,
  updateMemberRole,
  type MemberRow,
} from './sql/members.js';
import { conflict, forbidden, notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { MEMBERS, MANAGERS, requireRoleAmong, requireEnabled, requireRole } from './access.js';

export type Member = MemberRow;

/** The roles that can be assigned. The owner is the user who created the project and never changes. */
export const ASSIGNABLE_ROLES = ['ADMIN', 'MEMBER'] as const;
export type AssignableRole = (typeof ASSIGNABLE_ROLES)[number];

/**
 * Returns all members, oldest membership first.
 *
 * @throws PROJECT_NOT_FOUND (404) for a non-member
 */
export async function listMembers(ctx: ApiContext, userId: string, projectId: string): Promise<Member[]> {
  await requireRole(ctx, userId, projectId, MEMBERS);
  return listMemberRows(ctx.pool, projectId);
}

/**
 * Makes a user a member.
 *
 * @param email normalized
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403), USER_NOT_FOUND (404), CONFLICT
 * (409, already a member)
 */
export async function addMember(
  ctx: ApiContext,
  userId: string,
  projectId: string,
  { email, role }: { email: string; role: AssignableRole },
): Promise<Member> {
  return changeMember(ctx, userId, projectId, userId, async (tx) => {
    const added = await findUserId(tx, email);
    if (added === null) throw notFound('USER');
    const member = await insertMember(tx, projectId, added, role);
    if (!member) throw conflict('This user is already a member of the project.');
    return member;
  });
}

/**
 * Changes a member's role.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER; or the role is the owner's), PROJECT_DISABLED (403),
 * USER_NOT_FOUND (404, not a member)
 */
export async function changeRole(
  ctx: ApiContext,
  userId: string,
  projectId: string,
  memberId: string,
  role: AssignableRole,
): Promise<Member> {
  return changeMember(ctx, userId, projectId, memberId, async (tx, member) => {
    if (member.role === 'OWNER') throw forbidden("The owner's role cannot be changed.");
    await updateMemberRole(tx, projectId, member.userId, role);
    return { ...member, role };
  });
}

/**
 * Removes a member. The account stays, and so does everything that the member created.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER; or the member is the owner or the caller),
 * PROJECT_DISABLED (403), USER_NOT_FOUND (404, not a member)
 */
export async function removeMember(
  ctx: ApiContext,
  userId: string,
  projectId: string,
  memberId: string,
): Promise<void> {
  await changeMember(ctx, userId, projectId, memberId, async (tx, member) => {
    if (member.role === 'OWNER') throw forbidden('The owner cannot be removed.');
    if (member.userId === userId) throw forbidden('You cannot remove yourself. Ask another admin or the owner.');
    await deleteMember(tx, projectId, member.userId);
  });
}

/**
 * Changes a member on behalf of a manager. The transaction locks both memberships, so their roles stay as read until
 * the commit.
 */
async function changeMember<T>(
  ctx: ApiContext,
  userId: string,
  projectId: string,
  memberId: string,
  change: (tx: PoolClient, member: Member) => Promise<T>,
): Promise<T> {
  requireEnabled(await requireRole(ctx, userId, projectId, MANAGERS));
  if (!isId(memberId)) throw notFound('USER');
  return transaction(ctx.pool, async (tx) => {
    const wanted = memberId.toLowerCase();
    const locked = await lockMembers(tx, projectId, [userId, wanted]);
    const manager = locked.find((member) => member.userId === userId);
    // The manager was removed since the first check.
    if (!manager) throw notFound('PROJECT');
    requireRoleAmong(MANAGERS, manager.role);
    const member = locked.find((one) => one.userId === wanted);
    if (!member) throw notFound('USER');
    return change(tx, member);
  });
}
