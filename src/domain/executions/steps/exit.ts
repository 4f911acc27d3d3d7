/**
 * EXIT: ends the execution. The move to an EXIT already does that, so this runs only if a deleted step's execution was
 * redirected to the EXIT.
 */
import type { ExitConfig } from '../../workflows/step-config.js';
import { completeStep, type Run, type StepResult } from '../moves.js';
import type { ReachedStep } from '../sql/move.js';
import { exitSummary } from '../words.js';

export const runExit = (run: Run, step: ReachedStep, { reason }: ExitConfig): Promise<StepResult> =>
  completeStep(run, step, { output: { summary: exitSummary(reason) }, ends: { status: 'EXITED', reason } });
