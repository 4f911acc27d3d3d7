/** The status of usage against its limit. */
import { describe, expect, test } from 'vitest';
import { judge, monthOf } from '../../src/domain/billing/limits.js';

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

  test('applies to a calendar month in UTC, also at the end of a year', () => {
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
