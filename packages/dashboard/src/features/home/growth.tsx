/** The growth of the contacts. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useProject } from '../../api/project.js';
import { TimeChart, type Series } from '../../ui/chart.js';
import { Figure, Figures } from '../../ui/figure.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { startOfDay } from '../../words/zones.js';
import { createdSince, listOf } from './lists.js';
import { useHomeWords } from './words.js';

const LINES = [
  { column: 'created', color: 'accent' },
  { column: 'subscribed', color: 'success' },
  { column: 'unsubscribed', color: 'warning' },
] as const;

export function ContactGrowth({ days }: { days: number }) {
  const words = useHomeWords();
  const format = useFormat();
  const { $api, project, projectId } = useProject();
  const zone = project.timezone;
  const { data, error, refetch } = $api.useQuery('get', '/analytics/contacts', {
    params: { query: { days, timezone: zone } },
  });
  const lines = useMemo(
    () => ({
      times: (data ?? []).map(({ date }) => startOfDay(date, zone)),
      series: LINES.map(({ column, color }): Series => ({
        name: words[column],
        values: (data ?? []).map((day) => day[column]),
        color,
      })),
    }),
    [data, words, zone],
  );
  const first = data?.[0]?.date ?? '';
  const sum = (column: (typeof LINES)[number]['column']): number =>
    (data ?? []).reduce((total, day) => total + day[column], 0);
  return (
    <Card title={words.growth}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <>
          <Figures>
            <Figure
              label={words.growthTotal}
              value={
                <Link
                  to="/projects/$projectId/contacts"
                  params={{ projectId }}
                  className="relative inline-block min-w-6 hover:underline"
                >
                  <span className="sr-only">{words.growthTotal}: </span>
                  {format.number(data.at(-1)?.total ?? 0)}
                </Link>
              }
            />
            {LINES.map(({ column }) => (
              <Figure
                key={column}
                label={words[column]}
                value={
                  <Link
                    {...(column === 'created'
                      ? createdSince(first, zone, projectId)
                      : listOf(column, projectId, { since: first, until: data.at(-1)?.date }))}
                    className="relative inline-block min-w-6 hover:underline"
                  >
                    <span className="sr-only">{words[column]}: </span>
                    {format.number(sum(column))}
                  </Link>
                }
              />
            ))}
          </Figures>
          <TimeChart label={words.growthChart} {...lines} zone={zone} unit="day" height={180} />
        </>
      )}
    </Card>
  );
}
