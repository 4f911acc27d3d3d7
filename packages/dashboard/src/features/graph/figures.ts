/** The figures of a graph, outside of React's state: a change renders only the steps whose figures changed. */
import { createContext, use, useSyncExternalStore } from 'react';

export interface StepFigures {
  /** The executions that are at the step now. */
  waiting: number;
  entered: number;
  completed: number;
  skipped: number;
  failed: number;
}

export interface TransitionFigures {
  passed: number;
  /** The part of the executions at its first step that passed it, from 0 to 1; null if there were none. */
  share: number | null;
}

interface Stats {
  steps: Readonly<Record<string, StepFigures>>;
  transitions: Readonly<Record<string, { passed: number }>>;
}

type Waiting = Readonly<Record<string, { waiting: number }>>;

export interface GraphFigures {
  subscribe: (listener: () => void) => () => void;
  step: (id: string) => StepFigures | undefined;
  transition: (id: string) => TransitionFigures | undefined;
  /** Replaces all figures. */
  set: (stats: Stats, transitions: ReadonlyArray<{ id: string; fromStepId: string }>) => void;
  /** Replaces how many executions are at each step. @returns whether any number changed */
  setWaiting: (counts: Waiting) => boolean;
}

export function createFigures(): GraphFigures {
  const listeners = new Set<() => void>();
  let steps = new Map<string, StepFigures>();
  let transitions = new Map<string, TransitionFigures>();
  // The stream reports every change, so its numbers are not older than those that were read.
  let waiting: Waiting = {};
  const report = (): void => {
    for (const listener of listeners) listener();
  };
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    step: (id) => steps.get(id),
    transition: (id) => transitions.get(id),
    set(stats, edges) {
      steps = new Map(
        Object.entries(stats.steps).map(([id, next]) => [id, unlessEqual(steps.get(id), { ...next, ...waiting[id] })]),
      );
      transitions = new Map(
        [...sharesOf(stats, edges)].map(([id, next]) => [id, unlessEqual(transitions.get(id), next)]),
      );
      report();
    },
    setWaiting(counts) {
      const before = steps;
      waiting = counts;
      steps = new Map([...before].map(([id, known]) => [id, unlessEqual(known, { ...known, ...counts[id] })]));
      const isChanged = [...steps].some(([id, known]) => known !== before.get(id));
      if (isChanged) report();
      return isChanged;
    },
  };
}

/** Returns the earlier object if nothing changed, so that React has nothing to render. */
function unlessEqual<Value extends object>(before: Value | undefined, next: Value): Value {
  const isEqual = before !== undefined && JSON.stringify(before) === JSON.stringify(next);
  return isEqual ? before : next;
}

/**
 * Returns the share of each transition. Executions that entered a step before the period can leave it within the
 * period, so the whole is the larger one of both counts.
 */
export function sharesOf(
  stats: Stats,
  edges: ReadonlyArray<{ id: string; fromStepId: string }>,
): Map<string, TransitionFigures> {
  const passedOf = (id: string): number => stats.transitions[id]?.passed ?? 0;
  const left = new Map<string, number>();
  for (const { id, fromStepId } of edges) left.set(fromStepId, (left.get(fromStepId) ?? 0) + passedOf(id));
  return new Map(
    edges.map(({ id, fromStepId }) => {
      const whole = Math.max(stats.steps[fromStepId]?.entered ?? 0, left.get(fromStepId) ?? 0);
      return [id, { passed: passedOf(id), share: whole === 0 ? null : passedOf(id) / whole }];
    }),
  );
}

const FiguresContext = createContext<GraphFigures | null>(null);

export const FiguresProvider = FiguresContext.Provider;

const NOTHING = () => () => {};

/** Returns the figures of a step; undefined without figures. */
export function useStepFigures(id: string): StepFigures | undefined {
  const figures = use(FiguresContext);
  return useSyncExternalStore(figures?.subscribe ?? NOTHING, () => figures?.step(id));
}

export function useTransitionFigures(id: string): TransitionFigures | undefined {
  const figures = use(FiguresContext);
  return useSyncExternalStore(figures?.subscribe ?? NOTHING, () => figures?.transition(id));
}
