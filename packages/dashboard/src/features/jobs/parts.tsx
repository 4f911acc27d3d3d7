/** The parts of a job in the list and in its panel. */
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Progress } from '../../ui/figure.js';
import { DownloadIcon } from '../../ui/icons.js';
import { TemporalLink } from '../../ui/temporal-link.js';
import { useFormat } from '../../words/format.js';
import { useJobWords } from './words.js';

export type Job = Schemas['Job'];

const TONES: Record<Job['state'], Tone> = {
  waiting: 'neutral',
  active: 'accent',
  completed: 'success',
  failed: 'danger',
  cancelled: 'warning',
};

/** Returns what names a job. */
export function useTitles(): (job: Job) => string {
  const { operations, kinds } = useJobWords();
  const isKnown = (name: string): name is keyof typeof operations => Object.hasOwn(operations, name);
  return ({ operation, kind }) => (operation !== null && isKnown(operation) ? operations[operation] : kinds[kind]);
}

/** Returns who started a job. */
export function useStarters(): (job: Job) => string {
  const { apiKey, formerMember } = useJobWords();
  const { $api, projectId } = useProject();
  const { data } = $api.useQuery('get', '/projects/{id}/members', { params: { path: { id: projectId } } });
  return ({ createdBy }) => {
    if (createdBy === null) return apiKey;
    return data ? (data.find(({ userId }) => userId === createdBy)?.email ?? formerMember) : '';
  };
}

export function State({ job: { state, progress, failedReason }, title }: { job: Job; title: string }) {
  const { states } = useJobWords();
  if (state === 'active') return <Progress label={`${states.active}: ${title}`} value={progress} />;
  return (
    <>
      <Badge tone={TONES[state]}>{states[state]}</Badge>
      {failedReason !== null && <span className="block text-sm text-danger">{failedReason}</span>}
    </>
  );
}

export function Result({ job }: { job: Job }) {
  const words = useJobWords();
  const format = useFormat();
  const { number } = format;
  if (job.result === null) return null;
  if (job.kind === 'export') {
    const { rows, bytes } = job.result;
    return words.rows(number(rows), { count: rows, size: format.bytes(bytes) });
  }
  if (job.kind === 'replay') return words.deliveries(number(job.result.count));
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

export function Actions({ job, title, onCancel }: ActionsProps) {
  const words = useJobWords();
  const { api } = useProject();
  const url = job.kind === 'export' ? job.result?.url : undefined;
  const hasErrors = (job.kind === 'import' || job.kind === 'bulk') && (job.result?.failureCount ?? 0) > 0;
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
