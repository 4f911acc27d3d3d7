/** The results of a variant test, and the choice of its winner. */
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { Card } from '../../ui/page.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useRefresh } from './live.js';
import type { Campaign, CampaignStatus, Stats } from './model.js';
import { useVariantWords } from './variant-words.js';

interface Props {
  campaign: Campaign;
  stats: Stats;
  status: CampaignStatus;
}

/** Shows nothing for a campaign without variants. */
export function VariantResults({ campaign, stats: { variants }, status }: Props) {
  const words = useVariantWords();
  const { $api } = useProject();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<string | null>(null);
  const { id, test, decision } = campaign;
  const choose = $api.useMutation('post', '/campaigns/{id}/winner', {
    async onSuccess() {
      setAsked(null);
      notify(words.chosen);
      await refresh();
    },
  });
  if (variants.length === 0) return null;
  const isOpen = status === 'SENDING' && decision === null && test !== null && test.share < 100;
  const metric = test?.metric.startsWith('event:') ? 'event' : test?.metric === 'opens' ? 'opens' : 'clicks';
  const largest = Math.max(0.0001, ...variants.map(({ interval, sent }) => (sent === 0 ? 0 : interval.high)));
  return (
    <Card title={words.results}>
      <p className="text-muted">{words.resultsAbout}</p>
      <ul aria-label={words.results} className="grid gap-4">
        {variants.map((variant) => (
          <li key={variant.id} className="grid gap-1">
            <span className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
              <span className="flex min-w-0 flex-wrap items-center gap-2">
                <strong>{words.variant(variant.id.toUpperCase())}</strong>
                <span className="min-w-0 [overflow-wrap:anywhere]">{subjectOf(campaign, variant.id)}</span>
                {variant.id === decision?.variant && <Badge tone="success">{words.winner}</Badge>}
                {decision === null && variant.significant && <Badge tone="success">{words.leader}</Badge>}
              </span>
              {isOpen && (
                <Button aria-label={words.chooseLabel(variant.id.toUpperCase())} onClick={() => setAsked(variant.id)}>
                  {words.choose}
                </Button>
              )}
            </span>
            <Rate variant={variant} label={words.rateLabel[metric]} largest={largest} />
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">{words.interval}</p>
      {decision?.significant != null && <p>{decision.significant ? words.significant : words.notSignificant}</p>}
      <Question
        title={words.question(asked?.toUpperCase() ?? '')}
        about={<p>{words.questionAbout}</p>}
        action={words.choose}
        isDanger={false}
        isOpen={asked !== null}
        isBusy={choose.isPending}
        error={choose.error}
        onClose={() => setAsked(null)}
        onConfirm={() => asked !== null && choose.mutate({ params: { path: { id } }, body: { variant: asked } })}
      />
    </Card>
  );
}

const subjectOf = ({ variants, subject }: Campaign, id: string): string =>
  variants?.find((variant) => variant.id === id)?.subject ?? subject ?? '';

interface RateProps {
  variant: Stats['variants'][number];
  label: string;
  /** The end of the widest interval, which is as wide as the card. */
  largest: number;
}

/** The rate as a mark in the bar of its interval. */
function Rate({ variant: { rate, interval, sent }, label, largest }: RateProps) {
  const words = useVariantWords();
  const format = useFormat();
  const at = (value: number): string => `${Math.min(100, (value / largest) * 100)}%`;
  return (
    <>
      <span className="flex flex-wrap justify-between gap-x-3 text-sm">
        <span className="text-muted">{words.sentTo(format.number(sent), sent)}</span>
        <span className="tabular-nums">
          {label}:{' '}
          {sent === 0
            ? '–'
            : words.rate(format.percent(rate), format.percent(interval.low), format.percent(interval.high))}
        </span>
      </span>
      <span aria-hidden className="relative h-3 rounded bg-raised">
        {sent > 0 && (
          <>
            <span
              className="absolute h-3 rounded bg-accent-soft"
              style={{ insetInlineStart: at(interval.low), width: at(interval.high - interval.low) }}
            />
            <span
              className="absolute h-3 w-1 rounded bg-accent"
              style={{ insetInlineStart: `calc(${at(rate)} - 2px)` }}
            />
          </>
        )}
      </span>
    </>
  );
}
