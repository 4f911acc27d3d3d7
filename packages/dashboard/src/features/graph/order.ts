/** The order of steps in the list view. Pure. */

interface Step {
  id: string;
  type: string;
}

interface Edge {
  fromStepId: string;
  toStepId: string;
}

/** Returns the steps as a reader follows them from the TRIGGER, branch by branch; unreachable steps come last. */
export function inOrder<S extends Step>(steps: readonly S[], edges: readonly Edge[]): S[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const next = new Map<string, string[]>();
  for (const { fromStepId, toStepId } of edges) next.set(fromStepId, [...(next.get(fromStepId) ?? []), toStepId]);
  const ordered = new Set<S>();
  // Without recursion, because a workflow can be a long chain.
  const pending = steps.filter(({ type }) => type === 'TRIGGER');
  for (let step = pending.pop(); step; step = pending.pop()) {
    if (ordered.has(step)) continue;
    ordered.add(step);
    for (const id of (next.get(step.id) ?? []).toReversed()) {
      const to = byId.get(id);
      if (to) pending.push(to);
    }
  }
  return [...ordered, ...steps.filter((step) => !ordered.has(step))];
}
