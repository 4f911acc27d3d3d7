/** The templates of a project. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState, type FormEvent } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { PlusIcon } from '../../ui/icons.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { useWords } from '../../words/words.js';
import { SORTS, STATES, TYPES, type Template } from './fields.js';
import { useTemplateWords } from './words.js';

const PAGE_SIZE = 50;
const route = getRouteApi('/signed-in/projects/$projectId/templates');

export function TemplatesPage() {
  const words = useTemplateWords();
  const { $api, projectId } = useProject();
  const { search, type, state, sort = 'updatedAt' } = route.useSearch();
  const navigate = route.useNavigate();
  const open = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const query = $api.useInfiniteQuery(
    'get',
    '/templates',
    {
      params: {
        query: {
          pageSize: PAGE_SIZE,
          sort,
          dir: sort === 'name' ? 'asc' : 'desc',
          ...(search !== undefined && { search }),
          ...(type !== undefined && { type }),
          ...(state !== undefined && { draft: state === 'draft' ? 'true' : 'false' }),
        },
      },
    },
    {
      pageParamName: 'page',
      initialPageParam: 1,
      getNextPageParam: ({ page, totalPages }: { page: number; totalPages: number }) =>
        page < totalPages ? page + 1 : null,
    },
  );
  const onSearch = useCallback(
    (text: string) => void navigate({ search: (before) => ({ ...before, search: text || undefined }), replace: true }),
    [navigate],
  );
  useCreateShortcut(words.add, () => setAdding(true));
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      <PlusIcon />
      {words.add}
    </Button>
  );
  const columns: Array<Column<Template>> = [
    {
      id: 'name',
      header: words.name,
      cell: ({ id, name, description }) => (
        <>
          <Link
            to="/projects/$projectId/templates/$templateId"
            params={{ projectId, templateId: id }}
            className="font-medium hover:underline"
          >
            {name}
          </Link>
          {description !== null && <span className="block truncate text-sm text-muted">{description}</span>}
        </>
      ),
    },
    {
      id: 'subject',
      header: words.subject,
      isSecondary: true,
      cell: ({ subject }) => subject ?? <span className="text-muted">{words.noSubject}</span>,
    },
    { id: 'type', header: words.type, isSecondary: true, cell: (template) => words.types[template.type] },
    { id: 'state', header: words.state, cell: (template) => <StateBadges template={template} /> },
    {
      id: 'changed',
      header: words.changed,
      align: 'end',
      isSecondary: true,
      cell: ({ updatedAt }) => <Ago time={updatedAt} />,
    },
  ];
  return (
    <Page title={words.title} about={words.about} actions={add}>
      <div className="grid gap-3 sm:grid-cols-[minmax(0,1fr)_repeat(3,auto)]">
        <SearchField label={words.search} value={search ?? ''} onSearch={onSearch} />
        <SelectField
          label={words.type}
          name="type"
          isLabelHidden
          value={type ?? ''}
          options={[
            { value: '', label: words.allTypes },
            ...TYPES.map((value) => ({ value, label: words.types[value] })),
          ]}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, type: value || undefined }) })}
        />
        <SelectField
          label={words.state}
          name="state"
          isLabelHidden
          value={state ?? ''}
          options={[
            { value: '', label: words.allStates },
            ...STATES.map((value) => ({ value, label: words.states[value] })),
          ]}
          onChange={(value) => void navigate({ search: (before) => ({ ...before, state: value || undefined }) })}
        />
        <SelectField
          label={words.sort}
          name="sort"
          isLabelHidden
          value={sort}
          options={SORTS.map((value) => ({ value, label: words.sorts[value] }))}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, sort: value === 'updatedAt' ? undefined : value }) })
          }
        />
      </div>
      <List
        label={words.title}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={({ id }) =>
          void open({
            to: '/projects/$projectId/templates/$templateId',
            params: { projectId, templateId: id },
          })
        }
        isFiltered={search !== undefined || type !== undefined || state !== undefined}
        onClearFilters={() =>
          void navigate({
            search: ({ sort: kept }) => ({ sort: kept }),
          })
        }
        firstRun={<FirstRun title={words.firstTitle} about={words.firstAbout} action={add} />}
      />
      <CreateTemplate isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

/** Whether it is a draft, and how many problems it has. */
export function StateBadges({ template: { draft, problems } }: { template: Template }) {
  const words = useTemplateWords();
  const count = (level: string): number => problems.filter((problem) => problem.level === level).length;
  const [errors, warnings] = [count('error'), count('warning')];
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={draft ? 'neutral' : 'success'}>{draft ? words.states.draft : words.states.ready}</Badge>
      {errors > 0 && <Badge tone="danger">{words.errors(errors)}</Badge>}
      {warnings > 0 && <Badge tone="warning">{words.warnings(warnings)}</Badge>}
    </span>
  );
}

const EDITORS = ['blocks', 'html'] as const;

function CreateTemplate({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useTemplateWords();
  const { common } = useWords();
  const { $api, cache, project, projectId } = useProject();
  const navigate = useNavigate();
  const [type, setType] = useState<Template['type']>('MARKETING');
  const create = $api.useMutation('post', '/templates', {
    onSuccess({ id }) {
      void cache.invalidateQueries({ queryKey: ['get', '/templates'] });
      void navigate({
        to: '/projects/$projectId/templates/$templateId',
        params: { projectId, templateId: id },
      });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { name = '', editor } = readForm(event);
    create.mutate({
      body: {
        draft: true,
        name,
        type,
        from: project.defaultFrom,
        fromName: project.defaultFromName,
        ...(editor === 'blocks' && { design: { version: 1, blocks: [] } }),
      },
    });
  };
  return (
    <Dialog title={words.create.title} about={words.create.about} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField label={words.name} name="name" required autoComplete="off" error={fieldErrors(create.error).name} />
        <SelectField
          label={words.type}
          name="type"
          value={type}
          onChange={setType}
          hint={words.typeHints[type]}
          options={TYPES.map((value) => ({ value, label: words.types[value] }))}
          error={fieldErrors(create.error).type}
        />
        <SelectField
          label={words.create.editor}
          name="editor"
          options={EDITORS.map((value) => ({ value, label: words.create[value] }))}
        />
        <FormProblem error={create.error} fields={['name', 'type']} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={create.isPending}>
            {words.create.action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
