/** A step of a graph. */
import { Handle, Position, useReactFlow, useStoreApi, type NodeProps } from '@xyflow/react';
import { memo, use, type FocusEvent, type KeyboardEvent } from 'react';
import { Badge } from '../../ui/badge.js';
import { WarningIcon } from '../../ui/icons.js';
import { useFormat } from '../../words/format.js';
import { GraphContext, handleOf, type StepNode } from './context.js';
import { useStepFigures } from './figures.js';
import { NODE_HEIGHT, NODE_WIDTH, type Point } from './geometry.js';
import { STEP_ICONS } from './step-icons.js';
import { useGraphWords } from './words.js';

/** How far an arrow key moves a step. */
const KEY_STEP = 16;
const ARROWS: Record<string, Point> = {
  ArrowUp: { x: 0, y: -KEY_STEP },
  ArrowDown: { x: 0, y: KEY_STEP },
  ArrowLeft: { x: -KEY_STEP, y: 0 },
  ArrowRight: { x: KEY_STEP, y: 0 },
};

export const StepPart = memo(function StepPart({
  data: { step, branches, isSelected, state },
  positionAbsoluteX: x,
  positionAbsoluteY: y,
}: NodeProps<StepNode>) {
  const words = useGraphWords();
  const { hasPath, select, editing } = use(GraphContext);
  const showStep = useShowStep();
  const Icon = STEP_ICONS[step.type];
  const hasOwnName = step.name !== words.types[step.type];
  const name = (
    <span className="truncate text-base font-semibold text-text" title={step.name}>
      {step.name}
    </span>
  );
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
    : hasPath && !state
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
        aria-pressed={select ? isSelected : undefined}
        onClick={() => select?.(step.id)}
        onFocus={(event) => showStep(event, { x, y })}
        onKeyDown={onKeyDown}
        className={`pointer-events-auto grid size-full content-center gap-0.5 overflow-hidden rounded-xl border bg-surface px-3 text-start text-sm leading-snug ${select ? 'cursor-pointer hover:bg-raised' : 'cursor-default'} ${border}`}
      >
        <span className="flex min-w-0 items-center gap-1.5 text-muted">
          <Icon />
          {hasOwnName ? <span className="truncate">{words.types[step.type]}</span> : name}
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
          {!hasPath && <Waiting stepId={step.id} />}
        </span>
        {hasOwnName && name}
        {step.about !== undefined && step.about !== '' && (
          <span className="truncate text-muted" title={step.about}>
            {step.about}
          </span>
        )}
        {!hasPath && <Passed stepId={step.id} />}
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
