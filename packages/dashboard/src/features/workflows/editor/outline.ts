/** The list view of a graph: steps in order, with the branches of each. Pure. */
import { targetOf, type DraftStep, type Graph, type Outlet } from './graph.js';
import { outletsOf } from './kinds.js';

export interface OutlineStep {
  step: DraftStep;
  /** For a step with several outlets: what follows on each. The steps after one with a single outlet are in its list. */
  branches: Array<{ outlet: Outlet; list: OutlineList }>;
}

export interface OutlineList {
  steps: OutlineStep[];
  /** Where the list ends: an outlet that leads nowhere, or to a step that is elsewhere in the outline. */
  end: { outlet: Outlet; to: DraftStep | null } | null;
}

export interface Outline {
  list: OutlineList;
  /** Lists of steps that no execution reaches. */
  unreachable: OutlineList[];
}

/** Each step is once in the outline: where a reader comes to it first. */
export function outlineOf(graph: Graph): Outline {
  const byKey = new Map(graph.steps.map((step) => [step.key, step]));
  const seen = new Set<string>();

  function listFrom(first: DraftStep): OutlineList {
    const steps: OutlineStep[] = [];
    let step: DraftStep | undefined = first;
    while (step) {
      seen.add(step.key);
      const from = step.key;
      const outlets: Outlet[] = outletsOf(step).map((branch) => ({ from, branch }));
      const [only] = outlets;
      if (outlets.length > 1) {
        steps.push({ step, branches: outlets.map((outlet) => ({ outlet, list: follow(outlet) })) });
        return { steps, end: null };
      }
      steps.push({ step, branches: [] });
      if (!only) return { steps, end: null };
      const next = byKey.get(targetOf(graph, only) ?? '');
      if (!next || seen.has(next.key)) return { steps, end: { outlet: only, to: next ?? null } };
      step = next;
    }
    return { steps, end: null };
  }

  function follow(outlet: Outlet): OutlineList {
    const to = byKey.get(targetOf(graph, outlet) ?? '');
    return to && !seen.has(to.key) ? listFrom(to) : { steps: [], end: { outlet, to: to ?? null } };
  }

  const trigger = graph.steps.find(({ type }) => type === 'TRIGGER');
  const list = trigger ? listFrom(trigger) : { steps: [], end: null };
  const unreachable: OutlineList[] = [];
  // Those that nothing leads to come first, so that a chain is one list.
  const targets = new Set(graph.edges.map(({ to }) => to));
  for (const step of graph.steps.toSorted((a, b) => Number(targets.has(a.key)) - Number(targets.has(b.key))))
    if (!seen.has(step.key)) unreachable.push(listFrom(step));
  return { list, unreachable };
}
