/**
 * The graph of a workflow, from top to bottom. Its library is a chunk of its own, which loads with the first graph.
 *
 * ```tsx
 * <GraphCanvas label={name} {...toGraph(workflow, words)} figures={figures} selectedId={stepId} onSelect={setStepId} />
 * ```
 */
import { lazy, Suspense } from 'react';
import { Skeleton } from '../../ui/states.js';
import type { GraphFigures } from './figures.js';
import type { GraphEditing, GraphPath, GraphStep, GraphTransition } from './model.js';

export interface GraphCanvasProps {
  /** The accessible name. */
  label: string;
  steps: readonly GraphStep[];
  transitions: readonly GraphTransition[];
  /** Figures at steps and transitions. A change renders only the steps whose figures changed. */
  figures?: GraphFigures;
  selectedId?: string | null;
  /** A click on a step, or Enter. */
  onSelect?: (stepId: string) => void;
  /** Highlights the steps and transitions of an execution. */
  path?: GraphPath;
  editing?: GraphEditing;
  /** Its size. Default: as high as the graph, at most as high as the window. */
  className?: string;
}

const Flow = lazy(async () => ({ default: (await import('./flow.js')).Flow }));

export function GraphCanvas({ className, ...props }: GraphCanvasProps) {
  return (
    <div className={`relative overflow-hidden rounded-xl border border-line bg-page ${className ?? ''}`}>
      <Suspense fallback={<Loading />}>
        <Flow {...props} isSized={className !== undefined} loading={<Loading />} />
      </Suspense>
    </div>
  );
}

const Loading = () => (
  <div className="min-h-80 p-4">
    <Skeleton lines={6} />
  </div>
);
