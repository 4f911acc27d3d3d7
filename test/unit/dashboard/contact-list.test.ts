import { describe, expect, test } from 'vitest';
import {
  contentHeight,
  ROW_HEIGHT,
  rowsInSight,
  scrollTo,
} from '../../../packages/dashboard/src/features/contacts/scroll.js';

const HEIGHT = 600;

describe('the rows in sight of a long list', () => {
  test.each([0, 1, 14, 15, 16, 1000, 1_000_000])('begin with the first of %i rows at the top', (total) => {
    const { first, count } = rowsInSight(total, 0, HEIGHT);
    expect(first).toBe(0);
    expect(count).toBeLessThanOrEqual(total);
  });

  test.each([16, 1000, 1_000_000])('end with the last of %i rows at the bottom', (total) => {
    const top = contentHeight(total) - HEIGHT;
    const { first, count, offset } = rowsInSight(total, top, HEIGHT);
    expect(first + count).toBe(total);
    // The last row ends where the content ends.
    expect(offset + count * ROW_HEIGHT).toBeCloseTo(contentHeight(total), 3);
  });

  test.each([0, 1, 499_999, 999_999])('contain row %i of a million after scrolling to it', (rank) => {
    const total = 1_000_000;
    const top = scrollTo(total, rank, 0, HEIGHT);
    const { first, count } = rowsInSight(total, top, HEIGHT);
    expect(rank).toBeGreaterThanOrEqual(first);
    expect(rank).toBeLessThan(first + count);
    expect(count).toBeLessThanOrEqual(60);
  });

  test('stay as they are when the row is in sight already', () => {
    expect(scrollTo(1000, 12, 400, HEIGHT)).toBe(400);
  });
});
