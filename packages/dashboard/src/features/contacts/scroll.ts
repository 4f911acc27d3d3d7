/**
 * Which rows of a very long list are in sight. Browsers limit the height of an element to 17 to 33 million pixels, so in
 * longer lists a pixel of the scrollbar stands for more than a pixel of rows. The position is therefore the rank at the
 * top edge, with the hidden part of that row as a fraction. Pure.
 */
export const ROW_HEIGHT = 40;
/** Rows rendered above and below those in sight. */
const OVERSCAN = 5;
const MAX_HEIGHT = 8_000_000;
/** Larger layers take the browser longer. */
const ROWS_OF_LAYER = 200;
const PIXELS_PER_LINE = 16;

/** Returns the height of the scrolled content, in pixels. */
export const contentHeight = (total: number): number => Math.min(total * ROW_HEIGHT, MAX_HEIGHT);

/** Whether a pixel of the scrollbar stands for more than a pixel of rows. */
export const isScaled = (total: number): boolean => contentHeight(total) < total * ROW_HEIGHT;

export interface Window {
  /** The first rendered row, from 0. */
  first: number;
  /** The number of rendered rows. */
  count: number;
  /** Where the layer with the rows begins, in pixels of the content. */
  offset: number;
  /**
   * Where the first rendered row begins in the layer, in pixels. A row that stays in sight nearly always stays where it is
   * in the layer, so that the browser moves the layer and paints only new rows.
   */
  inset: number;
}

/** Returns the rows to render. @param top pixels scrolled @param height of the visible part, in pixels */
export function rowsInSight(total: number, position: number, top: number, height: number): Window {
  const visible = Math.ceil(height / ROW_HEIGHT);
  const start = within(total, position, height);
  const first = Math.max(0, Math.floor(start) - OVERSCAN);
  const count = Math.max(0, Math.min(total - first, visible + 2 * OVERSCAN + 1));
  const inset = (first % ROWS_OF_LAYER) * ROW_HEIGHT;
  // The row at the top edge stays at the top, in a list of any length.
  return { first, count, offset: top - (start - first) * ROW_HEIGHT - inset, inset };
}

/** Returns the position nearest to one that is in the list. */
export const within = (total: number, position: number, height: number): number =>
  Math.max(0, Math.min(hiddenRows(total, height), position));

/** Returns the position for pixels scrolled. */
export function positionAt(total: number, top: number, height: number): number {
  const hiddenPixels = contentHeight(total) - height;
  return hiddenPixels <= 0 ? 0 : Math.max(0, Math.min(1, top / hiddenPixels)) * hiddenRows(total, height);
}

/** Returns the pixels to scroll to for a position. */
export function topOf(total: number, position: number, height: number): number {
  const hidden = hiddenRows(total, height);
  return hidden === 0 ? 0 : (within(total, position, height) / hidden) * (contentHeight(total) - height);
}

/** Returns the position nearest to one where a row is in sight. */
export function showing(rank: number, position: number, height: number): number {
  const visible = height / ROW_HEIGHT;
  return rank < position ? rank : rank + 1 > position + visible ? rank + 1 - visible : position;
}

/** What a turn of a wheel says: a WheelEvent. */
export interface WheelTurn {
  deltaY: number;
  /** 0: pixels, 1: lines, 2: pages. */
  deltaMode: number;
}

/** Returns the rows that a turn of the wheel scrolls. */
export function rowsOfWheel({ deltaY, deltaMode }: WheelTurn, height: number): number {
  const pixels = [1, PIXELS_PER_LINE, height][deltaMode] ?? 1;
  return (deltaY * pixels) / ROW_HEIGHT;
}

const hiddenRows = (total: number, height: number): number => Math.max(0, total - height / ROW_HEIGHT);
