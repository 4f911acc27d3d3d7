/** The executions of a workflow, with the contact and the current step of each. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { ExecutionStatusBadge } from '../../ui/execution-status.js';
import { SelectField } from '../../ui/field.js';
import { List, type Column } from '../../ui/list.js';
import { Card } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago, At } from '../../ui/time.js';
import { useWords } from '../../words/words.js';
import { nameOfStep } from '../graph/about.js';
import { inOrder } from '../graph/order.js';
import { useGraphWords } from '../graph/words.js';
import { ExecutionActions } from './execution-actions.js';
import { EXECUTION_STATUSES, type ExecutionFilters } from './filters.js';
import { useWorkflowWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');
const PAGE_SIZE = 50;

type Execution = Schemas['ListedExecution'];

export function Executions({ workflow: { id: workflowId, steps, transitions } }: { workflow: Schemas['Workflow'] }) {
  const words = useWorkflowWords();
  const graphWords = useGraphWords();
  const { executionStatuses } = useWords();
  const { $api, projectId } = useProject();
  const filters = route.useSearch();
  const navigate = useNavigate({ from: '/projects/$projectId/workflows/$workflowId' });
  const setFilters = useCallback(
    (change: ExecutionFilters) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false }),
    [navigate],
  );
  const onSearch = useCallback((text: string) => setFilters({ search: text || undefined }), [setFilters]);
  const { status, search, step } = filters;
  const query = $api.useInfiniteQuery(
    'get',
    '/workflows/{id}/executions',
    {
      params: {
        path: { id: workflowId },
        query: {
          pageSize: PAGE_SIZE,
          ...(status && { status }),
          ...(search !== undefined && { search }),
          ...(step !== undefined && { stepId: step }),
        },
      },
    },
    CURSOR_PAGES,
  );
  const columns: Array<Column<Execution>> = [
    {
      id: 'contact',
      header: words.contact,
      cell: ({ id, contactEmail }) => (
        <Link
          to="/projects/$projectId/workflows/$workflowId/executions/$executionId"
          params={{ projectId, workflowId, executionId: id }}
          className="font-medium hover:underline"
        >
          {contactEmail}
        </Link>
      ),
    },
    { id: 'step', header: words.step, isSecondary: true, cell: ({ currentStepName }) => currentStepName ?? '' },
    {
      id: 'status',
      header: words.status,
      cell: ({ status: state }) => <ExecutionStatusBadge status={state} />,
    },
    {
      id: 'wakes',
      header: words.wakes,
      isSecondary: true,
      cell: ({ wakeAt }) => wakeAt !== null && <At time={wakeAt} />,
    },
    {
      id: 'started',
      header: words.started,
      align: 'end',
      isSecondary: true,
      cell: ({ startedAt }) => <Ago time={startedAt} />,
    },
  ];
  return (
    <Card title={words.executions} actions={<ExecutionActions workflowId={workflowId} />}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))] items-end gap-3">
        <SearchField label={words.searchContact} value={search ?? ''} onSearch={onSearch} />
        <SelectField
          label={words.status}
          name="status"
          value={status ?? ''}
          onChange={(value) => setFilters({ status: value || undefined })}
          options={[
            { value: '' as const, label: words.allStatuses },
            ...EXECUTION_STATUSES.map((value) => ({ value, label: executionStatuses[value] })),
          ]}
        />
        <SelectField
          label={words.step}
          name="step"
          value={step ?? ''}
          onChange={(value) => setFilters({ step: value || undefined })}
          options={[
            { value: '', label: words.allSteps },
            ...inOrder(steps, transitions).map((one) => ({ value: one.id, label: nameOfStep(one, graphWords) })),
          ]}
        />
      </div>
      <List
        label={words.executions}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) =>
          void navigate({
            to: '/projects/$projectId/workflows/$workflowId/executions/$executionId',
            params: { projectId, workflowId, executionId: id },
          })
        }
        isFiltered={status !== undefined || search !== undefined || step !== undefined}
        onClearFilters={() => setFilters({ status: undefined, search: undefined, step: undefined })}
        firstRun={<FirstRun title={words.noExecution} about={words.noExecutionAbout} />}
      />
    </Card>
  );
}
