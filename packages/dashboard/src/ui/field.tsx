/** Labeled inputs with their hint and their error. */
import { Checkbox } from '@base-ui/react/checkbox';
import { Field as BaseField } from '@base-ui/react/field';
import { Switch } from '@base-ui/react/switch';
import {
  useEffect,
  useRef,
  type ComponentProps,
  type ReactElement,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import { browserZone } from '../words/intl.js';
import { CheckIcon } from './icons.js';

interface FrameProps {
  label: string;
  name: string;
  hint?: ReactNode;
  /** Why the server refused the value. */
  error?: string | undefined;
  /** Hides the label from sight, where the place says what the input is for. */
  isLabelHidden?: boolean;
}

const INPUT =
  'min-h-10 w-full rounded-lg border border-control bg-surface px-3 py-1.5 text-text data-invalid:border-danger disabled:opacity-60';

function Frame({ label, name, hint, error, isLabelHidden = false, children }: FrameProps & { children: ReactNode }) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error !== undefined && root.current) focusRefused(root.current);
  }, [error]);
  return (
    <BaseField.Root ref={root} name={name} invalid={error !== undefined} className="grid min-w-0 content-start gap-1">
      <BaseField.Label className={isLabelHidden ? 'sr-only' : 'font-medium'}>{label}</BaseField.Label>
      {children}
      {hint && <BaseField.Description className="text-sm text-muted">{hint}</BaseField.Description>}
      <BaseField.Error match={error !== undefined} className="text-sm text-danger">
        {error}
      </BaseField.Error>
    </BaseField.Root>
  );
}

/** Focuses the first field that the server refused of a submitted form, unless the user has left the form. */
function focusRefused(field: HTMLElement): void {
  const form = field.closest('form');
  const active = document.activeElement;
  if (form?.dataset.submitted === undefined || (active !== document.body && !form.contains(active))) return;
  delete form.dataset.submitted;
  field.querySelector<HTMLElement>('input, select, textarea')?.focus();
}

type ControlProps = Omit<ComponentProps<typeof BaseField.Control>, 'className'>;

export function TextField({ label, name, hint, error, isLabelHidden, ...input }: FrameProps & ControlProps) {
  return (
    <Frame {...{ label, name, hint, error, ...(isLabelHidden && { isLabelHidden }) }}>
      <BaseField.Control {...input} className={INPUT} />
    </Frame>
  );
}

export function TextArea({
  label,
  name,
  hint,
  error,
  isLabelHidden,
  ...input
}: FrameProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'className'>) {
  return (
    <Frame {...{ label, name, hint, error, ...(isLabelHidden && { isLabelHidden }) }}>
      <BaseField.Control render={<textarea {...input} />} className={`${INPUT} font-mono text-sm`} />
    </Frame>
  );
}

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
}

interface SelectProps<Value extends string> extends FrameProps {
  options: ReadonlyArray<Option<Value>>;
  onChange?: (value: Value) => void;
  value?: Value;
}

type NativeSelectProps = Omit<SelectHTMLAttributes<HTMLSelectElement>, 'className' | 'onChange' | 'value'>;

/** The browser's own select, which phones and screen readers know best. */
export function SelectField<Value extends string>({
  label,
  name,
  hint,
  error,
  isLabelHidden,
  options,
  onChange,
  ...select
}: SelectProps<Value> & NativeSelectProps): ReactElement {
  return (
    <Frame {...{ label, name, hint, error, ...(isLabelHidden && { isLabelHidden }) }}>
      <BaseField.Control
        render={
          <select
            {...select}
            onChange={({ target }) => {
              const chosen = options.find(({ value }) => value === target.value);
              if (chosen) onChange?.(chosen.value);
            }}
          >
            {options.map(({ value, label: name_ }) => (
              <option key={value} value={value}>
                {name_}
              </option>
            ))}
          </select>
        }
        className={INPUT}
      />
    </Frame>
  );
}

interface ToggleProps {
  label: ReactNode;
  name: string;
  hint?: ReactNode;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function CheckboxField({ label, name, hint, checked, onChange, disabled = false }: ToggleProps) {
  return (
    <BaseField.Root name={name} className="grid gap-1">
      <BaseField.Label className="flex items-start gap-2.5">
        <Checkbox.Root
          checked={checked}
          onCheckedChange={onChange}
          disabled={disabled}
          className="mt-0.5 grid size-6 shrink-0 cursor-pointer place-content-center rounded border border-control bg-surface data-checked:border-accent data-checked:bg-accent data-checked:text-on-accent data-disabled:opacity-60"
        >
          <Checkbox.Indicator>
            <CheckIcon />
          </Checkbox.Indicator>
        </Checkbox.Root>
        <span>{label}</span>
      </BaseField.Label>
      {hint && <BaseField.Description className="ms-8.5 text-sm text-muted">{hint}</BaseField.Description>}
    </BaseField.Root>
  );
}

/** A setting that takes effect immediately. */
export function SwitchField({ label, name, hint, checked, onChange, disabled = false }: ToggleProps) {
  return (
    <BaseField.Root name={name} className="grid gap-1">
      <BaseField.Label className="flex items-center gap-2.5">
        <Switch.Root
          checked={checked}
          onCheckedChange={onChange}
          disabled={disabled}
          className="inline-flex h-6 w-11 shrink-0 cursor-pointer items-center rounded-full border border-control bg-raised p-0.5 data-checked:border-accent data-checked:bg-accent data-disabled:opacity-60"
        >
          <Switch.Thumb className="size-4.5 rounded-full bg-control transition-transform data-checked:translate-x-5 data-checked:bg-on-accent" />
        </Switch.Root>
        <span className="font-medium">{label}</span>
      </BaseField.Label>
      {hint && <BaseField.Description className="text-sm text-muted">{hint}</BaseField.Description>}
    </BaseField.Root>
  );
}

/** A local time with the name of its zone. Its value is that of `datetime-local`: `2026-11-23T09:00`. */
export function DateTimeField({ hint, ...props }: FrameProps & ControlProps) {
  return <TextField {...props} type="datetime-local" hint={hint ?? browserZone()} />;
}
