/** Reads templates: one, a page of the list, and the usage of one. */
import type { ApiContext, Context } from '../../context.js';
import { countTemplates, selectTemplates, stepsOfTemplate, type StepRef, type TemplateRow } from './sql.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import type { Template as TemplateModel } from '../../generated/prisma/client.js';
import type { Design } from '../../../packages/email-blocks/src/index.js';
import { readDesign } from '../content/stored-design.js';
import { listContentProblems } from '../content/facts.js';
import { toRevised, type Revised } from '../revisions.js';
import { likePattern, toPage, type Page } from '../pagination.js';
import type { Problem } from '../problems.js';

/** A template in API responses. */
export type Template = Omit<TemplateRow, 'revision' | 'design'> &
  Revised & { design: Design | null; problems: Problem[] };

/** @throws TEMPLATE_NOT_FOUND (404), also for a malformed id and for the id of another project */
export async function requireTemplate({ prisma }: ApiContext, projectId: string, id: string): Promise<TemplateModel> {
  const template = isId(id) ? await prisma.template.findUnique({ where: { projectId_id: { projectId, id } } }) : null;
  if (!template) throw notFound('TEMPLATE');
  return template;
}

/** @throws TEMPLATE_NOT_FOUND (404) */
export const getTemplate = async (ctx: ApiContext, projectId: string, id: string): Promise<Template> =>
  toTemplate(ctx, await requireTemplate(ctx, projectId, id));

/** Returns a row as the API shows it. */
export async function toTemplate(
  ctx: Context,
  { version: _version, incomplete: _incomplete, changedBy: _changedBy, ...row }: TemplateModel,
): Promise<Template> {
  const [problems = []] = await listContentProblems(ctx, row.projectId, [row], 'template');
  return { ...toRevised(row), design: readDesign(row.design), problems };
}

export interface ListTemplates {
  page: number;
  pageSize: number;
  type?: Template['type'];
  draft?: boolean;
  /** A case-insensitive substring of the name, the description, or the subject. */
  search?: string;
  sort: 'createdAt' | 'name' | 'updatedAt';
  dir: 'asc' | 'desc';
}

export async function listTemplates(
  ctx: Context,
  projectId: string,
  { page, pageSize, type, draft, search, sort, dir }: ListTemplates,
): Promise<Page<Template>> {
  const text = search?.trim();
  const filter = { projectId, type, draft, pattern: text ? likePattern(text) : undefined };
  const [rows, total] = await Promise.all([
    selectTemplates(ctx.pool, { ...filter, sort, dir, limit: pageSize, offset: (page - 1) * pageSize }),
    countTemplates(ctx.pool, filter),
  ]);
  const problems = await listContentProblems(ctx, projectId, rows, 'template');
  const data = rows.map((row, index) => ({
    ...toRevised(row),
    design: readDesign(row.design),
    problems: problems[index] ?? [],
  }));
  return toPage(data, total, { page, pageSize });
}

export interface TemplateUsage {
  campaigns: Array<{ id: string; name: string }>;
  workflowSteps: StepRef[];
  /** The number of emails with this template that a mail server accepted. */
  emailsSent: number;
}

/** @throws TEMPLATE_NOT_FOUND (404) */
export async function templateUsage(ctx: ApiContext, projectId: string, id: string): Promise<TemplateUsage> {
  await requireTemplate(ctx, projectId, id);
  const [campaigns, workflowSteps, emailsSent] = await Promise.all([
    ctx.prisma.campaign.findMany({
      where: { projectId, templateId: id },
      select: { id: true, name: true },
      orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
    }),
    stepsOfTemplate(ctx.pool, projectId, id),
    ctx.prisma.email.count({ where: { projectId, templateId: id, sentAt: { not: null } } }),
  ]);
  return { campaigns, workflowSteps, emailsSent };
}
