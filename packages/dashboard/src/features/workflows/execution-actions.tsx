/** Starting an execution for a contact, and canceling all of a workflow. */
import { lazy, Suspense, useState } from 'react';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question } from '../../ui/dialog.js';
import { Skeleton } from '../../ui/states.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { useWords } from '../../words/words.js';
import { useWorkflowWords } from './words.js';

/** A chunk of its own, because of the choice of a contact. */
const StartForm = lazy(async () => ({ default: (await import('./start-form.js')).StartForm }));

export function ExecutionActions({ workflowId }: { workflowId: string }) {
  const words = useWorkflowWords();
  const [open, setOpen] = useState<'start' | 'cancel' | null>(null);
  const onClose = (): void => setOpen(null);
  return (
    <>
      <Button look="danger" onClick={() => setOpen('cancel')}>
        {words.cancelAll}
      </Button>
      <Button onClick={() => setOpen('start')}>{words.start}</Button>
      <CancelAll workflowId={workflowId} isOpen={open === 'cancel'} onClose={onClose} />
      <Dialog title={words.start} about={words.startAbout} isOpen={open === 'start'} onClose={onClose}>
        <Suspense fallback={<Skeleton />}>
          <StartForm workflowId={workflowId} />
        </Suspense>
      </Dialog>
    </>
  );
}

interface CancelProps {
  workflowId: string;
  isOpen: boolean;
  onClose: () => void;
}

function CancelAll({ workflowId, isOpen, onClose }: CancelProps) {
  const words = useWorkflowWords();
  const { common } = useWords();
  const format = useFormat();
  const { $api, cache } = useProject();
  const cancel = $api.useMutation('post', '/workflows/{id}/executions/cancel-all', {
    async onSuccess({ cancelled }) {
      onClose();
      notify(words.canceledAll(format.number(cancelled)));
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/executions'] });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/stats'] });
    },
  });
  return (
    <Question
      title={words.cancelAllTitle}
      about={words.cancelAllAbout}
      action={words.cancelAll}
      dismissal={common.dontCancel}
      isOpen={isOpen}
      isBusy={cancel.isPending}
      error={cancel.error}
      onClose={onClose}
      onConfirm={() => cancel.mutate({ params: { path: { id: workflowId } } })}
    />
  );
}
