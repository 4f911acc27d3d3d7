/** The versions of a template: each can be looked at and restored. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { $api as $accountApi } from '../../api/client.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { queryClient } from '../../api/query.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { SidePanel } from '../../ui/dialog.js';
import { EmailFrame } from '../../ui/email-frame.js';
import { FormProblem } from '../../ui/form.js';
import { List, type Column } from '../../ui/list.js';
import { Facts } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { Ago, At } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import type { Template } from './fields.js';
import { useTemplateWords } from './words.js';

type Version = Schemas['ListedTemplateVersion'];

interface Props {
  template: Template;
  flush: () => Promise<boolean>;
  onRestored: () => void;
}

export function Versions({ template: { id }, flush, onRestored }: Props) {
  const words = useTemplateWords();
  const { $api } = useProject();
  const [open, setOpen] = useState<Version | null>(null);
  const query = $api.useInfiniteQuery(
    'get',
    '/templates/{id}/versions',
    { params: { path: { id }, query: { limit: 50 } } },
    CURSOR_PAGES,
  );
  const newest = query.data?.pages[0]?.data[0]?.version;
  const columns: Array<Column<Version>> = [
    {
      id: 'version',
      header: words.versions.version,
      cell: (version) => (
        <button type="button" className="cursor-pointer font-medium hover:underline" onClick={() => setOpen(version)}>
          <span className="sr-only">{words.versions.preview}: </span>
          {words.versions.name(version.version)}{' '}
          {version.version === newest && <Badge tone="success">{words.versions.current}</Badge>}
        </button>
      ),
    },
    { id: 'subject', header: words.subject, cell: ({ subject }) => subject ?? words.noSubject },
    { id: 'by', header: words.versions.by, isSecondary: true, cell: ({ createdBy }) => <Author id={createdBy} /> },
    { id: 'time', header: words.changed, align: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
  ];
  return (
    <>
      <p className="text-muted">{words.versions.about}</p>
      <List
        label={words.tabs.versions}
        query={query}
        columns={columns}
        rowKey={({ version }) => String(version)}
        onOpen={setOpen}
        firstRun={<FirstRun title={words.versions.none} />}
      />
      {open && (
        <VersionPanel
          id={id}
          version={open}
          isCurrent={open.version === newest}
          flush={flush}
          onClose={() => setOpen(null)}
          onRestored={() => {
            setOpen(null);
            onRestored();
          }}
        />
      )}
    </>
  );
}

function Author({ id }: { id: string | null }) {
  const { versions } = useTemplateWords();
  const { data: account } = useQuery($accountApi.queryOptions('get', '/users/@me'), queryClient);
  if (id === null) return versions.key;
  return id === account?.id ? versions.you : versions.member;
}

interface PanelProps {
  id: string;
  version: Version;
  isCurrent: boolean;
  flush: () => Promise<boolean>;
  onClose: () => void;
  onRestored: () => void;
}

function VersionPanel({ id, version: { version }, isCurrent, flush, onClose, onRestored }: PanelProps) {
  const words = useTemplateWords();
  const { $api } = useProject();
  const params = { path: { id, version: String(version) } };
  const { data, error, refetch } = $api.useQuery('get', '/templates/{id}/versions/{version}', { params });
  const restore = $api.useMutation('post', '/templates/{id}/versions/{version}/restore', {
    onSuccess() {
      notify(words.versions.restored(version));
      onRestored();
    },
  });
  return (
    <SidePanel title={words.versions.name(version)} isOpen onClose={onClose}>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <>
          <Facts
            facts={[
              [words.changed, <At key="time" time={data.createdAt} />],
              [words.versions.by, <Author key="by" id={data.createdBy} />],
              [words.subject, data.subject ?? words.noSubject],
              ...(data.preheader === null ? [] : [[words.preheader, data.preheader] as [string, string]]),
            ]}
          />
          {!isCurrent && (
            <Button
              look="primary"
              className="justify-self-start"
              isBusy={restore.isPending}
              onClick={() => void flush().then((isSaved) => isSaved && restore.mutate({ params }))}
            >
              {words.versions.restore}
            </Button>
          )}
          <FormProblem error={restore.error} />
          <Rendered version={data} />
        </>
      )}
    </SidePanel>
  );
}

/** The version as it would be sent now. */
function Rendered({ version }: { version: Schemas['TemplateVersion'] }) {
  const words = useTemplateWords();
  const { $api } = useProject();
  const { subject, preheader, design, body, type } = version;
  const { data, error } = $api.useQuery('post', '/render', {
    body: { subject, preheader, type, ...(design ? { design } : { body }) },
  });
  if (error) return <ErrorState error={error} />;
  if (!data) return <Skeleton lines={6} />;
  return (
    <EmailFrame
      title={`${words.versions.preview}: ${words.versions.name(version.version)}`}
      html={data.html ?? ''}
      hasImages
    />
  );
}
