/** The clicked links of a campaign: in the email, and as a list. */
import { Link } from '@tanstack/react-router';
import { useProject } from '../../api/project.js';
import { Rows, type Column } from '../../ui/list.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import type { LinkFigures } from './heat.js';
import { Heatmap } from './heatmap.js';
import type { Campaign } from './model.js';
import { useReportWords } from './report-words.js';

export function Links({ campaign }: { campaign: Campaign }) {
  const { id } = campaign;
  const words = useReportWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/campaigns/{id}/links', { params: { path: { id } } });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={5} />;
  if (data.data.length === 0) return <FirstRun title={words.noClicks} about={words.noClicksAbout} />;
  const columns: Array<Column<LinkFigures>> = [
    {
      id: 'url',
      header: words.link,
      isElastic: true,
      cell: ({ url, label }) => (
        <>
          {label !== null && <span className="block font-medium">{label}</span>}
          <Link
            to="/projects/$projectId/campaigns/$campaignId"
            params={{ projectId, campaignId: id }}
            search={{ tab: 'recipients', url }}
            title={words.whoClicked}
            className="text-accent underline"
          >
            {url}
          </Link>
        </>
      ),
    },
    { id: 'people', header: words.peopleColumn, align: 'end', cell: ({ people }) => format.number(people) },
    { id: 'clicks', header: words.clicks, align: 'end', cell: ({ clicks }) => format.number(clicks) },
    {
      id: 'machines',
      header: words.byMachinesColumn,
      align: 'end',
      isSecondary: true,
      cell: ({ machineClicks }) => format.number(machineClicks),
    },
  ];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
      <div className="grid min-w-0 gap-3">
        <Rows
          label={words.tabs.links}
          rows={data.data}
          columns={columns}
          rowKey={({ url, label }) => `${url} ${label ?? ''}`}
        />
        {data.other && <p className="text-muted">{words.otherLinks(format.number(data.other.clicks))}</p>}
      </div>
      <Heatmap campaign={campaign} clicked={data.data} />
    </div>
  );
}
