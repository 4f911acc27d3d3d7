/** The name, the event, and the rules of a workflow. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { fieldErrors, statusOf } from '../../../api/query.js';
import { Note } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { Conflict } from '../../../ui/conflict.js';
import { Dialog } from '../../../ui/dialog.js';
import { CheckboxField, TextArea, TextField } from '../../../ui/field.js';
import { FormProblem, readForm } from '../../../ui/form.js';
import { Facts } from '../../../ui/page.js';
import { useWords } from '../../../words/words.js';
import { useWorkflowWords } from '../words.js';
import { settingsOf, useSaveSettings, type Settings } from './save-settings.js';
import { isConflict, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

interface Props {
  editor: Editor;
  workflow: Schemas['Workflow'];
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

function SettingsForm({ editor, workflow, onSaved }: Props & { onSaved: () => void }) {
  const words = useEditorWords();
  const workflowWords = useWorkflowWords();
  const [allowReentry, setAllowReentry] = useState(workflow.allowReentry);
  const saving = useSaveSettings({ editor, workflow, onSaved });
  const { save } = saving;
  const errors = fieldErrors(save.error);
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const { name = '', description = '', eventName = '' } = readForm(event);
    save.mutate({ settings: { name, description: description.trim() || null, eventName, allowReentry } });
  };
  return (
    <form className="grid gap-3" onSubmit={submit}>
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
      <SettingsProblem saving={saving} />
      <Button type="submit" look="primary" isBusy={save.isPending}>
        {words.save}
      </Button>
    </form>
  );
}

function SettingsProblem({ saving: { save, theirs, adopt } }: { saving: ReturnType<typeof useSaveSettings> }) {
  const words = useEditorWords();
  const { error, variables } = save;
  const settings = variables?.settings;
  if (!settings) return null;
  if (isConflict(error)) {
    const other = theirs.data;
    if (!other) return <FormProblem error={theirs.error} />;
    return (
      <>
        <Theirs settings={settingsOf(other.data)} mine={settings} />
        <Conflict onTheirs={() => adopt(other)} onMine={() => save.mutate({ settings, overwrites: true })} />
      </>
    );
  }
  if (statusOf(error) !== 409) return <FormProblem error={error} fields={FIELDS} />;
  return (
    <Note tone="warning">
      <strong>{words.activeTitle}</strong>
      <span>{words.activeEvent}</span>
      <span>
        <Button isBusy={save.isPending} onClick={() => save.mutate({ settings, disables: true })}>
          {words.disable}
        </Button>
      </span>
    </Note>
  );
}

/** What someone else has saved, where it differs. */
function Theirs({ settings, mine }: { settings: Settings; mine: Settings }) {
  const words = useEditorWords();
  const workflowWords = useWorkflowWords();
  const { common } = useWords();
  const fields: Array<[string, keyof Settings]> = [
    [workflowWords.name, 'name'],
    [words.description, 'description'],
    [workflowWords.eventName, 'eventName'],
    [workflowWords.reentry, 'allowReentry'],
  ];
  const say = (value: string | boolean | null): string =>
    typeof value === 'boolean' ? (value ? common.yes : common.no) : (value ?? words.empty);
  const different = fields.filter(([, key]) => settings[key] !== mine[key]);
  if (different.length === 0) return null;
  return (
    <section aria-label={words.theirSettings} className="grid gap-1">
      <h3 className="font-semibold">{words.theirSettings}</h3>
      <Facts facts={different.map(([label, key]) => [label, say(settings[key])])} />
    </section>
  );
}
