/** The campaigns and events of a period that stand out. */
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Rows, type Column } from '../../ui/list.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { useHomeWords } from './words.js';

const DAY_MS = 86_400_000;
const LIMIT = 5;

export function TopCampaigns({ days }: { days: number }) {
  const words = useHomeWords();
  const { $api } = useProject();
  const query = $api.useQuery('get', '/analytics/top-campaigns', {
    params: { query: { startDate: dayBefore(days - 1), limit: LIMIT } },
  });
  const columns = useCampaignColumns();
  return (
    <Card title={words.topCampaigns}>
      <TopRows
        query={query}
        empty={words.noCampaigns}
        label={`${words.topCampaigns}: ${words.range}`}
        columns={columns}
        id="id"
      />
    </Card>
  );
}

/** A UTC day. The API selects campaigns by UTC days. */
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

function useCampaignColumns(): Array<Column<Schemas['TopCampaign']>> {
  const words = useHomeWords();
  const format = useFormat();
  const { projectId } = useProject();
  return [
    {
      id: 'name',
      header: words.campaign,
      cell: ({ id, name }) => (
        <Link
          to="/projects/$projectId/campaigns/$campaignId"
          params={{ projectId, campaignId: id }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    { id: 'sent', header: words.figures.sent, align: 'end', cell: ({ sentCount }) => format.number(sentCount) },
    { id: 'opened', header: words.openRate, align: 'end', cell: ({ openRate }) => format.percent(openRate) },
    { id: 'clicked', header: words.clickRate, align: 'end', cell: ({ clickRate }) => format.percent(clickRate) },
  ];
}

export function TopEvents({ days }: { days: number }) {
  const words = useHomeWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const query = $api.useQuery('get', '/analytics/top-events', { params: { query: { days, limit: LIMIT } } });
  const columns: Array<Column<Schemas['TopEvent']>> = [
    {
      id: 'name',
      header: words.event,
      cell: ({ name }) => (
        <Link
          to="/projects/$projectId/events"
          params={{ projectId }}
          search={{ name }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    { id: 'count', header: words.count, align: 'end', cell: ({ count }) => format.number(count) },
    { id: 'trend', header: words.trend, align: 'end', cell: ({ trend }) => format.change(trend) },
  ];
  return (
    <Card title={words.topEvents}>
      <TopRows
        query={query}
        empty={words.noEvents}
        label={`${words.topEvents}: ${words.range}`}
        columns={columns}
        id="name"
      />
    </Card>
  );
}

interface TopRowsProps<Row> {
  query: { data: Row[] | undefined; error: unknown; refetch: () => unknown };
  empty: string;
  label: string;
  columns: Array<Column<Row>>;
  /** The property that identifies a row. */
  id: keyof Row;
}

function TopRows<Row>({ query: { data, error, refetch }, empty, label, columns, id }: TopRowsProps<Row>) {
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={LIMIT} />;
  if (data.length === 0) return <p className="text-muted">{empty}</p>;
  return <Rows label={label} rows={data} columns={columns} rowKey={(row) => String(row[id])} />;
}
