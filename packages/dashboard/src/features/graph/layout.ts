/** The automatic layout of a workflow's graph, from top to bottom. Pure. */
import { Graph, layout } from '@dagrejs/dagre';

export const NODE_WIDTH = 240;
export const NODE_HEIGHT = 84;
const GAP_BETWEEN_RANKS = 64;
const GAP_BETWEEN_NODES = 32;

export interface Point {
  x: number;
  y: number;
}

/** Returns the top left corner of each step, by its id. */
export function layOut(
  stepIds: readonly string[],
  edges: ReadonlyArray<{ fromStepId: string; toStepId: string }>,
): Map<string, Point> {
  const graph = new Graph();
  graph.setGraph({ rankdir: 'TB', ranksep: GAP_BETWEEN_RANKS, nodesep: GAP_BETWEEN_NODES });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of stepIds) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const { fromStepId, toStepId } of edges) graph.setEdge(fromStepId, toStepId);
  layout(graph);
  return new Map(
    stepIds.map((id) => {
      const { x, y } = graph.node(id);
      return [id, { x: (x ?? 0) - NODE_WIDTH / 2, y: (y ?? 0) - NODE_HEIGHT / 2 }];
    }),
  );
}
