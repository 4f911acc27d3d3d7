/** The parts of a graph: steps, and transitions with their labels. */
import {
  BaseEdge,
  EdgeLabelRenderer,
  getSmoothStepPath,
  Handle,
  Position,
  useReactFlow,
  useStoreApi,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import { createContext, memo, use, type FocusEvent, type KeyboardEvent, type ReactNode } from 'react';
import { Badge } from '../../ui/badge.js';
import { CloseIcon, PlusIcon, WarningIcon } from '../../ui/icons.js';
import { useFormat } from '../../words/format.js';
import { useStepFigures, useTransitionFigures } from './figures.js';
import { STEP_ICONS } from './step-icons.js';
import { curveThrough, NODE_HEIGHT, NODE_WIDTH, type Point } from './layout.js';
import type { GraphEditing, GraphPath, GraphStep, GraphTransition } from './model.js';
import { useGraphWords } from './words.js';

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

/** How far an arrow key moves a step. */
const KEY_STEP = 16;
const ARROWS: Record<string, Point> = {
  ArrowUp: { x: 0, y: -KEY_STEP },
  ArrowDown: { x: 0, y: KEY_STEP },
  ArrowLeft: { x: -KEY_STEP, y: 0 },
  ArrowRight: { x: KEY_STEP, y: 0 },
};

export const StepPart = memo(function StepPart({
  data: { step, branches },
  positionAbsoluteX: x,
  positionAbsoluteY: y,
}: NodeProps<StepNode>) {
  const words = useGraphWords();
  const { selectedId, onSelect, path, editing } = use(GraphContext);
  const showStep = useShowStep();
  const state = path?.steps.get(step.id);
  const isSelected = step.id === selectedId;
  const Icon = STEP_ICONS[step.type];
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!editing) return;
    const way = ARROWS[event.key];
    if (way) editing.onMove(step.id, { x: x + way.x, y: y + way.y });
    else if (event.key === 'Delete' || event.key === 'Backspace') editing.onRemove({ kind: 'step', id: step.id });
    else return;
    event.preventDefault();
  };
  const border = isSelected
    ? 'border-accent outline-2 -outline-offset-1 outline-accent'
    : path && !state
      ? 'border-dashed border-control'
      : state
        ? 'border-2 border-accent'
        : 'border-control';
  return (
    <>
      {step.type !== 'TRIGGER' && (
        <Handle type="target" position={Position.Top} isConnectable={editing !== undefined} />
      )}
      <button
        type="button"
        data-step={step.id}
        aria-pressed={onSelect ? isSelected : undefined}
        onClick={() => onSelect?.(step.id)}
        onFocus={(event) => showStep(event, { x, y })}
        onKeyDown={onKeyDown}
        className={`pointer-events-auto grid size-full content-center gap-0.5 overflow-hidden rounded-xl border bg-surface px-3 text-start text-sm leading-snug ${onSelect ? 'cursor-pointer hover:bg-raised' : 'cursor-default'} ${border}`}
      >
        <span className="flex min-w-0 items-center gap-1.5 text-muted">
          <Icon />
          <span className="truncate">{words.types[step.type]}</span>
          {step.problem !== undefined && (
            <span className="ms-auto flex items-center gap-1 text-danger" title={step.problem}>
              <WarningIcon />
              <span className="sr-only">{step.problem}</span>
            </span>
          )}
          {state && (
            <span className="ms-auto">
              <Badge tone={state.tone}>{state.label}</Badge>
            </span>
          )}
          {!path && <Waiting stepId={step.id} />}
        </span>
        <span className="truncate text-base font-semibold" title={step.name}>
          {step.name}
        </span>
        {step.about !== undefined && step.about !== '' && (
          <span className="truncate text-muted" title={step.about}>
            {step.about}
          </span>
        )}
        {!path && <Passed stepId={step.id} />}
      </button>
      {branches.map((branch, index) => (
        <Handle
          key={handleOf(branch)}
          id={handleOf(branch)}
          type="source"
          position={Position.Bottom}
          isConnectable={editing !== undefined}
          style={{ left: `${((index + 1) / (branches.length + 1)) * 100}%` }}
          {...(editing && { title: branch === null ? words.connect : words.connectFrom(branch) })}
        />
      ))}
    </>
  );
});

/** Returns what moves the viewport to a step that gets the focus out of sight. */
function useShowStep(): (event: FocusEvent, place: Point) => void {
  const { getViewport, setCenter } = useReactFlow();
  const store = useStoreApi();
  return ({ currentTarget }, { x, y }) => {
    if (!currentTarget.matches(':focus-visible')) return;
    const { width, height } = store.getState();
    const view = getViewport();
    const [left, top] = [x * view.zoom + view.x, y * view.zoom + view.y];
    const isInside =
      left >= 0 && top >= 0 && left + NODE_WIDTH * view.zoom <= width && top + NODE_HEIGHT * view.zoom <= height;
    if (!isInside) void setCenter(x + NODE_WIDTH / 2, y + NODE_HEIGHT / 2, { zoom: view.zoom });
  };
}

function Waiting({ stepId }: { stepId: string }) {
  const words = useGraphWords();
  const format = useFormat();
  const waiting = useStepFigures(stepId)?.waiting ?? 0;
  if (waiting === 0) return null;
  return (
    <span className="ms-auto">
      <Badge tone="accent">{words.waiting(format.number(waiting))}</Badge>
    </span>
  );
}

function Passed({ stepId }: { stepId: string }) {
  const words = useGraphWords();
  const format = useFormat();
  const figures = useStepFigures(stepId);
  if (!figures) return null;
  const { completed, skipped, failed } = figures;
  return (
    <span className="flex gap-2 truncate text-muted tabular-nums">
      <span>{words.passed(format.number(completed))}</span>
      {failed > 0 && <span className="font-medium text-danger">{words.failed(format.number(failed))}</span>}
      {skipped > 0 && <span>{words.skipped(format.number(skipped))}</span>}
    </span>
  );
}

export const TransitionPart = memo(function TransitionPart({
  id,
  sourceX,
  sourceY,
  targetX,
  targetY,
  sourcePosition,
  targetPosition,
  markerEnd,
  data,
}: EdgeProps<TransitionEdge>) {
  const { path } = use(GraphContext);
  if (!data) return null;
  const isPassed = path?.transitions.has(id) ?? false;
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
        <Label data={data} at={way.label} isPassed={isPassed} />
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
  data: NonNullable<TransitionEdge['data']>;
  at: Point;
  isPassed: boolean;
}

/** The branch, the share, and how often the transition was passed; while editing, its buttons. */
function Label({ data: { transition, fromName, toName }, at: { x, y }, isPassed }: LabelProps) {
  const words = useGraphWords();
  const format = useFormat();
  const { path, editing } = use(GraphContext);
  const figures = useTransitionFigures(transition.id);
  const parts = [
    transition.label,
    ...(!path && figures ? [figures.share === null ? undefined : format.percent(figures.share)] : []),
    ...(!path && figures ? [format.number(figures.passed)] : []),
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
