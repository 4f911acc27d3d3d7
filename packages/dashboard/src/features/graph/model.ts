/** What the graph of a workflow shows. */
import type { Schemas } from '../../../../client/src/index.js';
import type { Tone } from '../../ui/tone.js';
import type { Point } from './geometry.js';

export type StepType = Schemas['WorkflowStep']['type'];

export interface GraphStep {
  id: string;
  type: StepType;
  name: string;
  /** The essence of its config in a few words: "2 days". */
  about?: string;
  /** What is wrong with it, in a few words. */
  problem?: string;
  /** Its place, unless the graph is laid out automatically. */
  position?: Point;
  /** The branches on which it can be left; null is a transition without a branch. Default: `[null]`. */
  branches?: ReadonlyArray<string | null>;
}

export interface GraphTransition {
  id: string;
  fromStepId: string;
  toStepId: string;
  branch: string | null;
  /** The name of the branch. Default: none. */
  label?: string;
}

/** The path of an execution. */
export interface GraphPath {
  /** The state of each step that was reached, by its id. */
  steps: ReadonlyMap<string, { label: string; tone: Tone }>;
  /** The ids of the transitions that were passed. */
  transitions: ReadonlySet<string>;
}

export type GraphPart = { kind: 'step' | 'transition'; id: string };

/** Without them, the graph is read-only. */
export interface GraphEditing {
  /** A step was dragged, or moved with the arrow keys. @param places where all steps are shown */
  onMove: (stepId: string, to: Point, places: ReadonlyMap<string, Point>) => void;
  onConnect: (fromStepId: string, toStepId: string, branch: string | null) => void;
  /** The user wants a new step between the ends of a transition. */
  onInsert: (transitionId: string) => void;
  onRemove: (part: GraphPart) => void;
}
