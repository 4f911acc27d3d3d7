/**
 * The places of steps on the canvas. Steps that no one has moved are all at one place, and the canvas lays them out. Pure.
 */
import { NODE_HEIGHT, NODE_WIDTH, savedPlaces, type Point } from '../../graph/geometry.js';
import { stepOf, type DraftStep, type Graph, type Outlet, type Unplaced } from './graph.js';

const NOWHERE: Point = { x: 0, y: 0 };
const ROW = NODE_HEIGHT + 64;
const COLUMN = NODE_WIDTH + 32;

const idsOf = ({ steps }: Graph) => steps.map(({ key, position }) => ({ id: key, position }));

/** Whether someone has moved a step. */
export const isPlaced = (graph: Graph): boolean => savedPlaces(idsOf(graph)) !== null;

/** Returns the graph for the automatic layout. */
export const withoutPlaces = (graph: Graph): Graph => ({
  ...graph,
  steps: graph.steps.map((step) => ({ ...step, position: NOWHERE })),
});

/**
 * Moves a step. The first one that is moved gives all others the places where they are shown.
 *
 * @param shown the place of each step on the canvas, by its key
 */
export const move = (graph: Graph, key: string, to: Point, shown: ReadonlyMap<string, Point>): Graph => ({
  ...graph,
  steps: graph.steps.map((step) => ({
    ...step,
    position: step.key === key ? to : (shown.get(step.key) ?? step.position),
  })),
});

/** Gives a new step a free place below the step that leads to it, and moves the steps there down. */
export function placeBelow(graph: Graph, step: Unplaced, { from }: Outlet): { graph: Graph; placed: DraftStep } {
  if (!isPlaced(graph)) return { graph, placed: { ...step, position: NOWHERE } };
  const { x, y } = stepOf(graph, from)?.position ?? NOWHERE;
  const place = { x, y: y + ROW };
  const isInTheWay = ({ position }: DraftStep): boolean =>
    Math.abs(position.x - place.x) < COLUMN && position.y >= place.y - NODE_HEIGHT && position.y > y;
  return {
    graph: {
      ...graph,
      steps: graph.steps.map((other) =>
        isInTheWay(other) ? { ...other, position: { ...other.position, y: other.position.y + ROW } } : other,
      ),
    },
    placed: { ...step, position: place },
  };
}
