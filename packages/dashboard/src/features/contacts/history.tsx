/** What happened with a contact: its timeline, emails, and workflow executions. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { StreamMessage } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import { ActivityBadge, detailOf } from '../../ui/activity.js';
import { EmailStatusBadge } from '../../ui/email-status.js';
import { ExecutionStatusBadge } from '../../ui/execution-status.js';
import { List } from '../../ui/list.js';
import { Ago } from '../../ui/time.js';
import { useContactWords } from './words.js';

const PAGE_SIZE = 50;

function Nothing() {
  const words = useContactWords();
  return <p className="text-muted">{words.nothing}</p>;
}

/** Everything, newest first. New entries appear by themselves. */
export function Timeline({ contactId }: { contactId: string }) {
  const words = useContactWords();
  const { $api, cache, projectId } = useProject();
  const query = $api.useInfiniteQuery(
    'get',
    '/activity',
    { params: { query: { contactId, limit: PAGE_SIZE } } },
    CURSOR_PAGES,
  );
  useStream(
    'activity',
    useCallback(
      ({ data }: StreamMessage<'activity'>) => {
        if (data.contactId === contactId) void cache.invalidateQueries({ queryKey: ['get', '/activity'] });
      },
      [cache, contactId],
    ),
  );
  return (
    <List
      label={words.timeline}
      query={query}
      rowKey={({ type, id }) => `${type} ${id}`}
      columns={[
        { id: 'kind', header: words.kind, cell: ({ type }) => <ActivityBadge type={type} /> },
        {
          id: 'detail',
          header: words.detail,
          cell: (entry) =>
            typeof entry.metadata.emailId === 'string' ? (
              <Link
                to="/projects/$projectId/emails/$emailId"
                params={{ projectId, emailId: entry.metadata.emailId }}
                className="hover:underline"
              >
                {detailOf(entry)}
              </Link>
            ) : (
              detailOf(entry)
            ),
        },
        { id: 'when', header: words.when, align: 'end', cell: ({ timestamp }) => <Ago time={timestamp} /> },
      ]}
      firstRun={<Nothing />}
    />
  );
}

export function ContactEmails({ contactId }: { contactId: string }) {
  const words = useContactWords();
  const { $api, projectId } = useProject();
  const navigate = useNavigate();
  const query = $api.useInfiniteQuery(
    'get',
    '/contacts/{id}/emails',
    { params: { path: { id: contactId }, query: { limit: PAGE_SIZE } } },
    CURSOR_PAGES,
  );
  return (
    <List
      label={words.emails}
      query={query}
      rowKey={({ id }) => id}
      onOpen={({ id }) =>
        void navigate({ to: '/projects/$projectId/emails/$emailId', params: { projectId, emailId: id } })
      }
      columns={[
        {
          id: 'subject',
          header: words.subject,
          cell: ({ id, subject }) => (
            <Link
              to="/projects/$projectId/emails/$emailId"
              params={{ projectId, emailId: id }}
              className="font-medium hover:underline"
            >
              {subject}
            </Link>
          ),
        },
        {
          id: 'status',
          header: words.status,
          cell: ({ status, statusDetail }) => <EmailStatusBadge status={status} detail={statusDetail} />,
        },
        { id: 'when', header: words.when, align: 'end', cell: ({ createdAt }) => <Ago time={createdAt} /> },
      ]}
      firstRun={<Nothing />}
    />
  );
}

export function ContactExecutions({ contactId }: { contactId: string }) {
  const words = useContactWords();
  const { $api, projectId } = useProject();
  const navigate = useNavigate();
  const query = $api.useInfiniteQuery(
    'get',
    '/contacts/{id}/executions',
    { params: { path: { id: contactId }, query: { limit: PAGE_SIZE } } },
    CURSOR_PAGES,
  );
  return (
    <List
      label={words.executions}
      query={query}
      rowKey={({ id }) => id}
      onOpen={({ id, workflowId }) =>
        void navigate({
          to: '/projects/$projectId/workflows/$workflowId/executions/$executionId',
          params: { projectId, workflowId, executionId: id },
        })
      }
      columns={[
        {
          id: 'workflow',
          header: words.workflow,
          cell: ({ id, workflowId, workflowName }) => (
            <Link
              to="/projects/$projectId/workflows/$workflowId/executions/$executionId"
              params={{ projectId, workflowId, executionId: id }}
              className="font-medium hover:underline"
            >
              {workflowName}
            </Link>
          ),
        },
        {
          id: 'status',
          header: words.status,
          cell: ({ status }) => <ExecutionStatusBadge status={status} />,
        },
        { id: 'started', header: words.started, align: 'end', cell: ({ startedAt }) => <Ago time={startedAt} /> },
      ]}
      firstRun={<Nothing />}
    />
  );
}
