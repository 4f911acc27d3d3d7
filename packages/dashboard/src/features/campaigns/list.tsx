/** The campaigns of a project, with live figures of those that are being sent. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useProject } from '../../api/project.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { PlusIcon } from '../../ui/icons.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago, At } from '../../ui/time.js';
import { useFormat } from '../../words/format.js';
import { CampaignMenu } from './actions.js';
import { useProgress } from './live.js';
import { shareOf, STATUSES, type Campaign, type Progress } from './model.js';
import type { CampaignFilters } from './routes.js';
import { CampaignStatusBadge } from './status.js';
import { useCampaignWords } from './words.js';

const PAGE_SIZE = 50;
const route = getRouteApi('/signed-in/projects/$projectId/campaigns');

export function CampaignsPage() {
  const words = useCampaignWords();
  const { $api, projectId } = useProject();
  const filters = route.useSearch();
  const navigate = route.useNavigate();
  const open = useNavigate();
  const { add, error } = useCreate();
  const progress = useProgress();
  const { search, status } = filters;
  const query = $api.useInfiniteQuery(
    'get',
    '/campaigns',
    {
      params: {
        query: {
          pageSize: PAGE_SIZE,
          ...(search !== undefined && { search }),
          ...(status !== undefined && { status }),
        },
      },
    },
    {
      pageParamName: 'page',
      initialPageParam: 1,
      getNextPageParam: ({ page, totalPages }: { page: number; totalPages: number }) =>
        page < totalPages ? page + 1 : null,
    },
  );
  const setFilters = useCallback(
    (change: CampaignFilters) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true }),
    [navigate],
  );
  const onSearch = useCallback((text: string) => setFilters({ search: text || undefined }), [setFilters]);
  return (
    <Page title={words.title} about={words.about} actions={add}>
      <FormProblem error={error} />
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_auto]">
        <SearchField label={words.search} value={search ?? ''} onSearch={onSearch} />
        <SelectField
          label={words.status}
          name="status"
          isLabelHidden
          value={status ?? ''}
          options={[
            { value: '' as const, label: words.allStatuses },
            ...STATUSES.map((value) => ({ value, label: words.statuses[value] })),
          ]}
          onChange={(value) => setFilters({ status: value || undefined })}
        />
      </div>
      <List
        label={words.title}
        query={query}
        columns={useColumns(progress)}
        rowKey={({ id }) => id}
        onOpen={({ id, status: state }) =>
          void open({
            to:
              state === 'DRAFT'
                ? '/projects/$projectId/campaigns/$campaignId/edit'
                : '/projects/$projectId/campaigns/$campaignId',
            params: { projectId, campaignId: id },
          })
        }
        isFiltered={search !== undefined || status !== undefined}
        onClearFilters={() => void navigate({ search: {} })}
        firstRun={<FirstRun title={words.firstTitle} about={words.firstAbout} action={add} />}
      />
    </Page>
  );
}

/** A button that creates a draft and opens it. */
function useCreate() {
  const words = useCampaignWords();
  const format = useFormat();
  const { $api, cache, project, projectId } = useProject();
  const navigate = useNavigate();
  const create = $api.useMutation('post', '/campaigns', {
    async onSuccess({ data: { id } }) {
      void cache.invalidateQueries({ queryKey: ['get', '/campaigns'] });
      await navigate({
        to: '/projects/$projectId/campaigns/$campaignId/edit',
        params: { projectId, campaignId: id },
      });
    },
  });
  const begin = (): void =>
    create.mutate({
      body: {
        draft: true,
        name: words.untitled(format.date(new Date().toISOString(), project.timezone)),
        from: project.defaultFrom,
        fromName: project.defaultFromName,
        // Blocks need no code; the editor offers both.
        design: { version: 1, blocks: [] },
      },
    });
  useCreateShortcut(words.add, begin);
  const add = (
    <Button look="primary" isBusy={create.isPending} onClick={begin}>
      <PlusIcon />
      {words.add}
    </Button>
  );
  return { add, error: create.error };
}

function useColumns(progress: ReadonlyMap<string, Progress>): Array<Column<Campaign>> {
  const words = useCampaignWords();
  const format = useFormat();
  const { projectId, project } = useProject();
  const withShare = (count: number, { sentCount }: Campaign) =>
    sentCount === 0 ? '' : `${format.number(count)} (${format.percent(shareOf(count, sentCount))})`;
  return [
    {
      id: 'name',
      header: words.name,
      cell: ({ id, name, subject, status }) => (
        <>
          <Link
            to={
              status === 'DRAFT'
                ? '/projects/$projectId/campaigns/$campaignId/edit'
                : '/projects/$projectId/campaigns/$campaignId'
            }
            params={{ projectId, campaignId: id }}
            className="font-medium hover:underline"
          >
            {name}
          </Link>
          <span className="block truncate text-sm text-muted">{subject ?? words.noSubject}</span>
        </>
      ),
    },
    {
      id: 'status',
      header: words.status,
      cell: ({ id, status }) => {
        const live = progress.get(id);
        return (
          <span className="inline-flex flex-wrap items-center gap-2">
            <CampaignStatusBadge status={live?.status ?? status} />
            {live?.status === 'SENDING' && live.perSecond > 0 && (
              <span className="text-sm text-muted">{words.perSecond(format.number(live.perSecond))}</span>
            )}
          </span>
        );
      },
    },
    {
      id: 'sent',
      header: words.sent,
      align: 'end',
      cell: (campaign) => {
        const { sentCount, totalRecipients } = progress.get(campaign.id) ?? campaign;
        return totalRecipients === 0 ? '' : words.ofTotal(format.number(sentCount), format.number(totalRecipients));
      },
    },
    {
      id: 'opened',
      header: words.opened,
      align: 'end',
      isSecondary: true,
      cell: (campaign) => withShare(campaign.openedCount, campaign),
    },
    {
      id: 'clicked',
      header: words.clicked,
      align: 'end',
      isSecondary: true,
      cell: (campaign) => withShare(campaign.clickedCount, campaign),
    },
    {
      id: 'time',
      header: words.time,
      align: 'end',
      isSecondary: true,
      cell: ({ status, scheduledFor, sentAt, updatedAt }) =>
        status === 'SCHEDULED' && scheduledFor !== null ? (
          <At time={scheduledFor} zone={project.timezone} />
        ) : (
          <Ago time={sentAt ?? updatedAt} />
        ),
    },
    { id: 'actions', header: words.actions, align: 'end', cell: (campaign) => <CampaignMenu campaign={campaign} /> },
  ];
}
