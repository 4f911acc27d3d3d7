/** What is known of an event's name: its figures, where it is used, and how to track it. */
import { Link, useNavigate, type LinkProps } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code.js';
import { Question } from '../../ui/dialog.js';
import { Figure, Figures } from '../../ui/figure.js';
import { Card, Facts } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useEventWords } from './words.js';

/** Names that the service records itself. */
const RECORDED = /^(email|contact|segment)\./;

export function EventDetails({ name }: { name: string }) {
  const words = useEventWords();
  const format = useFormat();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const path = { params: { path: { eventName: name } } };
  const { data: usage, error, refetch } = $api.useQuery('get', '/events/{eventName}/usage', path);
  const remove = $api.useMutation('delete', '/events/{eventName}', {
    async onSuccess({ deletedCount }) {
      notify(words.removed(format.number(deletedCount)));
      await navigate({ to: '/projects/$projectId/events', params: { projectId }, search: {} });
      await cache.invalidateQueries();
    },
  });
  if (!usage) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton />;
  const users = [
    {
      label: words.segments,
      things: usage.usedInSegments,
      linkOf: (segmentId: string): LinkProps => ({
        to: '/projects/$projectId/segments/$segmentId',
        params: { projectId, segmentId },
      }),
    },
    {
      label: words.campaigns,
      things: usage.usedInCampaigns,
      linkOf: (campaignId: string): LinkProps => ({
        to: '/projects/$projectId/campaigns/$campaignId',
        params: { projectId, campaignId },
      }),
    },
    {
      label: words.workflows,
      things: usage.usedInWorkflows,
      linkOf: (workflowId: string): LinkProps => ({
        to: '/projects/$projectId/workflows/$workflowId',
        params: { projectId, workflowId },
      }),
    },
  ].filter(({ things }) => things.length > 0);
  const isRecorded = RECORDED.test(name);
  return (
    <Card
      title={name}
      actions={
        usage.canDelete && (
          <Button look="danger" onClick={() => setAsking(true)}>
            {words.remove}
          </Button>
        )
      }
    >
      {isRecorded && <Badge>{words.recorded}</Badge>}
      <Figures>
        <Figure label={words.count} value={format.number(usage.totalCount)} />
        <Figure label={words.contacts} value={format.number(usage.uniqueContacts)} />
      </Figures>
      {users.length === 0 && <p className="text-muted">{words.unused}</p>}
      <Facts
        facts={users.map(({ label, things, linkOf }) => [
          label,
          <ul key={label} className="flex flex-wrap gap-x-4 gap-y-1">
            {things.map((thing) => (
              <li key={thing.id} className="min-w-0">
                <Link {...linkOf(thing.id)} className="text-accent underline">
                  {thing.name}
                </Link>
              </li>
            ))}
          </ul>,
        ])}
      />
      {!isRecorded && <CodeBlock label={words.snippet}>{snippetOf(name)}</CodeBlock>}
      <Question
        title={words.removeTitle(name)}
        about={words.removeAbout}
        action={words.remove}
        confirmation={name}
        isOpen={isAsking}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={() => setAsking(false)}
        onConfirm={() => remove.mutate(path)}
      />
    </Card>
  );
}

const snippetOf = (name: string): string =>
  `curl ${location.origin}/v1/track \\
  -H 'Authorization: Bearer <key>' \\
  -H 'Content-Type: application/json' \\
  -d '${JSON.stringify({ email: 'ada@example.com', event: name, data: {} }).replaceAll("'", String.raw`'\''`)}'`;
