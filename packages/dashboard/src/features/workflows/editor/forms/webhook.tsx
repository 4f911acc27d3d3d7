/** WEBHOOK: the request. */
import { useState } from 'react';
import { SelectField, TextArea, TextField } from '../../../../ui/field.js';
import { useEditorWords } from '../words.js';
import { textOf, withValue, type StepFormProps } from './form.js';
import { RowsField, type Row } from './rows.js';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

const rowsOf = (value: unknown): Row[] =>
  typeof value === 'object' && value !== null ? Object.entries(value).map(([name, one]) => [name, String(one)]) : [];

const firstError = (errors: Readonly<Record<string, string>>, prefix: string): string | undefined =>
  Object.entries(errors).find(([path]) => path === prefix || path.startsWith(`${prefix}.`))?.[1];

export function WebhookForm({ step: { config }, onChange, errors }: StepFormProps) {
  const words = useEditorWords();
  const method = METHODS.find((one) => one === config.method) ?? 'POST';
  return (
    <>
      <TextField
        label={words.url}
        hint={words.urlHint}
        name="url"
        type="url"
        inputMode="url"
        autoComplete="off"
        value={textOf(config.url)}
        error={errors['config.url']}
        onChange={({ target }) => onChange({ config: { ...config, url: target.value } }, 'url')}
      />
      <SelectField<Method>
        label={words.method}
        name="method"
        value={method}
        options={METHODS.map((value) => ({ value, label: value }))}
        onChange={(value) =>
          onChange(
            { config: { ...(value === 'GET' ? withValue(config, 'body', undefined) : config), method: value } },
            null,
          )
        }
      />
      <RowsField
        legend={words.headers}
        nameOf={words.headerName}
        valueOf={words.headerValue}
        add={words.addHeader}
        rows={rowsOf(config.headers)}
        error={firstError(errors, 'config.headers')}
        onChange={(rows) =>
          onChange(
            { config: withValue(config, 'headers', rows.length === 0 ? undefined : Object.fromEntries(rows)) },
            'headers',
          )
        }
      />
      {method !== 'GET' && (
        <BodyField
          value={config.body}
          error={firstError(errors, 'config.body')}
          onChange={(body) => onChange({ config: withValue(config, 'body', body) }, 'body')}
        />
      )}
    </>
  );
}

interface BodyProps {
  value: unknown;
  error: string | undefined;
  onChange: (body: unknown) => void;
}

/** Returns the value of a JSON text; undefined if it is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const show = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' && readJson(value) === undefined ? value : JSON.stringify(value, null, 2);
};

function BodyField({ value, error, onChange }: BodyProps) {
  const words = useEditorWords();
  const [text, setText] = useState(() => show(value));
  const isText = text.trim() !== '' && readJson(text) === undefined;
  return (
    <TextArea
      label={words.body}
      hint={isText ? words.bodyNotJson : words.bodyHint}
      name="body"
      rows={6}
      spellCheck={false}
      value={text}
      error={error}
      onChange={({ target }) => {
        setText(target.value);
        onChange(target.value.trim() === '' ? undefined : (readJson(target.value) ?? target.value));
      }}
    />
  );
}
