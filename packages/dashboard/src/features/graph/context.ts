/** What the parts of a graph share. */
import type { Edge, Node } from '@xyflow/react';
import { createContext } from 'react';
import type { Point } from './layout.js';
import type { GraphEditing, GraphPath, GraphStep, GraphTransition } from './model.js';

export type StepNode = Node<{ step: GraphStep; branches: ReadonlyArray<string | null> }, 'step'>;
export type TransitionEdge = Edge<
  { transition: GraphTransition; fromName: string; toName: string; route?: Point[] },
  'transition'
>;

export interface GraphContext {
  selectedId: string | null;
  onSelect: ((stepId: string) => void) | undefined;
  path: GraphPath | undefined;
  editing: GraphEditing | undefined;
}

export const GraphContext = createContext<GraphContext>({
  selectedId: null,
  onSelect: undefined,
  path: undefined,
  editing: undefined,
});

/** The id of the handle of a branch. */
export const handleOf = (branch: string | null): string => branch ?? '';
export const branchOfHandle = (handle: string | null): string | null => (handle === '' ? null : handle);
