/** Projects: settings, keys, and deletion. */
import { z } from 'zod';
import type { ApiContext } from '../../context.js';
import { enqueue, type CancelIntent } from '../../db/outbox.js';
import { deleteProjectRow, settingsWorkflowIds } from './sql/projects.js';
import { insertPendingRemoval } from '../uploads/sql.js';
import { notFound } from '../../errors.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { SendWindow } from '../send-window.js';
import { requireTimezone } from '../timezone.js';
import { newId } from '../../ids.js';
import { enableProject } from '../reputation/security.js';
import { endSubscription } from '../billing/checkout.js';
import { removeUploadsOf } from '../uploads/removals.js';
import { MANAGERS, OWNER, requireEnabled, requireRole, type Role } from './access.js';
import { emptyProject } from './empty.js';
import { keyColumns, generateKeys } from './keys.js';

export type TrackingMode = 'ENABLED' | 'DISABLED' | 'MARKETING_ONLY';

const DELETED = 'The project was deleted';

/** A project as its members see it: with the whole public key and the last four characters of the secret key. */
export interface Project {
  id: string;
  name: string;
  public: string;
  secretLast4: string;
  disabled: boolean;
  disabledReason: string | null;
  tracking: TrackingMode;
  language: string;
  /** The name of an IANA time zone. */
  timezone: string;
  /** In the footer of MARKETING emails. */
  postalAddress: string | null;
  /** The hours in which bulk email is sent; null: always. */
  sendWindow: SendWindow | null;
  brand: Brand | null;
  defaultFrom: string | null;
  defaultFromName: string | null;
  /** Whether `subscribed` of `POST /v1/track` changes known contacts. */
  trackMayChangeSubscription: boolean;
  billingLimitWorkflows: number | null;
  billingLimitCampaigns: number | null;
  billingLimitTransactional: number | null;
  /** The caller's role. */
  role: Role;
  createdAt: Date;
  updatedAt: Date;
}

const Brand = z.object({ logoUrl: z.string().nullable(), color: z.string().nullable() });
export type Brand = z.infer<typeof Brand>;

export interface ProjectWithSecret extends Project {
  /** In clear text. Only this response contains it. */
  secret: string;
}

export interface ProjectChanges {
  name?: string;
  tracking?: TrackingMode;
  language?: string;
  timezone?: string;
  postalAddress?: string | null;
  sendWindow?: SendWindow | null;
  brand?: Brand | null;
  defaultFrom?: string | null;
  defaultFromName?: string | null;
  trackMayChangeSubscription?: boolean;
  disabled?: boolean;
}

const COLUMNS = {
  id: true,
  name: true,
  publicKey: true,
  secretLast4: true,
  disabled: true,
  disabledReason: true,
  tracking: true,
  language: true,
  timezone: true,
  postalAddress: true,
  sendWindow: true,
  brand: true,
  defaultFrom: true,
  defaultFromName: true,
  trackMayChangeSubscription: true,
  billingLimitWorkflows: true,
  billingLimitCampaigns: true,
  billingLimitTransactional: true,
  createdAt: true,
  updatedAt: true,
} as const;

type Row = Omit<Project, 'public' | 'role' | 'brand' | 'sendWindow'> & {
  publicKey: string;
  brand: unknown;
  sendWindow: unknown;
};

const toProject = ({ publicKey, id, name, brand, sendWindow, ...rest }: Row, role: Role): Project => ({
  id,
  name,
  public: publicKey,
  ...rest,
  brand: Brand.nullable().parse(brand),
  sendWindow: sendWindow as SendWindow | null,
  role,
});

/**
 * @param role the caller's role in the project
 * @throws PROJECT_NOT_FOUND (404)
 */
export async function readProject({ prisma }: ApiContext, id: string, role: Role): Promise<Project> {
  const row = await prisma.project.findUnique({ where: { id }, select: COLUMNS });
  if (!row) throw notFound('PROJECT');
  return toProject(row, role);
}

