/** The thresholds of contract, section 2, "Security": just below, at, and above each. */
import { describe, expect, test } from 'vitest';
import {
  levelOf,
  describeCriticalFault,
  worstLevel,
  type Counts,
  type Fault,
  type RatedPeriod,
  type Level,
} from '../../src/domain/reputation/levels.js';

const of = (fault: Fault, count: number, sent: number): Counts => ({ sent, bounces: 0, complaints: 0, [fault]: count });
const level = (fault: Fault, period: RatedPeriod, count: number, sent: number): Level =>
  levelOf(fault, period, of(fault, count, sent));

describe('the rate', () => {
  test.each<[Fault, RatedPeriod, number, Level, Level]>([
    ['bounces', 'last7Days', 5 / 100, 'healthy', 'warning'],
    ['bounces', 'last7Days', 10 / 100, 'warning', 'critical'],
    ['bounces', 'allTime', 4 / 100, 'healthy', 'warning'],
    ['bounces', 'allTime', 8 / 100, 'warning', 'critical'],
    ['complaints', 'last7Days', 0.075 / 100, 'healthy', 'warning'],
    ['complaints', 'last7Days', 0.15 / 100, 'warning', 'critical'],
    ['complaints', 'allTime', 0.03 / 100, 'healthy', 'warning'],
    ['complaints', 'allTime', 0.12 / 100, 'warning', 'critical'],
  ])(
    'of %s over %s: from %d on it is the higher level, and one email less or more decides',
    (fault, period, rate, below, from) => {
      const sent = 10_000_000;
      const at = Math.round(rate * sent);
      expect([at - 1, at, at + 1].map((count) => level(fault, period, count, sent))).toEqual([below, from, from]);
      expect([sent + 1, sent, sent - 1].map((emails) => level(fault, period, at, emails))).toEqual([below, from, from]);
    },
  );

  test.each<[Fault, RatedPeriod, number, number]>([
    ['bounces', 'last7Days', 7, 70],
    ['bounces', 'allTime', 12, 150],
    ['complaints', 'last7Days', 9, 6000],
    ['complaints', 'allTime', 6, 5000],
  ])(
    'equal to the critical threshold is critical, without rounding errors: %s over %s',
    (fault, period, count, sent) => {
      for (const times of [10, 30, 70, 110, 130, 1700])
        expect([times, level(fault, period, count * times, sent * times)]).toEqual([times, 'critical']);
    },
  );
});

describe('the minimum number', () => {
  test('a rate counts from 100 emails: with 99 it has no level', () => {
    for (const period of ['last7Days', 'allTime'] as const) {
      for (const fault of ['bounces', 'complaints'] as const)
        expect([99, 100].map((sent) => level(fault, period, 50, sent))).toEqual(['healthy', 'critical']);
    }
  });

  test.each<[Fault, RatedPeriod, Array<[number, Level]>]>([
    [
      'bounces',
      'last7Days',
      [
        [4, 'healthy'],
        [5, 'warning'],
        [9, 'warning'],
        [10, 'critical'],
      ],
    ],
    [
      'bounces',
      'allTime',
      [
        [4, 'healthy'],
        [5, 'warning'],
        [9, 'warning'],
        [10, 'critical'],
      ],
    ],
    [
      'complaints',
      'last7Days',
      [
        [2, 'healthy'],
        [3, 'warning'],
        [4, 'warning'],
        [5, 'critical'],
      ],
    ],
    [
      'complaints',
      'allTime',
      [
        [2, 'healthy'],
        [3, 'warning'],
        [4, 'warning'],
        [5, 'critical'],
      ],
    ],
  ])('of %s over %s out of 100 emails decides if the rate is reached', (fault, period, expected) => {
    expect(expected.map(([count]) => [count, level(fault, period, count, 100)])).toEqual(expected);
  });

  test('a project without sent emails is healthy', () => {
    for (const sent of [0, 99]) expect(level('bounces', 'allTime', 0, sent)).toBe('healthy');
    expect(level('bounces', 'allTime', 0, 1_000_000)).toBe('healthy');
  });

  test('complaints do not count as bounces, and bounces do not count as complaints', () => {
    expect([
      levelOf('bounces', 'allTime', of('complaints', 100, 100)),
      levelOf('complaints', 'allTime', of('bounces', 100, 100)),
    ]).toEqual(['healthy', 'healthy']);
  });
});

describe('the reason for a critical level', () => {
  const clean: Counts = { sent: 1000, bounces: 0, complaints: 0 };

  test('is a sentence with the figures', () => {
    expect(describeCriticalFault({ last7Days: of('bounces', 10, 100), allTime: clean })).toBe(
      '10 of 100 emails of the last 7 days bounced permanently (10 %). The limit is 10 %.',
    );
    expect(describeCriticalFault({ last7Days: clean, allTime: of('bounces', 81, 1000) })).toBe(
      '81 of 1000 emails of all time bounced permanently (8.1 %). The limit is 8 %.',
    );
    expect(describeCriticalFault({ last7Days: of('complaints', 6, 3000), allTime: clean })).toBe(
      '6 of 3000 emails of the last 7 days were reported as spam (0.2 %). The limit is 0.15 %.',
    );
    expect(describeCriticalFault({ last7Days: clean, allTime: of('complaints', 6, 5000) })).toBe(
      '6 of 5000 emails of all time were reported as spam (0.12 %). The limit is 0.12 %.',
    );
  });

  test('is null if all levels are healthy or warnings', () => {
    expect(describeCriticalFault({ last7Days: of('bounces', 9, 100), allTime: of('complaints', 4, 100) })).toBeNull();
  });

  test('the level of a project is the worst of its levels', () => {
    expect([
      worstLevel([]),
      worstLevel(['healthy', 'warning']),
      worstLevel(['critical', 'healthy', 'warning']),
    ]).toEqual(['healthy', 'warning', 'critical']);
  });
});
