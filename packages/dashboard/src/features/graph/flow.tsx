/** The graph itself, with @xyflow/react. See canvas.tsx. */
import {
  applyNodeChanges,
  Background,
  MarkerType,
  Panel,
  ReactFlow,
  useReactFlow,
  type Connection,
  type NodeChange,
} from '@xyflow/react';
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react';
import { MinusIcon, PlusIcon, FitIcon } from '../../ui/icons.js';
import type { GraphCanvasProps } from './canvas.js';
import { FiguresProvider } from './figures.js';
import './graph.css';
import {
  arrange,
  heightFor,
  NODE_HEIGHT,
  NODE_WIDTH,
  viewportAround,
  viewportFor,
  type Point,
  type Viewport,
} from './layout.js';
import type { GraphStep, GraphTransition } from './model.js';
import { inOrder } from './order.js';
import { branchOfHandle, GraphContext, handleOf, type StepNode, type TransitionEdge } from './context.js';
import { StepPart } from './step-part.js';
import { TransitionPart } from './transition-part.js';
import { useGraphWords } from './words.js';

/** The graph itself takes no keys. Its steps are buttons. */
const NO_DESCRIPTIONS = { 'node.a11yDescription.default': '', 'edge.a11yDescription.default': '' };
const NODE_TYPES = { step: StepPart };
const EDGE_TYPES = { transition: TransitionPart };
const ZOOM_DURATION_MS = 150;
/** In a window below this width, a finger needs a place next to the graph that scrolls the page. */
const NARROW_PX = 640;
const MAX_HEIGHT_SHARE = { narrow: 0.7, wide: 1 };

interface Props extends Omit<GraphCanvasProps, 'className'> {
  /** Whether the element around it has a height of its own. */
  isSized: boolean;
}

export function Flow({
  label,
  steps,
  transitions,
  figures,
  selectedId = null,
  onSelect,
  path,
  editing,
  isSized,
}: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const { places, routes } = useMemo(() => arrange(steps, transitions), [steps, transitions]);
  const [frameHeight, setFrameHeight] = useState<number | null>(null);
  const [viewport, setViewport] = useState<Viewport | null>(null);
  useLayoutEffect(() => {
    if (!frame.current) return;
    const { clientWidth: width, clientHeight } = frame.current;
    const height = isSized
      ? clientHeight
      : heightFor(places, width, innerHeight * MAX_HEIGHT_SHARE[innerWidth < NARROW_PX ? 'narrow' : 'wide']);
    const first = selectedId ?? inOrder(steps, transitions)[0]?.id;
    if (!isSized) setFrameHeight(height);
    setViewport((before) => before ?? viewportFor(places, { width, height }, first));
  }, [places, selectedId, steps, transitions, isSized]);

  const wanted = useMemo(
    () =>
      inOrder(steps, transitions).map((step): StepNode => ({
        id: step.id,
        type: 'step',
        position: places.get(step.id) ?? { x: 0, y: 0 },
        data: { step, branches: branchesByPlace(step, transitions, places) },
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        // The button inside has the role and the name.
        domAttributes: { 'aria-roledescription': undefined },
      })),
    [steps, transitions, places],
  );
  const [nodes, setNodes] = useState(wanted);
  useEffect(() => setNodes((before) => keepEqual(before, wanted)), [wanted]);
  const edges = useMemo(() => {
    const names = new Map(steps.map(({ id, name }) => [id, name]));
    const color = (id: string): string => (path?.transitions.has(id) ? 'var(--color-accent)' : 'var(--color-control)');
    // Passed transitions are above the others.
    const isPassed = ({ id }: GraphTransition): number => Number(path?.transitions.has(id) ?? false);
    const inLayers = transitions.toSorted((a, b) => isPassed(a) - isPassed(b));
    return inLayers.map((transition): TransitionEdge => {
      const { id, fromStepId, toStepId, branch } = transition;
      const branches = steps.find((step) => step.id === fromStepId)?.branches ?? [null];
      const route = routes.get(id);
      return {
        id,
        type: 'transition',
        source: fromStepId,
        target: toStepId,
        // A branch that its step no longer has begins at the first handle.
        ...(branches.includes(branch) && { sourceHandle: handleOf(branch) }),
        data: {
          transition,
          fromName: names.get(fromStepId) ?? '',
          toName: names.get(toStepId) ?? '',
          ...(route && { route }),
        },
        markerEnd: { type: MarkerType.ArrowClosed, color: color(id), width: 18, height: 18 },
        ariaLabel: '',
        // The label has the names of both ends.
        domAttributes: { 'aria-hidden': true, 'aria-roledescription': undefined },
      };
    });
  }, [steps, transitions, routes, path]);

  const context = useMemo(() => ({ selectedId, onSelect, path, editing }), [selectedId, onSelect, path, editing]);
  const connect = useCallback(
    ({ source, target, sourceHandle }: Connection) => editing?.onConnect(source, target, branchOfHandle(sourceHandle)),
    [editing],
  );
  const changeNodes = useCallback(
    (changes: Array<NodeChange<StepNode>>) => setNodes((before) => applyNodeChanges(changes, before)),
    [],
  );
  return (
    <div
      ref={frame}
      className="size-full"
      style={frameHeight === null ? {} : { height: frameHeight }}
      role="group"
      aria-label={label}
    >
      {viewport && (
        <FiguresProvider value={figures ?? null}>
          <GraphContext value={context}>
            <ReactFlow
              nodes={nodes}
              edges={edges}
              nodeTypes={NODE_TYPES}
              edgeTypes={EDGE_TYPES}
              onNodesChange={changeNodes}
              onNodeDragStop={(_event, { id, position }) => editing?.onMove(id, position)}
              onConnect={connect}
              defaultViewport={viewport}
              minZoom={0.05}
              maxZoom={1.5}
              nodesDraggable={editing !== undefined}
              nodesConnectable={editing !== undefined}
              nodesFocusable={false}
              edgesFocusable={false}
              elementsSelectable={false}
              disableKeyboardA11y
              ariaLabelConfig={NO_DESCRIPTIONS}
              // The wheel scrolls the page; with Ctrl, it zooms.
              zoomOnScroll={false}
              zoomOnDoubleClick={false}
              preventScrolling={false}
              deleteKeyCode={null}
              selectionKeyCode={null}
              multiSelectionKeyCode={null}
              panActivationKeyCode={null}
              proOptions={{ hideAttribution: true }}
            >
              <Background gap={20} />
              <Zoom />
              <KeepInView place={selectedId === null ? undefined : places.get(selectedId)} frame={frame} />
            </ReactFlow>
          </GraphContext>
        </FiguresProvider>
      )}
    </div>
  );
}

