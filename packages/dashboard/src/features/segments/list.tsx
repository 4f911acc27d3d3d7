/** The segments of a project. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Badge } from '../../ui/badge.js';
import { PlusIcon } from '../../ui/icons.js';
import { Rows, type Column } from '../../ui/list.js';
import { LINK_BUTTON } from '../../ui/button.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { ErrorState, FirstRun, NoMatch, Skeleton } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { useFields } from '../conditions/fields.js';
import { toDraft } from '../conditions/model.js';
import { sayCondition } from '../conditions/sentence.js';
import { useConditionWords } from '../conditions/words.js';
import { useSegmentWords } from './words.js';

type Segment = Schemas['Segment'];

export function SegmentsPage() {
  const words = useSegmentWords();
  const { common } = useWords();
  const { $api, projectId } = useProject();
  const { data: segments, error, refetch } = $api.useQuery('get', '/segments');
  const [search, setSearch] = useState('');
  const navigate = useNavigate();
  const columns = useColumns();
  useCreateShortcut(
    words.create,
    () => void navigate({ to: '/projects/$projectId/segments/new', params: { projectId } }),
  );
  const create = (
    <Link to="/projects/$projectId/segments/new" params={{ projectId }} className={LINK_BUTTON}>
      <PlusIcon />
      {words.create}
    </Link>
  );
  const found = segments?.filter(({ name }) => name.toLowerCase().includes(search.toLowerCase())) ?? [];
  return (
    <Page title={words.title} about={words.about} actions={create}>
      {error && !segments && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!segments && !error && <Skeleton lines={8} />}
      {segments?.length === 0 && <FirstRun title={words.firstTitle} about={words.firstAbout} action={create} />}
      {segments && segments.length > 0 && (
        <>
          <div className="max-w-sm">
            <SearchField label={common.search} value={search} onSearch={setSearch} />
          </div>
          {found.length === 0 && <NoMatch onClear={() => setSearch('')} />}
          {found.length > 0 && (
            <Rows
              label={words.title}
              rows={found}
              columns={columns}
              rowKey={({ id }) => id}
              onOpen={({ id }) =>
                void navigate({ to: '/projects/$projectId/segments/$segmentId', params: { projectId, segmentId: id } })
              }
            />
          )}
        </>
      )}
    </Page>
  );
}

function useColumns(): Array<Column<Segment>> {
  const words = useSegmentWords();
  const conditionWords = useConditionWords();
  const { segmentNames } = useFields();
  const format = useFormat();
  const { projectId } = useProject();
  return [
    {
      id: 'name',
      header: words.name,
      cell: ({ id, name }) => (
        <Link
          to="/projects/$projectId/segments/$segmentId"
          params={{ projectId, segmentId: id }}
          className="font-medium hover:underline"
        >
          {name}
        </Link>
      ),
    },
    { id: 'type', header: words.type, cell: ({ type }) => <Badge>{words.types[type]}</Badge>, isSecondary: true },
    {
      id: 'condition',
      header: words.condition,
      isSecondary: true,
      isElastic: true,
      cell: ({ condition }) =>
        condition ? sayCondition(toDraft(condition), conditionWords, segmentNames) || conditionWords.everyone : '',
    },
    {
      id: 'members',
      header: words.members,
      align: 'end',
      cell: ({ memberCount }) => format.number(memberCount),
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
