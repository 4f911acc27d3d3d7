/** What is wrong with a draft (additions, section 2): reported with it, and fatal only when it is used. */

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
