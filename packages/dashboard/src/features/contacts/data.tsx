/** The fields of a contact's data, each editable by itself. */
import { useState, type FormEvent } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { fieldErrors } from '../../api/query.js';
import { Button } from '../../ui/button.js';
import { CheckboxField, TextField } from '../../ui/field.js';
import { FormProblem } from '../../ui/form.js';
import { TrashIcon } from '../../ui/icons.js';
import { Card } from '../../ui/page.js';
import { useWords } from '../../words/words.js';
import { readValue, showValue } from '../conditions/model.js';
import { useUpdateContact } from './detail.js';
import { useContactWords } from './words.js';

export function ContactFields({ contact }: { contact: Schemas['Contact'] }) {
  const words = useContactWords();
  const update = useUpdateContact(contact.id);
  const [isAdding, setAdding] = useState(false);
  const set = (name: string, value: unknown, onSuccess?: () => void): void =>
    update.mutate(
      { params: { path: { id: contact.id } }, body: { data: { [name]: value } } },
      { onSuccess: () => onSuccess?.() },
    );
  const names = Object.keys(contact.data).sort((a, b) => a.localeCompare(b));
  const named = fieldErrors(update.error);
  return (
    <Card title={words.data} actions={<Button onClick={() => setAdding(true)}>{words.addField}</Button>}>
      {names.length === 0 && !isAdding && <p className="text-muted">{words.nothing}</p>}
      {names.map((name) => (
        <FieldEditor
          // Another value from elsewhere begins with another text.
          key={`${name} ${JSON.stringify(contact.data[name])}`}
          name={name}
          value={contact.data[name]}
          error={named[`data.${name}`]}
          onSave={(value) => set(name, value)}
        />
      ))}
      {isAdding && <NewField onSave={(name, value) => set(name, value, () => setAdding(false))} />}
      <FormProblem error={update.error} fields={names.map((name) => `data.${name}`)} />
    </Card>
  );
}

/** Reads what was typed: JSON for lists and objects, and otherwise as in conditions. */
function parse(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return readValue(text);
  try {
    return JSON.parse(text);
  } catch {
    // It only looks like JSON.
    return text;
  }
}

interface FieldProps {
  name: string;
  value: unknown;
  error: string | undefined;
  /** null removes the field. */
  onSave: (value: unknown) => void;
}

function FieldEditor({ name, value, error, onSave }: FieldProps) {
  const words = useContactWords();
  const { common } = useWords();
  const [text, setText] = useState(() => showValue(value));
  const isChanged = text !== showValue(value);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isChanged) onSave(parse(text));
  };
  return (
    <form onSubmit={submit} className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        {typeof value === 'boolean' ? (
          <CheckboxField label={name} name={name} checked={value} onChange={onSave} />
        ) : (
          <TextField
            label={name}
            name={name}
            value={text}
            title={words.fieldHint}
            onChange={({ target }) => setText(target.value)}
            error={error}
          />
        )}
      </div>
      {isChanged && <Button type="submit">{common.save}</Button>}
      <Button look="quiet" aria-label={words.removeField(name)} onClick={() => onSave(null)}>
        <TrashIcon />
      </Button>
    </form>
  );
}

function NewField({ onSave }: { onSave: (name: string, value: unknown) => void }) {
  const words = useContactWords();
  const { common } = useWords();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave(name.trim(), parse(text));
  };
  return (
    <form onSubmit={submit} className="grid gap-2 border-t border-line pt-3">
      <TextField
        label={words.fieldName}
        name="fieldName"
        required
        autoFocus
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <TextField
        label={words.value}
        name="fieldValue"
        required
        hint={words.fieldHint}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" className="justify-self-start">
        {common.add}
      </Button>
    </form>
  );
}
