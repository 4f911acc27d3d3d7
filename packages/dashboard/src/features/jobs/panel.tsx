/** All that is known about one job. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProject } from '../../api/project.js';
import { SidePanel } from '../../ui/dialog.js';
import { Facts } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { Actions, Result, State, useStarters, useTitles, type Job } from './parts.js';
import { useJobWords } from './words.js';

interface Props {
  id: string | undefined;
  /** What the stream says about the job. */
  live: Job | undefined;
  onCancel: (job: Job) => void;
  onClose: () => void;
  /** The question whether to cancel the job. */
  question: ReactNode;
}

export function JobPanel({ id, live, onCancel, onClose, question }: Props) {
  const words = useJobWords();
  const titleOf = useTitles();
  const { $api } = useProject();
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/jobs/{id}',
    { params: { path: { id: id ?? '' } } },
    { enabled: id !== undefined },
  );
  const job = live ?? data;
  return (
    <SidePanel title={job ? titleOf(job) : words.job} isOpen={id !== undefined} onClose={onClose}>
      {error && !job && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !job && <Skeleton />}
      {job && <Details job={job} title={titleOf(job)} onCancel={onCancel} />}
      {question}
    </SidePanel>
  );
}

function Details({ job, title, onCancel }: { job: Job; title: string; onCancel: (job: Job) => void }) {
  const words = useJobWords();
  const { dateTime } = useFormat();
  const { projectId } = useProject();
  const starterOf = useStarters();
  const time = (iso: string | null): string => (iso === null ? words.notYet : dateTime(iso));
  return (
    <>
      <Facts
        facts={[
          [words.state, <State key="state" job={job} title={title} />],
          [words.result, job.result === null ? words.notYet : <Result key="result" job={job} />],
          ...(job.filename === null ? [] : [[words.file, job.filename] satisfies [string, string]]),
          [words.startedBy, starterOf(job)],
          [words.created, dateTime(job.createdAt)],
          [words.started, time(job.startedAt)],
          [words.ended, time(job.endedAt)],
        ]}
      />
      {job.kind === 'import' && (
        <Link
          to="/projects/$projectId/contacts/import"
          params={{ projectId }}
          search={{ jobId: job.id }}
          className="text-accent underline"
        >
          {words.openImport}
        </Link>
      )}
      {job.kind === 'replay' && job.result && (
        <Link
          to="/projects/$projectId/webhooks/$webhookId"
          params={{ projectId, webhookId: job.result.webhookId }}
          className="text-accent underline"
        >
          {words.openWebhook}
        </Link>
      )}
      <div className="flex">
        <Actions job={job} title={title} onCancel={onCancel} />
      </div>
    </>
  );
}
