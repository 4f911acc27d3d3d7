/** The activity of a project, live, and what comes next. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { StreamMessage } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import { ActivityBadge, detailOf, type Activity } from '../../ui/activity.js';
import { Button } from '../../ui/button.js';
import { Json } from '../../ui/code.js';
import { SidePanel } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/field.js';
import { List, type Column, type PagedQuery } from '../../ui/list.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { Ago, At } from '../../ui/time.js';
import { ContactPicker, type SampleContact } from '../editor/contact-picker.js';
import { KIND_NAMES, KINDS, typesOf, type ActivityFilters } from './routes.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { rangeOfDays } from '../../words/zones.js';
import { useActivityWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/activity');
const PAGE_SIZE = 50;
/** Above it, the list is read again instead of growing. */
const MAX_NEWS = 200;

export function ActivityPage() {
  const words = useActivityWords();
  const format = useFormat();
  const { projectId } = useProject();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Activity | null>(null);
  const { query, total, waiting, showWaiting, hold } = useLiveFeed(filters);
  const setFilters = (search: ActivityFilters): void =>
    void navigate({ to: '/projects/$projectId/activity', params: { projectId }, search, replace: true });
  const columns: Array<Column<Activity>> = [
    {
      id: 'what',
      header: words.what,
      cell: (entry) => (
        <button type="button" className="cursor-pointer" onClick={() => setOpened(entry)}>
          <ActivityBadge type={entry.type} />
        </button>
      ),
    },
    { id: 'who', header: words.who, cell: ({ contactEmail }) => contactEmail ?? '' },
    { id: 'detail', header: words.detail, cell: detailOf, isSecondary: true, isElastic: true },
    { id: 'when', header: words.when, align: 'end', cell: ({ timestamp }) => <Ago time={timestamp} /> },
  ];
  return (
    <Page title={words.title} about={words.about}>
      <Filters filters={filters} setFilters={setFilters} />
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="grid min-w-0 gap-3" onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
          <div className="flex flex-wrap items-center gap-3">
            {total > 0 && <p className="text-muted">{words.total(format.number(total), total)}</p>}
            <div role="status">{waiting > 0 && <Button onClick={showWaiting}>{words.newOnes(waiting)}</Button>}</div>
          </div>
          <List
            label={words.title}
            query={query}
            columns={columns}
            rowKey={({ id, type }) => `${type} ${id}`}
            onOpen={setOpened}
            isFiltered={Object.values(filters).some((value) => value !== undefined)}
            onClearFilters={() => setFilters({})}
            firstRun={<FirstRun title={words.firstTitle} about={words.firstAbout} />}
          />
        </div>
        <Upcoming />
      </div>
      <EntryPanel entry={opened} onClose={() => setOpened(null)} />
    </Page>
  );
}

interface LiveFeed {
  query: PagedQuery<Activity>;
  /** How many entries there are. */
  total: number;
  /** New entries that are not shown yet. */
  waiting: number;
  showWaiting: () => void;
  /** While held, the list does not move. */
  hold: (isHeld: boolean) => void;
}

/** The list of the API, with what the stream brings on top. */
function useLiveFeed({ kind, contactId, since, until }: ActivityFilters): LiveFeed {
  const { $api, cache, project } = useProject();
  const types: readonly string[] | undefined = kind && typesOf(kind);
  const { first: startDate, last: endDate } = rangeOfDays({ since, until }, project.timezone);
  const [isHeld, hold] = useState(false);
  const [news, setNews] = useState<{ shown: Activity[]; waiting: Activity[] }>({ shown: [], waiting: [] });
  const query = $api.useInfiniteQuery(
    'get',
    '/activity',
    {
      params: {
        query: {
          limit: PAGE_SIZE,
          ...(types && { types: types.join(',') }),
          ...(contactId !== undefined && { contactId }),
          ...(startDate !== undefined && { startDate }),
          ...(endDate !== undefined && { endDate }),
        },
      },
    },
    CURSOR_PAGES,
  );
  const choice = JSON.stringify([kind, contactId, since, until]);
  const [newsOf, setNewsOf] = useState(choice);
  if (newsOf !== choice) {
    setNewsOf(choice);
    setNews({ shown: [], waiting: [] });
  }
  useStream(
    'activity',
    useCallback(
      ({ data }: StreamMessage<'activity'>) => {
        const isMine = contactId === undefined || data.contactId === contactId;
        if (!isMine || until !== undefined || (types && !types.includes(data.type))) return;
        setNews(({ shown, waiting }) =>
          isHeld ? { shown, waiting: [data, ...waiting] } : { shown: [data, ...shown].slice(0, MAX_NEWS), waiting: [] },
        );
      },
      [types, contactId, until, isHeld],
    ),
  );
  const showWaiting = (): void => {
    setNews({ shown: [], waiting: [] });
    void cache.resetQueries({ queryKey: ['get', '/activity'] });
  };
  const [first, ...rest] = query.data?.pages ?? [];
  const known = new Set(first?.data.map(({ id, type }) => `${type} ${id}`));
  const added = news.shown.filter(({ id, type }) => !known.has(`${type} ${id}`));
  const pages = first && [{ data: [...added, ...first.data] }, ...rest];
  return {
    query: { ...query, data: pages && { pages } },
    total: first ? first.total + added.length : 0,
    waiting: news.waiting.length,
    showWaiting,
    hold,
  };
}

