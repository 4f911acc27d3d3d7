/** The roles of a project's members (contract, section 2). */
import type { ApiContext } from '../../context.js';
import type { ProjectRef } from '../../db/admission.js';
import { ApiError, forbidden, notFound } from '../../errors.js';
import { isId } from '../../ids.js';

export type Role = 'OWNER' | 'ADMIN' | 'MEMBER';

/** The roles that manage settings, keys, domains, members, billing, and reset. */
export const MANAGERS: readonly Role[] = ['OWNER', 'ADMIN'];
/** The roles that read the project and manage its content. */
export const MEMBERS: readonly Role[] = ['OWNER', 'ADMIN', 'MEMBER'];
/** The role that deletes the project. */
export const OWNER: readonly Role[] = ['OWNER'];

export interface Access {
  role: Role;
  disabled: boolean;
}

/** Returns a project for a member, or null for a non-member and for a malformed or unknown id. */
export async function findMemberProject(
  ctx: ApiContext,
  userId: string,
  projectId: string,
): Promise<ProjectRef | null> {
  if (!isId(projectId)) return null;
  const membership = await ctx.prisma.membership.findUnique({
    where: { projectId_userId: { projectId, userId } },
    select: {
      project: {
        select: { id: true, disabled: true, tracking: true, language: true, billingLimitTransactional: true },
      },
    },
  });
  if (!membership) return null;
  const { billingLimitTransactional, ...project } = membership.project;
  return { ...project, limited: billingLimitTransactional !== null };
}

/**
 * Returns the role of a user in a project.
 *
 * @throws PROJECT_NOT_FOUND (404) for a non-member and for a malformed or unknown id
 * @throws FORBIDDEN (403) if the role is not among `roles`
 */
export async function requireRole(
  ctx: ApiContext,
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
  requireRoleAmong(roles, membership.role);
  return { role: membership.role, disabled: membership.project.disabled };
}

/** @throws FORBIDDEN (403) if the role is not among `roles` */
export function requireRoleAmong(roles: readonly Role[], role: Role): void {
  if (!roles.includes(role)) throw forbidden(`This requires the role ${roles.join(' or ')}. Your role is ${role}.`);
}

/** @throws PROJECT_DISABLED (403) */
export function requireEnabled({ disabled }: Pick<Access, 'disabled'>): void {
  if (disabled) throw new ApiError('PROJECT_DISABLED', 'This project is disabled. Its security page shows the reason.');
}
