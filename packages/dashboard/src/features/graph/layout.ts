/** The automatic layout of a workflow's graph, from top to bottom. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import { inOrder } from './order.js';

export const NODE_WIDTH = 240;
export const NODE_HEIGHT = 108;
const GAP_BETWEEN_RANKS = 64;
const GAP_BETWEEN_NODES = 32;
/** The place that a transition's label needs between two steps. */
const LABEL_WIDTH = 120;
const LABEL_HEIGHT = 24;

export interface Point {
  x: number;
  y: number;
}

interface Edge {
  id: string;
  fromStepId: string;
  toStepId: string;
  branch?: string | null;
}

export interface Layout {
  /** The top left corner of each step, by its id. */
  places: Map<string, Point>;
  /** The points of each transition, around the steps between its ends, by its id. */
  routes: Map<string, Point[]>;
}

/** Returns a place for each step, and a way for each transition. */
export function layOut(stepIds: readonly string[], edges: readonly Edge[]): Layout {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', ranksep: GAP_BETWEEN_RANKS, nodesep: GAP_BETWEEN_NODES });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of stepIds) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { id, fromStepId, toStepId, branch } of edges) {
    const label = branch == null ? {} : { width: LABEL_WIDTH, height: LABEL_HEIGHT, labelpos: 'c' as const };
    graph.setEdge(fromStepId, toStepId, label, id);
  }
  layout(graph);
  const found: Layout = {
    places: new Map(
      stepIds.map((id) => {
        const { x, y } = graph.node(id);
        return [id, { x: (x ?? 0) - NODE_WIDTH / 2, y: (y ?? 0) - NODE_HEIGHT / 2 }];
      }),
    ),
    routes: new Map(
      edges.map(({ id, fromStepId, toStepId }) => [id, graph.edge(fromStepId, toStepId, id).points ?? []]),
    ),
  };
  return isReversed(found, edges) ? mirror(found) : found;
}

/** Whether most steps have their first transition at the right: a reader expects `yes` at the left of `no`. */
function isReversed({ places }: Layout, edges: readonly Edge[]): boolean {
  const lastX = new Map<string, number>();
  let balance = 0;
  for (const { fromStepId, toStepId } of edges) {
    const x = places.get(toStepId)?.x ?? 0;
    const before = lastX.get(fromStepId);
    if (before !== undefined) balance += Math.sign(x - before);
    lastX.set(fromStepId, x);
  }
  return balance < 0;
}

const mirror = ({ places, routes }: Layout): Layout => ({
  places: new Map([...places].map(([id, { x, y }]) => [id, { x: -x - NODE_WIDTH, y }])),
  routes: new Map([...routes].map(([id, points]) => [id, points.map(({ x, y }) => ({ x: -x, y }))])),
});

interface Step {
  id: string;
  type: string;
  position?: Point;
}

/** Returns the saved places of the steps, or the automatic layout. Saved places have no routes. */
export function arrange(steps: readonly Step[], edges: readonly Edge[]): Layout {
  const saved = savedPlaces(steps);
  if (saved) return { places: saved, routes: new Map() };
  const ids = inOrder(steps, edges).map(({ id }) => id);
  return layOut(ids, edges);
}

/** Returns the saved places; null if two steps have the same, which is the case before anyone arranged them. */
export function savedPlaces(steps: readonly Step[]): Map<string, Point> | null {
  const places = new Map<string, Point>();
  const taken = new Set<string>();
  for (const { id, position } of steps) {
    if (!position) return null;
    places.set(id, position);
    taken.add(`${position.x} ${position.y}`);
  }
  return taken.size === steps.length && steps.length > 1 ? places : null;
}

/** Returns an SVG path through points, vertical at each of them. */
export function curveThrough(points: readonly Point[]): string {
  return points
    .map(({ x, y }, index) => {
      const before = points[index - 1];
      if (!before) return `M${x},${y}`;
      const middle = (before.y + y) / 2;
      return `C${before.x},${middle} ${x},${middle} ${x},${y}`;
    })
    .join(' ');
}

const MARGIN = 24;
const MIN_HEIGHT = 320;
/** Below this, names are too small to read. */
const MIN_READABLE_ZOOM = 0.6;

export interface Viewport extends Point {
  zoom: number;
}

interface Box extends Point {
  width: number;
  height: number;
}

/** Returns the rectangle around all steps. */
function boundsOf(places: ReadonlyMap<string, Point>): Box {
  const points = [...places.values()];
  const x = Math.min(...points.map((point) => point.x));
  const y = Math.min(...points.map((point) => point.y));
  return {
    x,
    y,
    width: Math.max(...points.map((point) => point.x)) + NODE_WIDTH - x,
    height: Math.max(...points.map((point) => point.y)) + NODE_HEIGHT - y,
  };
}

/** Returns how large the graph is shown in a frame of that width, unless its height does not fit. */
const zoomFor = (bounds: Box, width: number): number =>
  Math.min(1, Math.max(MIN_READABLE_ZOOM, (width - 2 * MARGIN) / bounds.width));

/** Returns the height of a frame that shows the whole graph, at most `maxHeight`. */
export function heightFor(places: ReadonlyMap<string, Point>, width: number, maxHeight: number): number {
  if (places.size === 0) return MIN_HEIGHT;
  const bounds = boundsOf(places);
  return Math.max(MIN_HEIGHT, Math.min(maxHeight, bounds.height * zoomFor(bounds, width) + 2 * MARGIN));
}

/** Returns the viewport that shows the whole graph if it is readable then, and otherwise the part around a step. */
export function viewportFor(
  places: ReadonlyMap<string, Point>,
  window: { width: number; height: number },
  stepId: string | undefined,
): Viewport {
  if (places.size === 0) return { x: 0, y: 0, zoom: 1 };
  const bounds = boundsOf(places);
  const { x, y, width, height } = bounds;
  const zoom = Math.max(
    MIN_READABLE_ZOOM,
    Math.min(zoomFor(bounds, window.width), (window.height - 2 * MARGIN) / height),
  );
  const step = (stepId === undefined ? undefined : places.get(stepId)) ?? { x, y };
  const isWide = width * zoom > window.width - 2 * MARGIN;
  const isHigh = height * zoom > window.height - 2 * MARGIN;
  const isNearTop = (step.y - y) * zoom < window.height / 2;
  const middle = isWide ? step.x + NODE_WIDTH / 2 : x + width / 2;
  const top = isHigh && !isNearTop ? window.height / 2 - (step.y + NODE_HEIGHT / 2) * zoom : MARGIN - y * zoom;
  return {
    x: window.width / 2 - middle * zoom,
    y: isHigh ? top : (window.height - height * zoom) / 2 - y * zoom,
    zoom,
  };
}

/** Returns the viewport, moved as little as needed to show a step. It is the same object if the step is in it. */
export function viewportAround(viewport: Viewport, window: { width: number; height: number }, step: Point): Viewport {
  const moveBy = (start: number, length: number, size: number): number => {
    if (start < MARGIN) return MARGIN - start;
    return Math.min(0, size - MARGIN - (start + length));
  };
  const { x, y, zoom } = viewport;
  const right = moveBy(x + step.x * zoom, NODE_WIDTH * zoom, window.width);
  const down = moveBy(y + step.y * zoom, NODE_HEIGHT * zoom, window.height);
  return right === 0 && down === 0 ? viewport : { x: x + right, y: y + down, zoom };
}
