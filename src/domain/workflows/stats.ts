/** `GET /workflows/:id/stats` */
import type { Context } from '../../context.js';
import { notFound } from '../../errors.js';
import { isId } from '../../ids.js';
import { selectFigures } from './sql/figures.js';

const QUARTER_MS = 15 * 60_000;

/** Both ends are optional. */
export interface StatsPeriod {
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

export interface ExecutionStats {
  /** Now, whatever the period. */
  active: number;
  completed: number;
  exited: number;
  failed: number;
  cancelled: number;
}

export interface StepStats {
  /** The executions that are at the step now, whatever the period. */
  waiting: number;
  entered: number;
  completed: number;
  skipped: number;
  failed: number;
}

export interface WorkflowStats {
  executions: ExecutionStats;
  /** By the id of the step. */
  steps: Record<string, StepStats>;
  /** By the id of the transition. */
  transitions: Record<string, { passed: number }>;
}

/**
 * Returns the figures of a workflow in a period, which is extended to whole quarters of an hour. Steps are entered and
 * transitions are passed at the start of a step; everything else counts at its end.
 *
 * @throws WORKFLOW_NOT_FOUND (404)
 */
export async function getWorkflowStats(
  { pool }: Context,
  projectId: string,
  id: string,
  { from, to }: StatsPeriod,
): Promise<WorkflowStats> {
  const period = {
    from: from ? roundTo(Math.floor, from) : null,
    until: to ? roundTo(Math.ceil, to) : null,
  };
  const nodes = isId(id) ? await selectFigures(pool, projectId, id, period) : [];
  const workflow = nodes.find(({ kind }) => kind === 'workflow');
  if (!workflow) throw notFound('WORKFLOW');
  const { active, completed, exited, failed, cancelled } = workflow;
  const ofKind = (kind: string) => nodes.filter((node) => node.kind === kind);
  return {
    executions: { active, completed, exited, failed, cancelled },
    steps: Object.fromEntries(
      ofKind('step').map((step) => [
        step.id,
        {
          waiting: step.active,
          entered: step.entered,
          completed: step.completed,
          skipped: step.skipped,
          failed: step.failed,
        },
      ]),
    ),
    transitions: Object.fromEntries(ofKind('transition').map(({ id: key, entered }) => [key, { passed: entered }])),
  };
}

const roundTo = (round: (value: number) => number, time: Date): Date =>
  new Date(round(time.getTime() / QUARTER_MS) * QUARTER_MS);
