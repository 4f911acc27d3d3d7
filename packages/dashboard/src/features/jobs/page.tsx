/** The jobs of a project with their progress, live, and their results. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Schemas, StreamMessage } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { useStream } from '../../api/stream.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { SelectField } from '../../ui/field.js';
import { Progress } from '../../ui/figure.js';
import { DownloadIcon } from '../../ui/icons.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { FirstRun } from '../../ui/states.js';
import { TemporalLink } from '../../ui/temporal-link.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { KINDS, STATES, type JobFilters } from './routes.js';
import { useJobWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/jobs');
const PAGE_SIZE = 50;
const LIST_KEY = ['get', '/jobs'];

type Job = Schemas['Job'];

const TONES: Record<Job['state'], Tone> = {
  waiting: 'neutral',
  active: 'accent',
  completed: 'success',
  failed: 'danger',
  cancelled: 'warning',
};

export function JobsPage() {
  const words = useJobWords();
  const { $api, cache, projectId } = useProject();
  const { kind, state } = route.useSearch();
  const navigate = useNavigate();
  const [canceled, setCanceled] = useState<Job | null>(null);
  const titleOf = useTitles();
  const cancel = $api.useMutation('delete', '/jobs/{id}', {
    onSuccess() {
      setCanceled(null);
      notify(words.cancelled);
      void cache.invalidateQueries({ queryKey: LIST_KEY });
    },
  });
  const setFilters = (filters: JobFilters): void =>
    void navigate({
      to: '/projects/$projectId/jobs',
      params: { projectId },
      search: { kind, state, ...filters },
      replace: true,
    });
  const query = $api.useInfiniteQuery(
    'get',
    '/jobs',
    { params: { query: { limit: PAGE_SIZE, ...(kind && { kind }), ...(state && { state }) } } },
    CURSOR_PAGES,
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
        columns={useColumns(setCanceled)}
        rowKey={({ id }) => id}
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
      <Question
        title={words.cancelTitle(canceled === null ? '' : titleOf(canceled))}
        about={words.cancelAbout}
        action={words.cancelAction}
        isOpen={canceled !== null}
        isBusy={cancel.isPending}
        error={cancel.error}
        onClose={() => setCanceled(null)}
        onConfirm={() => canceled && cancel.mutate({ params: { path: { id: canceled.id } } })}
      />
    </Page>
  );
}

/** Returns what names a job. */
function useTitles(): (job: Job) => string {
  const { operations, kinds } = useJobWords();
  const isKnown = (name: string): name is keyof typeof operations => Object.hasOwn(operations, name);
  return ({ operation, kind }) => (operation !== null && isKnown(operation) ? operations[operation] : kinds[kind]);
}

function useColumns(cancel: (job: Job) => void): Array<Column<Job>> {
  const words = useJobWords();
  const live = useLiveJobs();
  const titleOf = useTitles();
  const starterOf = useStarters();
  const { projectId } = useProject();
  const latest = (job: Job): Job => live.get(job.id) ?? job;
  return [
    {
      id: 'job',
      header: words.job,
      isElastic: true,
      cell: (job) => (
        <>
          {job.kind === 'import' ? (
            <Link
              to="/projects/$projectId/contacts/import"
              params={{ projectId }}
              search={{ jobId: job.id }}
              className="font-medium hover:underline"
            >
              {titleOf(job)}
            </Link>
          ) : (
            <span className="font-medium">{titleOf(job)}</span>
          )}
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

/** Returns who started a job. */
function useStarters(): (job: Job) => string {
  const { apiKey, formerMember } = useJobWords();
  const { $api, projectId } = useProject();
  const { data } = $api.useQuery('get', '/projects/{id}/members', { params: { path: { id: projectId } } });
  return ({ createdBy }) => {
    if (createdBy === null) return apiKey;
    return data ? (data.find(({ userId }) => userId === createdBy)?.email ?? formerMember) : '';
  };
}

/** Returns the jobs of which the stream has told, by id. A job that the list does not have yet is read. */
function useLiveJobs(): ReadonlyMap<string, Job> {
  const { cache } = useProject();
  const [known, setKnown] = useState<ReadonlyMap<string, Job>>(new Map());
  useStream(
    'jobs',
    useCallback(
      ({ data }: StreamMessage<'jobs'>) =>
        setKnown((before) => {
          if (before.get(data.id)?.state !== data.state)
            queueMicrotask(() => void cache.invalidateQueries({ queryKey: LIST_KEY }));
          return new Map(before).set(data.id, data);
        }),
      [cache],
    ),
  );
  return known;
}

function State({ job: { state, progress, failedReason }, title }: { job: Job; title: string }) {
  const { states } = useJobWords();
  if (state === 'active') return <Progress label={`${states.active}: ${title}`} value={progress} />;
  return (
    <>
      <Badge tone={TONES[state]}>{states[state]}</Badge>
      {failedReason !== null && <span className="block text-sm text-danger">{failedReason}</span>}
    </>
  );
}

function Result({ job }: { job: Job }) {
  const words = useJobWords();
  const format = useFormat();
  const { number } = format;
  if (job.result === null) return null;
  if (job.kind === 'export') {
    const { rows, bytes } = job.result;
    return words.rows(number(rows), { count: rows, size: format.bytes(bytes) });
  }
  const { successCount, failureCount } = job.result;
  const total = job.kind === 'import' ? job.result.totalRows : job.result.totalRequested;
  return (
    <>
      {words.done(number(successCount), number(total))}
      {failureCount > 0 && <span className="block text-sm text-danger">{words.errors(number(failureCount))}</span>}
    </>
  );
}

interface ActionsProps {
  job: Job;
  title: string;
  onCancel: (job: Job) => void;
}

function Actions({ job, title, onCancel }: ActionsProps) {
  const words = useJobWords();
  const { api } = useProject();
  const url = job.kind === 'export' ? job.result?.url : undefined;
  const hasErrors = job.kind !== 'export' && (job.result?.failureCount ?? 0) > 0;
  const downloadErrors = async (): Promise<void> => {
    const csv = resultOf(await api.GET('/jobs/{id}/errors.csv', { params: { path: { id: job.id } }, parseAs: 'text' }));
    const file = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    Object.assign(document.createElement('a'), { href: file, download: 'errors.csv' }).click();
    URL.revokeObjectURL(file);
  };
  return (
    <span className="inline-flex flex-wrap items-center justify-end gap-x-3 gap-y-1">
      {url != null && /^https?:/.test(url) && (
        <a
          href={url}
          download
          aria-label={`${words.download}: ${title}`}
          className="inline-flex min-h-6 min-w-6 items-center gap-1 text-accent underline"
        >
          <DownloadIcon />
          <span className="max-sm:sr-only">{words.download}</span>
        </a>
      )}
      {job.kind === 'export' && job.state === 'completed' && url === null && (
        <span className="text-sm text-muted">{words.expired}</span>
      )}
      {hasErrors && (
        <Button aria-label={`${words.downloadErrors}: ${title}`} onClick={() => void downloadErrors()}>
          {words.downloadErrors}
        </Button>
      )}
      {job.endedAt === null && (
        <Button aria-label={`${words.cancel}: ${title}`} onClick={() => onCancel(job)}>
          {words.cancel}
        </Button>
      )}
      <span className="max-sm:hidden">
        <TemporalLink resourceId={job.id} name={title} />
      </span>
    </span>
  );
}
