/** What is wrong with a draft (additions, section 2): reported with it, and fatal only when it is used. */

import { ApiError } from '../errors.js';

export type ProblemLevel = 'error' | 'warning' | 'info';

export interface Problem {
  /** `unknown_variable`: stable, for programs. */
  code: string;
  /** Errors prevent the use: a campaign with an error cannot be sent, and a workflow cannot be enabled. */
  level: ProblemLevel;
  message: string;
  /** Where in the source, from 1. */
  line?: number;
  column?: number;
  /** The field: `body`, `steps.2.config.url`. */
  path?: string;
}

/** Whether the problems prevent the use. */
export const hasErrors = (problems: readonly Problem[]): boolean => problems.some(({ level }) => level === 'error');

/**
 * Checks that nothing prevents the use.
 *
 * @param use what the problems prevent, for the message: `The campaign cannot be sent.`
 * @throws VALIDATION_ERROR (422) that lists the problems of level error, in `errors` and in `details.problems`
 */
export function requireUsable(problems: readonly Problem[], use: string): void {
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length === 0) return;
  throw new ApiError('VALIDATION_ERROR', `${use} Correct its problems first.`, {
    errors: errors.map(({ code, message, path = '' }) => ({
      field: path,
      message,
      code: code.startsWith('missing_') ? 'required' : 'custom',
    })),
    details: { problems: errors },
  });
}
