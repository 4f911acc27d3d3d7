/** Creating, changing, duplicating and deleting templates. */
import type { Context } from '../../context.js';
import { deleteTemplateRow, lockTemplate, stepsOfTemplate } from './sql.js';
import { conflict, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { givingWay } from '../give-way.js';
import { requireParsable } from './content.js';
import { getTemplate, HIDDEN, type Template } from './get.js';

export interface TemplateContent {
  name: string;
  description?: string | null;
  subject: string;
  body: string;
  from: string;
  fromName?: string | null;
  replyTo?: string | null;
  type: Template['type'];
}

/**
 * @throws VALIDATION_ERROR (422, subject or body doesn't parse), INTERNAL_SERVER_ERROR with 403 (the sender's domain is
 * not verified)
 */
export async function createTemplate(
  { pool, prisma }: Context,
  projectId: string,
  content: TemplateContent,
): Promise<Template> {
  requireParsable(content);
  await requireVerifiedSender(pool, projectId, content.from);
  return prisma.template.create({ data: { id: newId(), projectId, ...content }, omit: HIDDEN });
}

/**
 * Changes what is given of a template; `updatedAt` moves only when something is different afterwards. Emails that were
 * accepted before keep the content that they were accepted with.
 *
 * @throws TEMPLATE_NOT_FOUND (404), and as createTemplate for what is given
 */
export async function updateTemplate(
  ctx: Context,
  projectId: string,
  id: string,
  content: Partial<TemplateContent>,
): Promise<Template> {
  const before = await getTemplate(ctx, projectId, id);
  requireParsable(content);
  if (content.from !== undefined) await requireVerifiedSender(ctx.pool, projectId, content.from);
  const after = { ...before, ...withoutUndefined(content) };
  if (JSON.stringify(after) === JSON.stringify(before)) return before;
  const [updated] = await ctx.prisma.template.updateManyAndReturn({
    where: { projectId, id },
    data: { ...content, version: { increment: 1 }, updatedAt: new Date() },
    omit: HIDDEN,
  });
  if (!updated) throw notFound('TEMPLATE');
  return updated;
}

/** A copy named `<name> (copy)`. @throws TEMPLATE_NOT_FOUND (404) */
export async function duplicateTemplate(ctx: Context, projectId: string, id: string): Promise<Template> {
  const { createdAt: _created, updatedAt: _updated, ...original } = await getTemplate(ctx, projectId, id);
  return ctx.prisma.template.create({
    data: { ...original, id: newId(), name: `${original.name} (copy)` },
    omit: HIDDEN,
  });
}

/**
 * Deletes a template that no workflow step sends. Campaigns and emails hold their own content, so they are no obstacle.
 *
 * @throws TEMPLATE_NOT_FOUND (404), CONFLICT (409, the steps that use it are in `details.workflowSteps`)
 */
export async function deleteTemplate({ pool }: Context, projectId: string, id: string): Promise<void> {
  if (!isId(id)) throw notFound('TEMPLATE');
  await givingWay(pool, async (tx) => {
    if (!(await lockTemplate(tx, projectId, id))) throw notFound('TEMPLATE');
    const workflowSteps = await stepsOfTemplate(tx, projectId, id);
    if (workflowSteps.length > 0)
      throw conflict('The template is used by workflow steps; change or delete them first.', {
        details: { workflowSteps },
      });
    await deleteTemplateRow(tx, projectId, id);
  });
}

const withoutUndefined = (content: Partial<TemplateContent>): Partial<TemplateContent> =>
  Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined));
