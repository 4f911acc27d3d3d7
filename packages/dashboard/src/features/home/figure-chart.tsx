/** One figure per day: by people and by machines and in the period before, or by groups. */
import { useMemo } from 'react';
import { useProject } from '../../api/project.js';
import { TimeChart, type Series } from '../../ui/chart.js';
import { groupsOf, MACHINES, type Figure, type Point } from './view.js';
import { useHomeWords } from './words.js';

/** More lines cannot be told apart. The table below has all groups. */
const COLORS = ['accent', 'second', 'success', 'warning', 'danger', 'muted'] as const;

export function FigureChart({ points, figure, isGrouped }: { points: Point[]; figure: Figure; isGrouped: boolean }) {
  const words = useHomeWords();
  const { project } = useProject();
  const { times, series } = useMemo(
    () => (isGrouped ? groupSeries(points, figure, words) : periodSeries(points, figure, words)),
    [points, figure, isGrouped, words],
  );
  return (
    <TimeChart
      label={words.perDay(words.figures[figure])}
      times={times}
      series={series}
      zone={project.timezone}
      unit="day"
    />
  );
}

interface Lines {
  times: string[];
  series: Series[];
}

type HomeWords = ReturnType<typeof useHomeWords>;

function periodSeries(points: Point[], figure: Figure, words: HomeWords): Lines {
  const machines = MACHINES[figure];
  return {
    times: points.map(({ at }) => at),
    series: [
      { name: words.figures[figure], values: points.map((point) => point[figure]), color: 'accent' },
      ...(machines
        ? [{ name: words.figures[machines], values: points.map((point) => point[machines]), color: 'second' as const }]
        : []),
      {
        name: words.previous,
        values: points.map(({ previous }) => previous?.[figure] ?? null),
        color: 'muted',
        isDashed: true,
      },
    ],
  };
}

function groupSeries(points: Point[], figure: Figure, words: HomeWords): Lines {
  const groups = groupsOf(points)
    .toSorted((a, b) => b.total[figure] - a.total[figure])
    .slice(0, COLORS.length);
  const values = groups.map(({ key, name, points: ofGroup }, index) => ({
    name: nameOfGroup(key, name, words),
    values: ofGroup.map((point) => point[figure]),
    color: COLORS[index] ?? 'muted',
  }));
  return { times: [...new Set(points.map(({ at }) => at))], series: values };
}

export const nameOfGroup = (key: string | null, name: string | null, words: HomeWords): string =>
  key === null ? words.otherGroups : (words.groupNames[key] ?? name ?? key);
