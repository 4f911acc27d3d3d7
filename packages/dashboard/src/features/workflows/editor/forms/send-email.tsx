/** SEND_EMAIL: which template, and to whom. */
import { Link } from '@tanstack/react-router';
import { useProject } from '../../../../api/project.js';
import { ChoiceField } from '../../../../ui/choice-field.js';
import { SelectField, TextField } from '../../../../ui/field.js';
import { useTemplateNames } from '../template-names.js';
import { useEditorWords } from '../words.js';
import { errorsBelow, SendWindowField, type SendWindow } from '../../../send-window/field.js';
import { textOf, withValue, type StepFormProps } from './form.js';

type Recipient = 'CONTACT' | 'CUSTOM';

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export function SendEmailForm({ step: { config, templateId }, onChange, errors }: StepFormProps) {
  const words = useEditorWords();
  const { projectId } = useProject();
  const names = useTemplateNames();
  const chosen = templateId ?? (textOf(config.templateId) || null);
  const recipient = isObject(config.recipient) ? config.recipient : {};
  const to: Recipient = recipient.type === 'CUSTOM' ? 'CUSTOM' : 'CONTACT';
  const problem = errors.templateId ?? errors['config.templateId'];
  return (
    <>
      <div className="grid gap-1">
        <ChoiceField
          label={words.template}
          placeholder={words.chooseTemplate}
          groups={[{ value: words.template, items: [...names].map(([value, label]) => ({ value, label })) }]}
          value={chosen}
          isInvalid={problem !== undefined}
          onChange={(id) => onChange({ templateId: id, config: withValue(config, 'templateId', undefined) }, null)}
        />
        {problem !== undefined && <p className="text-sm text-danger">{problem}</p>}
        {chosen !== null && (
          <Link
            to="/projects/$projectId/templates/$templateId"
            params={{ projectId, templateId: chosen }}
            className="justify-self-start text-sm text-accent underline"
          >
            {words.openTemplate}
          </Link>
        )}
      </div>
      <SelectField<Recipient>
        label={words.recipient}
        name="recipient"
        value={to}
        options={[
          { value: 'CONTACT', label: words.toContact },
          { value: 'CUSTOM', label: words.toCustom },
        ]}
        onChange={(type) =>
          onChange(
            {
              config: withValue(
                config,
                'recipient',
                type === 'CUSTOM' ? { type, customEmail: textOf(recipient.customEmail) } : undefined,
              ),
            },
            null,
          )
        }
      />
      {to === 'CUSTOM' && (
        <TextField
          label={words.customEmail}
          name="customEmail"
          type="email"
          autoComplete="off"
          value={textOf(recipient.customEmail)}
          error={errors['config.recipient.customEmail']}
          onChange={({ target }) =>
            onChange(
              { config: withValue(config, 'recipient', { type: 'CUSTOM', customEmail: target.value }) },
              'customEmail',
            )
          }
        />
      )}
      <SendWindowField
        window={isWindow(config.sendWindow) ? config.sendWindow : null}
        onChange={(window) =>
          onChange({ config: withValue(config, 'sendWindow', window ?? undefined) }, window ? 'sendWindow' : null)
        }
        errors={errorsBelow('config.sendWindow', errors)}
      />
    </>
  );
}

/** The API documents the config of a step only as an object. It stores only windows. */
const isWindow = (value: unknown): value is SendWindow => isObject(value) && 'days' in value;
