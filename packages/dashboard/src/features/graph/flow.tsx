/** The graph itself, with @xyflow/react. See canvas.tsx. */
import { applyNodeChanges, Background, ReactFlow, useReactFlow, type Connection, type NodeChange } from '@xyflow/react';
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
import { useArrangement } from './arrangement.js';
import type { GraphCanvasProps } from './canvas.js';
import { branchOfHandle, GraphContext, type StepNode } from './context.js';
import { Controls, durationMs, type MapShape } from './controls.js';
import { FiguresProvider } from './figures.js';
import type { Point } from './geometry.js';
import './graph.css';
import type { Layout } from './layout.js';
import { inOrder } from './order.js';
import { keepEqualEdges, keepEqualNodes, toEdges, toNodes } from './parts.js';
import { StepPart } from './step-part.js';
import { TransitionPart } from './transition-part.js';
import { heightFor, isTall, isWholeIn, viewportAround, viewportFor, type Viewport } from './viewport.js';

/** The graph itself takes no keys. Its steps are buttons. */
const NO_DESCRIPTIONS = { 'node.a11yDescription.default': '', 'edge.a11yDescription.default': '' };
const NODE_TYPES = { step: StepPart };
const EDGE_TYPES = { transition: TransitionPart };
/** In a window below this width, a finger needs a place next to the graph that scrolls the page. */
const NARROW_PX = 640;
const MAX_HEIGHT_SHARE = { narrow: 0.7, wide: 1 };

interface Props extends Omit<GraphCanvasProps, 'className'> {
  /** Whether the element around it has a height of its own. */
  isSized: boolean;
  /** Shown until a large graph is laid out. */
  loading: ReactNode;
}

export function Flow({ loading, ...props }: Props) {
  const layout = useArrangement(props.steps, props.transitions);
  return layout ? <Arranged {...props} layout={layout} /> : loading;
}

function Arranged({
  label,
  steps,
  transitions,
  layout,
  figures,
  selectedId = null,
  onSelect,
  path,
  editing,
  isSized,
}: Omit<Props, 'loading'> & { layout: Layout }) {
  const frame = useRef<HTMLDivElement>(null);
  const { places } = layout;
  const [frameHeight, setFrameHeight] = useState<number | null>(null);
  const [viewport, setViewport] = useState<Viewport | null>(null);
  const [map, setMap] = useState<MapShape | null>(null);
  useLayoutEffect(() => {
    if (!frame.current) return;
    const { clientWidth: width, clientHeight } = frame.current;
    const isNarrow = innerWidth < NARROW_PX;
    const height = isSized
      ? clientHeight
      : heightFor(places, width, innerHeight * MAX_HEIGHT_SHARE[isNarrow ? 'narrow' : 'wide']);
    const first = selectedId ?? inOrder(steps, transitions)[0]?.id;
    const start = viewportFor(places, { width, height }, first);
    if (!isSized) setFrameHeight(height);
    setViewport((before) => before ?? start);
    setMap(isNarrow || isWholeIn(start, { width, height }, places) ? null : isTall(places) ? 'tall' : 'wide');
  }, [places, selectedId, steps, transitions, isSized]);

  const [nodes, setNodes] = useState<StepNode[]>([]);
  const shown = useMemo(
    () => ({ steps, transitions, layout, selectedId, path }),
    [steps, transitions, layout, selectedId, path],
  );
  useLayoutEffect(() => setNodes((before) => keepEqualNodes(before, toNodes(shown))), [shown]);
  const edges = useKeptEdges(useMemo(() => toEdges(shown), [shown]));

  const latest = useLatest({ onSelect, editing, places });
  const hasPath = path !== undefined;
  const isSelectable = onSelect !== undefined;
  const isEditable = editing !== undefined;
  const context = useMemo((): GraphContext => {
    const edit = () => latest.current.editing;
    return {
      hasPath,
      select: isSelectable ? (id) => latest.current.onSelect?.(id) : undefined,
      editing: isEditable
        ? {
            onMove: (id, to) => edit()?.onMove(id, to, latest.current.places),
            onConnect: (from, to, branch) => edit()?.onConnect(from, to, branch),
            onInsert: (id) => edit()?.onInsert(id),
            onRemove: (part) => edit()?.onRemove(part),
          }
        : undefined,
    };
  }, [hasPath, isSelectable, isEditable, latest]);
  const connect = useCallback(
    ({ source, target, sourceHandle }: Connection) =>
      context.editing?.onConnect(source, target, branchOfHandle(sourceHandle)),
    [context],
  );
  const endDrag = useCallback(
    (_event: unknown, { id, position }: StepNode) => context.editing?.onMove(id, position),
    [context],
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
              onNodeDragStop={endDrag}
              onConnect={connect}
              defaultViewport={viewport}
              minZoom={0.05}
              maxZoom={1.5}
              nodesDraggable={isEditable}
              nodesConnectable={isEditable}
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
              <Controls map={map} />
              <KeepInView place={selectedId === null ? undefined : places.get(selectedId)} frame={frame} />
            </ReactFlow>
          </GraphContext>
        </FiguresProvider>
      )}
    </div>
  );
}

/** Returns the edges, and the object before of each that did not change. */
function useKeptEdges(wanted: ReturnType<typeof toEdges>): ReturnType<typeof toEdges> {
  const [kept, setKept] = useState({ wanted, edges: wanted });
  if (kept.wanted === wanted) return kept.edges;
  const edges = keepEqualEdges(kept.edges, wanted);
  setKept({ wanted, edges });
  return edges;
}

/** Returns a place with the value of the last render, for functions that stay the same. */
function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
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
