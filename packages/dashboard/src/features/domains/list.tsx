/** The sender domains of a project. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { PlusIcon } from '../../ui/icons.js';
import { Rows, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { ErrorState, FirstRun, Skeleton } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { useWords } from '../../words/words.js';
import { useDomains, useLiveDomains, useStoreDomain } from './queries.js';
import { DomainBadge } from './status.js';
import { useDomainWords } from './words.js';

export function DomainsPage() {
  const words = useDomainWords();
  const { projectId, mayManage } = useProject();
  const { data: domains, error, refetch } = useDomains();
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  useLiveDomains();
  useCreateShortcut(words.add, () => mayManage && setAdding(true));
  const add = (
    <Button
      look="primary"
      onClick={() => setAdding(true)}
      disabled={!mayManage}
      title={mayManage ? '' : words.forbidden}
    >
      <PlusIcon />
      {words.add}
    </Button>
  );
  const columns: Array<Column<Schemas['Domain']>> = [
    {
      id: 'domain',
      header: words.domain,
      cell: ({ id, domain }) => (
        <Link
          to="/projects/$projectId/domains/$domainId"
          params={{ projectId, domainId: id }}
          className="font-medium hover:underline"
        >
          {domain}
        </Link>
      ),
    },
    { id: 'status', header: words.status, cell: ({ status }) => <DomainBadge status={status} /> },
    {
      id: 'checked',
      header: words.checked,
      align: 'end',
      isSecondary: true,
      cell: ({ lastCheckedAt }) => (lastCheckedAt === null ? words.never : <Ago time={lastCheckedAt} />),
    },
  ];
  return (
    <Page title={words.title} about={words.about} actions={add}>
      {error && !domains && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!domains && !error && <Skeleton />}
      {domains?.length === 0 && <FirstRun title={words.firstTitle} about={words.firstAbout} action={add} />}
      {domains && domains.length > 0 && (
        <Rows
          label={words.title}
          rows={domains}
          columns={columns}
          rowKey={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({ to: '/projects/$projectId/domains/$domainId', params: { projectId, domainId: id } })
          }
        />
      )}
      <AddDomain isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function AddDomain({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useDomainWords();
  const { common } = useWords();
  const { $api, projectId } = useProject();
  const navigate = useNavigate();
  const store = useStoreDomain();
  const add = $api.useMutation('post', '/domains', {
    onSuccess(domain) {
      store(domain);
      onClose();
      void navigate({ to: '/projects/$projectId/domains/$domainId', params: { projectId, domainId: domain.id } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { domain = '' } = readForm(event);
    add.mutate({ body: { domain } });
  };
  return (
    <Dialog title={words.addTitle} about={words.addAbout} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label={words.domain}
          name="domain"
          placeholder="mail.example.com"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          required
          error={fieldErrors(add.error).domain}
        />
        <FormProblem error={add.error} fields={['domain']} />
        <div className="flex justify-end gap-2">
          <Button look="quiet" onClick={onClose}>
            {common.cancel}
          </Button>
          <Button type="submit" look="primary" isBusy={add.isPending}>
            {words.add}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
