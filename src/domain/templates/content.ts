/** Content that an author saves: its template language must parse, so that what is broken is found before anything is sent. */
import { validationError, type FieldError } from '../../errors.js';
import { compileTemplate } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';

/** @throws VALIDATION_ERROR (422, fields `subject` and `body`) that says what doesn't parse, and where */
export function requireParsable({ subject, body }: { subject?: string; body?: string }): void {
  const errors = [...problems('subject', subject, 'none'), ...problems('body', body, 'html')];
  if (errors.length > 0) throw validationError(errors);
}

function problems(field: 'subject' | 'body', source: string | undefined, escape: 'none' | 'html'): FieldError[] {
  if (source === undefined) return [];
  try {
    compileTemplate(source, { escape });
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return [{ field, message: error.message, code: 'custom' }];
    throw error;
  }
}
