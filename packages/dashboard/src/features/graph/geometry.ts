/** The places of steps and transitions on the canvas. Pure. */

export const NODE_WIDTH = 240;
export const NODE_HEIGHT = 108;

export interface Point {
  x: number;
  y: number;
}

interface Step {
  id: string;
  position?: Point;
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
