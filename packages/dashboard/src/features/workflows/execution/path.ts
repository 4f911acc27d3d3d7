/** The way of an execution through the graph, from its history. Pure. */
import type { Schemas } from '../../../../../client/src/index.js';

type StepExecution = Schemas['StepExecution'];
type Transition = Pick<Schemas['WorkflowTransition'], 'id' | 'fromStepId' | 'toStepId' | 'branch'>;

/** Returns the transitions that an execution passed. The history outlives changes of the graph, so some can be missing. */
export function passedTransitions(
  history: ReadonlyArray<Pick<StepExecution, 'stepId' | 'output'>>,
  transitions: readonly Transition[],
): Set<string> {
  const passed = new Set<string>();
  for (const [index, { stepId, output }] of history.entries()) {
    const next = history[index + 1];
    if (!next) break;
    const possible = transitions.filter(
      ({ fromStepId, toStepId }) => fromStepId === stepId && toStepId === next.stepId,
    );
    const branch = output?.branch;
    const found =
      possible.find((transition) => transition.branch === branch) ??
      possible.find((transition) => transition.branch === null) ??
      possible[0];
    if (found) passed.add(found.id);
  }
  return passed;
}

/** Returns the last visit of each step, by the step's id. */
export function lastVisits<Visit extends { stepId: string }>(history: readonly Visit[]): Map<string, Visit> {
  return new Map(history.map((visit) => [visit.stepId, visit]));
}
