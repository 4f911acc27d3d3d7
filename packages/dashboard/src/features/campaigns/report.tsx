/** The report of a campaign: its figures, its links, its recipients, and its failures. */
import { getRouteApi } from '@tanstack/react-router';
import { useProject } from '../../api/project.js';
import { oneOf } from '../../routing/search.js';
import { Bars, Figure, Figures } from '../../ui/figure.js';
import { TimeChart, type Series } from '../../ui/chart.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { useFormat } from '../../words/format.js';
import { Failures } from './failures.js';
import { Links } from './links.js';
import { shareOf, TABS, type Campaign, type Stats } from './model.js';
import { Recipients } from './recipients.js';
import { useReportWords } from './report-words.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');
/** The first 48 hours. */
const CHART_HOURS = 48;

export function Report({ campaign, stats }: { campaign: Campaign; stats: Stats }) {
  const words = useReportWords();
  const { tab = 'overview' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Tabs
      label={words.label}
      selected={tab}
      onSelect={(id) => {
        const next = oneOf(TABS, id);
        void navigate({ search: { tab: next === 'overview' ? undefined : next } });
      }}
      tabs={[
        { id: 'overview', label: words.tabs.overview, content: <Overview campaign={campaign} stats={stats} /> },
        { id: 'links', label: words.tabs.links, content: <Links campaign={campaign} /> },
        { id: 'recipients', label: words.tabs.recipients, content: <Recipients id={campaign.id} /> },
        {
          id: 'failures',
          label: words.tabs.failures(stats.failedCount + stats.unknownCount),
          content: <Failures campaign={campaign} stats={stats} />,
        },
      ]}
    />
  );
}

function Overview({ campaign: { id }, stats }: { campaign: Campaign; stats: Stats }) {
  const words = useReportWords();
  const format = useFormat();
  const { sentCount } = stats;
  const rate = (count: number): string => format.percent(shareOf(count, sentCount));
  const figure = (label: string, count: number) => (
    <Figure label={label} value={format.number(count)} about={words.ofSent(rate(count))} />
  );
  return (
    <>
      <Card title={words.funnel}>
        <Bars
          label={words.funnel}
          bars={[
            { id: 'recipients', name: words.recipients, value: stats.totalRecipients },
            { id: 'sent', name: words.sent, value: sentCount },
            { id: 'delivered', name: words.delivered, value: stats.deliveredCount },
            { id: 'opened', name: `${words.opened} · ${rate(stats.openedCount)}`, value: stats.openedCount },
            { id: 'clicked', name: `${words.clicked} · ${rate(stats.clickedCount)}`, value: stats.clickedCount },
          ]}
        />
      </Card>
      <Engagement id={id} stats={stats} />
      <Figures>
        {figure(words.bounced, stats.bouncedCount)}
        {figure(words.complained, stats.complainedCount)}
        {figure(words.unsubscribed, stats.unsubscribedCount)}
        <Figure label={words.failed} value={format.number(stats.failedCount)} />
        <Figure label={words.unknown} value={format.number(stats.unknownCount)} />
        <Figure label={words.canceled} value={format.number(stats.cancelledCount)} />
      </Figures>
    </>
  );
}

/** Opens and clicks over time, by people and by machines. */
function Engagement({ id, stats }: { id: string; stats: Stats }) {
  const words = useReportWords();
  const format = useFormat();
  const { $api, project } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/campaigns/{id}/timeseries', {
    params: { path: { id }, query: { interval: 'hour', timezone: project.timezone } },
  });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={5} />;
  const shown = data.slice(0, CHART_HOURS);
  const sum = (name: 'machineOpens' | 'machineClicks'): number => data.reduce((total, point) => total + point[name], 0);
  const series: Series[] = [
    { name: words.opened, values: shown.map(({ opens }) => opens), color: 'accent' },
    { name: words.clicked, values: shown.map(({ clicks }) => clicks), color: 'success' },
    { name: words.byMachines, values: shown.map(({ machineOpens }) => machineOpens), color: 'muted', isDashed: true },
  ];
  return (
    <>
      <Figures>
        <Figure label={words.opensByPeople} value={format.number(stats.openedCount)} about={words.people} />
        <Figure label={words.opensByMachines} value={format.number(sum('machineOpens'))} about={words.machines} />
        <Figure label={words.clicksByPeople} value={format.number(stats.clickedCount)} />
        <Figure label={words.clicksByMachines} value={format.number(sum('machineClicks'))} />
      </Figures>
      {shown.length > 0 && (
        <Card title={words.chart}>
          <TimeChart
            label={words.chart}
            times={shown.map(({ at }) => at)}
            series={series}
            zone={project.timezone}
            unit="hour"
          />
        </Card>
      )}
    </>
  );
}
