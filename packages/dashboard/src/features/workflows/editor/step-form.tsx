/** The form of the selected step. */
import { Button } from '../../../ui/button.js';
import { TextField } from '../../../ui/field.js';
import { CopyIcon, TrashIcon } from '../../../ui/icons.js';
import { notify } from '../../../ui/toast.js';
import { remove, type DraftStep } from './graph.js';
import { errorsOfStep, type Editor } from './use-editor.js';
import { useEditorWords } from './words.js';
import { ConditionForm } from './forms/condition.js';
import { DelayForm, WaitForm } from './forms/delay.js';
import { textOf, withValue, type StepFormProps } from './forms/form.js';
import { SendEmailForm } from './forms/send-email.js';
import { UpdateContactForm } from './forms/update-contact.js';
import { WebhookForm } from './forms/webhook.js';

interface Props {
  editor: Editor;
  step: DraftStep;
}

export function StepForm({ editor, step }: Props) {
  const words = useEditorWords();
  const errors = errorsOfStep(editor.graph, editor.problems, step.key);
  const onChange: StepFormProps['onChange'] = (values, topic) => editor.changeStep(step.key, values, topic);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <TextField
        label={words.name}
        name="name"
        autoComplete="off"
        value={step.name}
        error={errors.name}
        onChange={({ target }) => onChange({ name: target.value }, 'name')}
      />
      {/* After an undo, the fields begin with the values of the graph. */}
      <KindForm key={editor.revision} {...{ step, onChange, errors }} />
      {step.type !== 'TRIGGER' && (
        <div className="flex flex-wrap gap-2 border-t border-line pt-3">
          <Button
            onClick={() => {
              editor.copy(step);
              notify(words.copied);
            }}
          >
            <CopyIcon />
            {words.copyStep}
          </Button>
          <Button
            look="danger"
            onClick={() => {
              editor.select(null);
              editor.apply(remove(editor.graph, step.key));
              notify(words.deleted(step.name));
            }}
          >
            <TrashIcon />
            {words.deleteStep}
          </Button>
        </div>
      )}
    </div>
  );
}

function KindForm(props: StepFormProps) {
  const { step, onChange, errors } = props;
  const words = useEditorWords();
  switch (step.type) {
    case 'TRIGGER':
      return <p className="text-muted">{words.triggerAbout(textOf(step.config.eventName))}</p>;
    case 'SEND_EMAIL':
      return <SendEmailForm {...props} />;
    case 'DELAY':
      return <DelayForm {...props} />;
    case 'WAIT_FOR_EVENT':
      return <WaitForm {...props} />;
    case 'CONDITION':
      return <ConditionForm {...props} />;
    case 'WEBHOOK':
      return <WebhookForm {...props} />;
    case 'UPDATE_CONTACT':
      return <UpdateContactForm {...props} />;
    case 'EXIT':
      return (
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          name="reason"
          autoComplete="off"
          value={textOf(step.config.reason)}
          error={errors['config.reason']}
          onChange={({ target }) =>
            onChange({ config: withValue(step.config, 'reason', target.value || undefined) }, 'reason')
          }
        />
      );
  }
}
