/** The problems of the templates that the steps of a workflow send. */
import type { Queryable } from '../../db/pool.js';
import { listContentErrors } from '../content/facts.js';
import { requireUsable, type Problem } from '../problems.js';
import { selectDrafts } from '../templates/sql.js';
import type { StepConfig } from './step-config.js';

/** @throws VALIDATION_ERROR (422) that lists the errors of a template that is a draft */
export async function requireUsableTemplate(db: Queryable, projectId: string, config: StepConfig): Promise<void> {
  if (config.type !== 'SEND_EMAIL') return;
  const errors = (await listTemplateErrors(db, projectId, [config.templateId])).get(config.templateId) ?? [];
  requireUsable(
    errors.map((problem) => ({ ...problem, path: 'templateId' })),
    'The template is a draft with errors and cannot be used.',
  );
}

/** Returns the errors of the templates that are drafts, by id. */
export async function listTemplateErrors(
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