/** Returns the user's projects, newest first. */
export async function listProjects(ctx: ApiContext, userId: string): Promise<Project[]> {
  const rows = await ctx.prisma.project.findMany({
    where: { memberships: { some: { userId } } },
    select: { ...COLUMNS, memberships: { where: { userId }, select: { role: true } } },
    orderBy: { id: 'desc' },
  });
  return rows.map(({ memberships, ...row }) => toProject(row, memberships[0]?.role ?? 'MEMBER'));
}

/** Creates a project that the user owns. */
export async function createProject(ctx: ApiContext, userId: string, name: string): Promise<ProjectWithSecret> {
  const keys = generateKeys();
  const row = await ctx.prisma.project.create({
    data: { id: newId(), name, ...keyColumns(keys), memberships: { create: { userId, role: 'OWNER' } } },
    select: COLUMNS,
  });
  return { ...toProject(row, 'OWNER'), secret: keys.secret };
}

/**
 * Changes a project's settings; omitted settings stay.
 *
 * A disabled project accepts only `disabled: false` without any other field, which enables it again. A client that
 * sends back a whole project therefore cannot enable it by accident. `disabled: true` has no effect.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER), PROJECT_DISABLED (403), VALIDATION_ERROR (422, `timezone`)
 */
export async function updateProject(
  ctx: ApiContext,
  userId: string,
  id: string,
  { disabled, brand, sendWindow, ...changes }: ProjectChanges,
): Promise<Project> {
  const access = await requireRole(ctx, userId, id, MANAGERS);
  if (
    access.disabled &&
    disabled === false &&
    Object.values({ ...changes, brand, sendWindow }).every((value) => value === undefined)
  )
    await enableProject(ctx, id);
  else requireEnabled(access);
  if (changes.timezone !== undefined) requireTimezone(changes.timezone);
  const data = {
    ...changes,
    brand: brand === null ? Prisma.DbNull : brand,
    sendWindow: sendWindow === null ? Prisma.DbNull : sendWindow && { ...sendWindow },
  };
  const [row] = await ctx.prisma.project.updateManyAndReturn({ where: { id }, data, select: COLUMNS });
  if (!row) throw notFound('PROJECT');
  return toProject(row, access.role);
}

/**
 * Replaces both keys. The old keys stop working with the commit on every instance, because each request looks up its
 * key in the database.
 *
 * A disabled project's keys can be replaced too: a leaked key may be the reason why it was disabled.
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, a MEMBER)
 */
export async function regenerateKeys(ctx: ApiContext, userId: string, id: string): Promise<ProjectWithSecret> {
  const { role } = await requireRole(ctx, userId, id, MANAGERS);
  const keys = generateKeys();
  const [row] = await ctx.prisma.project.updateManyAndReturn({
    where: { id },
    data: keyColumns(keys),
    select: COLUMNS,
  });
  if (!row) throw notFound('PROJECT');
  // The new keys have not been used.
  await ctx.prisma.keyUse.deleteMany({ where: { projectId: id } });
  return { ...toProject(row, role), secret: keys.secret };
}

/**
 * Deletes a project with everything in it, including its uploads. Cancels everything that runs for it, and its
 * subscription at the payment provider. Emails that were not handed to the transport are never sent.
 *
 * If it is interrupted, nothing runs for the project and a part of its content is lost; another call continues
 * (empty.ts).
 *
 * @throws PROJECT_NOT_FOUND (404), FORBIDDEN (403, not the owner), SERVICE_UNAVAILABLE (503) if another operation
 * locks its rows for too long, or if the payment provider does not respond
 */
export async function deleteProject(ctx: ApiContext, userId: string, id: string): Promise<void> {
  await requireRole(ctx, userId, id, OWNER);
  await endSubscription(ctx, id);
  await emptyProject(ctx, id, DELETED, async (tx) => {
    const watches = await settingsWorkflowIds(tx, id);
    await enqueue(
      tx,
      watches.map((workflowId): CancelIntent => ({ action: 'cancel', workflowId, reason: DELETED })),
    );
    await deleteProjectRow(tx, id);
    await insertPendingRemoval(tx, id);
  });
  await removeUploadsOf(ctx, id);
}
