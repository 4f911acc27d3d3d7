/** The email log. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Schemas } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { EmailStatusBadge } from '../../ui/email-status.js';
import { SelectField, TextField } from '../../ui/field.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { rangeOfDays } from '../../words/zones.js';
import { GroupActions } from './actions.js';
import { SOURCES, STATUSES, TYPES, type EmailFilters } from './filters.js';
import { useEmailWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/emails');
const PAGE_SIZE = 50;
/** The API counts no further. */
const MAX_COUNTED = 10_000;

type LoggedEmail = Schemas['LoggedEmail'];

export function EmailsPage() {
  const words = useEmailWords();
  const { $api, project, projectId } = useProject();
  const format = useFormat();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const setFilters = (change: EmailFilters): void =>
    void navigate({
      to: '/projects/$projectId/emails',
      params: { projectId },
      search: { ...filters, ...change },
      replace: true,
    });
  const { since: _since, until: _until, ...others } = filters;
  const { first, last } = rangeOfDays(filters, project.timezone);
  const query = $api.useInfiniteQuery(
    'get',
    '/emails',
    { params: { query: { ...withoutEmpty({ ...others, since: first, until: last }), limit: PAGE_SIZE } } },
    CURSOR_PAGES,
  );
  const total = query.data?.pages[0]?.total ?? 0;
  const hasDays = (filters.since ?? filters.until) !== undefined;
  const { campaignId, templateId, workflowId, contactId, group, tag } = filters;
  const isNarrowed = [campaignId, templateId, workflowId, contactId, group, tag].some(Boolean);
  const clear = (): void => void navigate({ to: '/projects/$projectId/emails', params: { projectId }, search: {} });
  return (
    <Page title={words.title} about={words.about} actions={group && <GroupActions group={group} />}>
      <Filters filters={filters} setFilters={setFilters} />
      {isNarrowed && <Note>{words.narrowed}</Note>}
      {total > 0 && (
        <p className="text-muted">
          {words.total(format.number(total), { count: total, isMore: total === MAX_COUNTED })}
          {hasDays && ` · ${words.zone(project.timezone)}`}
        </p>
      )}
      <List
        label={words.title}
        query={query}
        columns={useColumns()}
        rowKey={({ id }) => id}
        onOpen={({ id }) =>
          void navigate({ to: '/projects/$projectId/emails/$emailId', params: { projectId, emailId: id } })
        }
        isFiltered={Object.values(filters).some((value) => value !== undefined)}
        onClearFilters={clear}
        firstRun={<FirstRun title={words.firstTitle} about={words.firstAbout} />}
      />
    </Page>
  );
}

const withoutEmpty = (filters: EmailFilters) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined));

function Filters({ filters, setFilters }: { filters: EmailFilters; setFilters: (change: EmailFilters) => void }) {
  const words = useEmailWords();
  const { emailStatuses } = useWords();
  const all = { value: '' as const, label: words.all };
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))] items-end gap-3">
      <div className="col-span-full grid">
        <SearchField
          label={`${words.to}: ${words.toHint}`}
          value={filters.to ?? ''}
          onSearch={(to) => setFilters({ to: to || undefined })}
        />
      </div>
      <SelectField
        label={words.status}
        name="status"
        value={filters.status ?? ''}
        onChange={(value) => setFilters({ status: value || undefined })}
        options={[all, ...STATUSES.map((value) => ({ value, label: emailStatuses[value] }))]}
      />
      <SelectField
        label={words.source}
        name="source"
        value={filters.source ?? ''}
        onChange={(value) => setFilters({ source: value || undefined })}
        options={[all, ...SOURCES.map((value) => ({ value, label: words.sources[value] }))]}
      />
      <SelectField
        label={words.type}
        name="type"
        value={filters.type ?? ''}
        onChange={(value) => setFilters({ type: value || undefined })}
        options={[all, ...TYPES.map((value) => ({ value, label: words.types[value] }))]}
      />
      <TextField
        label={words.since}
        name="since"
        type="date"
        value={filters.since ?? ''}
        onChange={({ target }) => setFilters({ since: target.value || undefined })}
      />
      <TextField
        label={words.until}
        name="until"
        type="date"
        value={filters.until ?? ''}
        onChange={({ target }) => setFilters({ until: target.value || undefined })}
      />
    </div>
  );
}

function useColumns(): Array<Column<LoggedEmail>> {
  const words = useEmailWords();
  const format = useFormat();
  const { projectId } = useProject();
  return [
    {
      id: 'to',
      header: words.to,
      cell: ({ id, to }) => (
        <Link
          to="/projects/$projectId/emails/$emailId"
          params={{ projectId, emailId: id }}
          className="font-medium hover:underline"
        >
          {to}
        </Link>
      ),
    },
    { id: 'subject', header: words.subject, cell: ({ subject }) => subject ?? '', isElastic: true },
    {
      id: 'status',
      header: words.status,
      cell: ({ status, statusDetail }) => <EmailStatusBadge status={status} detail={statusDetail} />,
    },
    { id: 'source', header: words.source, cell: ({ source }) => words.sources[source], isSecondary: true },
    {
      id: 'engagement',
      header: words.engagement,
      align: 'end',
      isSecondary: true,
      cell: ({ opens, clicks }) => `${format.number(opens)} · ${format.number(clicks)}`,
    },
    { id: 'created', header: words.created, align: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ];
}
