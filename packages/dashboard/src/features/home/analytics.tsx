/** The figures of a project's emails over time, next to those of the period before. */
import { lazy, Suspense } from 'react';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import { Figure } from '../../ui/figure.js';
import { DownloadIcon } from '../../ui/icons.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { FigureChart } from './figure-chart.js';
import { ContactGrowth } from './growth.js';
import { hasOtherList, listOf } from './lists.js';
import { NoDeliveries } from './no-deliveries.js';
import {
  changeOf,
  DAYS,
  DEFAULT_DAYS,
  FIGURES,
  GROUPS,
  MACHINES,
  toCsv,
  totalsOf,
  type AnalyticsView,
  type Point,
} from './view.js';
import { useHomeWords } from './words.js';

// Below the chart, and with a list that other pages share: they are loaded after it.
const GroupTable = lazy(async () => ({ default: (await import('./groups.js')).GroupTable }));
const TopCampaigns = lazy(async () => ({ default: (await import('./top.js')).TopCampaigns }));
const TopEvents = lazy(async () => ({ default: (await import('./top.js')).TopEvents }));

const route = getRouteApi('/signed-in/projects/$projectId/');

export function Analytics() {
  const { project, $api } = useProject();
  const view = route.useSearch();
  const days = view.days ?? DEFAULT_DAYS;
  const { data, error, refetch } = $api.useQuery('get', '/analytics/timeseries', {
    params: {
      query: {
        days,
        timezone: project.timezone,
        compare: 'previous',
        ...(view.groupBy !== undefined && { groupBy: view.groupBy }),
      },
    },
  });
  return (
    <>
      <Choices view={view} points={data} />
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && <EmailFigures points={data} view={view} />}
      <div hidden={!data && !error} className="contents">
        <ContactGrowth days={days} />
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
          <Suspense fallback={<Skeleton lines={6} />}>
            <TopCampaigns days={days} />
            <TopEvents days={days} />
          </Suspense>
        </div>
      </div>
    </>
  );
}

/** The period, the comparison, and the download. They are above what they apply to. */
function Choices({ view, points }: { view: AnalyticsView; points: Point[] | undefined }) {
  const words = useHomeWords();
  const { projectId, project } = useProject();
  const navigate = useNavigate();
  const change = (next: AnalyticsView): void =>
    void navigate({ to: '/projects/$projectId', params: { projectId }, search: { ...view, ...next } });
  const days = view.days ?? DEFAULT_DAYS;
  const download = (): void => {
    const csv = toCsv(points ?? [], { ...words.figures, date: words.date, group: words.group });
    const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    const [first, last] = [points?.[0]?.date ?? '', points?.at(-1)?.date ?? ''];
    Object.assign(document.createElement('a'), { href: url, download: `emails-${first}-${last}.csv` }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-end gap-3">
        <SelectField
          label={words.range}
          name="days"
          value={String(days)}
          onChange={(value) => change({ days: DAYS.find((one) => one === Number(value)) })}
          options={DAYS.map((one) => ({ value: String(one), label: words.days[one] }))}
        />
        <SelectField
          label={words.groupBy}
          name="groupBy"
          value={view.groupBy ?? ''}
          onChange={(value) => change({ groupBy: value || undefined })}
          options={[
            { value: '' as const, label: words.noGroup },
            ...GROUPS.map((value) => ({ value, label: words.groups[value] })),
          ]}
        />
        <Button className="ms-auto" disabled={!points} onClick={download}>
          <DownloadIcon />
          {words.download}
        </Button>
      </div>
      <p className="text-sm text-muted">{words.zone(project.timezone)}</p>
    </div>
  );
}

function EmailFigures({ points, view }: { points: Point[]; view: AnalyticsView }) {
  const words = useHomeWords();
  const { projectId } = useProject();
  const navigate = useNavigate();
  const { current, previous } = totalsOf(points);
  const figure = view.figure ?? 'sent';
  const isEmpty = current.sent === 0 && previous.sent === 0;
  return (
    <>
      <div className="@container">
        <dl className="grid grid-cols-12 gap-3 @6xl:grid-cols-7">
          {FIGURES.map((name, index) => (
            <FigureTile
              key={name}
              name={name}
              className={index === 0 ? FIRST_TILE : index < 4 ? WIDE_TILE : NARROW_TILE}
              current={current}
              previous={previous}
              points={points}
            />
          ))}
        </dl>
      </div>
      <Card
        title={words.perDay(words.figures[figure])}
        actions={
          <SelectField
            label={words.figure}
            isLabelHidden
            name="figure"
            value={figure}
            onChange={(value) =>
              void navigate({
                to: '/projects/$projectId',
                params: { projectId },
                search: { ...view, figure: value },
                replace: true,
              })
            }
            options={FIGURES.map((value) => ({ value, label: words.figures[value] }))}
          />
        }
      >
        {isEmpty ? (
          <p className="text-muted">{words.noEmails}</p>
        ) : (
          <FigureChart points={points} figure={figure} isGrouped={view.groupBy !== undefined} />
        )}
        {MACHINES[figure] && <p className="text-sm text-muted">{words.machines}</p>}
      </Card>
      {view.groupBy !== undefined && (
        <Suspense fallback={<Skeleton />}>
          <GroupTable points={points} groupBy={view.groupBy} />
        </Suspense>
      )}
    </>
  );
}

// Seven tiles are in one row, in rows of 4 and 3, or, on a phone, the first one over rows of two.
const FIRST_TILE = 'col-span-12 @2xl:col-span-3 @6xl:col-span-1';
const WIDE_TILE = 'col-span-6 @2xl:col-span-3 @6xl:col-span-1';
const NARROW_TILE = 'col-span-6 @2xl:col-span-4 @6xl:col-span-1';

interface TileProps {
  name: (typeof FIGURES)[number];
  className: string;
  current: ReturnType<typeof totalsOf>['current'];
  previous: ReturnType<typeof totalsOf>['previous'];
  points: Point[];
}

function FigureTile({ name, className, current, previous, points }: TileProps) {
  const words = useHomeWords();
  const format = useFormat();
  const { projectId } = useProject();
  const machines = MACHINES[name];
  const list = listOf(name, projectId, { since: points[0]?.date, until: points.at(-1)?.date });
  const number = format.number(current[name]);
  return (
    <Figure
      className={className}
      label={words.figures[name]}
      value={
        hasOtherList(name) ? (
          number
        ) : (
          <Link {...list} className="relative inline-block min-w-6 hover:underline">
            <span className="sr-only">{words.figures[name]}: </span>
            {number}
          </Link>
        )
      }
      about={
        <>
          {name === 'delivered' && current.sent > 0 && current.delivered === 0 && <NoDeliveries />}
          {machines && <span className="block">{words.plusMachines(format.number(current[machines]))}</span>}
          <Change current={current[name]} previous={previous[name]} />
          {hasOtherList(name) && (
            <Link {...list} className="block text-accent underline">
              {words.otherLists[name]}
            </Link>
          )}
        </>
      }
    />
  );
}

function Change({ current, previous }: { current: number; previous: number }) {
  const words = useHomeWords();
  const format = useFormat();
  const change = changeOf(current, previous);
  if (change === null) return current === 0 ? words.same : words.new;
  if (change === 0) return words.same;
  return change > 0 ? words.more(format.percent(change)) : words.less(format.percent(-change));
}
