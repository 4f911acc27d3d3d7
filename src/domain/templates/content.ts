/** Checks the template syntax of content when it is saved or sent, so that errors are found before anything is sent. */
import { validationError, type FieldError } from '../../errors.js';
import { compileTemplate } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';

interface Sources {
  subject?: string | null;
  preheader?: string | null;
  body?: string | null;
}

/** Returns the syntax errors of a subject, a preheader, and a body, with their places. */
export const templateProblems = ({ subject, preheader, body }: Sources): FieldError[] => [
  ...problems('subject', subject, 'none'),
  ...problems('preheader', preheader, 'html'),
  ...problems('body', body, 'html'),
];

/** @throws VALIDATION_ERROR (422, fields `subject`, `preheader`, and `body`) for syntax errors, with their places */
export function requireParsable(sources: Sources): void {
  const errors = templateProblems(sources);
  if (errors.length > 0) throw validationError(errors);
}

function problems(field: keyof Sources, source: string | null | undefined, escape: 'none' | 'html'): FieldError[] {
  if (source === undefined || source === null) return [];
  try {
    compileTemplate(source, { escape });
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return [{ field, message: error.message, code: 'custom' }];
    throw error;
  }
}
