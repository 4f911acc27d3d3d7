/** DELAY: waits until a time that is fixed when the step is reached. */
import { delayMs, type DelayConfig } from '../../workflows/step-config.js';
import { completeStep, markStepWaiting, type Run, type StepResult } from '../moves.js';
import type { OpenStep, ReachedStep } from '../sql/move.js';
import { waitedUntil, waitingUntil } from '../words.js';

export function startDelay(run: Run, step: ReachedStep, config: DelayConfig): Promise<StepResult> {
  const ms = delayMs(config);
  const until = new Date(run.now.getTime() + ms);
  return markStepWaiting(run, step, {
    pause: { kind: 'sleep', until },
    waitingFor: null,
    output: { summary: waitingUntil(until, ms) },
  });
}

export async function completeDelay(run: Run, step: ReachedStep, { wakeAt, startedAt }: OpenStep): Promise<StepResult> {
  // A poke can wake the execution early.
  if (wakeAt !== null && run.now < wakeAt) return { kind: 'paused', pause: { kind: 'sleep', until: wakeAt } };
  const until = wakeAt ?? run.now;
  return completeStep(run, step, { output: { summary: waitedUntil(until, until.getTime() - startedAt.getTime()) } });
}
