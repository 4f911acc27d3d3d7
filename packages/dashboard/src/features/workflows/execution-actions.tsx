/** Starting an execution for a contact, and canceling all of a workflow. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { Dialog, Question } from '../../ui/dialog.js';
import { TextArea } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { notify } from '../../ui/toast.js';
import { useFormat } from '../../words/format.js';
import { ContactPicker, type SampleContact } from '../editor/contact-picker.js';
import { useWorkflowWords } from './words.js';

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
        <StartForm workflowId={workflowId} />
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
      isOpen={isOpen}
      isBusy={cancel.isPending}
      error={cancel.error}
      onClose={onClose}
      onConfirm={() => cancel.mutate({ params: { path: { id: workflowId } } })}
    />
  );
}

/** Returns the object of a JSON text, an empty one for an empty text; null if it is something else. */
function readVariables(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function StartForm({ workflowId }: { workflowId: string }) {
  const words = useWorkflowWords();
  const { $api, cache, projectId } = useProject();
  const navigate = useNavigate();
  const [contact, setContact] = useState<SampleContact | null>(null);
  const [isNoObject, setNoObject] = useState(false);
  const start = $api.useMutation('post', '/workflows/{id}/executions', {
    async onSuccess({ id }) {
      notify(words.startedNow);
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/executions'] });
      await navigate({
        to: '/projects/$projectId/workflows/$workflowId/executions/$executionId',
        params: { projectId, workflowId, executionId: id },
      });
    },
  });
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        const context = readVariables(readForm(event).context ?? '');
        setNoObject(context === null);
        if (context === null || !contact) return;
        start.mutate({ params: { path: { id: workflowId } }, body: { contactId: contact.id, context } });
      }}
    >
      <ContactPicker label={words.contact} contact={contact} onChange={setContact} />
      <TextArea
        label={words.variables}
        name="context"
        rows={4}
        hint={words.variablesHint}
        error={isNoObject ? words.noObject : fieldErrors(start.error).context}
      />
      <FormProblem error={start.error} fields={['context']} />
      <div>
        <Button type="submit" look="primary" isBusy={start.isPending} disabled={!contact}>
          {words.start}
        </Button>
      </div>
    </form>
  );
}
