/** Creates, updates, duplicates, and deletes templates. */
import type { Context } from '../../context.js';
import { deleteTemplateRow, lockTemplate, stepsOfTemplate } from './sql.js';
import { conflict, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { withLockTimeout } from '../lock-timeout.js';
import {
  REVISION,
  requireRevision,
  revisionFilter,
  staleRevision,
  toRevised,
  type ExpectedRevisions,
} from '../revisions.js';
import { requireParsable } from './content.js';
import { getTemplate, HIDDEN, type Template } from './get.js';

export interface TemplateContent {
  name: string;
  description?: string | null;
  subject: string;
  preheader?: string | null;
  body: string;
  from: string;
  fromName?: string | null;
  replyTo?: string | null;
  type: Template['type'];
}

/**
 * @throws VALIDATION_ERROR (422, syntax errors in subject or body); INTERNAL_SERVER_ERROR with 403 (the sender's domain
 * is not verified)
 */
export async function createTemplate(
  { pool, prisma }: Context,
  projectId: string,
  content: TemplateContent,
): Promise<Template> {
  requireParsable(content);
  await requireVerifiedSender(pool, projectId, content.from);
  return toRevised(await prisma.template.create({ data: { id: newId(), projectId, ...content }, omit: HIDDEN }));
}

/**
 * Changes the given fields of a template. `updatedAt` changes only if a value changes. Emails that were accepted before
 * keep their content.
 *
 * @throws TEMPLATE_NOT_FOUND (404), PRECONDITION_FAILED (412, another revision), and the errors of createTemplate for
 * the given fields
 */
export async function updateTemplate(
  ctx: Context,
  projectId: string,
  id: string,
  content: Partial<TemplateContent>,
  expected: ExpectedRevisions = null,
): Promise<Template> {
  const before = await getTemplate(ctx, projectId, id);
  requireParsable(content);
  if (content.from !== undefined) await requireVerifiedSender(ctx.pool, projectId, content.from);
  const after = { ...before, ...withoutUndefined(content) };
  if (JSON.stringify(after) === JSON.stringify(before)) {
    requireRevision(before[REVISION], expected);
    return before;
  }
  const [updated] = await ctx.prisma.template.updateManyAndReturn({
    where: { projectId, id, revision: revisionFilter(expected) },
    data: { ...content, version: { increment: 1 }, updatedAt: new Date() },
    omit: HIDDEN,
  });
  if (!updated) throw staleRevision((await getTemplate(ctx, projectId, id))[REVISION]);
  return toRevised(updated);
}

/** Creates a copy named `<name> (copy)`. @throws TEMPLATE_NOT_FOUND (404) */
export async function duplicateTemplate(ctx: Context, projectId: string, id: string): Promise<Template> {
  const {
    createdAt: _created,
    updatedAt: _updated,
    [REVISION]: _revision,
    ...original
  } = await getTemplate(ctx, projectId, id);
  const copy = { ...original, id: newId(), name: `${original.name} (copy)` };
  return toRevised(await ctx.prisma.template.create({ data: copy, omit: HIDDEN }));
}

/**
 * Deletes a template that no workflow step uses. Campaigns and emails have their own copy of the content.
 *
 * @throws TEMPLATE_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); CONFLICT (409, `details.workflowSteps` lists the steps that use it)
 */
export async function deleteTemplate(
  { pool }: Context,
  projectId: string,
  id: string,
  expected: ExpectedRevisions = null,
): Promise<void> {
  if (!isId(id)) throw notFound('TEMPLATE');
  await withLockTimeout(pool, async (tx) => {
    const template = await lockTemplate(tx, projectId, id);
    if (!template) throw notFound('TEMPLATE');
    requireRevision(template.revision, expected);
    const workflowSteps = await stepsOfTemplate(tx, projectId, id);
    if (workflowSteps.length > 0)
      throw conflict('Workflow steps use this template. Change or delete them first.', {
        details: { workflowSteps },
      });
    await deleteTemplateRow(tx, projectId, id);
  });
}

const withoutUndefined = (content: Partial<TemplateContent>): Partial<TemplateContent> =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
