/** Why emails of a campaign failed, by the reply of the mail server, and sending them again. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { CheckboxField } from '../../ui/field.js';
import { Card } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useRefresh } from './live.js';
import type { Campaign, Stats } from './model.js';
import { useReportWords } from './report-words.js';

interface Props {
  campaign: Campaign;
  stats: Stats;
}

export function Failures({ campaign, stats }: Props) {
  const words = useReportWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const params = { path: { id: campaign.id } };
  const { data, error, refetch } = $api.useQuery('get', '/campaigns/{id}/failures', { params });
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton lines={5} />;
  if (data.data.length === 0) return <FirstRun title={words.noFailures} about={words.noFailuresAbout} />;
  return (
    <Card title={words.failures} actions={<Retry campaign={campaign} stats={stats} />}>
      <ul className="grid gap-3">
        {data.data.map(({ response, count, example }) => (
          <li key={response} className="grid gap-1 border-t border-line pt-3">
            <span className="flex flex-wrap justify-between gap-3">
              <code className="min-w-0 text-sm break-words">{response}</code>
              <strong className="tabular-nums">{words.emails(format.number(count), count)}</strong>
            </span>
            <span className="text-sm text-muted">
              {words.example}{' '}
              <Link
                to="/projects/$projectId/emails/$emailId"
                params={{ projectId, emailId: example.emailId }}
                className="text-accent underline"
              >
                {example.email}
              </Link>
            </span>
          </li>
        ))}
      </ul>
      {data.other > 0 && <p className="text-muted">{words.otherFailures(format.number(data.other))}</p>}
    </Card>
  );
}

function Retry({ campaign, stats: { failedCount, unknownCount } }: Props) {
  const words = useReportWords();
  const format = useFormat();
  const { $api } = useProject();
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  const [includeAmbiguous, setIncludeAmbiguous] = useState(false);
  const retry = $api.useMutation('post', '/campaigns/{id}/retry-failed', {
    async onSuccess({ retried }) {
      setAsking(false);
      notify(words.retried(format.number(retried), retried));
      await refresh();
    },
  });
  const count = failedCount + (includeAmbiguous ? unknownCount : 0);
  return (
    <>
      <Button disabled={campaign.status !== 'SENT'} onClick={() => setAsking(true)}>
        {words.retry}
      </Button>
      <Question
        title={words.retryTitle}
        about={
          <>
            <p>{words.retryAbout(words.emails(format.number(count), count))}</p>
            {unknownCount > 0 && (
              <CheckboxField
                label={words.ambiguous(words.emails(format.number(unknownCount), unknownCount))}
                name="includeAmbiguous"
                hint={words.ambiguousHint}
                checked={includeAmbiguous}
                onChange={setIncludeAmbiguous}
              />
            )}
          </>
        }
        action={words.retry}
        isDanger={includeAmbiguous}
        isOpen={isAsking}
        isBusy={retry.isPending}
        error={retry.error}
        onClose={() => setAsking(false)}
        onConfirm={() => retry.mutate({ params: { path: { id: campaign.id } }, body: { includeAmbiguous } })}
      />
    </>
  );
}
