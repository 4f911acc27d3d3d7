/** Which of several sends fit into what limits leave. */
import { describe, expect, test } from 'vitest';
import { judge, monthOf } from '../../src/domain/billing/limits.js';
import { fit } from '../../src/domain/billing/room.js';

const a = (count: number) => ({ projectId: 'a', count });
const b = (count: number) => ({ projectId: 'b', count });

describe('requests of one round', () => {
  test('go without a limit', () => {
    expect(fit([a(1000), a(1000), b(1)], new Map())).toEqual(['go', 'go', 'go']);
  });

  test('go up to the last email that the limit leaves', () => {
    expect(fit([a(2), a(1)], new Map([['a', 3]]))).toEqual(['go', 'go']);
  });

  test('wait for what becomes of those before them when the limit leaves too little beside them', () => {
    expect(fit([a(2), a(2), a(1)], new Map([['a', 3]]))).toEqual(['go', 'later', 'go']);
  });

  test('are refused when they would not fit alone, and take nothing from those after them', () => {
    expect(
      fit(
        [a(4), a(3), b(1)],
        new Map([
          ['a', 3],
          ['b', 0],
        ]),
      ),
    ).toEqual(['refused', 'go', 'refused']);
  });

  test('always has one that goes or is refused, so that nobody waits for ever', () => {
    for (let room = 0; room < 5; room++) {
      for (const counts of [
        [1, 1],
        [3, 2, 2],
        [5, 5],
        [4, 4, 1],
      ]) {
        const verdicts = fit(counts.map(a), new Map([['a', room]]));
        expect(verdicts.includes('later') ? verdicts.includes('go') : true).toBe(true);
      }
    }
  });
});

describe('a limit', () => {
  test.each([
    [null, 5, { percentage: 0, isWarning: false, isBlocked: false }],
    [10, 0, { percentage: 0, isWarning: false, isBlocked: false }],
    [10, 7, { percentage: 70, isWarning: false, isBlocked: false }],
    [1000, 799, { percentage: 79.9, isWarning: false, isBlocked: false }],
    [10, 8, { percentage: 80, isWarning: true, isBlocked: false }],
    [3, 2, { percentage: 66.67, isWarning: false, isBlocked: false }],
    [10, 9, { percentage: 90, isWarning: true, isBlocked: false }],
    [10, 10, { percentage: 100, isWarning: true, isBlocked: true }],
    [10, 12, { percentage: 120, isWarning: true, isBlocked: true }],
    [0, 0, { percentage: 100, isWarning: true, isBlocked: true }],
  ])('of %s emails with %i used warns at 80 %% and blocks at 100 %%', (limit, usage, expected) => {
    expect(judge(limit, usage)).toEqual({ limit, usage, ...expected });
  });

  test('is of a calendar month in UTC, over the end of a year too', () => {
    expect(monthOf(new Date('2026-12-31T23:59:59.999Z'))).toEqual({
      start: new Date('2026-12-01T00:00:00Z'),
      end: new Date('2027-01-01T00:00:00Z'),
    });
    expect(monthOf(new Date('2027-01-01T00:00:00Z'))).toEqual({
      start: new Date('2027-01-01T00:00:00Z'),
      end: new Date('2027-02-01T00:00:00Z'),
    });
  });
});
