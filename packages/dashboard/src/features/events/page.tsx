/** The events of a project: their names, and the latest ones of all or of one name. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { PlusIcon } from '../../ui/icons.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { Sparkline } from '../../ui/sparkline.js';
import { LatestEvents } from './latest.js';
import { TrackDialog } from './track.js';
import { EventDetails } from './usage.js';
import { useEventWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/events');

export function EventsPage() {
  const words = useEventWords();
  const { $api } = useProject();
  const { name } = route.useSearch();
  const [isTracking, setTracking] = useState(false);
  const { data: names, error, refetch } = $api.useQuery('get', '/events/stats');
  const track = (
    <Button look="primary" onClick={() => setTracking(true)}>
      <PlusIcon />
      {words.track}
    </Button>
  );
  return (
    <Page title={words.title} about={words.about} actions={track}>
      {error && !names && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!names && !error && <Skeleton lines={8} />}
      {names?.length === 0 && <FirstRun title={words.firstTitle} about={words.firstAbout} action={track} />}
      {names && names.length > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,18rem)_minmax(0,1fr)]">
          <Names names={names} />
          <div className="grid min-w-0 gap-4">
            {name !== undefined && <EventDetails key={name} name={name} />}
            <LatestEvents name={name} />
          </div>
        </div>
      )}
      <TrackDialog isOpen={isTracking} onClose={() => setTracking(false)} name={name ?? ''} />
    </Page>
  );
}

/** The page of one name is another than that of all events. */
const EXACT = { exact: true, includeSearch: true };

/** The days and the most frequent names of the small charts. */
const [TREND_DAYS, MAX_TRENDS] = [30, 1000];

const LINK =
  'flex items-center justify-between gap-3 rounded-lg px-2 py-1 hover:bg-raised aria-[current=page]:bg-raised aria-[current=page]:font-semibold';

function Names({ names }: { names: Array<{ name: string; count: number }> }) {
  const words = useEventWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  // The names appear without waiting for it.
  const { data: daily } = $api.useQuery('get', '/events/days', {
    params: { query: { days: TREND_DAYS, limit: MAX_TRENDS } },
  });
  const trends = useMemo(() => new Map(daily?.events.map(({ name, counts }) => [name, counts])), [daily]);
  return (
    <Card title={words.names}>
      <ul className="max-h-[60vh] overflow-y-auto">
        <li>
          <Link
            to="/projects/$projectId/events"
            params={{ projectId }}
            search={{}}
            activeOptions={EXACT}
            className={LINK}
          >
            {words.all}
          </Link>
        </li>
        {names.map(({ name, count }) => (
          <li key={name}>
            <Link
              to="/projects/$projectId/events"
              params={{ projectId }}
              search={{ name }}
              activeOptions={EXACT}
              className={LINK}
            >
              <span className="min-w-0 flex-1 truncate">{name}</span>
              <Trend counts={trends.get(name)} />
              <span className="text-muted tabular-nums">{format.number(count)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Trend({ counts }: { counts: readonly number[] | undefined }) {
  const words = useEventWords();
  const format = useFormat();
  if (!counts) return null;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return <Sparkline values={counts} label={`${words.recent}: ${format.number(total)}`} />;
}
