/** The form that starts an execution for a contact. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useProject } from '../../api/project.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { TextArea } from '../../ui/field.js';
import { FormProblem, readForm } from '../../ui/form.js';
import { notify } from '../../ui/toast.js';
import { ContactPicker, type SampleContact } from '../editor/contact-picker.js';
import { useWorkflowWords } from './words.js';

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

export function StartForm({ workflowId }: { workflowId: string }) {
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
