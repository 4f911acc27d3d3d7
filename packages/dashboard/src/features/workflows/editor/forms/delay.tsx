/** DELAY, and the longest time of a WAIT_FOR_EVENT: a number and its unit. */
import { useState } from 'react';
import { CheckboxField, SelectField, TextField } from '../../../../ui/field.js';
import { useEditorWords } from '../words.js';
import { textOf, withValue, type StepFormProps } from './form.js';

const UNITS = ['seconds', 'minutes', 'hours', 'days', 'weeks'] as const;
type Unit = (typeof UNITS)[number];

const SECONDS: Record<Unit, number> = { seconds: 1, minutes: 60, hours: 3600, days: 86_400, weeks: 604_800 };

const unitOf = (value: unknown): Unit => UNITS.find((unit) => unit === value) ?? 'days';
const numberOf = (text: string): number | undefined => (text === '' ? undefined : Number(text));
const show = (value: unknown): string => (typeof value === 'number' ? String(value) : '');

export function DelayForm({ step: { config }, onChange, errors }: StepFormProps) {
  return (
    <TimeFields
      amount={config.amount}
      unit={unitOf(config.unit)}
      error={errors['config.amount'] ?? errors['config.unit']}
      onChange={(amount, unit) => onChange({ config: withValue({ ...config, unit }, 'amount', amount) }, 'amount')}
    />
  );
}

interface TimeProps {
  label?: string;
  amount: unknown;
  unit: Unit;
  error: string | undefined;
  onChange: (amount: number | undefined, unit: Unit) => void;
}

function TimeFields({ label, amount, unit, error, onChange }: TimeProps) {
  const words = useEditorWords();
  return (
    <div className="grid grid-cols-2 gap-2">
      <TextField
        label={label ?? words.amount}
        name="amount"
        type="number"
        min={0}
        step="any"
        value={show(amount)}
        error={error}
        onChange={({ target }) => onChange(numberOf(target.value), unit)}
      />
      <SelectField<Unit>
        label={words.unit}
        name="unit"
        value={unit}
        options={UNITS.map((value) => ({ value, label: words.units[value] }))}
        onChange={(value) => onChange(typeof amount === 'number' ? amount : undefined, value)}
      />
    </div>
  );
}

/** The largest unit in which a time is a whole number. */
const bestUnit = (seconds: number): Unit =>
  UNITS.findLast((unit) => seconds >= SECONDS[unit] && seconds % SECONDS[unit] === 0) ?? 'seconds';

const ONE_DAY = 86_400;

export function WaitForm({ step: { config }, onChange, errors }: StepFormProps) {
  const words = useEditorWords();
  const { timeout } = config;
  const hasTimeout = timeout !== undefined && timeout !== null;
  const [unit, setUnit] = useState<Unit>(() => (typeof timeout === 'number' ? bestUnit(timeout) : 'days'));
  return (
    <>
      <TextField
        label={words.waitEvent}
        name="eventName"
        autoComplete="off"
        value={textOf(config.eventName)}
        error={errors['config.eventName']}
        onChange={({ target }) => onChange({ config: { ...config, eventName: target.value } }, 'eventName')}
      />
      <CheckboxField
        label={words.hasTimeout}
        hint={words.noTimeoutHint}
        name="hasTimeout"
        checked={hasTimeout}
        onChange={(checked) => onChange({ config: withValue(config, 'timeout', checked ? ONE_DAY : undefined) }, null)}
      />
      {hasTimeout && (
        <TimeFields
          label={words.timeout}
          amount={typeof timeout === 'number' ? timeout / SECONDS[unit] : undefined}
          unit={unit}
          error={errors['config.timeout']}
          onChange={(amount, next) => {
            setUnit(next);
            // Without a number, it is not complete, and still a time limit.
            onChange({ config: { ...config, timeout: amount === undefined ? '' : amount * SECONDS[next] } }, 'timeout');
          }}
        />
      )}
    </>
  );
}
