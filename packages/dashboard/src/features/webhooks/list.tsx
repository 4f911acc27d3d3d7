/** The webhook endpoints of a project. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { PlusIcon } from '../../ui/icons.js';
import { Rows, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { SecretDialog, WebhookForm } from './form.js';
import { WebhookState } from './state.js';
import { useWaiting } from './waiting.js';
import { useWebhookWords } from './words.js';

export function WebhooksPage() {
  const words = useWebhookWords();
  const { $api, cache, projectId, mayManage } = useProject();
  const navigate = useNavigate();
  const { data, error, refetch } = $api.useQuery('get', '/webhooks');
  const [isAdding, setAdding] = useState(false);
  const [created, setCreated] = useState<Schemas['WebhookWithSecret'] | null>(null);
  useCreateShortcut(words.add, () => mayManage && setAdding(true));
  const create = $api.useMutation('post', '/webhooks', {
    async onSuccess(webhook) {
      setAdding(false);
      setCreated(webhook);
      await cache.invalidateQueries({ queryKey: ['get', '/webhooks'] });
    },
  });
  const open = (webhookId: string): void =>
    void navigate({ to: '/projects/$projectId/webhooks/$webhookId', params: { projectId, webhookId } });
  const add = (
    <Button
      look="primary"
      onClick={() => setAdding(true)}
      disabled={!mayManage}
      title={mayManage ? '' : words.forbidden}
    >
      <PlusIcon />
      {words.add}
    </Button>
  );
  const columns = useColumns();
  return (
    <Page title={words.title} about={words.about} actions={add}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton />}
      {data?.data.length === 0 && <FirstRun title={words.firstTitle} about={words.firstAbout} action={add} />}
      {data && data.data.length > 0 && (
        <Rows
          label={words.title}
          rows={data.data}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) => open(id)}
        />
      )}
      <Dialog title={words.addTitle} about={words.about} isOpen={isAdding} onClose={() => setAdding(false)}>
        <WebhookForm
          error={create.error}
          isBusy={create.isPending}
          onSave={(body) => create.mutate({ body })}
          onClose={() => setAdding(false)}
        />
      </Dialog>
      <SecretDialog
        secret={created?.secret ?? null}
        onClose={() => {
          if (created) open(created.id);
          setCreated(null);
        }}
      />
    </Page>
  );
}

function useColumns(): Array<Column<Schemas['Webhook']>> {
  const words = useWebhookWords();
  const waiting = useWaiting();
  const { projectId } = useProject();
  return [
    {
      id: 'url',
      header: words.url,
      isElastic: true,
      cell: ({ id, url }) => (
        <Link
          to="/projects/$projectId/webhooks/$webhookId"
          params={{ projectId, webhookId: id }}
          className="font-medium hover:underline"
        >
          {url}
        </Link>
      ),
    },
    { id: 'state', header: words.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
    {
      id: 'events',
      header: words.events,
      isSecondary: true,
      cell: ({ events }) => (
        <span className="flex gap-1">
          {events.slice(0, 3).map((name) => (
            <Badge key={name}>{name}</Badge>
          ))}
          {events.length > 3 && <Badge>+{events.length - 3}</Badge>}
        </span>
      ),
    },
    { id: 'waiting', header: words.waiting, align: 'end', cell: ({ waiting: count }) => waiting(count) },
    {
      id: 'success',
      header: words.lastSuccess,
      align: 'end',
      isSecondary: true,
      cell: ({ lastSuccessAt }) => (lastSuccessAt === null ? words.never : <Ago time={lastSuccessAt} />),
    },
  ];
}