/** Returns the branches of a step in the order of the places that they lead to, so that transitions don't cross. */
function branchesByPlace(
  { id, branches = [null] }: GraphStep,
  transitions: readonly GraphTransition[],
  places: ReadonlyMap<string, Point>,
): ReadonlyArray<string | null> {
  const xOf = (branch: string | null): number => {
    const transition = transitions.find((one) => one.fromStepId === id && one.branch === branch);
    return (transition && places.get(transition.toStepId)?.x) ?? Number.MAX_SAFE_INTEGER;
  };
  return branches.toSorted((a, b) => xOf(a) - xOf(b));
}

/** Returns the new nodes, and the old object of each that did not change, so that only changed steps are rendered. */
function keepEqual(before: readonly StepNode[], wanted: readonly StepNode[]): StepNode[] {
  const known = new Map(before.map((node) => [node.id, node]));
  return wanted.map((node) => {
    const old = known.get(node.id);
    if (!old) return node;
    const isEqual =
      old.data.step === node.data.step &&
      old.data.branches.join() === node.data.branches.join() &&
      old.position.x === node.position.x &&
      old.position.y === node.position.y;
    return isEqual ? old : { ...old, data: node.data, position: node.position };
  });
}

/** Moves the graph as little as needed to show the selected step, also after a panel has taken a part of the frame. */
function KeepInView({ place, frame }: KeepInViewProps) {
  const { getViewport, setViewport } = useReactFlow();
  useEffect(() => {
    if (!place || !frame.current) return;
    const { clientWidth: width, clientHeight: height } = frame.current;
    const before = getViewport();
    const moved = viewportAround(before, { width, height }, place);
    if (moved !== before) void setViewport(moved, { duration: durationMs() });
  }, [place, frame, getViewport, setViewport]);
  return null;
}

interface KeepInViewProps {
  place: Point | undefined;
  frame: RefObject<HTMLDivElement | null>;
}

const durationMs = (): number => (matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : ZOOM_DURATION_MS);

function Zoom() {
  const words = useGraphWords();
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const options = { duration: durationMs() };
  return (
    <Panel position="top-right" className="grid gap-1">
      <ZoomButton label={words.zoomIn} onClick={() => void zoomIn(options)}>
        <PlusIcon />
      </ZoomButton>
      <ZoomButton label={words.zoomOut} onClick={() => void zoomOut(options)}>
        <MinusIcon />
      </ZoomButton>
      <ZoomButton label={words.fit} onClick={() => void fitView({ ...options, padding: 0.05, maxZoom: 1 })}>
        <FitIcon />
      </ZoomButton>
    </Panel>
  );
}

const ZoomButton = ({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    onClick={onClick}
    className="grid size-9 cursor-pointer place-content-center rounded-lg border border-control bg-surface hover:bg-raised"
  >
    {children}
  </button>
);
