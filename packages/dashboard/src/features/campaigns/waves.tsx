/** The waves of a campaign at the reader's local time: when how many recipients are due, and how many emails were sent. */
import { useProject } from '../../api/project.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import type { Schemas } from '../../../../client/src/index.js';
import { useFormat } from '../../words/format.js';
import { RECIPIENT, type Campaign, type CampaignStatus } from './model.js';
import { RecipientSchedule } from './schedule-facts.js';
import { useCampaignWords } from './words.js';

/** While waves are sent. */
const REFRESH_MS = 5000;

type Wave = Schemas['CampaignWaves']['data'][number];

/** Shows nothing for a campaign that is sent to all recipients immediately. */
export function Waves({ campaign: { id, localSchedule }, status }: { campaign: Campaign; status: CampaignStatus }) {
  const { waves: words } = useCampaignWords();
  const format = useFormat();
  const { $api } = useProject();
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/campaigns/{id}/waves',
    { params: { path: { id } } },
    { refetchInterval: status === 'SENDING' ? REFRESH_MS : false },
  );
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  const isTimed = localSchedule?.timezone === RECIPIENT;
  if (!data) return isTimed ? <Skeleton lines={5} /> : null;
  if (!isTimed && data.data.length === 0) return null;
  const largest = Math.max(1, ...data.data.map(({ total }) => total));
  const fallback = data.data.reduce((sum, wave) => sum + wave.fallback, 0);
  return (
    <Card title={words.title}>
      {status !== 'SCHEDULED' && <RecipientSchedule schedule={localSchedule} />}
      {data.isForecast && <p className="text-muted">{words.forecast}</p>}
      {data.data.length === 0 && <p>{words.empty}</p>}
      <ol aria-label={words.title} className="grid gap-3">
        {data.data.map((wave) => (
          <WaveRow key={wave.at} wave={wave} largest={largest} isForecast={data.isForecast} />
        ))}
      </ol>
      {fallback > 0 && <p className="text-muted">{words.fallback(format.number(fallback), fallback)}</p>}
    </Card>
  );
}

interface RowProps {
  wave: Wave;
  /** The recipients of the largest wave, whose bar is as wide as the list. */
  largest: number;
  isForecast: boolean;
}

function WaveRow({ wave: { at, zones, total, sent }, largest, isForecast }: RowProps) {
  const { waves: words } = useCampaignWords();
  const format = useFormat();
  const { project } = useProject();
  const [first = ''] = zones;
  return (
    <li className="grid gap-1">
      <span className="flex flex-wrap justify-between gap-x-3">
        <span className="min-w-0 font-medium">{format.dateTime(at, project.timezone)}</span>
        <span className="tabular-nums">
          {isForecast
            ? words.recipients(format.number(total), total)
            : words.sentOf(format.number(sent), format.number(total))}
        </span>
      </span>
      <span aria-hidden className="h-2 rounded">
        <span className="block h-2 overflow-hidden rounded bg-raised" style={{ width: `${(total / largest) * 100}%` }}>
          <span
            className="block h-2 bg-accent"
            style={{ width: isForecast ? '100%' : `${total === 0 ? 0 : (sent / total) * 100}%` }}
          />
        </span>
      </span>
      {zones.length > 1 ? (
        <details className="text-sm text-muted">
          <summary className="cursor-pointer">{words.zones(first, zones.length - 1)}</summary>
          <p aria-label={words.allZones}>{zones.join(', ')}</p>
        </details>
      ) : (
        <span className="text-sm text-muted">{first}</span>
      )}
    </li>
  );
}