interface FiltersProps {
  filters: ActivityFilters;
  setFilters: (filters: ActivityFilters) => void;
}

function Filters({ filters, setFilters }: FiltersProps) {
  const words = useActivityWords();
  const { activityTypes } = useWords();
  const { project } = useProject();
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,14rem))] items-end gap-3">
      <SelectField
        label={words.kind}
        name="kind"
        value={filters.kind ?? ''}
        onChange={(kind) => setFilters({ ...filters, kind: kind || undefined })}
        options={[
          { value: '', label: words.all },
          ...KIND_NAMES.flatMap((kind) => [
            { value: kind, label: words.kinds[kind] },
            ...(KINDS[kind].length === 1
              ? []
              : KINDS[kind].map((type) => ({ value: type, label: `– ${activityTypes[type]}` }))),
          ]),
        ]}
      />
      <ContactFilter contactId={filters.contactId} onChange={(contactId) => setFilters({ ...filters, contactId })} />
      <TextField
        label={words.since}
        name="since"
        type="date"
        value={filters.since ?? ''}
        onChange={({ target }) => setFilters({ ...filters, since: target.value || undefined })}
      />
      <TextField
        label={words.until}
        name="until"
        type="date"
        value={filters.until ?? ''}
        onChange={({ target }) => setFilters({ ...filters, until: target.value || undefined })}
      />
      {(filters.since ?? filters.until) !== undefined && (
        <p className="self-center text-sm text-muted">{words.zone(project.timezone)}</p>
      )}
    </div>
  );
}

interface ContactFilterProps {
  contactId: string | undefined;
  onChange: (contactId: string | undefined) => void;
}

/** The URL has the id of the contact, and the field its address. */
function ContactFilter({ contactId, onChange }: ContactFilterProps) {
  const words = useActivityWords();
  const { $api } = useProject();
  const [chosen, setChosen] = useState<SampleContact | null>(null);
  const { data, error } = $api.useQuery(
    'get',
    '/contacts/{id}',
    { params: { path: { id: contactId ?? '' } } },
    { enabled: contactId !== undefined && contactId !== chosen?.id },
  );
  const contact = [chosen, data].find((one) => one != null && one.id === contactId) ?? null;
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
      <ContactPicker
        label={words.who}
        clearLabel={words.allContacts}
        contact={contact}
        onChange={(one) => {
          setChosen(one);
          onChange(one?.id);
        }}
      />
      {contactId !== undefined && !contact && error && (
        <Button look="quiet" onClick={() => onChange(undefined)}>
          {words.unknownContact}
        </Button>
      )}
    </div>
  );
}

function Upcoming() {
  const words = useActivityWords();
  const { $api } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/activity/upcoming', {
    params: { query: { daysAhead: 7, limit: 20 } },
  });
  return (
    <Card title={words.upcoming}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data?.activities.length === 0 && <p className="text-muted">{words.nothingUpcoming}</p>}
      <ul className="grid gap-3">
        {data?.activities.map((entry) => (
          <li key={`${entry.type} ${entry.id}`} className="grid justify-items-start gap-0.5">
            <ActivityBadge type={entry.type} />
            <span className="min-w-0 break-words">{detailOf(entry)}</span>
            {entry.contactEmail !== null && <span className="text-sm text-muted">{entry.contactEmail}</span>}
            <span className="text-sm text-muted">
              <At time={entry.timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function EntryPanel({ entry, onClose }: { entry: Activity | null; onClose: () => void }) {
  const words = useActivityWords();
  const { projectId } = useProject();
  const emailId = entry?.metadata.emailId;
  return (
    <SidePanel
      title={entry?.contactEmail ?? words.opened}
      about={entry && <At time={entry.timestamp} />}
      isOpen={entry !== null}
      onClose={onClose}
    >
      {entry && (
        <>
          <div>
            <ActivityBadge type={entry.type} />
          </div>
          {entry.contactId !== null && (
            <Link
              to="/projects/$projectId/contacts/$contactId"
              params={{ projectId, contactId: entry.contactId }}
              className="text-accent underline"
            >
              {words.showContact}
            </Link>
          )}
          {typeof emailId === 'string' && (
            <Link
              to="/projects/$projectId/emails/$emailId"
              params={{ projectId, emailId }}
              className="text-accent underline"
            >
              {words.showEmail}
            </Link>
          )}
          <Json label={words.detail} value={entry.metadata} />
        </>
      )}
    </SidePanel>
  );
}
