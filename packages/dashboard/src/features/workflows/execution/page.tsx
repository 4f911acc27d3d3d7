/** One execution: where it is, how it got there, and what it did. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo, type ReactNode } from 'react';
import type { Schemas, StreamMessage } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { useStream } from '../../../api/stream.js';
import { Json } from '../../../ui/code.js';
import { ExecutionStatusBadge } from '../../../ui/execution-status.js';
import { Card, Facts, Page } from '../../../ui/page.js';
import { ErrorState, Skeleton } from '../../../ui/states.js';
import { TemporalLink } from '../../../ui/temporal-link.js';
import { At } from '../../../ui/time.js';
import { GraphCanvas } from '../../graph/canvas.js';
import { useAtMostEvery, useWorkflowStream } from '../live.js';
import { useGraph } from '../steps.js';
import { Actions } from './actions.js';
import { History, Sentence, VISIT_TONES } from './history.js';
import { lastVisits, passedTransitions } from './path.js';
import { useExecutionWords } from './words.js';

type Execution = Schemas['ExecutionWithHistory'];

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId/executions/$executionId');

/** While the execution moves, it is read at most this often. */
const READ_EVERY_MS = 1000;

export function ExecutionPage() {
  const words = useExecutionWords();
  const { $api, projectId } = useProject();
  const { workflowId, executionId } = route.useParams();
  const execution = $api.useQuery('get', '/workflows/{id}/executions/{executionId}', {
    params: { path: { id: workflowId, executionId } },
  });
  const workflow = $api.useQuery('get', '/workflows/{id}', { params: { path: { id: workflowId } } });
  const back = (
    <Link
      to="/projects/$projectId/workflows/$workflowId"
      params={{ projectId, workflowId }}
      className="text-accent underline"
    >
      {workflow.data?.name ?? words.title}
    </Link>
  );
  if (!execution.data || !workflow.data) {
    const failed = [execution, workflow].find(({ error }) => error !== null);
    return (
      <Page title={words.title} back={back}>
        {failed ? <ErrorState error={failed.error} onRetry={() => void failed.refetch()} /> : <Skeleton lines={8} />}
      </Page>
    );
  }
  return <Inspector execution={execution.data} workflow={workflow.data} back={back} />;
}

interface Props {
  execution: Execution;
  workflow: Schemas['Workflow'];
  back: ReactNode;
}

function Inspector({ execution, workflow, back }: Props) {
  const words = useExecutionWords();
  const { $api } = useProject();
  useLiveExecution(execution);
  const contact = $api.useQuery('get', '/contacts/{id}', { params: { path: { id: execution.contactId } } });
  const { step } = route.useSearch();
  const navigate = useNavigate({ from: '/projects/$projectId/workflows/$workflowId/executions/$executionId' });
  const onSelect = useCallback(
    (id: string) => {
      void navigate({ search: { step: id === step ? undefined : id }, replace: true, resetScroll: false });
      document.querySelector(`[data-visit="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'nearest' });
    },
    [navigate, step],
  );
  const graph = useGraph(workflow);
  const { stepExecutions } = execution;
  const path = useMemo(
    () => ({
      steps: new Map(
        [...lastVisits(stepExecutions)].map(([id, { status }]) => [
          id,
          { label: words.statuses[status], tone: VISIT_TONES[status] },
        ]),
      ),
      transitions: passedTransitions(stepExecutions, workflow.transitions),
    }),
    [stepExecutions, workflow.transitions, words],
  );
  return (
    <Page
      title={contact.data?.email ?? words.title}
      back={back}
      about={
        <span className="flex flex-wrap items-center gap-2">
          <ExecutionStatusBadge status={execution.status} />
          {words.title} {words.of(workflow.name)}
          <TemporalLink resourceId={execution.id} />
        </span>
      }
      actions={<Actions execution={execution} />}
    >
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
        <div className="grid min-w-0 gap-4">
          <ExecutionFacts execution={execution} email={contact.data?.email} />
          <Card title={words.history}>
            <History visits={stepExecutions} steps={workflow.steps} selectedId={step} />
          </Card>
          <Card title={words.variables}>
            {Object.keys(execution.context).length === 0 ? (
              <p className="text-muted">{words.noVariables}</p>
            ) : (
              <Json label={words.variables} value={execution.context} />
            )}
          </Card>
        </div>
        <Card title={words.path} className="xl:sticky xl:top-20">
          <GraphCanvas {...graph} label={words.path} path={path} selectedId={step ?? null} onSelect={onSelect} />
        </Card>
      </div>
    </Page>
  );
}

/** Reads the execution and its emails again when something happens in the workflow or to the contact. */
function useLiveExecution({ workflowId, contactId }: Execution): void {
  const { cache } = useProject();
  const read = useCallback(() => {
    void cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/executions/{executionId}'] });
    void cache.invalidateQueries({ queryKey: ['get', '/emails/{id}'] });
  }, [cache]);
  const readSoon = useAtMostEvery(READ_EVERY_MS, read);
  useWorkflowStream(workflowId, readSoon);
  useStream(
    'activity',
    useCallback(
      ({ data }: StreamMessage<'activity'>) => data.contactId === contactId && readSoon(),
      [contactId, readSoon],
    ),
  );
}

function ExecutionFacts({ execution, email }: { execution: Execution; email: string | undefined }) {
  const words = useExecutionWords();
  const { projectId } = useProject();
  const { contactId, startedAt, completedAt, exitReason, stepExecutions } = execution;
  const wakeAt = completedAt === null ? stepExecutions.at(-1)?.wakeAt : null;
  const facts: Array<[string, ReactNode] | null> = [
    [
      words.contact,
      <Link
        key="contact"
        to="/projects/$projectId/contacts/$contactId"
        params={{ projectId, contactId }}
        className="text-accent underline"
      >
        {email ?? contactId}
      </Link>,
    ],
    [words.startedAt, <At key="started" time={startedAt} />],
    wakeAt == null ? null : [words.wakesAt, <At key="wakes" time={wakeAt} />],
    completedAt === null ? null : [words.endedAt, <At key="ended" time={completedAt} />],
    exitReason === null ? null : [words.reason, <Sentence key="reason" text={exitReason} />],
  ];
  return (
    <Card title={words.facts}>
      <Facts facts={facts.filter((fact) => fact !== null)} />
    </Card>
  );
}
