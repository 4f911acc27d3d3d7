/** The keys of the project, their last use, and examples with the public one. */
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { CodeBlock } from '../../ui/code.js';
import { CopyButton, CopyField } from '../../ui/copy.js';
import { Question } from '../../ui/dialog.js';
import { Card, Facts } from '../../ui/page.js';
import { ErrorState } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { reloadProjects } from '../accounts/session.js';
import { clientSnippet, curlSnippet, verifySnippet } from './snippets.js';
import { useSettingsWords } from './words.js';

export function KeysPage() {
  const words = useSettingsWords();
  const { $api, projectId, project, mayManage, cache } = useProject();
  const [isAsking, setAsking] = useState(false);
  const state = $api.useQuery('get', '/projects/{id}/setup-state', { params: { path: { id: projectId } } });
  const rotate = $api.useMutation('post', '/users/@me/projects/{id}/regenerate-keys');
  const confirm = (): void =>
    rotate.mutate(
      { params: { path: { id: projectId } } },
      {
        onSuccess: () => {
          setAsking(false);
          void reloadProjects();
          void cache.invalidateQueries({ queryKey: ['get', '/projects/{id}/setup-state'] });
        },
      },
    );
  const lastUse = (time: string | null | undefined) => {
    if (time === undefined) return '…';
    return time === null ? words.neverUsed : <Ago time={time} />;
  };
  return (
    <>
      {rotate.data && (
        <Card title={words.newKeys}>
          <Note tone="warning">{words.secretOnce}</Note>
          <CopyField label={words.secretKey} value={rotate.data.secret} />
          <CopyField label={words.publicKey} value={rotate.data.public} />
          <Button look="primary" className="justify-self-start" onClick={() => rotate.reset()}>
            {words.stored}
          </Button>
        </Card>
      )}
      <Card title={words.tabs.keys}>
        <CopyField label={words.publicKey} value={project.public} />
        <p className="text-sm text-muted">{words.publicHint}</p>
        <Facts
          facts={[
            [words.secretKey, <code key="secret">sk_…{project.secretLast4}</code>],
            [words.publicLastUse, lastUse(state.data?.publicKeyLastUsedAt)],
            [words.secretLastUse, lastUse(state.data?.secretKeyLastUsedAt)],
          ]}
        />
        <p className="text-sm text-muted">{words.secretHint}</p>
        {state.error && <ErrorState error={state.error} onRetry={() => void state.refetch()} />}
        {mayManage && (
          <Button look="danger" className="justify-self-start" onClick={() => setAsking(true)}>
            {words.rotate}
          </Button>
        )}
        <Question
          title={words.rotateTitle}
          about={words.rotateAbout.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          action={words.rotate}
          isOpen={isAsking}
          isBusy={rotate.isPending}
          error={rotate.error}
          onClose={() => setAsking(false)}
          onConfirm={confirm}
        />
      </Card>
      <Snippets />
      <WebhookSecret />
    </>
  );
}

function Snippets() {
  const words = useSettingsWords();
  const { $api, project } = useProject();
  const url = $api.useQuery('get', '/config').data?.urls.api ?? location.origin;
  const snippets = [
    ['curl', curlSnippet(url, project.public)],
    [words.typedClient, clientSnippet(url, project.public)],
  ] as const;
  return (
    <Card title={words.examples}>
      <p className="text-muted">{words.examplesHint}</p>
      {snippets.map(([name, code]) => (
        <div key={name} className="grid gap-2">
          <div className="flex items-center justify-between gap-2">
            <h3 className="font-medium">{name}</h3>
            <CopyButton label={name} value={code} />
          </div>
          <CodeBlock label={name}>{code}</CodeBlock>
        </div>
      ))}
    </Card>
  );
}

function WebhookSecret() {
  const words = useSettingsWords();
  const { $api } = useProject();
  const [isShown, setShown] = useState(false);
  const secret = $api.useQuery('get', '/workflows/webhook-secret', {}, { enabled: isShown, gcTime: 0 });
  return (
    <Card title={words.webhookSecret}>
      <p className="text-muted">{words.webhookHint}</p>
      {secret.error && <ErrorState error={secret.error} onRetry={() => void secret.refetch()} />}
      {secret.data && isShown ? (
        <CopyField label={words.webhookSecret} value={secret.data.secret} />
      ) : (
        <Button className="justify-self-start" isBusy={secret.isFetching} onClick={() => setShown(true)}>
          {words.showSecret}
        </Button>
      )}
      <CodeBlock label={words.verifyExample}>{verifySnippet}</CodeBlock>
    </Card>
  );
}
