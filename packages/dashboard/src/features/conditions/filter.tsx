/** One filter: its field, its comparison, and the value that it compares with. */
import { useState } from 'react';
import { OPERATORS, UNITS, type Operator } from '../../../../../src/domain/conditions/tree.js';
import { ChoiceField } from '../../ui/choice-field.js';
import { SelectField, TextField } from '../../ui/field.js';
import type { Fields } from './fields.js';
import { operandOf, operatorsOf, readValue, showValue, withField, withOperator, type FilterDraft } from './model.js';
import { useConditionWords } from './words.js';

interface Props {
  filter: FilterDraft;
  number: number;
  onChange: (filter: FilterDraft) => void;
  fields: Fields;
  isInvalid: boolean;
}

export function FilterEditor({ filter, number, onChange, fields, isInvalid }: Props) {
  const words = useConditionWords();
  const name = words.filter(number);
  return (
    <div className="grid min-w-0 flex-1 gap-2 sm:grid-cols-3">
      <ChoiceField
        label={`${name}: ${words.field}`}
        isLabelHidden
        placeholder={words.fieldPlaceholder}
        groups={fields.groups}
        value={filter.field ?? null}
        onChange={(field) => onChange(withField(field))}
        isInvalid={isInvalid}
      />
      <Comparison filter={filter} name={name} onChange={onChange} />
    </div>
  );
}

interface ValueProps {
  filter: FilterDraft;
  /** The filter's name, for labels. */
  name: string;
  onChange: (filter: FilterDraft) => void;
}

/** The operator of a filter and the value that it compares with. Both are cells of the caller's grid. */
export function Comparison({ filter, name, onChange }: ValueProps) {
  const words = useConditionWords();
  const operators = operatorsOf(filter.field);
  return (
    <>
      {operators.length > 0 && (
        <SelectField<Operator>
          label={`${name}: ${words.operator}`}
          name="operator"
          isLabelHidden
          value={filter.operator ?? 'equals'}
          onChange={(operator) => onChange(withOperator(filter, operator))}
          options={OPERATORS.filter((one) => operators.includes(one)).map((value) => ({
            value,
            label: words.operators[value],
          }))}
        />
      )}
      <ValueEditor filter={filter} name={name} onChange={onChange} />
    </>
  );
}

function ValueEditor({ filter, name, onChange }: ValueProps) {
  const words = useConditionWords();
  const label = `${name}: ${words.value}`;
  const set = (value: unknown): void => onChange({ ...filter, value });
  switch (operandOf(filter)) {
    case 'none':
      return null;
    case 'boolean':
      return (
        <SelectField
          label={label}
          name="value"
          isLabelHidden
          value={filter.value === false ? 'false' : 'true'}
          onChange={(value) => set(value === 'true')}
          options={[
            { value: 'true', label: words.yes },
            { value: 'false', label: words.no },
          ]}
        />
      );
    case 'ago':
      return <AgoEditor filter={filter} name={name} onChange={onChange} />;
    case 'date':
      return (
        <TextField
          label={label}
          name="value"
          type="date"
          isLabelHidden
          value={typeof filter.value === 'string' ? filter.value.slice(0, 10) : ''}
          onChange={({ target }) => set(target.value || undefined)}
        />
      );
    case 'list':
      return <TypedValue key="list" label={`${name}: ${words.values}`} value={filter.value} onChange={set} isList />;
    case 'text':
      return (
        <TextField
          label={label}
          name="value"
          isLabelHidden
          autoComplete="off"
          value={typeof filter.value === 'string' ? filter.value : ''}
          onChange={({ target }) => set(target.value || undefined)}
        />
      );
    case 'any':
      return <TypedValue key="any" label={label} value={filter.value} onChange={set} />;
  }
}

interface TypedValueProps {
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
  isList?: boolean;
}

const show = (value: unknown): string => (Array.isArray(value) ? value.map(showValue).join(', ') : showValue(value));

/** A text that is read as a number, a boolean, or a text. It keeps what was typed while the value follows. */
function TypedValue({ label, value, onChange, isList = false }: TypedValueProps) {
  const words = useConditionWords();
  const [text, setText] = useState(() => show(value));
  const change = (typed: string): void => {
    setText(typed);
    const values = typed.split(',').filter((part) => part.trim() !== '');
    if (isList) onChange(values.length === 0 ? undefined : values.map((part) => readValue(part.trim())));
    else onChange(typed === '' ? undefined : readValue(typed));
  };
  return (
    <TextField
      label={label}
      name="value"
      isLabelHidden
      autoComplete="off"
      title={words.valueHint}
      placeholder={isList ? words.values : ''}
      value={text}
      onChange={({ target }) => change(target.value)}
    />
  );
}

function AgoEditor({ filter, name, onChange }: ValueProps) {
  const words = useConditionWords();
  return (
    <div className="grid grid-cols-[5rem_1fr] gap-2">
      <TextField
        label={`${name}: ${words.amount}`}
        name="amount"
        type="number"
        min={1}
        isLabelHidden
        value={typeof filter.value === 'number' ? String(filter.value) : ''}
        onChange={({ target }) =>
          onChange({ ...filter, value: target.value === '' ? undefined : Number(target.value) })
        }
      />
      <SelectField
        label={`${name}: ${words.unit}`}
        name="unit"
        isLabelHidden
        value={filter.unit ?? 'days'}
        onChange={(unit) => onChange({ ...filter, unit })}
        options={UNITS.map((value) => ({ value, label: words.units[value] }))}
      />
    </div>
  );
}
