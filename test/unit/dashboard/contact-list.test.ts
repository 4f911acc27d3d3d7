import { describe, expect, test } from 'vitest';
import {
  contentHeight,
  isScaled,
  positionAt,
  ROW_HEIGHT,
  rowsInSight,
  rowsOfWheel,
  showing,
  topOf,
  within,
} from '../../../packages/dashboard/src/features/contacts/scroll.js';

const HEIGHT = 600;
const MILLION = 1_000_000;

const scrolledTo = (total: number, top: number) => rowsInSight(total, positionAt(total, top, HEIGHT), top, HEIGHT);

describe('the rows in sight of a long list', () => {
  test.each([0, 1, 14, 15, 16, 1000, MILLION])('begin with the first of %i rows at the top', (total) => {
    const { first, count } = scrolledTo(total, 0);
    expect(first).toBe(0);
    expect(count).toBeLessThanOrEqual(total);
  });

  test.each([16, 1000, MILLION])('end with the last of %i rows at the bottom', (total) => {
    const { first, count, offset, inset } = scrolledTo(total, contentHeight(total) - HEIGHT);
    expect(first + count).toBe(total);
    // The last row ends where the content ends.
    expect(offset + inset + count * ROW_HEIGHT).toBeCloseTo(contentHeight(total), 3);
  });

  test.each([0, 1, 499_999, 999_999])('contain row %i of a million after scrolling to it', (rank) => {
    const position = showing(rank, 0, HEIGHT);
    const top = topOf(MILLION, position, HEIGHT);
    const { first, count } = rowsInSight(MILLION, position, top, HEIGHT);
    expect(rank).toBeGreaterThanOrEqual(first);
    expect(rank).toBeLessThan(first + count);
    expect(count).toBeLessThanOrEqual(60);
  });

  test('stay where they are in their layer while the list scrolls', () => {
    const placeOf = (rank: number, position: number) => {
      const { first, inset } = rowsInSight(MILLION, position, topOf(MILLION, position, HEIGHT), HEIGHT);
      return inset + (rank - first) * ROW_HEIGHT;
    };
    expect(placeOf(120, 113.5)).toBe(placeOf(120, 107.25));
  });

  test('stay as they are when the row is in sight already', () => {
    expect(showing(12, 10, HEIGHT)).toBe(10);
  });
});

describe('a turn of the wheel', () => {
  test.each([
    { deltaY: 120, deltaMode: 0, rows: 3 },
    { deltaY: -3, deltaMode: 1, rows: -1.2 },
    { deltaY: 1, deltaMode: 2, rows: 15 },
  ])('scrolls as many pixels of rows as the wheel says, in its unit $deltaMode', ({ rows, ...event }) => {
    expect(rowsOfWheel(event, HEIGHT)).toBeCloseTo(rows, 6);
  });

  test('ends at the first and at the last row', () => {
    expect(within(MILLION, -2, HEIGHT)).toBe(0);
    expect(within(MILLION, MILLION, HEIGHT)).toBe(MILLION - HEIGHT / ROW_HEIGHT);
  });

  test('moves rows by more than the scrollbar only in a list that is higher than a browser allows', () => {
    expect(isScaled(MILLION)).toBe(true);
    expect(isScaled(200_000)).toBe(false);
    const position = positionAt(200_000, 4000, HEIGHT);
    expect(position).toBeCloseTo(100, 6);
    expect(topOf(200_000, position, HEIGHT)).toBeCloseTo(4000, 6);
  });
});
