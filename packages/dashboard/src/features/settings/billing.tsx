/** Limits with their consumption, the subscription, and invoices. Everything but the latter works without Stripe. */
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Badge, Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { Progress } from '../../ui/figure.js';
import { FormProblem } from '../../ui/form.js';
import { Card } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { numberFormat } from '../../words/intl.js';
import { useSpeech, useWords } from '../../words/words.js';
import { exhaustionOf } from './projection.js';
import { useSettingsWords } from './words.js';

const CATEGORIES = ['campaigns', 'workflows', 'transactional'] as const;
type Category = (typeof CATEGORIES)[number];

const route = getRouteApi('/signed-in/projects/$projectId/settings/billing');

export function BillingPage() {
  const words = useSettingsWords();
  const { $api, mayManage } = useProject();
  const { checkout } = route.useSearch();
  const config = $api.useQuery('get', '/config');
  if (!mayManage) return <p>{words.managersOnly}</p>;
  return (
    <>
      {checkout && <Note tone={checkout === 'success' ? 'success' : 'neutral'}>{words.checkoutEnds[checkout]}</Note>}
      <Limits />
      {config.data?.features.billing === false && (
        <Card title={words.subscription}>
          <p>{words.noProvider}</p>
        </Card>
      )}
      {config.data?.features.billing && (
        <>
          <Subscription />
          <Invoices />
        </>
      )}
    </>
  );
}

function Limits() {
  const words = useSettingsWords();
  const { $api, projectId } = useProject();
  const params = { path: { id: projectId } };
  const limits = $api.useQuery('get', '/users/@me/projects/{id}/billing-limits', { params });
  const consumption = $api.useQuery('get', '/users/@me/projects/{id}/billing-consumption', { params });
  const readAt = consumption.dataUpdatedAt;
  const error = limits.error ?? consumption.error;
  const format = useFormat();
  if (error)
    return <ErrorState error={error} onRetry={() => void Promise.all([limits.refetch(), consumption.refetch()])} />;
  if (!limits.data || !consumption.data) return <Skeleton />;
  const { periodStart, periodEnd, total } = consumption.data;
  return (
    <Card title={words.limits}>
      <p className="text-muted">{words.monthTotal(format.number(total), format.date(periodEnd, 'UTC'))}</p>
      {CATEGORIES.map((category) => {
        const { limit, usage, isBlocked } = limits.data[category];
        const end = exhaustionOf({ limit, usage, periodStart, periodEnd, now: readAt });
        return (
          <div key={category} className="grid gap-1">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <span>
                {limit === null && `${words.categories[category]}: `}
                {words.used(format.number(usage), limit === null ? null : format.number(limit))}
              </span>
              {isBlocked && <Badge tone="danger">{words.blocked}</Badge>}
              {end && <Badge tone="warning">{words.exhausted(format.date(end, 'UTC'))}</Badge>}
            </div>
            {limit !== null && (
              <Progress label={words.categories[category]} value={Math.min(usage, limit)} max={limit} />
            )}
          </div>
        );
      })}
      <LimitForm
        limits={{
          campaigns: limits.data.campaigns.limit,
          workflows: limits.data.workflows.limit,
          transactional: limits.data.transactional.limit,
        }}
      />
    </Card>
  );
}

function LimitForm({ limits }: { limits: Record<Category, number | null> }) {
  const words = useSettingsWords();
  const { common } = useWords();
  const { $api, projectId, cache } = useProject();
  const [typed, setTyped] = useState<Partial<Record<Category, string>>>({});
  const params = { path: { id: projectId } };
  const save = $api.useMutation('put', '/users/@me/projects/{id}/billing-limits');
  const named = fieldErrors(save.error);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const body = Object.fromEntries(
      Object.entries(typed).map(([category, text]) => [category, text.trim() === '' ? null : Number(text)]),
    );
    const finish = async (): Promise<void> => {
      await cache.invalidateQueries({ queryKey: ['get', '/users/@me/projects/{id}/billing-limits'] });
      setTyped({});
      notify(common.saved);
    };
    save.mutate({ params, body }, { onSuccess: () => void finish() });
  };
  return (
    <form onSubmit={submit} className="grid gap-3">
      <p className="text-sm text-muted">{words.limitHint}</p>
      <div className="grid gap-3 sm:grid-cols-3">
        {CATEGORIES.map((category) => (
          <TextField
            key={category}
            label={words.limitOf[category]}
            name={category}
            inputMode="numeric"
            placeholder={words.noLimit}
            value={typed[category] ?? limits[category]?.toString() ?? ''}
            onChange={({ target }) => setTyped({ ...typed, [category]: target.value })}
            error={named[category]}
          />
        ))}
      </div>
      <FormProblem error={save.error} fields={CATEGORIES} />
      <Button type="submit" look="primary" isBusy={save.isPending} className="justify-self-start">
        {words.saveLimits}
      </Button>
    </form>
  );
}

const isWeb = (url: string): boolean => /^https?:/.test(url);

function Subscription() {
  const words = useSettingsWords();
  const { $api, projectId } = useProject();
  const params = { path: { id: projectId } };
  const { data } = $api.useQuery('get', '/users/@me/projects/{id}/billing-consumption', { params });
  const checkout = $api.useMutation('post', '/users/@me/projects/{id}/checkout');
  const portal = $api.useMutation('post', '/users/@me/projects/{id}/billing-portal');
  const leave = ({ url }: { url: string }): void => {
    if (isWeb(url)) location.assign(url);
  };
  const isSubscribed = data?.subscription != null;
  return (
    <Card title={words.subscription}>
      <p>{data?.subscription ? words.subscribed(data.subscription.status) : words.notSubscribed}</p>
      <div className="flex flex-wrap gap-2">
        {!isSubscribed && (
          <Button
            look="primary"
            isBusy={checkout.isPending}
            onClick={() => checkout.mutate({ params }, { onSuccess: leave })}
          >
            {words.checkout}
          </Button>
        )}
        <Button isBusy={portal.isPending} onClick={() => portal.mutate({ params }, { onSuccess: leave })}>
          {words.portal}
        </Button>
      </div>
      <FormProblem error={checkout.error ?? portal.error} />
    </Card>
  );
}

function Invoices() {
  const words = useSettingsWords();
  const { language } = useSpeech();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/users/@me/projects/{id}/billing-invoices', {
    params: { path: { id: projectId } },
  });
  const money = (amount: number, currency: string): string => {
    const number = numberFormat(language, { style: 'currency', currency });
    return number.format(amount / 10 ** (number.resolvedOptions().maximumFractionDigits ?? 2));
  };
  return (
    <Card title={words.invoices}>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data?.data.length === 0 && <p className="text-muted">{words.noInvoices}</p>}
      <ul className="grid gap-2">
        {data?.data.map((invoice) => (
          <li key={invoice.id} className="flex flex-wrap items-center gap-3">
            <span>{format.date(invoice.createdAt)}</span>
            <span className="tabular-nums">{money(invoice.total, invoice.currency)}</span>
            {invoice.status && <Badge>{invoice.status}</Badge>}
            {invoice.hostedInvoiceUrl && isWeb(invoice.hostedInvoiceUrl) && (
              <a href={invoice.hostedInvoiceUrl} className="text-accent underline" rel="noreferrer">
                {words.invoice(invoice.number ?? invoice.id)}
              </a>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
