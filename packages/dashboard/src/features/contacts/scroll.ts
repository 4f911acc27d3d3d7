/**
 * Which rows of a very long list are in sight. Browsers limit the height of an element to 17 to 33 million pixels, so in
 * longer lists a pixel of scrolling stands for more than a pixel of rows. Pure.
 */
export const ROW_HEIGHT = 40;
/** Rows rendered above and below those in sight. */
const OVERSCAN = 5;
const MAX_HEIGHT = 8_000_000;

/** Returns the height of the scrolled content, in pixels. */
export const contentHeight = (total: number): number => Math.min(total * ROW_HEIGHT, MAX_HEIGHT);

export interface Window {
  /** The first rendered row, from 0. */
  first: number;
  /** The number of rendered rows. */
  count: number;
  /** Where the first rendered row is, in pixels of the content. */
  offset: number;
}

/** Returns the rows to render. @param top pixels scrolled @param height of the visible part, in pixels */
export function rowsInSight(total: number, top: number, height: number): Window {
  const visible = Math.ceil(height / ROW_HEIGHT);
  const start = rankAt(total, top, height);
  const first = Math.max(0, Math.floor(start) - OVERSCAN);
  const count = Math.max(0, Math.min(total - first, visible + 2 * OVERSCAN + 1));
  // The row at the top edge stays at the top, in a list of any length.
  return { first, count, offset: top - (start - first) * ROW_HEIGHT };
}

/** Returns the rank of the row at the top edge, with its hidden part as a fraction. */
function rankAt(total: number, top: number, height: number): number {
  const hiddenRows = total - height / ROW_HEIGHT;
  const hiddenPixels = contentHeight(total) - height;
  if (hiddenRows <= 0 || hiddenPixels <= 0) return 0;
  return Math.max(0, Math.min(1, top / hiddenPixels)) * hiddenRows;
}

/** Returns the scroll position at which a row is in sight; `top` if it already is. */
export function scrollTo(total: number, rank: number, top: number, height: number): number {
  const start = rankAt(total, top, height);
  const visible = height / ROW_HEIGHT;
  const target = rank < start ? rank : rank + 1 > start + visible ? rank + 1 - visible : start;
  if (target === start) return top;
  const hiddenRows = total - visible;
  return hiddenRows <= 0 ? 0 : (target / hiddenRows) * (contentHeight(total) - height);
}
