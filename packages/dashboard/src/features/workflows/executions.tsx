/** The executions of a workflow, with the contact and the current step of each. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { Badge, type Tone } from '../../ui/badge.js';
import { SelectField } from '../../ui/field.js';
import { List, type Column } from '../../ui/list.js';
import { Card } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { EXECUTION_STATUSES, type ExecutionFilters } from './filters.js';
import { useWorkflowWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');
const PAGE_SIZE = 50;

type Execution = Schemas['ListedExecution'];

const TONES: Record<Execution['status'], Tone> = {
  RUNNING: 'accent',
  WAITING: 'accent',
  COMPLETED: 'success',
  EXITED: 'neutral',
  FAILED: 'danger',
  CANCELLED: 'warning',
};

export function Executions({ workflowId }: { workflowId: string }) {
  const words = useWorkflowWords();
  const { $api } = useProject();
  const filters = route.useSearch();
  const navigate = useNavigate({ from: '/projects/$projectId/workflows/$workflowId' });
  const setFilters = useCallback(
    (change: ExecutionFilters) =>
      void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false }),
    [navigate],
  );
  const onSearch = useCallback((text: string) => setFilters({ search: text.trim() || undefined }), [setFilters]);
  const { status, search } = filters;
  const query = $api.useInfiniteQuery(
    'get',
    '/workflows/{id}/executions',
    {
      params: {
        path: { id: workflowId },
        query: { pageSize: PAGE_SIZE, ...(status && { status }), ...(search !== undefined && { search }) },
      },
    },
    CURSOR_PAGES,
  );
  const columns: Array<Column<Execution>> = [
    { id: 'contact', header: words.contact, cell: ({ contactEmail }) => contactEmail },
    { id: 'step', header: words.step, cell: ({ currentStepName }) => currentStepName ?? '' },
    {
      id: 'status',
      header: words.status,
      cell: ({ status: state }) => <Badge tone={TONES[state]}>{words.statuses[state]}</Badge>,
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
    <Card title={words.executions}>
      <div className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))] items-end gap-3">
        <SearchField label={words.searchContact} value={search ?? ''} onSearch={onSearch} />
        <SelectField
          label={words.status}
          name="status"
          value={status ?? ''}
          onChange={(value) => setFilters({ status: value || undefined })}
          options={[
            { value: '' as const, label: words.allStatuses },
            ...EXECUTION_STATUSES.map((value) => ({ value, label: words.statuses[value] })),
          ]}
        />
      </div>
      <List
        label={words.executions}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        isFiltered={status !== undefined || search !== undefined}
        onClearFilters={() => setFilters({ status: undefined, search: undefined })}
        firstRun={<FirstRun title={words.noExecution} about={words.noExecutionAbout} />}
      />
    </Card>
  );
}
