/**
 * Advances an execution through its workflow's graph until it must wait or has ended.
 *
 * The execution's row is the source of truth. Each call starts from the row, and each step is one guarded move
 * (sql/move.ts). A call that a retry or another worker repeats therefore continues after the last committed move.
 */
import type { Context } from '../../context.js';
import { ApiError } from '../../errors.js';
import { newId } from '../../ids.js';
import { readStepConfig } from '../workflows/step-config.js';
import type { ExecutionRef } from './intents.js';
import { failStep, moveBase, StepFault, type Pause, type Run, type StepResult } from './moves.js';
import { endExecution } from './sql/end.js';
import type { Moved } from './sql/move.js';
import { startFromTrigger } from './sql/start.js';
import { loadExecution, type OpenStep, type ReachedStep } from './sql/state.js';
import { completeDelay, runCondition, runExit, startDelay } from './steps/control-flow.js';
import { sendEmail } from './steps/send-email.js';
import { updateContact } from './steps/update-contact.js';
import { completeWait, startWait } from './steps/wait-for-event.js';
import { runWebhook } from './steps/webhook.js';
import { describeInvalidConfig, PROJECT_DISABLED, STARTED, STEP_DELETED, TRIGGER_REACHED_AGAIN } from './words.js';

export interface AdvanceInput extends ExecutionRef {
  /** The Temporal workflow's time, in milliseconds since 1970. */
  now: number;
  /** Hints that the execution is new, which saves reading its row. */
  first?: boolean;
  /** The step execution of a WEBHOOK whose request Temporal has given up on. */
  gaveUpOn?: string;
}

/**
 * Why the execution stops advancing. `at` names the step for operators; times are milliseconds since 1970.
 *
 * - `wait`: for an event, which comes with a poke, or for the timeout `until`
 * - `webhook`: the request must be made
 * - `more`: this call has run enough steps; call again
 */
export type Advance =
  | { kind: 'ended'; outcome: string }
  | { kind: 'sleep'; until: number; at: string }
  | { kind: 'wait'; until: number | null; at: string }
  | { kind: 'webhook'; stepExecutionId: string; at: string }
  | { kind: 'more' };

/** Keeps the activity short. */
const MAX_STEPS_PER_CALL = 50;

/** Temporal limits a summary to 400 bytes. */
const MAX_NAME_CHARACTERS = 60;

/** `open` is the state of a step that an earlier call has started; null if this call has reached the step. */
type Position =
  | { kind: 'at'; contactId: string; step: ReachedStep; open: OpenStep | null }
  | { kind: 'ended'; status: string }
  | { kind: 'lost' };

/** Runs steps until the execution waits, ends, or has run MAX_STEPS_PER_CALL steps. */
export async function advance(ctx: Context, input: AdvanceInput): Promise<Advance> {
  const { projectId, executionId, first = false, gaveUpOn = null } = input;
  const call = { ctx, projectId, executionId, now: new Date(input.now), gaveUpOn };
  let position: Position = first ? await startExecution(call) : { kind: 'lost' };
  let moves = 0;
  for (let round = 0; round < MAX_STEPS_PER_CALL; round++) {
    if (position.kind === 'lost') position = await loadPosition(call);
    if (position.kind === 'lost') continue;
    if (position.kind === 'ended') return { kind: 'ended', outcome: position.status };
    const { contactId, step, open }: Extract<Position, { kind: 'at' }> = position;
    const result = await runStep({ ...call, contactId }, step, open);
    if (result.kind === 'paused') return toAdvance(result.pause, step);
    if (result.kind !== 'lost') moves += 1;
    position = toPosition(result);
  }
  // Losing the race in every round means that the row is inconsistent: no move fits it.
  if (moves === 0) throw new Error(`An execution could not be moved in ${MAX_STEPS_PER_CALL} attempts`);
  return { kind: 'more' };
}

type Call = Omit<Run, 'contactId'>;

/** Reads the position from the row. Starts a new execution, and ends one that cannot continue. */
async function loadPosition(call: Call): Promise<Position> {
  const { ctx, projectId, executionId, now } = call;
  const key = { projectId, executionId };
  const state = await loadExecution(ctx.pool, key);
  if (!state) return { kind: 'ended', status: 'GONE' };
  const { status, contactId, projectDisabled, step, stepExecutionId, open } = state;
  if (status !== 'RUNNING' && status !== 'WAITING') return { kind: 'ended', status };
  if (projectDisabled) {
    await endExecution(ctx.pool, { ...key, now, status: 'CANCELLED', reason: PROJECT_DISABLED, closes: 'CANCELLED' });
    return { kind: 'lost' };
  }
  if (stepExecutionId === null || open === null) return startExecution(call);
  if (step === null) {
    await endExecution(ctx.pool, { ...key, now, status: 'EXITED', reason: STEP_DELETED, closes: 'CANCELLED' });
    return { kind: 'lost' };
  }
  return { kind: 'at', contactId, step: { ...step, stepExecutionId }, open };
}

async function startExecution(call: Call): Promise<Position> {
  // Created before the id of the next step: the history orders steps of the same time by id.
  const triggerId = newId();
  return toPosition(await startFromTrigger(call.ctx.pool, { ...moveBase(call), triggerId, summaries: STARTED }));
}

const toPosition = (moved: Moved): Position =>
  moved.kind === 'reached' ? { ...moved, kind: 'at', open: null } : moved;

async function runStep(run: Run, step: ReachedStep, open: OpenStep | null): Promise<StepResult> {
  try {
    return open?.status === 'WAITING' ? await resumeStep(run, step, open) : await startStep(run, step, open);
  } catch (error) {
    if (error instanceof StepFault) return failStep(run, step, error.message);
    // A config that was valid when it was saved: its segment was deleted, or a rule has changed.
    if (error instanceof ApiError && error.status < 500) return failStep(run, step, describeInvalidConfig(error));
    throw error;
  }
}

/** A waiting step keeps the type and times that it had when it was reached, even if its config has changed since. */
function resumeStep(run: Run, step: ReachedStep, open: OpenStep): Promise<StepResult> {
  if (open.type === 'DELAY') return completeDelay(run, step, open);
  if (open.waitingFor === null) throw new Error(`A step of type ${open.type} waits without an event`);
  return completeWait(run, step, open, open.waitingFor);
}

function startStep(run: Run, step: ReachedStep, open: OpenStep | null): Promise<StepResult> {
  const config = readStepConfig(step.type, step.config);
  switch (config.type) {
    case 'TRIGGER':
      throw new StepFault(TRIGGER_REACHED_AGAIN);
    case 'SEND_EMAIL':
      return sendEmail(run, step, config);
    case 'DELAY':
      return startDelay(run, step, config);
    case 'WAIT_FOR_EVENT':
      return startWait(run, step, config);
    case 'CONDITION':
      return runCondition(run, step, config);
    case 'WEBHOOK':
      return runWebhook(run, step, open);
    case 'UPDATE_CONTACT':
      return updateContact(run, step, config);
    case 'EXIT':
      return runExit(run, step, config);
  }
}

function toAdvance(pause: Pause, { stepExecutionId, type, name }: ReachedStep): Advance {
  const at = `${type} "${Array.from(name).slice(0, MAX_NAME_CHARACTERS).join('')}"`;
  switch (pause.kind) {
    case 'sleep':
      return { kind: 'sleep', until: pause.until.getTime(), at };
    case 'wait':
      return { kind: 'wait', until: pause.until?.getTime() ?? null, at };
    case 'webhook':
      return { kind: 'webhook', stepExecutionId, at };
  }
}
