/** UPDATE_CONTACT: data to merge, and the subscription. */
import { SelectField } from '../../../../ui/field.js';
import { readValue, showValue } from '../../../conditions/model.js';
import { useEditorWords } from '../words.js';
import { withValue, type StepFormProps } from './form.js';
import { RowsField, type Row } from './rows.js';

const ACTIONS = ['none', 'subscribe', 'unsubscribe'] as const;
type Action = (typeof ACTIONS)[number];

const rowsOf = (value: unknown): Row[] =>
  typeof value === 'object' && value !== null ? Object.entries(value).map(([name, one]) => [name, showValue(one)]) : [];

export function UpdateContactForm({ step: { config }, onChange, errors }: StepFormProps) {
  const words = useEditorWords();
  return (
    <>
      <RowsField
        legend={words.updates}
        hint={words.updatesHint}
        nameOf={words.dataKey}
        valueOf={words.dataValue}
        add={words.addField}
        rows={rowsOf(config.updates)}
        error={errors['config.updates']}
        onChange={(rows) =>
          onChange(
            {
              config: {
                ...config,
                // A null removes the field from the contact (contract, section 4).
                updates: Object.fromEntries(
                  rows.map(([name, value]) => [name.trim(), value.trim() === '' ? null : readValue(value)]),
                ),
              },
            },
            'updates',
          )
        }
      />
      <SelectField<Action>
        label={words.subscription}
        name="subscriptionAction"
        value={ACTIONS.find((one) => one === config.subscriptionAction) ?? 'none'}
        options={ACTIONS.map((value) => ({ value, label: words.subscriptions[value] }))}
        onChange={(action) =>
          onChange({ config: withValue(config, 'subscriptionAction', action === 'none' ? undefined : action) }, null)
        }
      />
    </>
  );
}
