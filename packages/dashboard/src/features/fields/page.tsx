/** The fields of contacts: their types, how many contacts have them, their values, and where they are used. */
import { getRouteApi, Link } from '@tanstack/react-router';
import { useProject } from '../../api/project.js';
import { Badge } from '../../ui/badge.js';
import { Rows, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { FieldPanel, type ContactField } from './panel.js';
import { useFieldWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/fields');

export function FieldsPage() {
  const words = useFieldWords();
  const { $api, projectId } = useProject();
  const { field: openName } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = $api.useQuery('get', '/contacts/fields');
  const columns = useColumns();
  const fields = data?.fields ?? [];
  const own = fields.filter(({ field }) => field.startsWith('data.'));
  const standard = fields.filter((field) => !own.includes(field));
  const open = (field: string | undefined): void => void navigate({ search: { field } });
  const table = (label: string, rows: ContactField[]) => (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <h2 className="text-lg font-semibold">{label}</h2>
      <Rows
        label={label}
        rows={rows}
        columns={columns}
        rowKey={({ field }) => field}
        onOpen={({ field }) => open(field)}
      />
    </section>
  );
  return (
    <Page
      title={words.title}
      about={words.about}
      back={
        <Link to="/projects/$projectId/contacts" params={{ projectId }} className="text-accent underline">
          {words.contacts}
        </Link>
      }
    >
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={8} />}
      {data && own.length === 0 && (
        <FirstRun
          title={words.firstTitle}
          about={words.firstAbout}
          action={
            <Link to="/projects/$projectId/contacts/import" params={{ projectId }} className="text-accent underline">
              {words.firstAction}
            </Link>
          }
        />
      )}
      {own.length > 0 && table(words.own, own)}
      {standard.length > 0 && table(words.standard, standard)}
      <FieldPanel field={fields.find(({ field }) => field === openName)} onClose={() => open(undefined)} />
    </Page>
  );
}

function useColumns(): Array<Column<ContactField>> {
  const words = useFieldWords();
  const { percent } = useFormat();
  const { projectId } = useProject();
  return [
    {
      id: 'field',
      header: words.field,
      isElastic: true,
      cell: ({ field }) => (
        <Link
          to="/projects/$projectId/fields"
          params={{ projectId }}
          search={{ field }}
          className="font-medium hover:underline"
        >
          {field.replace(/^data\./, '')}
        </Link>
      ),
    },
    { id: 'type', header: words.type, cell: ({ type }) => <Badge>{words.types[type]}</Badge> },
    { id: 'coverage', header: words.coverage, align: 'end', cell: ({ coverage }) => percent(coverage / 100) },
  ];
}
