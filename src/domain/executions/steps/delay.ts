/** DELAY: waits for a time that is fixed when the step is reached. */
import type { OpenStep, ReachedStep } from '../sql/run.js';
import { delayMs, type DelayConfig } from '../../workflows/step-config.js';
import { leave, pauseAt, type Run, type StepResult } from '../moves.js';
import { waited, waitsUntil } from '../words.js';

export function beginDelay(run: Run, step: ReachedStep, config: DelayConfig): Promise<StepResult> {
  const ms = delayMs(config);
  const until = new Date(run.now.getTime() + ms);
  return pauseAt(run, step, {
    pause: { kind: 'sleep', until },
    waitingFor: null,
    output: { summary: waitsUntil(until, ms) },
  });
}

export async function endDelay(run: Run, step: ReachedStep, { wakeAt, startedAt }: OpenStep): Promise<StepResult> {
  // Woken too early: by a poke that was meant for something else.
  if (wakeAt !== null && run.now < wakeAt) return { pause: { kind: 'sleep', until: wakeAt } };
  const until = wakeAt ?? run.now;
  return leave(run, step, { output: { summary: waited(until, until.getTime() - startedAt.getTime()) } });
}
