/** Where the steps of a shown graph are: their saved places, or the automatic layout. */
import { useEffect, useMemo, useState } from 'react';
import { savedPlaces, type Point } from './geometry.js';
import { layOut, type Layout } from './layout.js';
import type { LayoutAnswer, LayoutRequest } from './layout.worker.js';
import type { GraphStep, GraphTransition } from './model.js';
import { inOrder } from './order.js';

/** The layout of this many steps takes about 30 ms. Larger graphs are laid out by a worker. */
const MAX_STEPS_IN_PAGE = 150;

interface Input {
  saved: Array<[string, Point]> | null;
  request: LayoutRequest;
}

/** Saved places have no routes. */
function inputOf(steps: readonly GraphStep[], transitions: readonly GraphTransition[]): Input {
  const saved = savedPlaces(steps);
  return {
    saved: saved && [...saved],
    request: {
      stepIds: inOrder(steps, transitions).map(({ id }) => id),
      edges: transitions.map(({ id, fromStepId, toStepId, branch }) => ({ id, fromStepId, toStepId, branch })),
    },
  };
}

/**
 * Returns the places of the steps, and the ways of the transitions. It is the same object until a step or a transition
 * is added, removed, or moved. While a worker lays out a large graph, it is the layout before; null at first.
 */
export function useArrangement(steps: readonly GraphStep[], transitions: readonly GraphTransition[]): Layout | null {
  const input = useKept(useMemo(() => inputOf(steps, transitions), [steps, transitions]));
  const [found, setFound] = useState<Layout | null>(null);
  const inPage = useMemo((): Layout | null => {
    const { saved, request } = input;
    if (saved) return { places: new Map(saved), routes: new Map() };
    return request.stepIds.length <= MAX_STEPS_IN_PAGE ? measured(request) : null;
  }, [input]);
  useEffect(() => {
    if (inPage) return;
    let isCurrent = true;
    void layOutInWorker(input.request).then((layout) => {
      if (isCurrent) setFound(layout);
    });
    return () => {
      isCurrent = false;
    };
  }, [input, inPage]);
  return inPage ?? found;
}

/** The name of the entries of the performance timeline with the durations of layouts (bench/dashboard.ts). */
const MEASURE = 'graph layout';

function measured({ stepIds, edges }: LayoutRequest): Layout {
  const start = performance.now();
  const layout = layOut(stepIds, edges);
  performance.measure(MEASURE, { start });
  return layout;
}

/** Returns the value before if the new one is equal. */
function useKept<Value>(value: Value): Value {
  const [kept, setKept] = useState(value);
  if (kept === value || JSON.stringify(kept) === JSON.stringify(value)) return kept;
  setKept(value);
  return value;
}

let worker: Worker | undefined;
let requests = 0;

/** Lays a graph out in a worker, which starts with the first large graph and stays. In the page if it cannot start. */
function layOutInWorker({ stepIds, edges }: LayoutRequest): Promise<Layout> {
  worker ??= new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
  const asked = worker;
  requests += 1;
  const id = requests;
  return new Promise((resolve) => {
    const finish = (layout: Layout): void => {
      asked.removeEventListener('message', onMessage);
      asked.removeEventListener('error', onError);
      resolve(layout);
    };
    const onMessage = ({ data }: MessageEvent<LayoutAnswer>): void => {
      if (data.id === id) finish(data.layout);
    };
    const onError = (): void => finish(layOut(stepIds, edges));
    asked.addEventListener('message', onMessage);
    asked.addEventListener('error', onError);
    asked.postMessage({ id, stepIds, edges });
  });
}
