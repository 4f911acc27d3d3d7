/** Moves a scheduled email, and cancels one that was not sent, or all of a group. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question } from '../../ui/dialog.js';
import { DateTimeField } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { toLocal } from '../../words/intl.js';
import { useWords } from '../../words/words.js';
import { useEmailWords } from './words.js';

export function Actions({ email }: { email: Schemas['Email'] }) {
  const words = useEmailWords();
  const { common } = useWords();
  const { $api, cache } = useProject();
  const [open, setOpen] = useState<'move' | 'cancel' | null>(null);
  const path = { path: { id: email.id } };
  const close = (): void => setOpen(null);
  const done = async (message: string): Promise<void> => {
    close();
    notify(message);
    await cache.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/emails') });
  };
  const move = $api.useMutation('patch', '/emails/{id}', { onSuccess: () => done(words.moved) });
  const cancel = $api.useMutation('post', '/emails/{id}/cancel', { onSuccess: () => done(words.cancelled) });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const time = new Date(readForm(event).scheduledFor ?? '');
    move.mutate({ params: path, body: { scheduledFor: Number.isNaN(time.getTime()) ? '' : time.toISOString() } });
  };
  const isScheduled = email.status === 'SCHEDULED';
  if ((!isScheduled && email.status !== 'PENDING') || email.campaignId !== null) return null;
  return (
    <>
      {isScheduled && <Button onClick={() => setOpen('move')}>{words.move}</Button>}
      <Button look="danger" onClick={() => setOpen('cancel')}>
        {words.cancel}
      </Button>
      <Dialog title={words.moveTitle} about={words.moveAbout} isOpen={open === 'move'} onClose={close}>
        <form onSubmit={submit} className="grid gap-4">
          <DateTimeField
            label={words.scheduledFor}
            name="scheduledFor"
            defaultValue={toLocal(new Date(email.scheduledFor ?? email.createdAt))}
            required
            error={fieldErrors(move.error).scheduledFor}
          />
          <FormProblem error={move.error} fields={['scheduledFor']} />
          <div className="flex justify-end gap-2">
            <Button look="quiet" onClick={close}>
              {common.cancel}
            </Button>
            <Button type="submit" look="primary" isBusy={move.isPending}>
              {words.move}
            </Button>
          </div>
        </form>
      </Dialog>
      <Question
        title={words.cancelTitle}
        about={words.cancelAbout}
        action={words.cancel}
        dismissal={common.dontCancel}
        isOpen={open === 'cancel'}
        isBusy={cancel.isPending}
        error={cancel.error}
        onClose={close}
        onConfirm={() => cancel.mutate({ params: path })}
      />
    </>
  );
}

/** Cancels the emails of a group that were not sent. */
export function GroupActions({ group }: { group: string }) {
  const words = useEmailWords();
  const { common } = useWords();
  const { $api, cache } = useProject();
  const format = useFormat();
  const [isOpen, setOpen] = useState(false);
  const cancel = $api.useMutation('post', '/emails/cancel', {
    async onSuccess({ count }) {
      setOpen(false);
      notify(words.groupCancelled(format.number(count), count));
      await cache.invalidateQueries({ predicate: ({ queryKey }) => String(queryKey[1]).startsWith('/emails') });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        {words.cancelGroup}
      </Button>
      <Question
        title={words.cancelGroupTitle(group)}
        about={words.cancelGroupAbout}
        action={words.cancelGroup}
        dismissal={common.dontCancel}
        isOpen={isOpen}
        isBusy={cancel.isPending}
        error={cancel.error}
        onClose={() => setOpen(false)}
        onConfirm={() => cancel.mutate({ body: { group } })}
      />
    </>
  );
}
