/** The automatic layout of a workflow's graph, from top to bottom. Pure. */
import { Graph, layout } from '@dagrejs/dagre';
import { NODE_HEIGHT, NODE_WIDTH, type Point } from './geometry.js';

const GAP_BETWEEN_RANKS = 64;
const GAP_BETWEEN_NODES = 32;
/** The place that a transition's label needs between two steps. */
const LABEL_WIDTH = 120;
const LABEL_HEIGHT = 24;

/** A transition. */
export interface Edge {
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
  // The default ranker takes twice as long, to shorten transitions that workflows rarely have.
  graph.setGraph({ rankdir: 'TB', ranker: 'tight-tree', ranksep: GAP_BETWEEN_RANKS, nodesep: GAP_BETWEEN_NODES });
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
