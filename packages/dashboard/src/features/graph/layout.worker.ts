/** Lays out large graphs outside of the page's thread. */
import { layOut, type Edge, type Layout } from './layout.js';

export interface LayoutRequest {
  stepIds: readonly string[];
  edges: readonly Edge[];
}

export interface LayoutAnswer {
  id: number;
  layout: Layout;
}

addEventListener('message', ({ data: { id, stepIds, edges } }: MessageEvent<LayoutRequest & { id: number }>) => {
  const answer: LayoutAnswer = { id, layout: layOut(stepIds, edges) };
  postMessage(answer);
});
