/** The latest events. A button shows new ones, so that the list does not move while someone reads it. */
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { Schemas, StreamMessage } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import { Button } from '../../ui/button.js';
import { Json } from '../../ui/code.js';
import { SidePanel } from '../../ui/dialog.js';
import { List, type Column } from '../../ui/list.js';
import { NoMatch } from '../../ui/states.js';
import { Ago, At } from '../../ui/time.js';
import { useEventWords } from './words.js';

const PAGE_SIZE = 50;

type Event = Schemas['Event'];

export function LatestEvents({ name }: { name: string | undefined }) {
  const words = useEventWords();
  const { $api, cache, projectId } = useProject();
  const [opened, setOpened] = useState<Event | null>(null);
  const [news, setNews] = useState(0);
  const query = $api.useInfiniteQuery(
    'get',
    '/events',
    {
      params: {
        query: { limit: PAGE_SIZE, include: 'contact' as const, ...(name !== undefined && { eventName: name }) },
      },
    },
    CURSOR_PAGES,
  );
  useStream(
    'activity',
    useCallback(
      ({ data: { metadata } }: StreamMessage<'activity'>) => {
        if (metadata.eventName !== undefined && (name === undefined || metadata.eventName === name))
          setNews((count) => count + 1);
      },
      [name],
    ),
  );
  const showNews = async (): Promise<void> => {
    setNews(0);
    await cache.resetQueries({ queryKey: ['get', '/events'] });
    await cache.invalidateQueries({ queryKey: ['get', '/events/stats'] });
    await cache.invalidateQueries({ queryKey: ['get', '/events/days'] });
  };
  const columns: Array<Column<Event>> = [
    {
      id: 'name',
      header: words.name,
      cell: (event) => (
        <button type="button" className="cursor-pointer font-medium hover:underline" onClick={() => setOpened(event)}>
          {event.name}
        </button>
      ),
    },
    {
      id: 'contact',
      header: words.contact,
      isSecondary: true,
      cell: ({ contactId, contactEmail }) =>
        contactId !== null &&
        contactEmail != null && (
          <Link
            to="/projects/$projectId/contacts/$contactId"
            params={{ projectId, contactId }}
            className="text-accent hover:underline"
          >
            {contactEmail}
          </Link>
        ),
    },
    {
      id: 'data',
      header: words.data,
      isSecondary: true,
      isElastic: true,
      cell: ({ data }) => <code className="text-sm">{JSON.stringify(data)}</code>,
    },
    { id: 'time', header: words.time, align: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ];
  return (
    <div className="grid min-w-0 gap-3">
      <div role="status">{news > 0 && <Button onClick={() => void showNews()}>{words.newOnes(news)}</Button>}</div>
      <List
        label={words.latest}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        firstRun={<NoMatch />}
      />
      <SidePanel
        title={opened?.name ?? ''}
        about={opened && <At time={opened.createdAt} />}
        isOpen={opened !== null}
        onClose={() => setOpened(null)}
      >
        {opened?.contactId && (
          <Link
            to="/projects/$projectId/contacts/$contactId"
            params={{ projectId, contactId: opened.contactId }}
            className="justify-self-start text-accent underline"
          >
            {opened.contactEmail ?? words.showContact}
          </Link>
        )}
        {opened && <Json label={words.data} value={opened.data} />}
      </SidePanel>
    </div>
  );
}
