/**
 * An execution's way through its workflow's graph, as far as it goes without waiting.
 *
 * The row is the truth: each call begins with a look at it, each step is a guarded move of its own
 * (src/domain/executions/sql/run.ts), and so a call that is repeated, by a retry or by another worker, goes on where the
 * last one has committed.
 */
import type { Context } from '../../context.js';
import {
  beginExecution,
  endExecution,
  loadExecution,
  type ExecutionKey,
  type OpenStep,
  type ReachedStep,
} from './sql/run.js';
import { ApiError } from '../../errors.js';
import { newId } from '../../ids.js';
import { readStepConfig } from '../workflows/step-config.js';
import type { ExecutionRef } from './intents.js';
import { fail, moveOf, StepFault, type Pause, type Run, type StepResult } from './moves.js';
import { condition } from './steps/condition.js';
import { beginDelay, endDelay } from './steps/delay.js';
import { exit } from './steps/exit.js';
import { sendEmail } from './steps/send-email.js';
import { updateContact } from './steps/update-contact.js';
import { beginWait, endWait } from './steps/wait-for-event.js';
import { webhook } from './steps/webhook.js';
import { PROJECT_DISABLED, STARTED, STEP_DELETED, unreadable } from './words.js';

export interface AdvanceInput extends ExecutionRef {
  /** The Temporal workflow's time, in milliseconds since 1970. */
  now: number;
  /** It is new: what follows the TRIGGER can be had without a look before. Only a hint. */
  first?: boolean;
  /** The step execution of a WEBHOOK whose request Temporal has given up on. */
  gaveUpOn?: string;
}

/** Why it goes no further by itself. `at` is the step, for operators; times are milliseconds since 1970. */
export type Advance =
  | { kind: 'ended'; outcome: string }
  | { kind: 'sleep'; until: number; at: string }
  /** For an event, which comes with a poke; `until` is the timeout. */
  | { kind: 'wait'; until: number | null; at: string }
  /** The request is to be made. */
  | { kind: 'webhook'; stepExecutionId: string; at: string }
  /** Many steps are done, and it goes on. */
  | { kind: 'more' };

/** Instant steps of one call: an activity should not take long. */
const MOST_STEPS = 50;

/** Characters of a step's name: Temporal takes summaries of up to 400 bytes. */
const SHOWN = 60;

/** Where an execution is; `open` is what the step had begun before this call, null for one that was reached in it. */
interface Reached {
  run: Run;
  step: ReachedStep;
  open: OpenStep | null;
}

type Position = Reached | { ended: string };

/** Takes an execution step by step to where it waits, or to its end. */
export async function advance(ctx: Context, input: AdvanceInput): Promise<Advance> {
  let at: Position | null = null;
  let moves = 0;
  for (let round = 0; round < MOST_STEPS; round++) {
    at ??= await look(ctx, input, round);
    if (at === null) continue;
    if ('ended' in at) return { kind: 'ended', outcome: at.ended };
    const { run, step, open }: Reached = at;
    const result: StepResult = await take(run, step, open);
    if (result === null) {
      at = null;
      continue;
    }
    moves += 1;
    if ('pause' in result) return answer(result.pause, step);
    at = 'ended' in result ? { ended: result.ended } : { run, step: result.at, open: null };
  }
  // Somebody else is always faster? Rather a row that no move fits.
  if (moves === 0) throw new Error(`An execution could not be moved in ${MOST_STEPS} attempts`);
  return { kind: 'more' };
}

/** Where the execution is by its row, after its first move if there was none; null: look again. */
async function look(
  ctx: Context,
  { projectId, executionId, now: nowMs, first, gaveUpOn }: AdvanceInput,
  round: number,
): Promise<Position | null> {
  const key = { projectId, executionId };
  const now = new Date(nowMs);
  const runOf = (contactId: string): Run => ({ ctx, ...key, contactId, now, gaveUpOn: gaveUpOn ?? null });
  if (first && round === 0) {
    const begun = await begin(ctx, key, now, runOf);
    if (begun) return begun;
  }
  const state = await loadExecution(ctx.pool, key);
  if (!state) return { ended: 'GONE' };
  const { status, contactId, projectDisabled, step, stepExecutionId, open } = state;
  if (status !== 'RUNNING' && status !== 'WAITING') return { ended: status };
  if (projectDisabled) {
    await endExecution(ctx.pool, { ...key, now, status: 'CANCELLED', reason: PROJECT_DISABLED, closes: 'CANCELLED' });
    return null;
  }
  if (stepExecutionId === null || open === null) return begin(ctx, key, now, runOf);
  if (step === null) {
    await endExecution(ctx.pool, { ...key, now, status: 'EXITED', reason: STEP_DELETED, closes: 'CANCELLED' });
    return null;
  }
  return { run: runOf(contactId), step: { ...step, stepExecutionId }, open };
}

async function begin(
  ctx: Context,
  key: ExecutionKey,
  now: Date,
  runOf: (contactId: string) => Run,
): Promise<Position | null> {
  // Before the id of what follows: the history is in the order of ids where its times are the same.
  const triggerId = newId();
  const begun = await beginExecution(ctx.pool, { ...moveOf({ ...key, now }), triggerId, summaries: STARTED });
  if (!begun) return null;
  return 'ended' in begun ? { ended: begun.ended } : { run: runOf(begun.contactId), step: begun.at, open: null };
}

async function take(run: Run, step: ReachedStep, open: OpenStep | null): Promise<StepResult> {
  try {
    return open?.status === 'WAITING' ? await resume(run, step, open) : await enter(run, step, open);
  } catch (error) {
    if (error instanceof StepFault) return fail(run, step, error.message);
    // What was right when it was saved and no longer is: a segment that is gone, a rule that has changed.
    if (error instanceof ApiError && error.status < 500) return fail(run, step, unreadable(error));
    throw error;
  }
}

/** A step that waited is what it was when it was reached, whatever its config says by now. */
function resume(run: Run, step: ReachedStep, open: OpenStep): Promise<StepResult> {
  if (open.type === 'DELAY') return endDelay(run, step, open);
  if (open.waitingFor === null) throw new Error(`A step of type ${open.type} waits for nothing`);
  return endWait(run, step, open, open.waitingFor);
}

function enter(run: Run, step: ReachedStep, open: OpenStep | null): Promise<StepResult> {
  const config = readStepConfig(step.type, step.config);
  switch (config.type) {
    case 'TRIGGER':
      throw new StepFault('A trigger stands only at the beginning');
    case 'SEND_EMAIL':
      return sendEmail(run, step, config);
    case 'DELAY':
      return beginDelay(run, step, config);
    case 'WAIT_FOR_EVENT':
      return beginWait(run, step, config);
    case 'CONDITION':
      return condition(run, step, config);
    case 'WEBHOOK':
      return webhook(run, step, open);
    case 'UPDATE_CONTACT':
      return updateContact(run, step, config);
    case 'EXIT':
      return exit(run, step, config);
  }
}

function answer(pause: Pause, { stepExecutionId, type, name }: ReachedStep): Advance {
  const at = `${type} "${Array.from(name).slice(0, SHOWN).join('')}"`;
  switch (pause.kind) {
    case 'sleep':
      return { kind: 'sleep', until: pause.until.getTime(), at };
    case 'wait':
      return { kind: 'wait', until: pause.until?.getTime() ?? null, at };
    case 'webhook':
      return { kind: 'webhook', stepExecutionId, at };
  }
}
