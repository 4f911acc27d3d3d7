/** The addresses that get no marketing email. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { CURSOR_PAGES, useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question } from '../../ui/dialog.js';
import { SelectField, TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { DownloadIcon, PlusIcon } from '../../ui/icons.js';
import { List, type Column } from '../../ui/list.js';
import { Page } from '../../ui/page.js';
import { SearchField } from '../../ui/search-field.js';
import { FirstRun } from '../../ui/states.js';
import { Ago } from '../../ui/time.js';
import { notify } from '../../ui/toast.js';
import { useWords } from '../../words/words.js';
import { REASONS, type SuppressionFilters } from './routes.js';
import { useSuppressionWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/suppressions');
const PAGE_SIZE = 50;
const LIST_KEY = ['get', '/suppressions'];

type Suppression = Schemas['Suppression'];

export function SuppressionsPage() {
  const words = useSuppressionWords();
  const { $api, projectId } = useProject();
  const { search, reason } = route.useSearch();
  const navigate = useNavigate();
  const [isAdding, setAdding] = useState(false);
  const [lifted, setLifted] = useState<Suppression | null>(null);
  const setFilters = (filters: SuppressionFilters): void =>
    void navigate({
      to: '/projects/$projectId/suppressions',
      params: { projectId },
      search: { search, reason, ...filters },
      replace: true,
    });
  const query = $api.useInfiniteQuery(
    'get',
    '/suppressions',
    { params: { query: { limit: PAGE_SIZE, ...(search && { search }), ...(reason && { reason }) } } },
    CURSOR_PAGES,
  );
  useCreateShortcut(words.add, () => setAdding(true));
  const exported = $api.useMutation('post', '/exports', { onSuccess: () => notify(words.exported) });
  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <>
          <Button
            isBusy={exported.isPending}
            onClick={() => exported.mutate({ body: { kind: 'suppressions', format: 'csv' } })}
          >
            <DownloadIcon />
            {words.export}
          </Button>
          <Button look="primary" onClick={() => setAdding(true)}>
            <PlusIcon />
            {words.add}
          </Button>
        </>
      }
    >
      <FormProblem error={exported.error} />
      <div className="grid grid-cols-[repeat(auto-fit,minmax(11rem,1fr))] items-end gap-3">
        <SearchField
          label={words.search}
          value={search ?? ''}
          onSearch={(text) => setFilters({ search: text || undefined })}
        />
        <SelectField
          label={words.reason}
          name="reason"
          value={reason ?? ''}
          onChange={(value) => setFilters({ reason: value || undefined })}
          options={[
            { value: '', label: words.all },
            ...REASONS.map((value) => ({ value, label: words.reasons[value] })),
          ]}
        />
      </div>
      <List
        label={words.title}
        query={query}
        columns={useColumns(setLifted)}
        rowKey={({ email }) => email}
        isFiltered={search !== undefined || reason !== undefined}
        onClearFilters={() => setFilters({ search: undefined, reason: undefined })}
        firstRun={<FirstRun title={words.firstTitle} about={words.firstAbout} />}
      />
      <AddDialog isOpen={isAdding} onClose={() => setAdding(false)} />
      {lifted && <LiftQuestion suppression={lifted} onClose={() => setLifted(null)} />}
    </Page>
  );
}

const TONES = { bounce: 'warning', complaint: 'danger', manual: 'neutral' } as const;

function useColumns(lift: (suppression: Suppression) => void): Array<Column<Suppression>> {
  const words = useSuppressionWords();
  const { projectId } = useProject();
  return [
    { id: 'email', header: words.email, cell: ({ email }) => <strong className="font-medium">{email}</strong> },
    {
      id: 'reason',
      header: words.reason,
      cell: ({ reason }) => <Badge tone={TONES[reason]}>{words.reasons[reason]}</Badge>,
    },
    { id: 'detail', header: words.detail, cell: ({ detail }) => detail ?? '', isSecondary: true },
    {
      id: 'cause',
      header: words.cause,
      isSecondary: true,
      cell: ({ emailId }) =>
        emailId && (
          <Link
            to="/projects/$projectId/emails/$emailId"
            params={{ projectId, emailId }}
            className="text-accent underline"
          >
            {words.causeLink}
          </Link>
        ),
    },
    { id: 'since', header: words.since, cell: ({ createdAt }) => <Ago time={createdAt} />, isSecondary: true },
    {
      id: 'lift',
      header: words.lift,
      align: 'end',
      cell: (suppression) => (
        <Button onClick={() => lift(suppression)} aria-label={`${words.lift}: ${suppression.email}`}>
          {words.lift}
        </Button>
      ),
    },
  ];
}

function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useSuppressionWords();
  const { common } = useWords();
  const { $api, cache } = useProject();
  const add = $api.useMutation('post', '/suppressions', {
    async onSuccess({ email }) {
      onClose();
      notify(words.added(email));
      await cache.invalidateQueries({ queryKey: LIST_KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '', detail = '' } = readForm(event);
    add.mutate({ body: { email, detail: detail.trim() || null } });
  };
  const named = fieldErrors(add.error);
  return (
    <Dialog title={words.addTitle} about={words.about} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField label={words.email} name="email" type="email" required autoComplete="off" error={named.email} />
        <TextField label={words.detail} name="detail" hint={words.detailHint} error={named.detail} />
        <FormProblem error={add.error} fields={['email', 'detail']} />
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

function LiftQuestion({ suppression, onClose }: { suppression: Suppression; onClose: () => void }) {
  const words = useSuppressionWords();
  const { $api, cache } = useProject();
  const { email, reason } = suppression;
  const lift = $api.useMutation('delete', '/suppressions/{email}', {
    async onSuccess() {
      onClose();
      notify(words.lifted(email));
      await cache.invalidateQueries({ queryKey: LIST_KEY });
    },
  });
  return (
    <Question
      title={words.liftTitle(email)}
      about={
        <>
          <p>{words.liftAbout[reason]}</p>
          <p>{words.contactStays}</p>
        </>
      }
      action={words.liftAction}
      isDanger={reason !== 'manual'}
      isOpen
      isBusy={lift.isPending}
      error={lift.error}
      onClose={onClose}
      onConfirm={() => lift.mutate({ params: { path: { email } } })}
    />
  );
}
