/** The hours in which email is sent: of a project, a campaign, or a step. */
import { useId, useState } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { CheckboxField, SelectField, TextField } from '../../ui/field.js';
import { useFormat } from '../../words/format.js';
import { dateFormat } from '../../words/intl.js';
import { useSpeech } from '../../words/words.js';
import { useSendWindowWords } from './words.js';

export type SendWindow = Schemas['SendWindow'];

const RECIPIENT = 'recipient';
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;
const OFFICE_HOURS: SendWindow = {
  timezone: RECIPIENT,
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  until: '18:00',
};

interface Props {
  /** Null: at any time. */
  window: SendWindow | null;
  onChange: (window: SendWindow | null) => void;
  hint?: string;
  /** By the path in the window, such as `until`. */
  errors?: Readonly<Record<string, string | undefined>>;
  disabled?: boolean;
}

export function SendWindowField({ window, onChange, hint, errors = {}, disabled = false }: Props) {
  const words = useSendWindowWords();
  return (
    <>
      <CheckboxField
        label={words.only}
        name="hasSendWindow"
        hint={hint}
        checked={window !== null}
        onChange={(isOn) => onChange(isOn ? OFFICE_HOURS : null)}
        disabled={disabled}
      />
      {window && <Hours {...{ window, onChange, errors, disabled }} />}
    </>
  );
}

type HoursProps = Required<Omit<Props, 'hint' | 'window'>> & { window: SendWindow };

function Hours({ window, onChange, errors, disabled }: HoursProps) {
  const words = useSendWindowWords();
  const { project } = useProject();
  const set = (change: Partial<SendWindow>): void => onChange({ ...window, ...change });
  const zones = [...new Set([project.timezone, ...(window.timezone === RECIPIENT ? [] : [window.timezone])])];
  const isOvernight = window.until !== '' && window.until <= window.from;
  const time = (name: 'from' | 'until', hint?: string) => (
    <TextField
      label={words[name]}
      name={`sendWindow.${name}`}
      type="time"
      value={window[name]}
      onChange={({ target }) => set({ [name]: target.value })}
      disabled={disabled}
      hint={hint}
      error={errors[name] ?? (window[name] === '' ? words.incomplete : undefined)}
    />
  );
  return (
    <div className="grid gap-4">
      <Weekdays {...{ window, onChange, errors, disabled }} />
      <div className="grid gap-4 sm:grid-cols-2">
        {time('from')}
        {time('until', isOvernight ? words.nextDay : undefined)}
      </div>
      <SelectField
        label={words.zone}
        name="sendWindow.timezone"
        value={window.timezone}
        options={[{ value: RECIPIENT, label: words.ofRecipient }, ...zones.map((value) => ({ value, label: value }))]}
        onChange={(timezone) => set({ timezone })}
        disabled={disabled}
        error={errors.timezone}
      />
      <Exceptions {...{ window, onChange, errors, disabled }} />
    </div>
  );
}

function Weekdays({ window: { days, ...others }, onChange, errors, disabled }: HoursProps) {
  const words = useSendWindowWords();
  const { language } = useSpeech();
  const names = dateFormat(language, { weekday: 'short', timeZone: 'UTC' });
  const problem = errors.days ?? (days.length === 0 ? words.noDays : undefined);
  return (
    <fieldset className="grid gap-1">
      <legend className="mb-1 font-medium">{words.days}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        {DAYS.map((day, index) => (
          <CheckboxField
            key={day}
            label={names.format(MONDAY + index * DAY_MS)}
            name={`sendWindow.${day}`}
            checked={days.includes(day)}
            onChange={(isOn) =>
              onChange({ ...others, days: DAYS.filter((one) => (one === day ? isOn : days.includes(one))) })
            }
            disabled={disabled}
          />
        ))}
      </div>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

function Exceptions({ window, onChange, errors, disabled }: HoursProps) {
  const words = useSendWindowWords();
  const format = useFormat();
  const id = useId();
  const [date, setDate] = useState('');
  const dates = window.except ?? [];
  const set = (except: string[]): void => {
    const { except: _before, ...others } = window;
    onChange(except.length > 0 ? { ...others, except } : others);
  };
  const name = (one: string): string => format.date(`${one}T00:00:00Z`, 'UTC');
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <TextField
          label={words.except}
          name="sendWindow.except"
          type="date"
          value={date}
          onChange={({ target }) => setDate(target.value)}
          disabled={disabled}
          error={errors.except}
        />
        <Button
          disabled={disabled || date === ''}
          onClick={() => {
            set([...new Set([...dates, date])].sort());
            setDate('');
          }}
        >
          {words.addDate}
        </Button>
      </div>
      {dates.length > 0 && (
        <ul id={id} aria-label={words.except} className="flex flex-wrap gap-2">
          {dates.map((one) => (
            <li key={one}>
              <Button
                look="quiet"
                aria-label={words.removeDate(name(one))}
                disabled={disabled}
                onClick={() => set(dates.filter((other) => other !== one))}
              >
                {name(one)} ×
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Whether every part has a value, so that the API accepts the window. */
export const isCompleteWindow = (window: SendWindow | null): boolean =>
  window === null || (window.days.length > 0 && window.from !== '' && window.until !== '');

/** Returns the errors of fields below a path, such as `sendWindow`, without the path. */
export const errorsBelow = (path: string, errors: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([field, message]) =>
      field === path || field.startsWith(`${path}.`)
        ? [[field.slice(path.length + 1).replace(/\..*/, ''), message]]
        : [],
    ),
  );
