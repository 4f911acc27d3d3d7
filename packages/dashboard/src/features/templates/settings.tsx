/** What a template is and who sends it. */
import { SelectField, TextField } from '../../ui/field.js';
import { Card } from '../../ui/page.js';
import { TYPES, type TemplateFields } from './fields.js';
import { useTemplateWords } from './words.js';

interface Props {
  fields: TemplateFields;
  errors: Readonly<Record<string, string>>;
  onChange: (change: Partial<TemplateFields>) => void;
  focusesSender: boolean;
}

const HINTS = { description: 'descriptionHint', from: 'fromHint' } as const;

export function Settings({ fields, errors, onChange, focusesSender }: Props) {
  const words = useTemplateWords();
  const text = (name: 'name' | 'description' | 'from' | 'fromName' | 'replyTo') => (
    <TextField
      label={words[name]}
      name={name}
      {...((name === 'description' || name === 'from') && { hint: words[HINTS[name]] })}
      value={fields[name]}
      onChange={({ target }) => onChange({ [name]: target.value })}
      autoComplete="off"
      autoFocus={name === 'from' && focusesSender}
      error={errors[name]}
    />
  );
  return (
    <Card className="max-w-2xl">
      {text('name')}
      {text('description')}
      <SelectField
        label={words.type}
        name="type"
        value={fields.type}
        options={TYPES.map((value) => ({ value, label: words.types[value] }))}
        hint={words.typeHints[fields.type]}
        onChange={(type) => onChange({ type })}
        error={errors.type}
      />
      {text('from')}
      {text('fromName')}
      {text('replyTo')}
    </Card>
  );
}
