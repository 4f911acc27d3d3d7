/** Inputs of block settings. A value that the schema refuses stays in its input and is not stored. */
import { useState } from 'react';
import { Button } from '../../../ui/button.js';
import { TextArea, TextField } from '../../../ui/field.js';
import { CloseIcon } from '../../../ui/icons.js';
import { useWords } from '../../../words/words.js';
import { longColor } from './rules.js';
import { useBlockWords } from './words.js';

interface TextProps {
  label: string;
  name: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
  /** Whether the value can be stored. */
  isValid?: (value: string) => boolean;
  /** Completes the value when the user leaves the input. */
  complete?: (value: string) => string;
  isLong?: boolean;
  list?: string;
}

export function CheckedText({
  label,
  name,
  hint,
  value,
  onChange,
  isValid,
  complete,
  isLong = false,
  list,
}: TextProps) {
  const words = useBlockWords();
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    setText(value);
  }
  const change = (next: string): void => {
    setText(next);
    if (isValid && !isValid(next)) return;
    setKnown(next);
    onChange(next);
  };
  const error = text !== value && isValid && !isValid(text) ? words.invalid : undefined;
  const shared = {
    label,
    name,
    error,
    value: text,
    autoComplete: 'off',
    spellCheck: false,
    ...(hint !== undefined && { hint }),
    onBlur: () => complete && complete(text) !== text && change(complete(text)),
  };
  if (isLong) return <TextArea {...shared} rows={8} onChange={({ target }) => change(target.value)} />;
  return (
    <TextField {...shared} {...(list !== undefined && { list })} onChange={({ target }) => change(target.value)} />
  );
}

interface NumberProps {
  label: string;
  name: string;
  min: number;
  max: number;
  value: number | undefined;
  /** Undefined for the default. */
  onChange: (value: number | undefined) => void;
  isRequired?: boolean;
}

export function NumberInput({ label, name, min, max, value, onChange, isRequired = false }: NumberProps) {
  const isValid = (text: string): boolean => {
    const number = Number(text);
    return text === '' ? !isRequired : Number.isInteger(number) && number >= min && number <= max;
  };
  return (
    <CheckedText
      label={`${label} (${min}–${max})`}
      name={name}
      value={value === undefined ? '' : String(value)}
      isValid={isValid}
      onChange={(text) => onChange(text === '' ? undefined : Number(text))}
    />
  );
}

interface ColorProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

export function ColorInput({ label, value, onChange }: ColorProps) {
  const words = useBlockWords();
  const { common } = useWords();
  return (
    <div className="grid content-start gap-1">
      <span className="font-medium">{label}</span>
      <div className="flex items-center gap-2">
        <input
          type="color"
          aria-label={label}
          value={value === undefined ? '#ffffff' : longColor(value)}
          onChange={({ target }) => onChange(target.value)}
          className="h-10 w-14 cursor-pointer rounded-lg border border-control bg-surface p-1"
        />
        {value === undefined ? (
          <span className="text-sm text-muted">{words.default}</span>
        ) : (
          <Button look="quiet" aria-label={`${common.remove}: ${label}`} onClick={() => onChange(undefined)}>
            <CloseIcon />
          </Button>
        )}
      </div>
    </div>
  );
}
