/** The contacts of a project: any view of them, and changes of as many as are chosen. */
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useState, type FormEvent } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { useCreateShortcut } from '../../app/shortcuts.js';
import { Button } from '../../ui/button.js';
import { Dialog } from '../../ui/dialog.js';
import { TextField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { DownloadIcon, PlusIcon, UploadIcon } from '../../ui/icons.js';
import { Page } from '../../ui/page.js';
import { ErrorState, FirstRun, NoMatch, Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { BulkBar } from './bulk.js';
import { ContactFilters } from './filters.js';
import { CONTACTS_KEY, useContacts } from './pages.js';
import { NOTHING } from './selection.js';
import { ContactTable } from './table.js';
import { isFiltered, queryOf, type ContactView } from './view.js';
import { useContactWords } from './words.js';

const route = getRouteApi('/signed-in/projects/$projectId/contacts');

const PLAIN_BUTTON =
  'inline-flex min-h-9 items-center gap-2 rounded-lg border border-control bg-surface px-3.5 py-1.5 font-medium hover:bg-raised';

export function ContactsPage() {
  const words = useContactWords();
  const format = useFormat();
  const { $api, projectId } = useProject();
  const view = route.useSearch();
  const navigate = useNavigate();
  const [selection, setSelection] = useState(NOTHING);
  const [isAdding, setAdding] = useState(false);
  const { total, error, isPending, refetch } = useContacts(view, 0, 1);
  const setView = useCallback(
    (change: ContactView): void =>
      void navigate({
        to: '/projects/$projectId/contacts',
        params: { projectId },
        search: { ...view, ...change },
        replace: true,
      }),
    [navigate, projectId, view],
  );
  // A choice belongs to its view.
  const [chosenIn, setChosenIn] = useState(view);
  if (chosenIn !== view) {
    setChosenIn(view);
    setSelection(NOTHING);
  }
  const exported = $api.useMutation('post', '/exports', { onSuccess: () => notify(words.exported) });
  useCreateShortcut(words.add, () => setAdding(true));
  const add = (
    <Button look="primary" onClick={() => setAdding(true)}>
      <PlusIcon />
      {words.add}
    </Button>
  );
  const importLink = (
    <Link to="/projects/$projectId/contacts/import" params={{ projectId }} className={PLAIN_BUTTON}>
      <UploadIcon />
      {words.import}
    </Link>
  );
  const clear = (): void => setView({ search: undefined, status: undefined, segmentId: undefined, where: undefined });
  const { sort: _sort, dir: _dir, ...query } = queryOf(view);
  return (
    <Page
      title={words.title}
      about={total === null ? words.counting : words.count(format.number(total))}
      actions={
        <>
          {importLink}
          <Button
            isBusy={exported.isPending}
            onClick={() => exported.mutate({ body: { kind: 'contacts', format: 'csv', query } })}
          >
            <DownloadIcon />
            {words.export}
          </Button>
          {add}
        </>
      }
    >
      <FormProblem error={exported.error} />
      <ContactFilters view={view} onChange={setView} />
      {error !== null && total === null && <ErrorState error={error} onRetry={refetch} />}
      {isPending && <Skeleton lines={10} />}
      {total === 0 && isFiltered(view) && <NoMatch onClear={clear} />}
      {total === 0 && !isFiltered(view) && (
        <FirstRun
          title={words.firstTitle}
          about={words.firstAbout}
          action={
            <div className="flex flex-wrap justify-center gap-2">
              {importLink}
              {add}
            </div>
          }
        />
      )}
      {total !== null && total > 0 && (
        <>
          <BulkBar view={view} total={total} selection={selection} onSelect={setSelection} />
          {/* The key: another view begins at its start. */}
          <ContactTable
            key={JSON.stringify(query)}
            view={view}
            total={total}
            selection={selection}
            onSelect={setSelection}
          />
        </>
      )}
      <AddContact isOpen={isAdding} onClose={() => setAdding(false)} />
    </Page>
  );
}

function AddContact({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const words = useContactWords();
  const { common } = useWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const add = $api.useMutation('post', '/contacts', {
    async onSuccess({ id }) {
      onClose();
      void cache.invalidateQueries({ queryKey: CONTACTS_KEY });
      await navigate({ to: '/projects/$projectId/contacts/$contactId', params: { projectId, contactId: id } });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { email = '' } = readForm(event);
    add.mutate({ body: { email } });
  };
  return (
    <Dialog title={words.add} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label={words.email}
          name="email"
          type="email"
          required
          autoComplete="off"
          error={fieldErrors(add.error).email}
        />
        <FormProblem error={add.error} fields={['email']} />
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
