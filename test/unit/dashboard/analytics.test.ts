import { expect, test } from 'vitest';
import { groupsOf, toCsv, totalsOf, type Point } from '../../../packages/dashboard/src/features/home/view.js';

const FIGURES = {
  sent: 0,
  delivered: 0,
  opens: 0,
  machineOpens: 0,
  clicks: 0,
  machineClicks: 0,
  bounces: 0,
  complaints: 0,
  unsubscribes: 0,
};
const HEADERS = {
  date: 'date',
  group: 'group',
  sent: 'sent',
  delivered: 'delivered',
  opens: 'opens',
  machineOpens: 'machineOpens',
  clicks: 'clicks',
  machineClicks: 'machineClicks',
  bounces: 'bounces',
  complaints: 'complaints',
  unsubscribes: 'unsubscribes',
};

const point = (sent: number, group: Point['group'] = null): Point => ({
  ...FIGURES,
  sent,
  at: '2026-11-23T00:00:00.000Z',
  date: '2026-11-23',
  group,
  previous: { ...FIGURES, sent: 1 },
});

test('totals cover both periods', () => {
  const { current, previous } = totalsOf([point(3), point(4)]);
  expect([current.sent, previous.sent]).toEqual([7, 2]);
});

test('groups are ordered by their emails, the rest comes last, and empty groups are left out', () => {
  const groups = groupsOf([
    point(9, { key: null, name: null }),
    point(1, { key: 'a', name: 'A' }),
    point(2, { key: 'b', name: 'B' }),
    point(0, { key: 'c', name: 'C' }),
  ]);
  expect(groups.map(({ key }) => key)).toEqual(['b', 'a', null]);
});

test('names in a CSV file are quoted and do not run as formulas', () => {
  const csv = toCsv([point(1, { key: 'x', name: '=1+"2"' })], HEADERS);
  expect(csv.split('\r\n')[1]).toBe(`2026-11-23,"'=1+""2""",1,0,0,0,0,0,0,0,0`);
});
