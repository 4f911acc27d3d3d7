/** The members of a project (specification, "Authentication and user management"; contract, section 2: "Roles"). */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
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

/** The roles that can be given: the owner is who made the project, for good. */
export const GIVEN_ROLES = ['ADMIN', 'MEMBER'] as const;
export type GivenRole = (typeof GIVEN_ROLES)[number];

/**
 * All members, in the order in which they came.
 *
 * @throws PROJECT_NOT_FOUND (404) for anybody but a member
 */
export async function listMembers(ctx: Context, userId: string, projectId: string): Promise<Member[]> {
  await requireRole(ctx, userId, projectId, MEMBERS);
  return listMemberRows(ctx.pool, projectId);
}

/**
 * Makes a user a member.
 *
 * @param email normalised
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403), USER_NOT_FOUND (404), CONFLICT
 * (409, a member already)
 */
export async function addMember(
  ctx: Context,
  userId: string,
  projectId: string,
  { email, role }: { email: string; role: GivenRole },
): Promise<Member> {
  return managing(ctx, userId, projectId, userId, async (tx) => {
    const added = await findUserId(tx, email);
    if (added === null) throw notFound('USER');
    const member = await insertMember(tx, projectId, added, role);
    if (!member) throw conflict('This user is a member of the project already.');
    return member;
  });
}

/**
 * Changes a member's role.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER; or the owner is to be changed), PROJECT_DISABLED (403),
 * USER_NOT_FOUND (404, no member)
 */
export async function changeRole(
  ctx: Context,
  userId: string,
  projectId: string,
  memberId: string,
  role: GivenRole,
): Promise<Member> {
  return managing(ctx, userId, projectId, memberId, async (tx, member) => {
    if (member.role === 'OWNER') throw forbidden("The owner's role can not be changed.");
    await updateMemberRole(tx, projectId, member.userId, role);
    return { ...member, role };
  });
}

/**
 * Removes a member. The account stays, and so does what the member has made.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER; or the owner, or oneself, is to be removed),
 * PROJECT_DISABLED (403), USER_NOT_FOUND (404, no member)
 */
export async function removeMember(ctx: Context, userId: string, projectId: string, memberId: string): Promise<void> {
  await managing(ctx, userId, projectId, memberId, async (tx, member) => {
    if (member.role === 'OWNER') throw forbidden('The owner can not be removed.');
    if (member.userId === userId) throw forbidden('You can not remove yourself; ask another admin, or the owner.');
    await deleteMember(tx, projectId, member.userId);
  });
}

/**
 * Runs a manager's change of a member, be it themselves, in a transaction that holds both: what they may and are is as
 * it was read until the change is committed.
 */
async function managing<T>(
  ctx: Context,
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
    // Removed, or made a member, since the look before.
    if (!manager) throw notFound('PROJECT');
    requireRoleAmong(MANAGERS, manager.role);
    const member = locked.find((one) => one.userId === wanted);
    if (!member) throw notFound('USER');
    return change(tx, member);
  });
}
