/** What the parts of a graph share. It changes rarely, so that a change of a step renders only this step. */
import type { Edge, Node } from '@xyflow/react';
import { createContext } from 'react';
import type { Tone } from '../../ui/tone.js';
import type { Point } from './geometry.js';
import type { GraphEditing, GraphStep, GraphTransition } from './model.js';

export interface StepData extends Record<string, unknown> {
  step: GraphStep;
  /** The branches in the order of the places that they lead to. */
  branches: ReadonlyArray<string | null>;
  isSelected: boolean;
  /** Its state on the path of an execution. */
  state?: { label: string; tone: Tone };
}

export interface TransitionData extends Record<string, unknown> {
  transition: GraphTransition;
  fromName: string;
  toName: string;
  /** Whether the path of an execution passes it. */
  isPassed: boolean;
  route?: Point[];
}

export type StepNode = Node<StepData, 'step'>;
export type TransitionEdge = Edge<TransitionData, 'transition'>;

export interface GraphContext {
  /** Whether the graph shows the path of an execution. */
  hasPath: boolean;
  select: ((stepId: string) => void) | undefined;
  /** `onMove` without the places of the other steps. */
  editing: (Omit<GraphEditing, 'onMove'> & { onMove: (stepId: string, to: Point) => void }) | undefined;
}

export const GraphContext = createContext<GraphContext>({ hasPath: false, select: undefined, editing: undefined });

/** The id of the handle of a branch. */
export const handleOf = (branch: string | null): string => branch ?? '';
export const branchOfHandle = (handle: string | null): string | null => (handle === '' ? null : handle);
