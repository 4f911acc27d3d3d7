/** A campaign that is scheduled, being sent, or sent. */
import { getRouteApi, Link, Navigate, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { TemporalLink } from '../../ui/temporal-link.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { browserZone } from '../../words/intl.js';
import { CampaignMenu } from './actions.js';
import { useProgress, useRefresh } from './live.js';
import { Canceled, Sending } from './sending.js';
import { RECIPIENT, type Campaign, type Progress, type Stats } from './model.js';
import { Report } from './report.js';
import { RecipientSchedule } from './schedule-facts.js';
import { CampaignStatusBadge } from './status.js';
import { VariantResults } from './variant-results.js';
import { Waves } from './waves.js';
import { useWords } from '../../words/words.js';
import { useCampaignWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/campaigns/$campaignId');

export function CampaignPage() {
  const words = useCampaignWords();
  const { $api, projectId } = useProject();
  const { campaignId } = route.useParams();
  const navigate = useNavigate();
  const params = { path: { id: campaignId } };
  const { data: campaign, error, isFetching, refetch } = $api.useQuery('get', '/campaigns/{id}', { params });
  const { data: stats } = $api.useQuery('get', '/campaigns/{id}/stats', { params });
  const progress = useProgress().get(campaignId);
  if (error && !campaign) return <ErrorState error={error} onRetry={() => void refetch()} />;
  // A draft that is read again may have just been sent.
  if (!campaign || (campaign.status === 'DRAFT' && isFetching)) return <Skeleton lines={8} />;
  if (campaign.status === 'DRAFT')
    return <Navigate to="/projects/$projectId/campaigns/$campaignId/edit" params={{ projectId, campaignId }} replace />;
  const status = progress?.status ?? campaign.status;
  return (
    <Page
      title={campaign.name}
      back={
        <Link to="/projects/$projectId/campaigns" params={{ projectId }} className="text-accent underline">
          {words.title}
        </Link>
      }
      about={
        <span className="inline-flex flex-wrap items-center gap-2 pt-1">
          <CampaignStatusBadge status={status} />
          <span>{campaign.subject}</span>
          <TemporalLink resourceId={campaignId} />
        </span>
      }
      actions={
        <>
          <CampaignMenu
            campaign={campaign}
            onRemoved={() => void navigate({ to: '/projects/$projectId/campaigns', params: { projectId } })}
          />
          {(status === 'SCHEDULED' || status === 'SENDING') && (
            <CancelButton campaign={campaign} stats={stats} progress={progress} />
          )}
        </>
      }
    >
      {status === 'SCHEDULED' && <Scheduled campaign={campaign} />}
      {status === 'SENDING' && stats && <Sending stats={stats} progress={progress} />}
      {status !== 'DRAFT' && <Waves campaign={campaign} status={status} />}
      {stats && <VariantResults campaign={campaign} stats={stats} status={status} />}
      {status === 'CANCELLED' && stats && <Canceled stats={stats} />}
      {stats && campaign.totalRecipients + stats.totalRecipients > 0 && <Report campaign={campaign} stats={stats} />}
    </Page>
  );
}

function Scheduled({ campaign: { id, scheduledFor, localSchedule } }: { campaign: Campaign }) {
  const { scheduledFor: words } = useCampaignWords();
  const format = useFormat();
  const { project, projectId } = useProject();
  const edit = (step: 'content' | 'schedule', label: string) => (
    <Link
      to="/projects/$projectId/campaigns/$campaignId/edit"
      params={{ projectId, campaignId: id }}
      search={step === 'content' ? {} : { step }}
      className="font-medium text-accent underline"
    >
      {label}
    </Link>
  );
  return (
    <Card title={words.title}>
      <RecipientSchedule schedule={localSchedule} />
      {scheduledFor !== null && localSchedule?.timezone !== RECIPIENT && (
        <Facts
          facts={[
            [words.project, `${format.dateTime(scheduledFor, project.timezone)} · ${project.timezone}`],
            [words.here, `${format.dateTime(scheduledFor)} · ${browserZone()}`],
          ]}
        />
      )}
      <div className="flex flex-wrap gap-4">
        {edit('schedule', words.change)}
        {edit('content', words.edit)}
      </div>
    </Card>
  );
}

interface CancelProps {
  campaign: Campaign;
  stats: Stats | undefined;
  progress: Progress | undefined;
}

function CancelButton({ campaign, stats, progress }: CancelProps) {
  const words = useCampaignWords();
  const { common } = useWords();
  const format = useFormat();
  const { $api } = useProject();
  const refresh = useRefresh();
  const [isAsking, setAsking] = useState(false);
  const cancel = $api.useMutation('post', '/campaigns/{id}/cancel', {
    async onSuccess() {
      setAsking(false);
      notify(words.cancel.done);
      await refresh();
    },
  });
  const { sentCount, pendingCount } = progress ?? stats ?? { sentCount: 0, pendingCount: 0 };
  const emails = (count: number): string => words.emails(format.number(count), count);
  const isSending = (progress?.status ?? campaign.status) === 'SENDING';
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.cancel.action}
      </Button>
      <Question
        title={words.cancel.title(campaign.name)}
        about={isSending ? words.cancel.sending(emails(sentCount), emails(pendingCount)) : words.cancel.scheduled}
        action={words.cancel.action}
        dismissal={common.dontCancel}
        isOpen={isAsking}
        isBusy={cancel.isPending}
        error={cancel.error}
        onClose={() => setAsking(false)}
        onConfirm={() => cancel.mutate({ params: { path: { id: campaign.id } } })}
      />
    </>
  );
}
