/** Which part of a graph its frame shows. Pure. */
import { NODE_HEIGHT, NODE_WIDTH, type Point } from './geometry.js';

const MARGIN = 24;
/** The width of the buttons over the right edge. */
const CONTROLS_WIDTH = 48;
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
  const right = moveBy(x + step.x * zoom, NODE_WIDTH * zoom, window.width - CONTROLS_WIDTH);
  const down = moveBy(y + step.y * zoom, NODE_HEIGHT * zoom, window.height);
  return right === 0 && down === 0 ? viewport : { x: x + right, y: y + down, zoom };
}

/** Whether a frame shows all steps. */
export function isWholeIn(
  { x, y, zoom }: Viewport,
  window: { width: number; height: number },
  places: ReadonlyMap<string, Point>,
): boolean {
  if (places.size === 0) return true;
  const bounds = boundsOf(places);
  const isInside = (start: number, length: number, size: number): boolean => start >= 0 && start + length <= size;
  return (
    isInside(x + bounds.x * zoom, bounds.width * zoom, window.width) &&
    isInside(y + bounds.y * zoom, bounds.height * zoom, window.height)
  );
}

export function isTall(places: ReadonlyMap<string, Point>): boolean {
  const { width, height } = boundsOf(places);
  return height > width;
}
