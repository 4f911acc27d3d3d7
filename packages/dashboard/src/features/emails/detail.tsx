/** An email: its facts, its content, its attempts, and what the recipient did. */
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Badge, Note } from '../../ui/badge.js';
import { CodeBlock } from '../../ui/code.js';
import { EmailFrame } from '../../ui/email-frame.js';
import { EmailStatusBadge } from '../../ui/email-status.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { Tabs } from '../../ui/tabs.js';
import { At } from '../../ui/time.js';
import { useFormat } from '../../words/format.js';
import { Actions } from './actions.js';
import type { EmailFilters } from './filters.js';
import { useEmailWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/emails/$emailId');

export function EmailPage() {
  const words = useEmailWords();
  const { $api, projectId } = useProject();
  const { emailId } = route.useParams();
  const { data: email, error, refetch } = $api.useQuery('get', '/emails/{id}', { params: { path: { id: emailId } } });
  const content = $api.useQuery('get', '/emails/{id}/content', { params: { path: { id: emailId } } });
  const back = (
    <Link to="/projects/$projectId/emails" params={{ projectId }} className="text-accent underline">
      {words.back}
    </Link>
  );
  if (!email)
    return (
      <Page title={words.title} back={back}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton />}
      </Page>
    );
  return (
    <Page
      title={content.data?.subject ?? email.subject}
      back={back}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <EmailStatusBadge status={email.status} detail={email.statusDetail} />
          {email.to}
        </span>
      }
      actions={<Actions email={email} />}
    >
      {email.statusDetail === 'unknown' && <Note tone="warning">{words.unknownAbout}</Note>}
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <Content emailId={emailId} />
        <div className="grid min-w-0 gap-4">
          <EmailFacts email={email} />
          <History emailId={emailId} />
        </div>
      </div>
    </Page>
  );
}

function EmailFacts({ email }: { email: Schemas['Email'] }) {
  const words = useEmailWords();
  const format = useFormat();
  const hits = (people: number, machines: number): string =>
    words.opensBy(format.number(people), format.number(machines));
  const facts: Array<[string, ReactNode] | null> = [
    [words.from, email.fromName === null ? email.from : `${email.fromName} <${email.from}>`],
    [words.to, <Recipient key="to" email={email} />],
    email.cc.length === 0 ? null : [words.cc, email.cc.join(', ')],
    email.copyOf === null
      ? null
      : [words.copyOf, <EmailLink key="original" id={email.copyOf} label={words.original} />],
    email.copies.length === 0 ? null : [words.copies, <Copies key="copies" ids={email.copies} />],
    email.replyTo === null ? null : [words.replyTo, email.replyTo],
    [words.source, <Source key="source" email={email} />],
    [words.type, words.types[email.type]],
    [words.created, <At key="created" time={email.createdAt} />],
    email.scheduledFor === null ? null : [words.scheduledFor, <At key="scheduled" time={email.scheduledFor} />],
    email.group === null
      ? null
      : [words.group, <ListLink key="group" search={{ group: email.group }} label={email.group} />],
    email.tags.length === 0 ? null : [words.tags, <Tags key="tags" tags={email.tags} />],
    email.sentAt === null ? null : [words.sent, <At key="sent" time={email.sentAt} />],
    email.nextAttemptAt === null ? null : [words.nextAttempt, <At key="next" time={email.nextAttemptAt} />],
    email.bouncedAt === null ? null : [words.bounced, <At key="bounced" time={email.bouncedAt} />],
    email.bounceReason === null ? null : [words.bounceReason, email.bounceReason],
    email.complainedAt === null ? null : [words.complained, <At key="complained" time={email.complainedAt} />],
    [words.opens, hits(email.opens, email.machineOpens)],
    [words.clicks, hits(email.clicks, email.machineClicks)],
    email.response === null ? null : [words.response, <code key="response">{email.response}</code>],
    [words.messageId, <code key="id">{email.messageId}</code>],
  ];
  return (
    <Card title={words.facts}>
      <Facts facts={facts.filter((fact) => fact !== null)} />
    </Card>
  );
}

function EmailLink({ id, label }: { id: string; label: string }) {
  const { projectId } = useProject();
  return (
    <Link
      to="/projects/$projectId/emails/$emailId"
      params={{ projectId, emailId: id }}
      className="text-accent underline"
    >
      {label}
    </Link>
  );
}

function Copies({ ids }: { ids: string[] }) {
  const words = useEmailWords();
  return (
    <span className="flex flex-wrap gap-x-3">
      {ids.map((id, index) => (
        <EmailLink key={id} id={id} label={words.copy(index + 1)} />
      ))}
    </span>
  );
}

