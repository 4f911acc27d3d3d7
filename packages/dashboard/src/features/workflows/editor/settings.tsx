/** The name, the event, and the rules of a workflow. */
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { fieldErrors } from '../../../api/query.js';
import { versionOf } from '../../../api/versioned.js';
import { Button } from '../../../ui/button.js';
import { Conflict } from '../../../ui/conflict.js';
import { Dialog } from '../../../ui/dialog.js';
import { CheckboxField, TextArea, TextField } from '../../../ui/field.js';
import { FormProblem, readForm } from '../../../ui/form.js';
import { notify } from '../../../ui/toast.js';
import { useWorkflowWords } from '../words.js';
import { isConflict, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

interface Props {
  editor: Editor;
  workflow: Schemas['Workflow'];
  /** Reads the version of someone else, and gives up the draft. */
  onReload: () => void;
}

const FIELDS = ['name', 'description', 'triggerConfig.eventName'];

export function SettingsButton(props: Props) {
  const words = useEditorWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{words.settings}</Button>
      <Dialog title={words.settings} isOpen={isOpen} onClose={() => setOpen(false)}>
        <SettingsForm {...props} onSaved={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function SettingsForm({ editor, workflow, onReload, onSaved }: Props & { onSaved: () => void }) {
  const words = useEditorWords();
  const workflowWords = useWorkflowWords();
  const { api, cache } = useProject();
  const [allowReentry, setAllowReentry] = useState(workflow.allowReentry);
  const save = useMutation({
    mutationFn: async ({ values, version }: { values: Record<string, string>; version: string }) =>
      versionOf(
        await api.PATCH('/workflows/{id}', {
          params: { path: { id: workflow.id }, header: { 'If-Match': version } },
          body: {
            name: values.name ?? '',
            description: values.description?.trim() || null,
            triggerConfig: { eventName: values.eventName ?? '' },
            allowReentry,
          },
        }),
      ),
    async onSuccess({ data, etag }) {
      editor.adoptVersion(etag);
      editor.adoptEvent(data.triggerConfig.eventName);
      notify(words.settingsSaved);
      // The other steps in the editor stay as they are.
      cache.setQueryData(['get', '/workflows/{id}', workflow.id, 'version'], { data: { ...workflow, ...data }, etag });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows'] });
      onSaved();
    },
  });
  const errors = fieldErrors(save.error);
  return (
    <form className="grid gap-3" onSubmit={(event) => save.mutate({ values: readForm(event), version: editor.etag })}>
      <TextField label={workflowWords.name} name="name" defaultValue={workflow.name} error={errors.name} required />
      <TextArea
        label={words.description}
        name="description"
        rows={3}
        defaultValue={workflow.description ?? ''}
        error={errors.description}
      />
      <TextField
        label={workflowWords.eventName}
        hint={workflowWords.eventHint}
        name="eventName"
        defaultValue={workflow.triggerConfig.eventName}
        error={errors['triggerConfig.eventName']}
        required
      />
      <CheckboxField
        label={workflowWords.reentry}
        hint={workflowWords.reentryHint}
        name="allowReentry"
        checked={allowReentry}
        onChange={setAllowReentry}
      />
      {isConflict(save.error) && save.variables ? (
        <Conflict onTheirs={onReload} onMine={() => save.mutate({ values: save.variables.values, version: '*' })} />
      ) : (
        <FormProblem error={save.error} fields={FIELDS} />
      )}
      <Button type="submit" look="primary" isBusy={save.isPending}>
        {words.save}
      </Button>
    </form>
  );
}
