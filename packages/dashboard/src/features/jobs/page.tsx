/** The jobs of a project with their progress, live, and their results. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { StreamMessage } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import { Question } from '../../ui/dialog.js';
import { SelectField } from '../../ui/field.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { FirstRun } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';
import { JobPanel } from './panel.js';
import { Actions, Result, State, useStarters, useTitles, type Job } from './parts.js';
import { KINDS, STATES, type JobFilters } from './routes.js';
import { useJobWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/jobs');
const PAGE_SIZE = 50;
const LIST_KEY = ['get', '/jobs'];

export function JobsPage() {
  const words = useJobWords();
  const { common } = useWords();
  const { $api, projectId } = useProject();
  const { kind, state, job: openId } = route.useSearch();
  const { live, receive } = useLiveJobs();
  const navigate = useNavigate();
  const [canceled, setCanceled] = useState<Job | null>(null);
  const titleOf = useTitles();
  const cancel = $api.useMutation('delete', '/jobs/{id}', {
    onSuccess(job) {
      setCanceled(null);
      receive(job);
      notify(words.cancelled);
    },
  });
  const setFilters = (filters: JobFilters): void =>
    void navigate({
      to: '/projects/$projectId/jobs',
      params: { projectId },
      search: { kind, state, ...filters },
      replace: true,
    });
  const open = (job: string | undefined): void =>
    void navigate({ to: '/projects/$projectId/jobs', params: { projectId }, search: { kind, state, job } });
  const query = $api.useInfiniteQuery(
    'get',
    '/jobs',
    { params: { query: { limit: PAGE_SIZE, ...(kind && { kind }), ...(state && { state }) } } },
    CURSOR_PAGES,
  );
  const question = (
    <Question
      title={words.cancelTitle(canceled === null ? '' : titleOf(canceled))}
      about={words.cancelAbout}
      action={words.cancelAction}
      dismissal={common.dontCancel}
      isOpen={canceled !== null}
      isBusy={cancel.isPending}
      error={cancel.error}
      onClose={() => setCanceled(null)}
      onConfirm={() => canceled && cancel.mutate({ params: { path: { id: canceled.id } } })}
    />
  );
  return (
    <Page title={words.title} about={words.about}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(10rem,14rem))] gap-3">
        <SelectField
          label={words.kind}
          name="kind"
          value={kind ?? ''}
          onChange={(value) => setFilters({ kind: value || undefined })}
          options={[{ value: '', label: words.all }, ...KINDS.map((value) => ({ value, label: words.kinds[value] }))]}
        />
        <SelectField
          label={words.state}
          name="state"
          value={state ?? ''}
          onChange={(value) => setFilters({ state: value || undefined })}
          options={[{ value: '', label: words.all }, ...STATES.map((value) => ({ value, label: words.states[value] }))]}
        />
      </div>
      <List
        label={words.title}
        query={query}
        columns={useColumns(live, setCanceled)}
        rowKey={({ id }) => id}
        onOpen={({ id }) => open(id)}
        isFiltered={kind !== undefined || state !== undefined}
        onClearFilters={() => setFilters({ kind: undefined, state: undefined })}
        firstRun={
          <FirstRun
            title={words.firstTitle}
            about={words.firstAbout}
            action={
              <Link to="/projects/$projectId/contacts/import" params={{ projectId }} className="text-accent underline">
                {words.firstAction}
              </Link>
            }
          />
        }
      />
      <JobPanel
        id={openId}
        live={openId === undefined ? undefined : live.get(openId)}
        onCancel={setCanceled}
        onClose={() => open(undefined)}
        // Outside of the panel, the focus of the question would close it.
        question={question}
      />
      {openId === undefined && question}
    </Page>
  );
}

function useColumns(live: ReadonlyMap<string, Job>, cancel: (job: Job) => void): Array<Column<Job>> {
  const words = useJobWords();
  const titleOf = useTitles();
  const starterOf = useStarters();
  const search = route.useSearch();
  const { projectId } = useProject();
  const latest = (job: Job): Job => live.get(job.id) ?? job;
  return [
    {
      id: 'job',
      header: words.job,
      isElastic: true,
      cell: (job) => (
        <>
          <Link
            to="/projects/$projectId/jobs"
            params={{ projectId }}
            search={{ ...search, job: job.id }}
            className="font-medium hover:underline"
          >
            {titleOf(job)}
          </Link>
          {job.filename !== null && <span className="block truncate text-sm text-muted">{job.filename}</span>}
        </>
      ),
    },
    { id: 'state', header: words.state, cell: (job) => <State job={latest(job)} title={titleOf(job)} /> },
    { id: 'result', header: words.result, isSecondary: true, cell: (job) => <Result job={latest(job)} /> },
    { id: 'startedBy', header: words.startedBy, isSecondary: true, cell: (job) => starterOf(job) },
    {
      id: 'created',
      header: words.created,
      align: 'end',
      isSecondary: true,
      cell: (job) => <Ago time={job.createdAt} />,
    },
    {
      id: 'actions',
      header: words.actions,
      align: 'end',
      cell: (job) => <Actions job={latest(job)} title={titleOf(job)} onCancel={cancel} />,
    },
  ];
}

interface LiveJobs {
  /** The jobs of which the stream or a response has told, by id. */
  live: ReadonlyMap<string, Job>;
  receive: (job: Job) => void;
}

/** Keeps the newest states of jobs. The list is read again for a job that it may not have yet, or whose state changed. */
function useLiveJobs(): LiveJobs {
  const { cache } = useProject();
  const [live, setLive] = useState<ReadonlyMap<string, Job>>(new Map());
  const receive = useCallback(
    (job: Job) =>
      setLive((before) => {
        if (before.get(job.id)?.state !== job.state)
          queueMicrotask(() => void cache.invalidateQueries({ queryKey: LIST_KEY }));
        return new Map(before).set(job.id, job);
      }),
    [cache],
  );
  useStream(
    'jobs',
    useCallback(({ data }: StreamMessage<'jobs'>) => receive(data), [receive]),
  );
  return { live, receive };
}
