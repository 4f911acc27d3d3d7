/** A sender domain: its DNS records, what is wanted next to what the DNS answers. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { resultOf } from '../../api/query.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CopyButton } from '../../ui/copy.js';
import { Question } from '../../ui/dialog.js';
import { FormProblem } from '../../ui/form.js';
import { DownloadIcon } from '../../ui/icons.js';
import { Card, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { TemporalLink } from '../../ui/temporal-link.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useDomains, useLiveDomains, useStoreDomain } from './queries.js';
import { DomainBadge, RecordBadge } from './status.js';
import { useDomainWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/domains/$domainId');

type Domain = Schemas['Domain'];
type DomainRecord = Schemas['DomainRecord'];

export function DomainPage() {
  const words = useDomainWords();
  const { projectId } = useProject();
  const { domainId } = route.useParams();
  const { data: domains, error, refetch } = useDomains();
  const domain = domains?.find(({ id }) => id === domainId);
  const wasUnverified = domain?.verified === false;
  useLiveDomains(
    useCallback(
      (changed: Domain) => {
        if (changed.id === domainId && changed.verified && wasUnverified) notify(words.verified(changed.domain));
      },
      [domainId, wasUnverified, words],
    ),
  );
  const back = (
    <Link to="/projects/$projectId/domains" params={{ projectId }} className="text-accent underline">
      {words.back}
    </Link>
  );
  if (!domain)
    return (
      <Page title={words.title} back={back}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton />}
      </Page>
    );
  return (
    <Page
      title={domain.domain}
      back={back}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <DomainBadge status={domain.status} />
          <span>
            {words.checked}: {domain.lastCheckedAt === null ? words.never : <Ago time={domain.lastCheckedAt} />}
          </span>
          <TemporalLink resourceId={domain.id} />
        </span>
      }
      actions={<Actions domain={domain} />}
    >
      <Card title={words.records}>
        <p className="text-muted">{words.recordsAbout}</p>
        <ul className="grid gap-4">
          {domain.records.map((record) => (
            <RecordItem key={record.purpose} record={record} />
          ))}
        </ul>
        <Sharing domain={domain} />
      </Card>
    </Page>
  );
}

function Actions({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const { $api, cache, mayManage, projectId } = useProject();
  const store = useStoreDomain();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const path = { params: { path: { id: domain.id } } };
  const verify = $api.useMutation('post', '/domains/{id}/verify', { onSuccess: store });
  const remove = $api.useMutation('delete', '/domains/{id}', {
    async onSuccess() {
      notify(words.removed);
      await navigate({ to: '/projects/$projectId/domains', params: { projectId } });
      await cache.invalidateQueries({ queryKey: ['get', '/domains/project/{projectId}'] });
    },
  });
  return (
    <>
      <FormProblem error={verify.error} />
      <Button
        look="danger"
        disabled={!mayManage}
        title={mayManage ? undefined : words.forbidden}
        onClick={() => setAsking(true)}
      >
        {words.remove}
      </Button>
      <Button look="primary" isBusy={verify.isPending} onClick={() => verify.mutate(path)}>
        {words.verify}
      </Button>
      <Question
        title={words.removeTitle(domain.domain)}
        about={words.removeAbout}
        action={words.remove}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate(path)}
      />
    </>
  );
}

function RecordItem({ record }: { record: DomainRecord }) {
  const words = useDomainWords();
  const purpose = words.purposes[record.purpose];
  return (
    <li className="grid gap-3 border-t border-line pt-4">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="font-semibold">{purpose}</h3>
        <Badge>{record.type}</Badge>
        <Badge tone={record.required ? 'accent' : 'neutral'}>
          {record.required ? words.required : words.recommended}
        </Badge>
        <RecordBadge status={record.status} isRequired={record.required} />
      </div>
      <p className="text-muted">{words.purposeAbout[record.purpose]}</p>
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 sm:grid-cols-[auto_minmax(0,1fr)_auto]">
        <Value label={words.name} about={purpose} value={record.name} />
        <Value label={words.wanted} about={purpose} value={record.value} />
        <span className="text-sm text-muted max-sm:col-span-2">{words.found}</span>
        <span className="col-span-2 text-sm break-all">
          {record.found.length === 0 ? (
            words.nothing
          ) : (
            <ul className="grid gap-1">
              {record.found.map((found) => (
                <li key={found}>
                  <code className={found === record.value ? 'text-success' : ''}>{found}</code>
                </li>
              ))}
            </ul>
          )}
        </span>
      </div>
    </li>
  );
}

function Value({ label, about, value }: { label: string; about: string; value: string }) {
  return (
    <>
      <span className="text-sm text-muted max-sm:col-span-2">{label}</span>
      <code className="text-sm break-all">{value}</code>
      <CopyButton label={`${about}, ${label}`} value={value} />
    </>
  );
}

/** The records for someone else: as a text to send, and as a file for the DNS provider. */
function Sharing({ domain }: { domain: Domain }) {
  const words = useDomainWords();
  const { api } = useProject();
  const text = [
    words.shareText(domain.domain),
    ...domain.records.map(({ name, type, value }) => `${name}\n${type}\n${value}`),
  ].join('\n\n');
  const download = async (): Promise<void> => {
    const zone = resultOf(
      await api.GET('/domains/{id}/zone', { params: { path: { id: domain.id } }, parseAs: 'text' }),
    );
    const url = URL.createObjectURL(new Blob([zone], { type: 'text/dns' }));
    Object.assign(document.createElement('a'), { href: url, download: `${domain.domain}.zone` }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-4">
      <CopyButton label={words.share} value={text} hasLabel />
      <Button onClick={() => void download()}>
        <DownloadIcon />
        {words.zone}
      </Button>
    </div>
  );
}
