/** Pairs of a name and a value, such as the headers of a webhook. */
import { useState } from 'react';
import { Button } from '../../../../ui/button.js';
import { TextField } from '../../../../ui/field.js';
import { CloseIcon, PlusIcon } from '../../../../ui/icons.js';
import { useEditorWords } from '../words.js';

export type Row = readonly [name: string, value: string];

interface Props {
  legend: string;
  hint?: string;
  nameOf: (number: number) => string;
  valueOf: (number: number) => string;
  add: string;
  rows: readonly Row[];
  /** Called with the rows that have a name. */
  onChange: (rows: Row[]) => void;
  error?: string | undefined;
}

/** It keeps rows without a name, which the value cannot have. */
export function RowsField({ legend, hint, nameOf, valueOf, add, rows: first, onChange, error }: Props) {
  const words = useEditorWords();
  const [rows, setRows] = useState<readonly Row[]>(first);
  const set = (next: readonly Row[]): void => {
    setRows(next);
    onChange(next.filter(([name]) => name.trim() !== ''));
  };
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">{legend}</legend>
      {hint !== undefined && <p className="text-sm text-muted">{hint}</p>}
      {rows.map(([name, value], index) => (
        // Rows have no ids; they are edited in place.
        <div key={index} className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] gap-2">
          <TextField
            label={nameOf(index + 1)}
            name={`name-${index}`}
            isLabelHidden
            autoComplete="off"
            value={name}
            onChange={({ target }) => set(rows.with(index, [target.value, value]))}
          />
          <TextField
            label={valueOf(index + 1)}
            name={`value-${index}`}
            isLabelHidden
            autoComplete="off"
            value={value}
            onChange={({ target }) => set(rows.with(index, [name, target.value]))}
          />
          <Button
            look="quiet"
            aria-label={words.removeRow(index + 1)}
            onClick={() => set(rows.filter((_, at) => at !== index))}
          >
            <CloseIcon />
          </Button>
        </div>
      ))}
      {error !== undefined && <p className="text-sm text-danger">{error}</p>}
      <Button className="justify-self-start" onClick={() => setRows([...rows, ['', '']])}>
        <PlusIcon />
        {add}
      </Button>
    </fieldset>
  );
}
