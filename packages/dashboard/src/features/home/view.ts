/** What the figures of the start page show: its search parameters, and calculations with the points of the API. */
import type { Schemas } from '../../../../client/src/index.js';

export type Point = Schemas['AnalyticsPoint'];

export const DAYS = [7, 30, 90, 365] as const;
export const DEFAULT_DAYS = 30;
export const GROUPS = ['source', 'type', 'campaign', 'template', 'workflow', 'recipientDomain'] as const;
export type GroupBy = (typeof GROUPS)[number];

/** The figures of the API. Opens and clicks are those of people; machines have figures of their own. */
export const COLUMNS = [
  'sent',
  'delivered',
  'opens',
  'machineOpens',
  'clicks',
  'machineClicks',
  'bounces',
  'complaints',
  'unsubscribes',
] as const;
export type Column = (typeof COLUMNS)[number];

/** The figures that have a tile and a chart. */
export const FIGURES = ['sent', 'delivered', 'opens', 'clicks', 'bounces', 'complaints', 'unsubscribes'] as const;
export type Figure = (typeof FIGURES)[number];

/** The figures of machines next to those of people. */
export const MACHINES: Partial<Record<Figure, Column>> = { opens: 'machineOpens', clicks: 'machineClicks' };

export interface AnalyticsView {
  days?: (typeof DAYS)[number] | undefined;
  figure?: Figure | undefined;
  groupBy?: GroupBy | undefined;
}

type Figures = Record<Column, number>;

/** Returns the sums of all points, and those of the preceding period. */
export function totalsOf(points: readonly Point[]): { current: Figures; previous: Figures } {
  const sums = (read: (point: Point) => Figures | null): Figures => {
    const total = { ...NO_FIGURES };
    for (const point of points) {
      const figures = read(point);
      if (figures) for (const column of COLUMNS) total[column] += figures[column];
    }
    return total;
  };
  return { current: sums((point) => point), previous: sums((point) => point.previous) };
}

const NO_FIGURES: Figures = {
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

/** Returns the change as a fraction; null if there was nothing before. */
export const changeOf = (current: number, previous: number): number | null =>
  previous === 0 ? null : (current - previous) / previous;

export interface GroupOfPoints {
  /** Null for all emails that are in none of the other groups. */
  key: string | null;
  name: string | null;
  /** One per time, in order. */
  points: Point[];
  total: Figures;
}

/** Returns the groups of points, those with the most sent emails first and the rest last. Groups without emails are left out. */
export function groupsOf(points: readonly Point[]): GroupOfPoints[] {
  const byKey = new Map<string | null, Point[]>();
  for (const point of points) {
    const key = point.group?.key ?? null;
    const known = byKey.get(key);
    if (known) known.push(point);
    else byKey.set(key, [point]);
  }
  return [...byKey]
    .map(([key, ofKey]) => ({
      key,
      name: ofKey[0]?.group?.name ?? null,
      points: ofKey,
      total: totalsOf(ofKey).current,
    }))
    .filter(({ total }) => COLUMNS.some((column) => total[column] > 0))
    .toSorted((a, b) => Number(a.key === null) - Number(b.key === null) || b.total.sent - a.total.sent);
}

/** Returns the points as CSV. Text that a spreadsheet would run as a formula starts with an apostrophe. */
export function toCsv(points: readonly Point[], headers: Record<'date' | 'group' | Column, string>): string {
  const isGrouped = points.some(({ group }) => group !== null);
  const columns = ['date', ...(isGrouped ? (['group'] as const) : []), ...COLUMNS] as const;
  const lines = points.map((point) =>
    columns.map((column) => (column === 'group' ? (point.group?.name ?? '') : point[column])),
  );
  return [columns.map((column) => headers[column]), ...lines]
    .map((cells) => `${cells.map((cell) => writeCell(cell)).join(',')}\r\n`)
    .join('');
}

function writeCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
