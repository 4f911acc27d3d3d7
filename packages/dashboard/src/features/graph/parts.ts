/** The nodes and edges of a graph for the canvas. Pure. */
import { MarkerType } from '@xyflow/react';
import { handleOf, type StepNode, type TransitionEdge } from './context.js';
import { NODE_HEIGHT, NODE_WIDTH, type Point } from './geometry.js';
import type { Layout } from './layout.js';
import type { GraphPath, GraphStep, GraphTransition } from './model.js';
import { inOrder } from './order.js';

interface Shown {
  steps: readonly GraphStep[];
  transitions: readonly GraphTransition[];
  /** Steps that it does not know yet are left out. */
  layout: Layout;
  selectedId: string | null;
  path: GraphPath | undefined;
}

export function toNodes({ steps, transitions, layout: { places }, selectedId, path }: Shown): StepNode[] {
  const next = new Map<string, GraphTransition[]>();
  for (const transition of transitions)
    next.set(transition.fromStepId, [...(next.get(transition.fromStepId) ?? []), transition]);
  return inOrder(steps, transitions).flatMap((step): StepNode[] => {
    const position = places.get(step.id);
    if (!position) return [];
    const state = path?.steps.get(step.id);
    return [
      {
        id: step.id,
        type: 'step',
        position,
        data: {
          step,
          branches: branchesByPlace(step, next.get(step.id) ?? [], places),
          isSelected: step.id === selectedId,
          ...(state && { state }),
        },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        // The button inside has the role and the name.
        domAttributes: { 'aria-roledescription': undefined },
      },
    ];
  });
}

/** Returns the branches of a step in the order of the places that they lead to, so that transitions don't cross. */
function branchesByPlace(
  { branches = [null] }: GraphStep,
  transitions: readonly GraphTransition[],
  places: ReadonlyMap<string, Point>,
): ReadonlyArray<string | null> {
  const xOf = (branch: string | null): number => {
    const transition = transitions.find((one) => one.branch === branch);
    return (transition && places.get(transition.toStepId)?.x) ?? Number.MAX_SAFE_INTEGER;
  };
  return branches.toSorted((a, b) => xOf(a) - xOf(b));
}

export function toEdges({ steps, transitions, layout: { places, routes }, path }: Shown): TransitionEdge[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const isPassed = ({ id }: GraphTransition): boolean => path?.transitions.has(id) ?? false;
  return (
    transitions
      .filter(({ fromStepId, toStepId }) => places.has(fromStepId) && places.has(toStepId))
      // Passed transitions are above the others.
      .toSorted((a, b) => Number(isPassed(a)) - Number(isPassed(b)))
      .map((transition): TransitionEdge => {
        const { id, fromStepId, toStepId, branch } = transition;
        const from = byId.get(fromStepId);
        const route = routes.get(id);
        return {
          id,
          type: 'transition',
          source: fromStepId,
          target: toStepId,
          // A branch that its step no longer has begins at the first handle.
          ...((from?.branches ?? [null]).includes(branch) && { sourceHandle: handleOf(branch) }),
          data: {
            transition,
            fromName: from?.name ?? '',
            toName: byId.get(toStepId)?.name ?? '',
            isPassed: isPassed(transition),
            ...(route && { route }),
          },
          markerEnd: {
            type: MarkerType.ArrowClosed,
            color: isPassed(transition) ? 'var(--color-accent)' : 'var(--color-control)',
            width: 18,
            height: 18,
          },
          ariaLabel: '',
          // The label has the names of both ends.
          domAttributes: { 'aria-hidden': true, 'aria-roledescription': undefined },
        };
      })
  );
}

/** Returns the new nodes, and the old object of each that did not change, so that only changed steps are rendered. */
export function keepEqualNodes(before: readonly StepNode[], wanted: readonly StepNode[]): StepNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return wanted.map((node) => {
    const old = known.get(node.id);
    if (!old) return node;
    const hasEqualData = isEqual(old.data, node.data);
    if (hasEqualData && isEqual(old.position, node.position)) return old;
    return { ...old, data: hasEqualData ? old.data : node.data, position: node.position };
  });
}

/** Returns the new edges, and the old object of each that did not change. */
export function keepEqualEdges(before: readonly TransitionEdge[], wanted: readonly TransitionEdge[]): TransitionEdge[] {
  const known = new Map(before.map((edge) => [edge.id, edge]));
  return wanted.map((edge) => {
    const old = known.get(edge.id);
    return old && isEqual(old, edge) ? old : edge;
  });
}

const isEqual = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
