/** A campaign while it is sent, once per second, and what a cancellation left unsent. */
import { Link, useParams } from '@tanstack/react-router';
import { Note } from '../../ui/badge.js';
import { Figure, Figures, Progress as ProgressBar } from '../../ui/figure.js';
import { Card } from '../../ui/page.js';
import { useFormat } from '../../words/format.js';
import type { Progress, Stats } from './model.js';
import { useCampaignWords } from './words.js';

export function Sending({ stats, progress }: { stats: Stats; progress: Progress | undefined }) {
  const { live } = useCampaignWords();
  const format = useFormat();
  const { totalRecipients, sentCount, failedCount, pendingCount } = progress ?? stats;
  const secondsLeft = progress?.secondsLeft ?? null;
  return (
    <Card title={live.title}>
      <ProgressBar
        label={live.progress}
        value={totalRecipients === 0 ? null : Math.min(totalRecipients, sentCount + failedCount)}
        max={Math.max(1, totalRecipients)}
      />
      {totalRecipients === 0 && <p>{live.starting}</p>}
      <Figures>
        <Figure label={live.sent} value={format.number(sentCount)} />
        <Figure label={live.failed} value={format.number(failedCount)} />
        <Figure label={live.waiting} value={format.number(pendingCount)} />
        <Figure label={live.rate} value={format.number(progress?.perSecond ?? 0)} />
        <Figure label={live.left} value={secondsLeft === null ? '–' : format.duration(secondsLeft)} />
      </Figures>
      {progress?.paused && <Note tone="warning">{live.paused(format.dateTime(progress.paused.until))}</Note>}
    </Card>
  );
}

/** What was sent before a campaign was canceled, and what was not. */
export function Canceled({ stats }: { stats: Stats }) {
  const { cancel, emails } = useCampaignWords();
  const format = useFormat();
  const { projectId = '', campaignId = '' } = useParams({ strict: false });
  const { sentCount, cancelledCount, pendingCount, totalRecipients } = stats;
  const say = (count: number): string => emails(format.number(count), count);
  if (totalRecipients === 0) return <Note>{cancel.nothing}</Note>;
  return (
    <Note tone="warning">
      <span>{cancel.result(say(sentCount), say(cancelledCount))}</span>
      {pendingCount > 0 && <span>{cancel.finishing(say(pendingCount))}</span>}
      {cancelledCount > 0 && (
        <Link
          to="/projects/$projectId/campaigns/$campaignId"
          params={{ projectId, campaignId }}
          search={{ tab: 'recipients', did: 'cancelled' }}
          className="font-medium underline"
        >
          {cancel.show}
        </Link>
      )}
    </Note>
  );
}
