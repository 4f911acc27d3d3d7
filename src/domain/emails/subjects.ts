/** The subjects that recipients see, for lists. A message stores its template. */
import type { Context } from '../../context.js';
import { renderTemplate, toSubjectLine } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';
import { mergeVariables } from './compose.js';
import { selectSubjectData, type SubjectData } from './sql/show.js';
import { readWorkflowVariables } from './workflow-variables.js';

/**
 * Renders the subjects of emails with the variables of the emails and the present data of their contacts. Subjects
 * without a tag, and those whose template fails, stay as they are.
 *
 * @param emails with the template of the subject
 */
export async function renderSubjects<T extends { id: string; subject: string | null }>(
  ctx: Pick<Context, 'pool' | 'config'>,
  projectId: string,
  emails: T[],
): Promise<T[]> {
  const ids = emails.filter(({ subject }) => subject !== null && /\{[{%]/.test(subject)).map(({ id }) => id);
  if (ids.length === 0) return emails;
  const rows = new Map((await selectSubjectData(ctx.pool, projectId, ids)).map((row) => [row.id, row]));
  return emails.map((email) => {
    const row = rows.get(email.id);
    return row && email.subject !== null ? { ...email, subject: renderSubject(ctx, email.subject, row) } : email;
  });
}

function renderSubject(ctx: Pick<Context, 'config'>, template: string, row: SubjectData): string {
  const { source, variables, messageVariables, language } = row;
  const workflow = source === 'WORKFLOW' ? readWorkflowVariables(variables) : null;
  try {
    const merged = mergeVariables(ctx, row, { workflow }, { variables: messageVariables, language }, {});
    return toSubjectLine(renderTemplate(template, merged, { escape: 'none' }));
  } catch (error) {
    if (error instanceof TemplateError) return template;
    throw error;
  }
}
