/** A choice among few options, each with a line about it. */
import { useId } from 'react';

interface Option<Value extends string> {
  value: Value;
  label: string;
  hint: string;
}

interface Props<Value extends string> {
  label: string;
  name: string;
  options: ReadonlyArray<Option<Value>>;
  value: Value | null;
  /** Why the API refused the choice. */
  error?: string | undefined;
  onChange: (value: Value) => void;
}

export function OptionsField<Value extends string>({ label, name, options, value, error, onChange }: Props<Value>) {
  const id = useId();
  return (
    <fieldset
      data-invalid={error === undefined ? undefined : ''}
      aria-describedby={error === undefined ? undefined : `${id}-error`}
      className="grid gap-2"
    >
      <legend className="sr-only">{label}</legend>
      {options.map((option) => (
        <label
          key={option.value}
          htmlFor={`${id}${option.value}`}
          className="flex cursor-pointer items-start gap-3 rounded-lg border border-line p-3 has-checked:border-accent has-checked:bg-accent-soft"
        >
          <input
            id={`${id}${option.value}`}
            type="radio"
            name={name}
            aria-label={option.label}
            aria-describedby={`${id}${option.value}-hint`}
            className="mt-0.5 size-5 shrink-0 accent-(--color-accent)"
            checked={value === option.value}
            onChange={() => onChange(option.value)}
          />
          <span className="grid">
            <span className="font-medium">{option.label}</span>
            <span id={`${id}${option.value}-hint`} className="text-sm text-muted">
              {option.hint}
            </span>
          </span>
        </label>
      ))}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
