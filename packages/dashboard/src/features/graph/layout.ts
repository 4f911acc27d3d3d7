/** The automatic layout of a workflow's graph, from top to bottom. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import { inOrder } from './order.js';

export const NODE_WIDTH = 240;
export const NODE_HEIGHT = 96;
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
  return {
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
}

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
/** Below this, names are too small to read. */
const MIN_READABLE_ZOOM = 0.6;

export interface Viewport extends Point {
  zoom: number;
}

/** Returns the viewport that shows the whole graph if it is readable then, and otherwise the part around a step. */
export function viewportFor(
  places: ReadonlyMap<string, Point>,
  window: { width: number; height: number },
  firstId: string | undefined,
): Viewport {
  const points = [...places.values()];
  if (points.length === 0) return { x: 0, y: 0, zoom: 1 };
  const left = Math.min(...points.map(({ x }) => x));
  const top = Math.min(...points.map(({ y }) => y));
  const width = Math.max(...points.map(({ x }) => x)) + NODE_WIDTH - left;
  const height = Math.max(...points.map(({ y }) => y)) + NODE_HEIGHT - top;
  const fitting = Math.min(1, (window.width - 2 * MARGIN) / width, (window.height - 2 * MARGIN) / height);
  if (fitting >= MIN_READABLE_ZOOM)
    return {
      x: (window.width - width * fitting) / 2 - left * fitting,
      y: (window.height - height * fitting) / 2 - top * fitting,
      zoom: fitting,
    };
  const zoom = MIN_READABLE_ZOOM;
  const first = (firstId === undefined ? undefined : places.get(firstId)) ?? points[0] ?? { x: 0, y: 0 };
  const isNearTop = (first.y - top) * zoom < window.height / 2;
  return {
    x: window.width / 2 - (first.x + NODE_WIDTH / 2) * zoom,
    y: isNearTop ? MARGIN - top * zoom : window.height / 2 - (first.y + NODE_HEIGHT / 2) * zoom,
    zoom,
  };
}
