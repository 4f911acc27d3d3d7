/** Blocks that are saved under a name: saving the selected one, and the list to insert, rename, and delete them. */
import type { Editor } from '@tiptap/core';
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { fieldErrors } from '../../../api/query.js';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { TextField } from '../../../ui/field.js';
import { FormProblem, readForm } from '../../../ui/form.js';
import { EditIcon, TrashIcon } from '../../../ui/icons.js';
import { ErrorState, Skeleton } from '../../../ui/states.js';
import { notify } from '../../../ui/toast.js';
import { useWords } from '../../../words/words.js';
import type { Block } from '../content.js';
import { insertBlocks } from './commands.js';
import { useBlockWords } from './words.js';

export type SavedBlock = Schemas['SavedBlock'];

const LIST_KEY = ['get', '/saved-blocks'];
const MAX_NAME_LENGTH = 100;

/** Returns the saved blocks of the project by name. */
export const useSavedBlocks = () => useProject().$api.useQuery('get', '/saved-blocks');

interface SaveProps {
  /** The block to save; null while the dialog is closed. */
  block: Block | null;
  onClose: () => void;
}

export function SaveBlockDialog({ block, onClose }: SaveProps) {
  const words = useBlockWords();
  return (
    <Dialog title={words.saved.save} about={words.saved.about} isOpen={block !== null} onClose={onClose}>
      {block && <SaveForm block={block} onClose={onClose} />}
    </Dialog>
  );
}

function SaveForm({ block, onClose }: { block: Block; onClose: () => void }) {
  const { saved: words } = useBlockWords();
  const { $api, cache } = useProject();
  const create = $api.useMutation('post', '/saved-blocks', {
    async onSuccess({ name }) {
      onClose();
      notify(words.isSaved(name));
      await cache.invalidateQueries({ queryKey: LIST_KEY });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { name = '' } = readForm(event);
    create.mutate({ body: { name, blocks: [block] } });
  };
  return <NameForm onSubmit={submit} error={create.error} isBusy={create.isPending} />;
}

interface NameFormProps {
  name?: string;
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  error: unknown;
  isBusy: boolean;
}

function NameForm({ name, onSubmit, error, isBusy }: NameFormProps) {
  const { saved: words } = useBlockWords();
  const { common } = useWords();
  return (
    <form
      onSubmit={(event) => {
        // The forms around the dialog in React's tree are not submitted.
        event.stopPropagation();
        onSubmit(event);
      }}
      className="grid grow gap-3"
    >
      <TextField
        label={words.name}
        name="name"
        defaultValue={name}
        required
        maxLength={MAX_NAME_LENGTH}
        autoComplete="off"
        error={fieldErrors(error).name}
      />
      <FormProblem error={error} fields={['name']} />
      <div className="flex justify-end">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {common.save}
        </Button>
      </div>
    </form>
  );
}

interface ListProps {
  editor: Editor;
  isOpen: boolean;
  onClose: () => void;
}

export function SavedBlocksDialog({ editor, isOpen, onClose }: ListProps) {
  const { saved: words } = useBlockWords();
  const { data, error, refetch } = useSavedBlocks();
  const blocks = data?.data;
  return (
    <Dialog title={words.title} about={words.about} isOpen={isOpen} onClose={onClose}>
      {error && !blocks && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error && !blocks && <Skeleton />}
      {blocks?.length === 0 && <p>{words.none}</p>}
      <ul className="grid gap-2">
        {blocks?.map((saved) => (
          <Entry
            key={saved.id}
            saved={saved}
            onInsert={() => {
              onClose();
              insertBlocks(editor, saved.blocks);
            }}
          />
        ))}
      </ul>
    </Dialog>
  );
}

function Entry({ saved: { id, name, blocks }, onInsert }: { saved: SavedBlock; onInsert: () => void }) {
  const { saved: words, names } = useBlockWords();
  const { $api, cache } = useProject();
  const [isRenaming, setRenaming] = useState(false);
  const onSuccess = () => cache.invalidateQueries({ queryKey: LIST_KEY });
  const create = $api.useMutation('post', '/saved-blocks', { onSuccess });
  const rename = $api.useMutation('patch', '/saved-blocks/{id}', {
    async onSuccess() {
      await onSuccess();
      setRenaming(false);
    },
  });
  const remove = $api.useMutation('delete', '/saved-blocks/{id}', {
    async onSuccess() {
      notify(words.isDeleted(name), {
        label: words.restore,
        run: () => create.mutate({ body: { name, blocks } }),
      });
      await onSuccess();
    },
  });
  const params = { path: { id } };
  return (
    <li className="flex flex-wrap items-center gap-2 rounded-lg border border-line p-2">
      {isRenaming ? (
        <NameForm
          name={name}
          onSubmit={(event) => rename.mutate({ params, body: { name: readForm(event).name } })}
          error={rename.error}
          isBusy={rename.isPending}
        />
      ) : (
        <>
          <span className="min-w-0 grow break-words">
            {name} <span className="text-sm text-muted">{blocks.map(({ type }) => names[type]).join(', ')}</span>
          </span>
          <Button onClick={onInsert} aria-label={words.insertNamed(name)}>
            {words.insert}
          </Button>
          <Button look="quiet" aria-label={words.renameNamed(name)} onClick={() => setRenaming(true)}>
            <EditIcon />
          </Button>
          <Button
            look="quiet"
            aria-label={words.deleteNamed(name)}
            isBusy={remove.isPending}
            onClick={() => remove.mutate({ params })}
          >
            <TrashIcon />
          </Button>
          <FormProblem error={remove.error ?? create.error} />
        </>
      )}
    </li>
  );
}
