/** Creates, updates, duplicates, and deletes templates. */
import { isDeepStrictEqual } from 'node:util';
import type { Design } from '../../../packages/email-blocks/src/index.js';
import type { ApiContext, Context } from '../../context.js';
import type { Template as TemplateModel } from '../../generated/prisma/client.js';
import { EMPTY_BODY, resolveBody, toStoredDesign, type EditedBody, type EditorName } from '../content/design.js';
import { readDesign } from '../content/stored-design.js';
import { deleteTemplateRow, lockTemplate, stepsOfTemplate } from './sql.js';
import { conflict, notFound, validationError } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { requireVerifiedSender } from '../domains/sender.js';
import { createKeyedLimit } from '../../keyed-limit.js';
import { withLockTimeout } from '../lock-timeout.js';
import { requireRevision, type ExpectedRevisions } from '../revisions.js';
import { requireParsable } from './content.js';
import { isIncomplete } from '../content/problems.js';
import { requireTemplate, toTemplate, type Template } from './get.js';

export interface TemplateContent {
  name: string;
  description?: string | null;
  subject?: string | null;
  preheader?: string | null;
  body?: string | null;
  from?: string | null;
  fromName?: string | null;
  replyTo?: string | null;
  type: Template['type'];
}

/** @param draft lifts the required fields, the syntax check, and the check of the sender's domain */
export type TemplateInput = TemplateContent & { editor?: EditorName; design?: Design | null; draft?: boolean };

export interface WriteOptions {
  /** The user of the session; null for a key. */
  changedBy: string | null;
}

/**
 * @throws without `draft`: VALIDATION_ERROR (422, missing fields, syntax errors), and INTERNAL_SERVER_ERROR with 403
 * (the sender's domain is not verified); VALIDATION_ERROR (422, field `design`) as resolveBody
 */
export async function createTemplate(
  ctx: ApiContext,
  projectId: string,
  { draft = false, ...input }: TemplateInput,
  { changedBy }: WriteOptions,
): Promise<Template> {
  const body = (await resolveBody(ctx, projectId, input, EMPTY_BODY)) ?? EMPTY_BODY;
  const content = { subject: null, preheader: null, from: null, ...withoutUndefined(input), ...body };
  if (!draft) await requireComplete(ctx, projectId, content);
  return toTemplate(
    ctx,
    await ctx.prisma.template.create({
      data: { id: newId(), projectId, ...toData(content), draft, incomplete: isIncomplete(content), changedBy },
    }),
  );
}

/**
 * Changes the given fields of a template. `updatedAt` changes only if a value changes. Emails that were accepted before
 * keep their content.
 *
 * A draft stays one until it is saved with `draft: false`, and then it must be complete.
 *
 * @throws TEMPLATE_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); the errors of createTemplate, for the
 * given fields, or for all of them if it was a draft before
 */
export const updateTemplate = (
  ctx: ApiContext,
  projectId: string,
  id: string,
  input: Partial<TemplateInput>,
  options: ChangeOptions,
): Promise<Template> =>
  changeTemplate(ctx, { projectId, id, ...options }, async (before) => {
    const { editor: _editor, design: _design, body: _body, ...others } = withoutUndefined(input);
    return { ...others, ...(await resolveBody(ctx, projectId, input, before)) };
  });

export interface ChangeOptions extends WriteOptions {
  expected?: ExpectedRevisions;
}

type TemplateChange = Partial<TemplateContent & EditedBody> & { draft?: boolean };

type TemplateRef = ChangeOptions & { projectId: string; id: string };

/** Parallel changes of a template wait for each other in a process. Otherwise, each one would repeat all others. */
const oneAtATime = createKeyedLimit(1);

/**
 * Stores the change that `read` returns for a template. Repeats it if another process changes the template in the
 * meantime.
 */
export const changeTemplate = (
  ctx: ApiContext,
  ref: TemplateRef,
  read: (before: TemplateModel) => Promise<TemplateChange>,
): Promise<Template> => oneAtATime(ref.id, () => tryChange(ctx, ref, read));

async function tryChange(
  ctx: ApiContext,
  ref: TemplateRef,
  read: (before: TemplateModel) => Promise<TemplateChange>,
): Promise<Template> {
  const { projectId, id, expected = null, changedBy } = ref;
  const before = await requireTemplate(ctx, projectId, id);
  const { draft, ...content } = await read(before);
  const merged = { ...before, ...content, draft: draft ?? before.draft };
  const after = { ...merged, incomplete: isIncomplete(merged) };
  if (before.draft && draft === false) await requireComplete(ctx, projectId, after);
  else if (draft !== true) await requireValid(ctx, projectId, content);
  requireRevision(before.revision, expected);
  if (isDeepStrictEqual(after, before)) return toTemplate(ctx, before);
  const [updated] = await ctx.prisma.template.updateManyAndReturn({
    // The change was checked together with this revision.
    where: { projectId, id, revision: before.revision },
    data: {
      ...toData(content),
      draft: after.draft,
      incomplete: after.incomplete,
      changedBy,
      version: { increment: 1 },
      updatedAt: new Date(),
    },
  });
  return updated ? toTemplate(ctx, updated) : tryChange(ctx, ref, read);
}

const toData = <T extends { design?: Design | null }>({ design, ...content }: T) => ({
  ...content,
  design: design === undefined ? undefined : toStoredDesign(design),
});

type CheckedContent = Partial<TemplateContent> & { design?: unknown };

/** @throws VALIDATION_ERROR (422, missing fields, syntax errors); 403 (the sender's domain is not verified) */
async function requireComplete(ctx: Context, projectId: string, content: CheckedContent): Promise<void> {
  const { subject, body, from } = content;
  const missing = Object.entries({ subject, body, from }).filter(([, value]) => value === null || value === undefined);
  if (missing.length > 0)
    throw validationError(missing.map(([field]) => ({ field, message: 'is required', code: 'required' })));
  await requireValid(ctx, projectId, content);
}

/** @throws VALIDATION_ERROR (422, syntax errors); 403 (the sender's domain is not verified) */
async function requireValid({ pool }: Context, projectId: string, content: CheckedContent): Promise<void> {
  requireParsable(content);
  if (content.from) await requireVerifiedSender(pool, projectId, content.from);
}

/** Creates a copy named `<name> (copy)`. @throws TEMPLATE_NOT_FOUND (404) */
export async function duplicateTemplate(
  ctx: ApiContext,
  projectId: string,
  id: string,
  { changedBy }: WriteOptions,
): Promise<Template> {
  const {
    createdAt: _created,
    updatedAt: _updated,
    version: _version,
    revision: _revision,
    design,
    ...original
  } = await requireTemplate(ctx, projectId, id);
  const copy = { ...original, design: readDesign(design), id: newId(), name: `${original.name} (copy)`, changedBy };
  return toTemplate(ctx, await ctx.prisma.template.create({ data: toData(copy) }));
}

/**
 * Deletes a template that no workflow step uses. Campaigns and emails have their own copy of the content.
 *
 * @throws TEMPLATE_NOT_FOUND (404); PRECONDITION_FAILED (412, another revision); CONFLICT (409, `details.workflowSteps`
 * lists the steps that use it)
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

const withoutUndefined = <T extends object>(content: T): T =>
  Object.assign({}, ...Object.entries(content).map(([key, value]) => (value === undefined ? {} : { [key]: value })));
