/** The workflows of a project, and the dialog for a new one. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Badge } from '../../ui/badge.js';
import { Button, LINK_BUTTON } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { PlusIcon } from '../../ui/icons.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { Ago } from '../../ui/time.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { useWorkflowWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/workflows');
const PAGE_SIZE = 50;

type Workflow = Schemas['Workflow'];

export function WorkflowsPage() {
  const { search } = route.useSearch();
  return <Workflows search={search} />;
}

/** The list with the dialog open, at an address of its own. */
export function NewWorkflowPage() {
  return (
    <>
      <Workflows search={undefined} />
      <CreateDialog />
    </>
  );
}

function Workflows({ search }: { search: string | undefined }) {
  const words = useWorkflowWords();
  const { common } = useWords();
  const { $api, projectId } = useProject();
  const navigate = useNavigate();
  const query = $api.useInfiniteQuery(
    'get',
    '/workflows',
    { params: { query: { pageSize: PAGE_SIZE, ...(search !== undefined && { search }) } } },
    {
      pageParamName: 'page',
      initialPageParam: 1,
      getNextPageParam: ({ page, totalPages }: { page: number; totalPages: number }) =>
        page < totalPages ? page + 1 : null,
    },
  );
  const setSearch = useCallback(
    (text: string) =>
      void navigate({
        to: '/projects/$projectId/workflows',
        params: { projectId },
        search: { search: text || undefined },
        replace: true,
      }),
    [navigate, projectId],
  );
  useCreateShortcut(
    words.create,
    () => void navigate({ to: '/projects/$projectId/workflows/new', params: { projectId } }),
  );
  const create = (
    <Link to="/projects/$projectId/workflows/new" params={{ projectId }} className={LINK_BUTTON}>
      <PlusIcon />
      {words.create}
    </Link>
  );
  return (
    <Page title={words.title} about={words.about} actions={create}>
      <div className="max-w-sm">
        <SearchField label={common.search} value={search ?? ''} onSearch={setSearch} />
      </div>
      <List
        label={words.title}
        query={query}
        columns={useColumns()}
        rowKey={({ id }) => id}
        onOpen={({ id }) =>
          void navigate({ to: '/projects/$projectId/workflows/$workflowId', params: { projectId, workflowId: id } })
        }
        isFiltered={search !== undefined}
        onClearFilters={() => setSearch('')}
        firstRun={<FirstRun title={words.firstTitle} about={words.firstAbout} action={create} />}
      />
    </Page>
  );
}

function useColumns(): Array<Column<Workflow>> {
  const words = useWorkflowWords();
  const format = useFormat();
  const { projectId } = useProject();
  return [
    {
      id: 'name',
      header: words.name,
      cell: ({ id, name }) => (
        <Link
          to="/projects/$projectId/workflows/$workflowId"
          params={{ projectId, workflowId: id }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    { id: 'state', header: words.state, cell: ({ enabled }) => <StateBadge isEnabled={enabled} /> },
    { id: 'event', header: words.eventName, isSecondary: true, cell: ({ triggerConfig }) => triggerConfig.eventName },
    {
      id: 'steps',
      header: words.steps,
      align: 'end',
      isSecondary: true,
      cell: ({ steps }) => format.number(steps.length),
    },
    {
      id: 'updated',
      header: words.updated,
      align: 'end',
      isSecondary: true,
      cell: ({ updatedAt }) => <Ago time={updatedAt} />,
    },
  ];
}

export function StateBadge({ isEnabled }: { isEnabled: boolean }) {
  const words = useWorkflowWords();
  return <Badge tone={isEnabled ? 'success' : 'neutral'}>{isEnabled ? words.enabled : words.disabled}</Badge>;
}

function CreateDialog() {
  const words = useWorkflowWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const create = $api.useMutation('post', '/workflows', {
    async onSuccess({ id }) {
      notify(words.created);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
      await navigate({ to: '/projects/$projectId/workflows/$workflowId/edit', params: { projectId, workflowId: id } });
    },
  });
  const errors = fieldErrors(create.error);
  return (
    <Dialog
      title={words.create}
      about={words.firstAbout}
      isOpen
      onClose={() => void navigate({ to: '/projects/$projectId/workflows', params: { projectId } })}
    >
      <form
        className="grid gap-4"
        onSubmit={(event) => {
          const { name = '', eventName = '' } = readForm(event);
          create.mutate({ body: { name, eventName } });
        }}
      >
        <TextField label={words.name} name="name" required error={errors.name} />
        <TextField label={words.eventName} name="eventName" required hint={words.eventHint} error={errors.eventName} />
        <FormProblem error={create.error} fields={['name', 'eventName']} />
        <div>
          <Button type="submit" look="primary" isBusy={create.isPending}>
            {words.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
