/** Who may do what in a project (contract, section 2: "Roles"). */
import type { Context } from '../../context.js';
import { ApiError, forbidden, notFound } from '../../errors.js';
import { isId } from '../../ids.js';

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER';

/** The roles that manage settings, keys, domains, members, billing and reset. */
export const MANAGERS: readonly Role[] = ['OWNER', 'ADMIN'];
/** Whoever is a member: they may look, and work with the content. */
export const EVERYBODY: readonly Role[] = ['OWNER', 'ADMIN', 'MEMBER'];
/** The role that deletes the project. */
export const OWNER: readonly Role[] = ['OWNER'];

export interface Access {
  role: Role;
  disabled: boolean;
}

/**
 * The user's place in a project.
 *
 * @throws PROJECT_NOT_FOUND (404) for anybody but its members, whether the id is malformed, unknown or another's
 * @throws FORBIDDEN (403) for a member whose role is not among `roles`
 */
export async function requireRole(
  ctx: Context,
  userId: string,
  projectId: string,
  roles: readonly Role[],
): Promise<Access> {
  const membership = isId(projectId)
    ? await ctx.prisma.membership.findUnique({
        where: { projectId_userId: { projectId, userId } },
        select: { role: true, project: { select: { disabled: true } } },
      })
    : null;
  if (!membership) throw notFound('PROJECT');
  requireAmong(roles, membership.role);
  return { role: membership.role, disabled: membership.project.disabled };
}

/** @throws FORBIDDEN (403) */
export function requireAmong(roles: readonly Role[], role: Role): void {
  if (!roles.includes(role)) throw forbidden(`This needs the role ${roles.join(' or ')}; yours is ${role}.`);
}

/** @throws PROJECT_DISABLED (403) */
export function requireEnabled({ disabled }: Pick<Access, 'disabled'>): void {
  if (disabled) throw new ApiError('PROJECT_DISABLED', 'This project is disabled; see its security page.');
}
