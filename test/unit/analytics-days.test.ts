import { describe, expect, it } from 'vitest';
import { splitRange } from '../../src/domain/events/sql/days.js';
import { daysBefore, readDays } from '../../src/domain/analytics/days.js';

const time = (text: string): Date => new Date(text);

describe('a range of time', () => {
  it.each([
    ['without bounds covers all days', undefined, undefined, {}, []],
    [
      'of whole days covers these days',
      '2026-03-10T00:00:00.000Z',
      '2026-03-12T00:00:00.000Z',
      { first: '2026-03-10', last: '2026-03-11' },
      [],
    ],
    [
      'that begins within a day has an edge at its beginning',
      '2026-03-10T00:00:00.001Z',
      undefined,
      { first: '2026-03-11' },
      [['2026-03-10T00:00:00.001Z', '2026-03-11T00:00:00.000Z']],
    ],
    [
      'that ends within a day has an edge at its end',
      undefined,
      '2026-03-12T00:00:00.001Z',
      { last: '2026-03-11' },
      [['2026-03-12T00:00:00.000Z', '2026-03-12T00:00:00.001Z']],
    ],
    [
      'that begins and ends within days has two edges',
      '2026-03-09T12:00:00.000Z',
      '2026-03-11T06:00:00.000Z',
      { first: '2026-03-10', last: '2026-03-10' },
      [
        ['2026-03-09T12:00:00.000Z', '2026-03-10T00:00:00.000Z'],
        ['2026-03-11T00:00:00.000Z', '2026-03-11T06:00:00.000Z'],
      ],
    ],
    [
      'within one day is one edge',
      '2026-03-10T01:00:00.000Z',
      '2026-03-10T02:00:00.000Z',
      null,
      [['2026-03-10T01:00:00.000Z', '2026-03-10T02:00:00.000Z']],
    ],
    [
      'over midnight without a whole day is one edge',
      '2026-03-10T23:00:00.000Z',
      '2026-03-11T02:00:00.000Z',
      null,
      [['2026-03-10T23:00:00.000Z', '2026-03-11T02:00:00.000Z']],
    ],
    ['that ends before it begins is empty', '2026-03-12T00:00:00.000Z', '2026-03-02T00:00:00.000Z', null, []],
  ] as const)('%s', (_what, from, until, days, edges) => {
    expect(splitRange({ ...(from && { from: time(from) }), ...(until && { until: time(until) }) })).toEqual({
      days,
      edges: edges.map(([begin, end]) => ({ from: time(begin), until: time(end) })),
    });
  });
});

describe('the days of a statistic', () => {
  const now = Date.parse('2026-03-10T23:30:00.000Z');

  it('are the requested number of days until today', () => {
    expect(readDays({ days: 30 }, now)).toEqual({ first: '2026-02-09', last: '2026-03-10' });
    expect(readDays({ days: 1 }, now)).toEqual({ first: '2026-03-10', last: '2026-03-10' });
    expect(readDays({ days: 365 }, now)).toEqual({ first: '2025-03-11', last: '2026-03-10' });
  });

  it('include the first and the last day of the range', () => {
    expect(
      readDays({ days: 30, from: time('2026-03-01T15:00:00Z'), until: time('2026-03-04T00:00:00Z') }, now),
    ).toEqual({ first: '2026-03-01', last: '2026-03-03' });
    expect(readDays({ days: 30, from: time('2026-03-01T00:00:00Z') }, now)).toEqual({
      first: '2026-03-01',
      last: '2026-03-10',
    });
    expect(readDays({ days: 3, until: time('2026-03-04T00:00:00.001Z') }, now)).toEqual({
      first: '2026-03-02',
      last: '2026-03-04',
    });
  });

  it('are at most 365, even across a leap day', () => {
    expect(
      readDays({ days: 30, from: time('2023-03-02T00:00:00Z'), until: time('2024-03-01T00:00:00Z') }, now),
    ).toEqual({ first: '2023-03-02', last: '2024-02-29' });
    expect(() =>
      readDays({ days: 30, from: time('2023-03-01T00:00:00Z'), until: time('2024-03-01T00:00:00Z') }, now),
    ).toThrow('validation failed');
  });

  it('are rejected if they end before they begin, or begin after today', () => {
    expect(() =>
      readDays({ days: 30, from: time('2026-03-05T00:00:00Z'), until: time('2026-03-05T00:00:00Z') }, now),
    ).toThrow('validation failed');
    expect(() => readDays({ days: 30, from: time('2026-03-11T00:00:00Z') }, now)).toThrow('validation failed');
  });

  it('are preceded by the same number of days', () => {
    expect(daysBefore({ first: '2026-03-01', last: '2026-03-07' })).toBe('2026-02-22');
    expect(daysBefore({ first: '2026-03-01', last: '2026-03-01' })).toBe('2026-02-28');
  });
});
