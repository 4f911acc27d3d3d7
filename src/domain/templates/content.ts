/** Checks the template syntax of content when it is saved or sent, so that errors are found before anything is sent. */
import type { Design } from '../../../packages/email-blocks/src/index.js';
import { validationError, type FieldError } from '../../errors.js';
import { compileTemplate } from '../../mail/render.js';
import { TemplateError } from '../../mail/template-error.js';
import type { EscapeMode } from '../../mail/template-value.js';
import { analyzeDesign, BROKEN_DESIGN, findBrokenTemplates } from '../content/design-problems.js';
import { readDesign } from '../content/stored-design.js';

interface Sources {
  subject?: string | null;
  preheader?: string | null;
  body?: string | null;
  /** The design that the body was written from. */
  design?: unknown;
  /** The text alternative. */
  text?: string | null;
}

/** Returns the syntax errors of a subject, a preheader, a body or its design, and a text, with their places. */
export const templateProblems = ({ subject, preheader, body, design, text }: Sources): FieldError[] => [
  ...problems('subject', subject, 'none'),
  ...problems('preheader', preheader, 'html'),
  ...bodyProblems(body, readDesign(design)),
  ...problems('text', text, 'text'),
];

/** @throws VALIDATION_ERROR (422) for syntax errors, with their places, and for a design that shows nothing */
export function requireParsable(sources: Sources): void {
  const errors = templateProblems(sources);
  if (errors.length > 0) throw validationError(errors);
}

function bodyProblems(body: string | null | undefined, design: Design | null): FieldError[] {
  const errors = problems('body', body, 'html');
  if (!design) return errors;
  const empty = analyzeDesign(design).empty.map(({ path = 'design', message }) => toFieldError(path, message));
  if (errors.length === 0) return empty;
  const broken = findBrokenTemplates(design).map(({ path, error }) => toFieldError(path, error.message));
  return [...empty, ...(broken.length > 0 ? broken : [toFieldError('design', BROKEN_DESIGN)])];
}

const toFieldError = (field: string, message: string): FieldError => ({ field, message, code: 'custom' });

function problems(field: keyof Sources, source: string | null | undefined, escape: EscapeMode): FieldError[] {
  if (source === undefined || source === null) return [];
  try {
    compileTemplate(source, { escape });
    return [];
  } catch (error) {
    if (error instanceof TemplateError) return [toFieldError(field, error.message)];
    throw error;
  }
}