/** A link to the emails with the same tag or group. */
function ListLink({ search, label }: { search: EmailFilters; label: string }) {
  const { projectId } = useProject();
  return (
    <Link to="/projects/$projectId/emails" params={{ projectId }} search={search} className="text-accent underline">
      {label}
    </Link>
  );
}

const Tags = ({ tags }: { tags: string[] }) => (
  <span className="flex flex-wrap gap-x-3">
    {tags.map((tag) => (
      <ListLink key={tag} search={{ tag }} label={tag} />
    ))}
  </span>
);

function Content({ emailId }: { emailId: string }) {
  const words = useEmailWords();
  const { $api } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/emails/{id}/content', { params: { path: { id: emailId } } });
  if (!data)
    return (
      <Card title={words.content}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Card>
    );
  const headers = data.headers.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return (
    <Card title={words.content}>
      {!data.exact && <Note tone="warning">{words.inexact}</Note>}
      <Tabs
        label={words.content}
        tabs={[
          { id: 'rendered', label: words.rendered, content: <EmailFrame title={data.subject} html={data.html} /> },
          { id: 'text', label: words.text, content: <CodeBlock label={words.text}>{data.text}</CodeBlock> },
          { id: 'html', label: words.html, content: <CodeBlock label={words.html}>{data.html}</CodeBlock> },
          { id: 'headers', label: words.headers, content: <CodeBlock label={words.headers}>{headers}</CodeBlock> },
        ]}
      />
    </Card>
  );
}

/** The recipient, with a link to the contact. */
function Recipient({ email: { contactId, to, toName } }: { email: Schemas['Email'] }) {
  const { projectId } = useProject();
  const name = toName === null ? to : `${toName} <${to}>`;
  if (contactId === null) return name;
  return (
    <Link
      to="/projects/$projectId/contacts/$contactId"
      params={{ projectId, contactId }}
      className="text-accent underline"
    >
      {name}
    </Link>
  );
}

/** What sent the email, with a link to it. */
function Source({ email: { source, campaignId, workflowId, executionId, templateId } }: { email: Schemas['Email'] }) {
  const name = useEmailWords().sources[source];
  const { projectId } = useProject();
  const style = 'text-accent underline';
  if (campaignId !== null)
    return (
      <Link to="/projects/$projectId/campaigns/$campaignId" params={{ projectId, campaignId }} className={style}>
        {name}
      </Link>
    );
  if (workflowId !== null && executionId !== null)
    return (
      <Link
        to="/projects/$projectId/workflows/$workflowId/executions/$executionId"
        params={{ projectId, workflowId, executionId }}
        className={style}
      >
        {name}
      </Link>
    );
  if (templateId !== null)
    return (
      <Link to="/projects/$projectId/templates/$templateId" params={{ projectId, templateId }} className={style}>
        {name}
      </Link>
    );
  return name;
}

/** More hits are not listed by the API. */
const MAX_HITS = 1000;

function History({ emailId }: { emailId: string }) {
  const words = useEmailWords();
  const { $api } = useProject();
  const { data, error, refetch } = $api.useQuery('get', '/emails/{id}/events', { params: { path: { id: emailId } } });
  if (!data)
    return (
      <Card title={words.history}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton />}
      </Card>
    );
  return (
    <Card title={words.history}>
      {data.attempts.length === 0 && data.hits.length === 0 && <p className="text-muted">{words.nothing}</p>}
      <ol className="grid gap-3">
        {data.attempts.map((attempt) => (
          <Entry
            key={attempt.number}
            time={attempt.at}
            title={`${words.attempt(attempt.number)}: ${words.outcomes[attempt.outcome]}`}
            detail={attempt.response ?? attempt.error}
          />
        ))}
        {data.hits.map((hit, index) => (
          <Entry
            // Hits have no id, and the list never changes its order.
            key={`${hit.at} ${index}`}
            time={hit.at}
            title={hit.kind === 'open' ? words.open : words.click}
            isMachine={hit.machine}
            detail={[hit.label, hit.url, hit.reason].filter((part) => part !== null).join(' · ')}
          />
        ))}
      </ol>
      {data.hits.length >= MAX_HITS && <p className="text-muted">{words.truncated}</p>}
    </Card>
  );
}

interface EntryProps {
  time: string | null;
  title: string;
  detail: string | null;
  isMachine?: boolean;
}

function Entry({ time, title, detail, isMachine = false }: EntryProps) {
  const words = useEmailWords();
  return (
    <li className="grid gap-0.5 border-s-2 border-line ps-3">
      <span className="flex flex-wrap items-center gap-2">
        <strong className="font-medium">{title}</strong>
        {isMachine && <Badge>{words.machine}</Badge>}
        {time !== null && (
          <span className="text-sm text-muted">
            <At time={time} />
          </span>
        )}
      </span>
      {detail && <span className="text-sm break-words text-muted">{detail}</span>}
    </li>
  );
}
