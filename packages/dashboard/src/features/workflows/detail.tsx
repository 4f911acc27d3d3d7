/** One workflow: its state, its steps with live figures, and its executions. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Button, PLAIN_LINK_BUTTON } from '../../ui/button.js';
import { Question } from '../../ui/dialog.js';
import { FormProblem } from '../../ui/form.js';
import { Page } from '../../ui/page.js';
import { ErrorState, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { Executions } from './executions.js';
import { StateBadge } from './list.js';
import { Steps } from './steps.js';
import { useWorkflowWords } from './words.js';

type Workflow = Schemas['Workflow'];

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');

export function WorkflowPage() {
  const words = useWorkflowWords();
  const { $api, projectId } = useProject();
  const { workflowId } = route.useParams();
  const { data, error, refetch } = $api.useQuery('get', '/workflows/{id}', {
    params: { path: { id: workflowId } },
  });
  const back = (
    <Link to="/projects/$projectId/workflows" params={{ projectId }} className="text-accent underline">
      {words.title}
    </Link>
  );
  if (!data)
    return (
      <Page title={words.title} back={back}>
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Page>
    );
  return <Overview workflow={data} back={back} />;
}

function Overview({ workflow, back }: { workflow: Workflow; back: ReactNode }) {
  const words = useWorkflowWords();
  const { $api, cache, projectId } = useProject();
  const path = { params: { path: { id: workflow.id } } };
  const change = $api.useMutation('patch', '/workflows/{id}', {
    async onSuccess({ enabled }) {
      notify(enabled ? words.enabledNow : words.disabledNow);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}'] });
    },
  });
  return (
    <Page
      title={workflow.name}
      back={back}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <StateBadge isEnabled={workflow.enabled} />
          {words.eventName}: {workflow.triggerConfig.eventName}
        </span>
      }
      actions={
        <>
          <Actions workflow={workflow} />
          <Link
            to="/projects/$projectId/workflows/$workflowId/edit"
            params={{ projectId, workflowId: workflow.id }}
            className={PLAIN_LINK_BUTTON}
          >
            {words.edit}
          </Link>
          <Button
            look="primary"
            isBusy={change.isPending}
            onClick={() => change.mutate({ ...path, body: { enabled: !workflow.enabled } })}
          >
            {workflow.enabled ? words.disable : words.enable}
          </Button>
        </>
      }
    >
      {/* A workflow that cannot be enabled lists its problems. */}
      <FormProblem error={change.error} />
      <Steps workflow={workflow} />
      <Executions workflow={workflow} />
    </Page>
  );
}

function Actions({ workflow }: { workflow: Workflow }) {
  const words = useWorkflowWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const path = { params: { path: { id: workflow.id } } };
  const duplicate = $api.useMutation('post', '/workflows/{id}/duplicate', {
    async onSuccess({ id }) {
      notify(words.created);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
      await navigate({ to: '/projects/$projectId/workflows/$workflowId', params: { projectId, workflowId: id } });
    },
  });
  const remove = $api.useMutation('delete', '/workflows/{id}', {
    async onSuccess() {
      notify(words.removed);
      await navigate({ to: '/projects/$projectId/workflows', params: { projectId } });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {words.remove}
      </Button>
      <Button isBusy={duplicate.isPending} onClick={() => duplicate.mutate(path)}>
        {words.duplicate}
      </Button>
      <FormProblem error={duplicate.error} />
      <Question
        title={words.removeTitle(workflow.name)}
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
