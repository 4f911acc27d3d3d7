/** A labeled input with its hint and its error. */
import { Field as BaseField } from '@base-ui/react/field';
import type { ComponentProps } from 'react';

interface Props extends ComponentProps<typeof BaseField.Control> {
  label: string;
  name: string;
  hint?: string;
  /** Why the server refused the value. */
  error?: string | undefined;
}

export function TextField({ label, name, hint, error, className: _className, ...input }: Props) {
  return (
    <BaseField.Root name={name} invalid={error !== undefined} className="grid gap-1">
      <BaseField.Label className="font-medium">{label}</BaseField.Label>
      <BaseField.Control
        {...input}
        className="min-h-10 w-full rounded-lg border border-control bg-surface px-3 py-1.5 data-invalid:border-danger"
      />
      {hint && <BaseField.Description className="text-sm text-muted">{hint}</BaseField.Description>}
      <BaseField.Error match={error !== undefined} className="text-sm text-danger">
        {error}
      </BaseField.Error>
    </BaseField.Root>
  );
}
