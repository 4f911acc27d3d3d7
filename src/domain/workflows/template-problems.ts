/** The problems of the templates that the steps of a workflow send. */
import type { Queryable } from '../../db/pool.js';
import { listContentErrors } from '../content/facts.js';
import { requireUsable, type Problem } from '../problems.js';
import { selectDrafts } from '../templates/sql.js';

export interface SendingStep {
  name: string;
  /** Null unless the step sends a template. */
  templateId: string | null;
}

/** Returns the errors of templates that are drafts, with the place of the step: `steps.2.templateId`. */
export async function findTemplateProblems(
  db: Queryable,
  projectId: string,
  steps: readonly SendingStep[],
): Promise<Problem[]> {
  const errors = await errorsByTemplate(
    db,
    projectId,
    steps.flatMap(({ templateId }) => templateId ?? []),
  );
  return steps.flatMap(({ name, templateId }, index) =>
    (errors.get(templateId ?? '') ?? []).map((problem) => ({
      ...problem,
      message: `The step ${JSON.stringify(name)}: ${problem.message}`,
      path: `steps.${index}.templateId`,
    })),
  );
}

/** @throws VALIDATION_ERROR (422) that lists the errors of a template that is a draft */
export async function requireUsableTemplate(db: Queryable, projectId: string, templateId: string): Promise<void> {
  const errors = (await errorsByTemplate(db, projectId, [templateId])).get(templateId) ?? [];
  requireUsable(
    errors.map((problem) => ({ ...problem, path: 'templateId' })),
    'The template is a draft with errors and cannot be used.',
  );
}

async function errorsByTemplate(
  db: Queryable,
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, Problem[]>> {
  const drafts = ids.length > 0 ? await selectDrafts(db, projectId, ids) : [];
  const errors = drafts.length > 0 ? await listContentErrors(db, projectId, drafts) : [];
  return new Map(
    drafts.map(({ id, name }, index) => [
      id,
      (errors[index] ?? []).map((problem) => ({
        ...problem,
        message: `Template ${JSON.stringify(name)}: ${problem.message}`,
      })),
    ]),
  );
}
