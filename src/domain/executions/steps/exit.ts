/**
 * EXIT: the end that a user has drawn. The move to it has ended the execution already, unless it was led here by
 * another step's deletion.
 */
import type { ReachedStep } from '../sql/run.js';
import type { ExitConfig } from '../../workflows/step-config.js';
import { leave, type Run, type StepResult } from '../moves.js';
import { exited } from '../words.js';

export const exit = (run: Run, step: ReachedStep, { reason }: ExitConfig): Promise<StepResult> =>
  leave(run, step, { output: { summary: exited(reason) }, ends: { status: 'EXITED', reason } });
