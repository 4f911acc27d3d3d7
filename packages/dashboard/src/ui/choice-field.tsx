/** A choice among many named things, found by typing a part of the name. */
import { Combobox } from '@base-ui/react/combobox';
import { useId } from 'react';
import { useWords } from '../words/words.js';
import { DownIcon } from './icons.js';

export interface Choice {
  value: string;
  label: string;
}

export interface ChoiceGroup {
  /** The heading of the group. */
  value: string;
  items: Choice[];
}

interface Props {
  label: string;
  groups: ChoiceGroup[];
  /** The value of the chosen item; null if none is. */
  value: string | null;
  onChange: (value: string) => void;
  placeholder?: string;
  hint?: string;
  /** Why the choice is refused. */
  error?: string | undefined;
  isLabelHidden?: boolean;
  isInvalid?: boolean;
}

/** More items than that are found by typing more. */
const MAX_ITEMS = 200;

export function ChoiceField({
  label,
  groups,
  value,
  onChange,
  placeholder,
  hint,
  error,
  isLabelHidden = false,
  isInvalid = error !== undefined,
}: Props) {
  const { common } = useWords();
  const id = useId();
  const descriptions = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const chosen = groups.flatMap(({ items }) => items).find((item) => item.value === value);
  return (
    <Combobox.Root
      items={groups}
      limit={MAX_ITEMS}
      value={chosen ?? (value === null ? null : { value, label: value })}
      isItemEqualToValue={(item, other) => item.value === other.value}
      onValueChange={(choice) => choice && onChange(choice.value)}
    >
      <div className="grid min-w-0 gap-1">
        <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'font-medium'}>
          {label}
        </label>
        <div className="relative">
          <Combobox.Input
            id={id}
            placeholder={placeholder}
            aria-invalid={isInvalid || undefined}
            aria-describedby={descriptions === '' ? undefined : descriptions}
            className="min-h-10 w-full rounded-lg border border-control bg-surface py-1.5 ps-3 pe-9 aria-invalid:border-danger"
          />
          <Combobox.Trigger
            aria-label={`${label}: ${common.choose}`}
            className="absolute inset-y-0 end-0 grid w-9 cursor-pointer place-content-center"
          >
            <DownIcon />
          </Combobox.Trigger>
        </div>
        {hint && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
        {error && (
          <p id={`${id}-error`} role="alert" className="text-sm text-danger">
            {error}
          </p>
        )}
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-50">
          <Combobox.Popup className="w-(--anchor-width) min-w-64 rounded-lg border border-line bg-surface shadow-lg">
            <Combobox.Empty>
              <div className="px-3 py-2 text-muted empty:hidden">{common.noMatch}</div>
            </Combobox.Empty>
            <Combobox.List className="max-h-80 overflow-auto py-1">
              {(group: ChoiceGroup) => (
                <Combobox.Group key={group.value} items={group.items}>
                  <Combobox.GroupLabel className="px-3 pt-2 pb-1 text-sm text-muted">{group.value}</Combobox.GroupLabel>
                  <Combobox.Collection>
                    {(item: Choice) => (
                      <Combobox.Item
                        key={item.value}
                        value={item}
                        className="cursor-pointer px-3 py-1.5 break-words data-highlighted:bg-raised data-selected:font-semibold"
                      >
                        {item.label}
                      </Combobox.Item>
                    )}
                  </Combobox.Collection>
                </Combobox.Group>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
