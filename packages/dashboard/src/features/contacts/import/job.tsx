/** The progress and the result of an import or of its test. */
import { Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Schemas, StreamMessage } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { resultOf } from '../../../api/query.js';
import { useStream } from '../../../api/stream.js';
import { Note } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Figure, Figures, Progress } from '../../../ui/figure.js';
import { FormProblem } from '../../../ui/form.js';
import { DownloadIcon } from '../../../ui/icons.js';
import { Rows } from '../../../ui/list.js';
import { Card } from '../../../ui/page.js';
import { ErrorState, Skeleton } from '../../../ui/states.js';
import { TemporalLink } from '../../../ui/temporal-link.js';
import { translateMessage } from '../../../words/api-messages.js';
import { useFormat } from '../../../words/format.js';
import { CONTACTS_KEY } from '../pages.js';
import { useImportWords } from './words.js';

type Report = Schemas['ImportReport'];

const FIELDS_KEY = ['get', '/contacts/fields'];
const COUNTS = ['totalRows', 'createdCount', 'updatedCount', 'skippedCount', 'failureCount'] as const;

interface Props {
  jobId: string;
  /** Whether the user has just started it. */
  takesFocus: boolean;
  onAnother: () => void;
}

export function ImportJob({ jobId, takesFocus, onAnother }: Props) {
  const words = useImportWords();
  const { $api, cache, projectId } = useProject();
  const path = { params: { path: { id: jobId } } };
  const { data: job, error, refetch } = $api.useQuery('get', '/jobs/{id}', path);
  useStream(
    'jobs',
    useCallback(
      ({ data }: StreamMessage<'jobs'>) => {
        if (data.id !== jobId) return;
        cache.setQueryData(['get', '/jobs/{id}', { params: { path: { id: jobId } } }], data);
        if (data.endedAt === null) return;
        for (const queryKey of [CONTACTS_KEY, FIELDS_KEY]) void cache.invalidateQueries({ queryKey });
      },
      [cache, jobId],
    ),
  );
  const cancel = $api.useMutation('delete', '/jobs/{id}');
  if (!job) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton />;
  const isTest = job.operation === 'dryRun';
  const hasEnded = job.endedAt !== null;
  return (
    <Card
      title={hasEnded ? (isTest ? words.testResult : words.result) : isTest ? words.testing : words.running}
      takesFocus={takesFocus}
    >
      {!hasEnded && (
        <>
          <Progress label={job.state === 'waiting' ? words.waiting : (job.filename ?? '')} value={job.progress} />
          <FormProblem error={cancel.error} />
          <Button className="justify-self-start" isBusy={cancel.isPending} onClick={() => cancel.mutate(path)}>
            {words.cancel}
          </Button>
        </>
      )}
      {job.state === 'cancelled' && <Note tone="warning">{words.cancelled}</Note>}
      {job.state === 'failed' && (
        <Note tone="danger">
          {words.failed} {job.failedReason}
        </Note>
      )}
      {hasEnded && job.kind === 'import' && job.result && <ImportResult jobId={jobId} report={job.result} />}
      <TemporalLink resourceId={jobId} />
      {hasEnded && !isTest && (
        <div className="flex flex-wrap items-center gap-3">
          <Link to="/projects/$projectId/contacts" params={{ projectId }} className="text-accent underline">
            {words.showContacts}
          </Link>
          <Button onClick={onAnother}>{words.another}</Button>
        </div>
      )}
    </Card>
  );
}

function ImportResult({ jobId, report }: { jobId: string; report: Report }) {
  const words = useImportWords();
  const format = useFormat();
  const { api } = useProject();
  const download = async (): Promise<void> => {
    const csv = resultOf(await api.GET('/jobs/{id}/errors.csv', { params: { path: { id: jobId } }, parseAs: 'text' }));
    const url = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    Object.assign(document.createElement('a'), { href: url, download: 'errors.csv' }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <Figures>
        {COUNTS.map((name) => (
          <Figure key={name} label={words.counts[name]} value={format.number(report[name])} />
        ))}
      </Figures>
      {report.unknownTimezoneCount > 0 && (
        <Note tone="warning">{words.unknownTimezones(report.unknownTimezoneCount, report.unknownTimezones)}</Note>
      )}
      {report.errors.length > 0 && (
        <>
          <Rows
            label={words.error}
            rows={report.errors}
            rowKey={({ row, error }) => `${row} ${error}`}
            columns={[
              { id: 'line', header: words.line, cell: ({ row }) => format.number(row) },
              { id: 'email', header: words.email, cell: ({ email }) => email },
              { id: 'error', header: words.error, cell: ({ error }) => translateMessage(error) },
            ]}
          />
          <Button className="justify-self-start" onClick={() => void download()}>
            <DownloadIcon />
            {words.allErrors}
          </Button>
        </>
      )}
    </>
  );
}
