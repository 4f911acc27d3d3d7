/** Chooses a contact by a part of the address. */
import { Combobox } from '@base-ui/react/combobox';
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { useProject } from '../../api/project.js';
import { CloseIcon, DownIcon } from '../../ui/icons.js';
import { useEditorWords } from './words.js';

const PAUSE_MS = 250;
const LIMIT = 8;

export interface SampleContact {
  id: string;
  email: string;
}

interface Props {
  label: string;
  hint?: string;
  /** The name of the button that removes the contact. Default: that of a preview. */
  clearLabel?: string;
  contact: SampleContact | null;
  onChange: (contact: SampleContact | null) => void;
}

export function ContactPicker({ label, hint, clearLabel, contact, onChange }: Props) {
  const { preview } = useEditorWords();
  const { $api } = useProject();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(contact?.email ?? '');
  const [search, setSearch] = useState('');
  // The contact changes elsewhere: it was read, the user went back, or cleared the filters. The own choice changes
  // nothing, because letters may have been typed since then.
  const [known, setKnown] = useState(contact?.id);
  const [chosen, setChosen] = useState<{ id: string | undefined } | null>(null);
  if (known !== contact?.id) {
    setKnown(contact?.id);
    setChosen(null);
    if (chosen === null || chosen.id !== contact?.id) setText(contact?.email ?? '');
  }
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text === contact?.email ? '' : text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, contact]);
  const { data } = $api.useQuery(
    'get',
    '/contacts',
    { params: { query: { limit: LIMIT, ...(search !== '' && { search }) } } },
    { enabled: isOpen, placeholderData: keepPreviousData },
  );
  const contacts: SampleContact[] = data?.data ?? [];
  return (
    <Combobox.Root
      items={contacts}
      filter={null}
      open={isOpen}
      onOpenChange={setOpen}
      value={contact}
      onValueChange={(one: SampleContact | null) => {
        setChosen({ id: one?.id });
        onChange(one && { id: one.id, email: one.email });
      }}
      inputValue={text}
      onInputValueChange={(value) => setText(value)}
      itemToStringLabel={({ email }: SampleContact) => email}
      isItemEqualToValue={(one: SampleContact, other: SampleContact) => one.id === other.id}
    >
      <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        <Combobox.InputGroup className="flex min-h-10 items-center rounded-lg border border-control bg-surface focus-within:outline-3 focus-within:outline-offset-2 focus-within:outline-focus">
          <Combobox.Input
            id={id}
            autoComplete="off"
            className="min-w-0 flex-1 bg-transparent px-3 py-1.5 outline-none"
            {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
          />
          <Combobox.Clear
            aria-label={clearLabel ?? preview.clear}
            className="grid size-9 cursor-pointer place-content-center"
          >
            <CloseIcon />
          </Combobox.Clear>
          <Combobox.Trigger aria-label={preview.open} className="grid size-9 cursor-pointer place-content-center">
            <DownIcon />
          </Combobox.Trigger>
        </Combobox.InputGroup>
        {hint !== undefined && (
          <span id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </span>
        )}
      </div>
      <Combobox.Portal>
        <Combobox.Positioner sideOffset={4} className="z-50">
          <Combobox.Popup className="max-h-72 w-(--anchor-width) overflow-y-auto rounded-lg border border-line bg-surface py-1 shadow-lg">
            <Combobox.Empty>
              {data && contacts.length === 0 && <div className="px-3 py-2 text-muted">{preview.noContact}</div>}
            </Combobox.Empty>
            <Combobox.List>
              {(one: SampleContact) => (
                <Combobox.Item
                  key={one.id}
                  value={one}
                  className="cursor-pointer truncate px-3 py-1.5 data-highlighted:bg-raised data-selected:font-semibold"
                >
                  {one.email}
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
