/** Who got a campaign, what they did, and who did not get it. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { DownloadIcon } from '../../ui/icons.js';
import { List, type Column } from '../../ui/list.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { DEEDS, type Recipient } from './model.js';
import { useReportWords } from './report-words.js';
import type { ReportSearch } from './routes.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');
const PAGE_SIZE = 50;

const TONES: Record<Recipient['status'], Tone> = {
  SCHEDULED: 'neutral',
  PENDING: 'neutral',
  SENDING: 'accent',
  SENT: 'success',
  DELIVERED: 'success',
  OPENED: 'success',
  CLICKED: 'success',
  BOUNCED: 'danger',
  COMPLAINED: 'danger',
  FAILED: 'danger',
  CANCELLED: 'neutral',
};

export function Recipients({ id }: { id: string }) {
  const words = useReportWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const { did, search, url } = route.useSearch();
  const navigate = route.useNavigate();
  const open = useNavigate();
  const exported = $api.useMutation('post', '/exports', { onSuccess: () => notify(words.exported) });
  const query = $api.useInfiniteQuery(
    'get',
    '/campaigns/{id}/recipients',
    {
      params: {
        path: { id },
        query: { limit: PAGE_SIZE, ...(did && { did }), ...(search && { search }), ...(url && { url }) },
      },
    },
    CURSOR_PAGES,
  );
  const setFilters = useCallback(
    (change: ReportSearch) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((text: string) => setFilters({ search: text || undefined }), [setFilters]);
  const total = query.data?.pages[0]?.total;
  return (
    <>
      <div className="grid items-end gap-3 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
        <SearchField label={words.searchAddress} value={search ?? ''} onSearch={onSearch} />
        <SelectField
          label={words.did}
          name="did"
          isLabelHidden
          value={did ?? ''}
          options={[
            { value: '' as const, label: words.allRecipients },
            ...DEEDS.map((value) => ({ value, label: words.deeds[value] })),
          ]}
          onChange={(value) => setFilters({ did: value || undefined })}
        />
        <Button
          isBusy={exported.isPending}
          onClick={() => exported.mutate({ body: { kind: 'recipients', campaignId: id, format: 'csv' } })}
        >
          <DownloadIcon />
          {words.export}
        </Button>
      </div>
      <FormProblem error={exported.error} />
      {url !== undefined && (
        <p className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-all">{words.clickedUrl(url)}</span>
          <Button onClick={() => setFilters({ url: undefined })}>{words.allLinks}</Button>
        </p>
      )}
      <p role="status" className="text-muted">
        {total === undefined ? '' : words.total(format.number(total), total)}
      </p>
      <List
        label={words.tabs.recipients}
        query={query}
        columns={useColumns()}
        rowKey={({ emailId }) => emailId}
        onOpen={({ emailId }) =>
          void open({ to: '/projects/$projectId/emails/$emailId', params: { projectId, emailId } })
        }
        isFiltered={did !== undefined || search !== undefined || url !== undefined}
        onClearFilters={() => void navigate({ search: { tab: 'recipients' } })}
        firstRun={<FirstRun title={words.noRecipients} about={words.noRecipientsAbout} />}
      />
    </>
  );
}

function useColumns(): Array<Column<Recipient>> {
  const words = useReportWords();
  const format = useFormat();
  const { projectId } = useProject();
  return [
    {
      id: 'email',
      header: words.recipient,
      cell: ({ emailId, email }) => (
        <Link
          to="/projects/$projectId/emails/$emailId"
          params={{ projectId, emailId }}
          className="font-medium hover:underline"
        >
          {email}
        </Link>
      ),
    },
    {
      id: 'status',
      header: words.status,
      cell: ({ status }) => <Badge tone={TONES[status]}>{words.statuses[status]}</Badge>,
    },
    {
      id: 'reason',
      header: words.reason,
      isSecondary: true,
      cell: ({ error, bounceReason }) => error ?? bounceReason ?? '',
    },
    { id: 'opens', header: words.opens, align: 'end', isSecondary: true, cell: ({ opens }) => format.number(opens) },
    {
      id: 'clicks',
      header: words.clicks,
      align: 'end',
      isSecondary: true,
      cell: ({ clicks }) => format.number(clicks),
    },
    {
      id: 'sent',
      header: words.sent,
      align: 'end',
      isSecondary: true,
      cell: ({ sentAt }) => sentAt !== null && <Ago time={sentAt} />,
    },
  ];
}
