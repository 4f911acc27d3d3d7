/** Where bounces and complaints come from. */
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { TimeChart } from '../../ui/chart.js';
import { Card } from '../../ui/page.js';
import { Rows, type Column } from '../../ui/list.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { useDeliverabilityWords } from './words.js';

type Point = Schemas['AnalyticsPoint'];

const DAYS = 30;

/** Bounces and complaints per day. */
export function BounceHistory() {
  const words = useDeliverabilityWords();
  const { $api, project } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/analytics/timeseries', {
    params: { query: { days: DAYS, timezone: project.timezone } },
  });
  return (
    <Card title={words.history}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <TimeChart
          label={words.history}
          times={data.map(({ at }) => at)}
          zone={project.timezone}
          unit="day"
          series={[
            { name: words.bounces, color: 'warning', values: data.map(({ bounces }) => bounces) },
            {
              name: words.complaints,
              color: 'danger',
              values: data.map(({ complaints }) => complaints),
              isDashed: true,
            },
          ]}
        />
      )}
    </Card>
  );
}

interface Sum {
  key: string;
  name: string;
  sent: number;
  bounces: number;
  complaints: number;
}

/** The groups with the most bounces and complaints, as shares of what was sent to them. */
export function Breakdown({ title, groupBy }: { title: string; groupBy: 'recipientDomain' | 'campaign' }) {
  const words = useDeliverabilityWords();
  const format = useFormat();
  const { $api, project } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/analytics/timeseries', {
    params: { query: { days: DAYS, timezone: project.timezone, groupBy } },
  });
  const share = (count: number, sent: number): string =>
    `${format.number(count)} (${format.percent(sent === 0 ? 0 : count / sent)})`;
  const columns: Array<Column<Sum>> = [
    { id: 'name', header: words.name, cell: ({ name }) => name },
    { id: 'sent', header: words.sent, align: 'end', cell: ({ sent }) => format.number(sent) },
    { id: 'bounces', header: words.bounces, align: 'end', cell: ({ bounces, sent }) => share(bounces, sent) },
    {
      id: 'complaints',
      header: words.complaints,
      align: 'end',
      cell: ({ complaints, sent }) => share(complaints, sent),
    },
  ];
  const rows = data && sumByGroup(data, words.others);
  return (
    <Card title={title}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && <p className="text-muted">{words.nothing}</p>}
      {rows && rows.length > 0 && <Rows label={title} rows={rows} columns={columns} rowKey={({ key }) => key} />}
    </Card>
  );
}

/** Returns the sums per group, the worst first. */
function sumByGroup(points: Point[], others: string): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { group, sent, bounces, complaints } of points) {
    const key = group?.key ?? '';
    const sum = sums.get(key) ?? { key, name: group?.name ?? group?.key ?? others, sent: 0, bounces: 0, complaints: 0 };
    sums.set(key, {
      ...sum,
      sent: sum.sent + sent,
      bounces: sum.bounces + bounces,
      complaints: sum.complaints + complaints,
    });
  }
  return [...sums.values()]
    .filter(({ sent, bounces, complaints }) => sent + bounces + complaints > 0)
    .sort((a, b) => b.bounces + b.complaints - (a.bounces + a.complaints) || b.sent - a.sent);
}
