/** A transition of a graph, with its label. */
import { BaseEdge, EdgeLabelRenderer, getSmoothStepPath, type EdgeProps } from '@xyflow/react';
import { memo, use, type ReactNode } from 'react';
import { CloseIcon, PlusIcon } from '../../ui/icons.js';
import { useFormat } from '../../words/format.js';
import { GraphContext, type TransitionData, type TransitionEdge } from './context.js';
import { useTransitionFigures } from './figures.js';
import { curveThrough, type Point } from './geometry.js';
import { useGraphWords } from './words.js';

export const TransitionPart = memo(function TransitionPart({
  sourceX,
  sourceY,
  targetX,
  targetY,
  sourcePosition,
  targetPosition,
  markerEnd,
  data,
}: EdgeProps<TransitionEdge>) {
  if (!data) return null;
  const { isPassed } = data;
  const way = data.route
    ? routeWay(data.route, { x: sourceX, y: sourceY }, { x: targetX, y: targetY })
    : steppedWay({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition });
  return (
    <>
      <BaseEdge
        path={way.path}
        {...(markerEnd !== undefined && { markerEnd })}
        className={isPassed ? 'graph-passed' : ''}
      />
      <EdgeLabelRenderer>
        <Label data={data} at={way.label} />
      </EdgeLabelRenderer>
    </>
  );
});

interface Way {
  path: string;
  label: Point;
}

function steppedWay(ends: Parameters<typeof getSmoothStepPath>[0]): Way {
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 12 });
  return { path, label: { x, y } };
}

/** Transitions that lead down begin and end at the handles; those that lead back up, where the layout says. */
function routeWay(route: readonly Point[], source: Point, target: Point): Way {
  const isDown = target.y > source.y;
  const points = isDown ? [source, ...route.slice(1, -1), target] : route;
  // With an odd number of points, the layout has one for the label in the middle.
  const middle = points.length % 2 === 1 ? points[(points.length - 1) / 2] : undefined;
  const [before = source, after = target] = [points[points.length / 2 - 1], points[points.length / 2]];
  return {
    path: curveThrough(points),
    label: middle ?? { x: (before.x + after.x) / 2, y: (before.y + after.y) / 2 },
  };
}

interface LabelProps {
  data: TransitionData;
  at: Point;
}

/** The branch, the share, and how often the transition was passed; while editing, its buttons. */
function Label({ data: { transition, fromName, toName, isPassed }, at: { x, y } }: LabelProps) {
  const words = useGraphWords();
  const format = useFormat();
  const { hasPath, editing } = use(GraphContext);
  const figures = useTransitionFigures(transition.id);
  const parts = [
    transition.label,
    ...(!hasPath && figures ? [figures.share === null ? undefined : format.percent(figures.share)] : []),
    ...(!hasPath && figures ? [format.number(figures.passed)] : []),
  ].filter((part) => part !== undefined);
  if (parts.length === 0 && !editing) return null;
  return (
    <span
      className={`group absolute flex items-center gap-1 rounded-md border bg-surface px-1.5 text-sm whitespace-nowrap tabular-nums ${isPassed ? 'border-accent font-medium text-accent' : 'border-line text-muted'} ${editing ? 'pointer-events-auto' : ''}`}
      style={{ transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
    >
      {parts.length > 0 && (
        <>
          <span className="sr-only">{words.fromTo(fromName, toName)}</span>
          <span>{parts.join(' · ')}</span>
        </>
      )}
      {editing && (
        <>
          <EdgeButton label={words.insert(fromName, toName)} onClick={() => editing.onInsert(transition.id)}>
            <PlusIcon />
          </EdgeButton>
          <EdgeButton
            label={words.removeTransition(fromName, toName)}
            onClick={() => editing.onRemove({ kind: 'transition', id: transition.id })}
            isQuiet
          >
            <CloseIcon />
          </EdgeButton>
        </>
      )}
    </span>
  );
}

interface EdgeButtonProps {
  label: string;
  onClick: () => void;
  /** Shown only while the pointer or the focus is at the transition. */
  isQuiet?: boolean;
  children: ReactNode;
}

const EdgeButton = ({ label, onClick, isQuiet = false, children }: EdgeButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onClick}
    className={`nodrag nopan size-6 cursor-pointer place-content-center rounded hover:bg-raised ${isQuiet ? 'hidden group-focus-within:grid group-hover:grid' : 'grid'}`}
  >
    {children}
  </button>
);
