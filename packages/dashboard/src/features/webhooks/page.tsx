/** A webhook endpoint: its state, what can be done with it, and its deliveries. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useAfterBurst } from '../../api/burst.js';
import { useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import { Badge, Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question } from '../../ui/dialog.js';
import { FormProblem } from '../../ui/form.js';
import { Menu } from '../../ui/menu.js';
import { Card, Facts, Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { TemporalLink } from '../../ui/temporal-link.js';
import { Ago, At } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { translateMessage } from '../../words/api-messages.js';
import { Deliveries, WEBHOOK_QUERIES } from './deliveries.js';
import { SecretDialog, VerifySnippet, WebhookForm } from './form.js';
import { ReplayDialog, RotateDialog, TestDialog } from './dialogs.js';
import { WebhookState } from './state.js';
import { useWaiting } from './waiting.js';
import { useWebhookWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/webhooks/$webhookId');
/** How often the page looks for news while something waits. */
const REFRESH_MS = 3000;

export function WebhookPage() {
  const words = useWebhookWords();
  const { $api, projectId } = useProject();
  const { webhookId } = route.useParams();
  const path = { params: { path: { id: webhookId } } };
  const {
    data: webhook,
    error,
    refetch,
  } = $api.useQuery('get', '/webhooks/{id}', path, {
    refetchInterval: ({ state }) => (state.data?.enabled && state.data.waiting > 0 ? REFRESH_MS : false),
  });
  const back = (
    <Link to="/projects/$projectId/webhooks" params={{ projectId }} className="text-accent underline">
      {words.back}
    </Link>
  );
  if (!webhook)
    return (
      <Page title={words.title} back={back}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton />}
      </Page>
    );
  return (
    <Page
      title={webhook.url}
      back={back}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <WebhookState webhook={webhook} />
          {webhook.description}
          <TemporalLink resourceId={webhook.id} />
        </span>
      }
      actions={<Actions webhook={webhook} />}
    >
      {webhook.disabledReason !== null && <Note tone="danger">{translateMessage(webhook.disabledReason)}</Note>}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Card title={words.state}>
          <State webhook={webhook} />
        </Card>
        <Card title={words.verify}>
          <VerifySnippet />
        </Card>
      </div>
      <Deliveries webhook={webhook} />
      <Watch />
    </Page>
  );
}

/** Reads the endpoint and its deliveries again when something happens in the project. */
function Watch() {
  const { cache } = useProject();
  const reload = useAfterBurst(useCallback(() => void cache.invalidateQueries(WEBHOOK_QUERIES), [cache]));
  useStream('activity', reload);
  useStream('jobs', reload);
  useStream('domains', reload);
  return null;
}

function State({ webhook }: { webhook: Schemas['Webhook'] }) {
  const words = useWebhookWords();
  const waiting = useWaiting();
  const times: Array<[name: string, time: string | null]> = [
    [words.failingSince, webhook.failingSince],
    [words.pausedUntil, webhook.pausedUntil],
    [words.formerUntil, webhook.previousSecretExpiresAt],
  ];
  return (
    <Facts
      facts={[
        [
          words.events,
          <span key="events" className="flex flex-wrap gap-1">
            {webhook.events.map((name) => (
              <Badge key={name}>{name}</Badge>
            ))}
          </span>,
        ],
        [words.waiting, waiting(webhook.waiting)],
        [
          words.lastSuccess,
          webhook.lastSuccessAt === null ? words.never : <Ago key="success" time={webhook.lastSuccessAt} />,
        ],
        ...times.flatMap(([name, time]): Array<[string, React.ReactNode]> =>
          time === null ? [] : [[name, <At key={name} time={time} />]],
        ),
      ]}
    />
  );
}

type Open = 'edit' | 'test' | 'replay' | 'rotate' | 'remove';

function Actions({ webhook }: { webhook: Schemas['Webhook'] }) {
  const words = useWebhookWords();
  const { $api, cache, mayManage, projectId } = useProject();
  const navigate = useNavigate();
  const [open, setOpen] = useState<Open | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = { params: { path: { id: webhook.id } } };
  const close = (): void => setOpen(null);
  const refresh = async (message: string): Promise<void> => {
    close();
    notify(message);
    await cache.invalidateQueries(WEBHOOK_QUERIES);
  };
  const edit = $api.useMutation('patch', '/webhooks/{id}', { onSuccess: () => refresh(words.saved) });
  const toggle = $api.useMutation('patch', '/webhooks/{id}', {
    onSuccess: ({ enabled }) => refresh(enabled ? words.enabled : words.disabled),
  });
  const remove = $api.useMutation('delete', '/webhooks/{id}', {
    async onSuccess() {
      await navigate({ to: '/projects/$projectId/webhooks', params: { projectId } });
      await refresh(words.removed);
    },
  });
  if (!mayManage) return <span className="text-muted">{words.forbidden}</span>;
  return (
    <>
      <FormProblem error={toggle.error} />
      <Menu
        actions={[
          { label: words.edit, onSelect: () => setOpen('edit') },
          {
            label: webhook.enabled ? words.disable : words.enable,
            onSelect: () => toggle.mutate({ ...path, body: { enabled: !webhook.enabled } }),
          },
          { label: words.rotate, onSelect: () => setOpen('rotate') },
          { label: words.remove, onSelect: () => setOpen('remove') },
        ]}
      >
        {words.edit}
      </Menu>
      <Button onClick={() => setOpen('replay')}>{words.replay}</Button>
      {webhook.enabled ? (
        <Button look="primary" onClick={() => setOpen('test')}>
          {words.test}
        </Button>
      ) : (
        <Button
          look="primary"
          isBusy={toggle.isPending}
          onClick={() => toggle.mutate({ ...path, body: { enabled: true } })}
        >
          {words.enable}
        </Button>
      )}
      <Dialog title={words.editTitle} isOpen={open === 'edit'} onClose={close}>
        <WebhookForm
          webhook={webhook}
          error={edit.error}
          isBusy={edit.isPending}
          onSave={(body) => edit.mutate({ ...path, body })}
          onClose={close}
        />
      </Dialog>
      {open === 'test' && <TestDialog webhook={webhook} onDone={() => void refresh(words.tested)} onClose={close} />}
      {open === 'replay' && <ReplayDialog webhook={webhook} onDone={(text) => void refresh(text)} onClose={close} />}
      {open === 'rotate' && (
        <RotateDialog
          webhook={webhook}
          onDone={(created) => {
            setSecret(created);
            void refresh(words.saved);
          }}
          onClose={close}
        />
      )}
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
      <Question
        title={words.removeTitle}
        about={words.removeAbout}
        action={words.remove}
        isOpen={open === 'remove'}
        isBusy={remove.isPending}
        error={remove.error}
        onClose={close}
        onConfirm={() => remove.mutate(path)}
      />
    </>
  );
}
