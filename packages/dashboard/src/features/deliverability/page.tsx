/** The reputation of a project: its rates, their limits, and where bounces and complaints come from. */
import { useCallback, useState } from 'react';
import type { Schemas, StreamMessage } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { queryClient } from '../../api/query.js';
import { useStream } from '../../api/stream.js';
import { Badge, Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { BounceHistory, Breakdown } from './breakdown.js';
import { useDeliverabilityWords } from './words.js';

type Security = Schemas['Security'];
type Level = Security['level'];

const TONES = { healthy: 'success', warning: 'warning', critical: 'danger' } as const;

/** The limits of CONTRACT: fractions of the emails sent, from which a rate has the level. */
const LIMITS = {
  last7Days: { bounces: { warning: 0.05, critical: 0.1 }, complaints: { warning: 0.00075, critical: 0.0015 } },
  allTime: { bounces: { warning: 0.04, critical: 0.08 }, complaints: { warning: 0.0003, critical: 0.0012 } },
};

export function DeliverabilityPage() {
  const words = useDeliverabilityWords();
  const { $api, cache, projectId } = useProject();
  const init = { params: { path: { id: projectId } } };
  const { data, error, refetch } = $api.useQuery('get', '/projects/{id}/security', init);
  useStream(
    'reputation',
    useCallback(
      ({ data: changed }: StreamMessage<'reputation'>) =>
        cache.setQueryData(['get', '/projects/{id}/security', { params: { path: { id: projectId } } }], changed),
      [cache, projectId],
    ),
  );
  return (
    <Page title={words.title} about={words.about}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && <Reputation security={data} />}
      <BounceHistory />
      <Breakdown title={words.byDomain} groupBy="recipientDomain" />
      <Breakdown title={words.byCampaign} groupBy="campaign" />
    </Page>
  );
}

function Reputation({ security }: { security: Security }) {
  const words = useDeliverabilityWords();
  const format = useFormat();
  const { level, disabled, disabledReason, autoDisable, last7Days, allTime, last24Hours } = security;
  return (
    <>
      {disabled && (
        <Note tone="danger">
          <strong>{words.disabled}</strong>
          {disabledReason}
          <EnableButton />
        </Note>
      )}
      <Note tone={TONES[level]}>
        <strong>{words.levels[level]}</strong>
        <span>{words.meaning[level]}</span>
        <span>{autoDisable.enabled ? words.willDisable : words.willNotDisable}</span>
      </Note>
      <div className="grid gap-4 lg:grid-cols-2">
        <Period title={words.last7Days} figures={last7Days} limits={LIMITS.last7Days} />
        <Period title={words.allTime} figures={allTime} limits={LIMITS.allTime} />
      </div>
      <p className="text-muted">
        {words.last24Hours}: {words.bounces} {format.percent(last24Hours.bounceRate)}, {words.complaints}{' '}
        {format.percent(last24Hours.complaintRate)}. {words.needs}
      </p>
    </>
  );
}

interface PeriodProps {
  title: string;
  figures: Security['last7Days'];
  limits: (typeof LIMITS)['last7Days'];
}

function Period({ title, figures, limits }: PeriodProps) {
  const words = useDeliverabilityWords();
  const format = useFormat();
  const { sent, transientBounces } = figures;
  const rates = [
    {
      name: words.bounces,
      level: figures.bounceLevel,
      rate: figures.bounceRate,
      count: figures.bounces,
      limit: limits.bounces,
    },
    {
      name: words.complaints,
      level: figures.complaintLevel,
      rate: figures.complaintRate,
      count: figures.complaints,
      limit: limits.complaints,
    },
  ];
  return (
    <Card title={title}>
      {rates.map(({ name, level, rate, count, limit }) => (
        <div key={name} className="grid gap-1.5">
          <span className="flex flex-wrap items-center justify-between gap-2">
            <strong>{name}</strong>
            <LevelBadge level={level} />
          </span>
          <span className="flex flex-wrap justify-between gap-2">
            <span className="text-xl font-semibold tabular-nums">{format.percent(rate)}</span>
            <span className="text-muted">{words.of(format.number(count), format.number(sent))}</span>
          </span>
          <Gauge rate={rate} limit={limit} level={level} />
          <span className="text-sm text-muted">
            {words.limit(format.percent(limit.warning), format.percent(limit.critical))}
          </span>
        </div>
      ))}
      {transientBounces > 0 && <p className="text-sm text-muted">{words.transient(format.number(transientBounces))}</p>}
    </Card>
  );
}

function LevelBadge({ level }: { level: Level }) {
  const { levels } = useDeliverabilityWords();
  return <Badge tone={TONES[level]}>{levels[level]}</Badge>;
}

/** A bar up to one and a half times the critical limit, with a mark at each limit. The text next to it says the same. */
function Gauge({ rate, limit, level }: { rate: number; limit: { warning: number; critical: number }; level: Level }) {
  const end = limit.critical * 1.5;
  const at = (value: number): string => `${Math.min(100, (value / end) * 100)}%`;
  const colors = { healthy: 'bg-success', warning: 'bg-warning', critical: 'bg-danger' };
  return (
    <span aria-hidden className="relative block h-2.5 rounded bg-raised">
      <span className={`block h-2.5 rounded ${colors[level]}`} style={{ width: at(rate) }} />
      <span className="absolute -inset-y-1 w-0.5 bg-warning" style={{ insetInlineStart: at(limit.warning) }} />
      <span className="absolute -inset-y-1 w-0.5 bg-danger" style={{ insetInlineStart: at(limit.critical) }} />
    </span>
  );
}

function EnableButton() {
  const words = useDeliverabilityWords();
  const { $api, cache, mayManage, projectId } = useProject();
  const [isAsking, setAsking] = useState(false);
  const enable = $api.useMutation('patch', '/users/@me/projects/{id}', {
    async onSuccess() {
      setAsking(false);
      notify(words.enabled);
      await Promise.all([cache.invalidateQueries(), queryClient.invalidateQueries()]);
    },
  });
  return (
    <>
      <Button
        className="justify-self-start"
        disabled={!mayManage}
        title={mayManage ? undefined : words.forbidden}
        onClick={() => setAsking(true)}
      >
        {words.enable}
      </Button>
      <Question
        title={words.enableTitle}
        about={words.enableAbout}
        action={words.enable}
        isOpen={isAsking}
        isBusy={enable.isPending}
        error={enable.error}
        onClose={() => setAsking(false)}
        onConfirm={() => enable.mutate({ params: { path: { id: projectId } }, body: { disabled: false } })}
      />
    </>
  );
}
