/** The command palette: everything of the project and of the application by typing. */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useId, useRef, useState } from 'react';
import { SearchIcon } from '../ui/icons.js';
import { Kbd } from '../ui/kbd.js';
import { useWords } from '../words/words.js';
import { useCommandWords } from './command-words.js';
import { matchesText, useCommands, useFound, type Command, type CommandGroup } from './palette-items.js';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  showShortcuts: () => void;
}

export function Palette({ isOpen, onClose, showShortcuts }: Props) {
  const words = useCommandWords();
  const chosen = useRef<Command | null>(null);
  const finish = (open: boolean): void => {
    if (open) return;
    // After the focus is back on the page: the command may open a dialog of its own.
    const command = chosen.current;
    chosen.current = null;
    command?.run();
  };
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()} onOpenChangeComplete={finish}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/50" />
        <Dialog.Popup
          aria-label={words.title}
          className="fixed inset-x-2 top-[8vh] z-40 mx-auto flex max-h-[min(36rem,84vh)] max-w-2xl flex-col rounded-xl border border-line bg-surface shadow-lg"
        >
          <Commands
            showShortcuts={showShortcuts}
            onChoose={(command) => {
              chosen.current = command;
              onClose();
            }}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface CommandsProps {
  showShortcuts: () => void;
  onChoose: (command: Command) => void;
}

function Commands({ showShortcuts, onChoose }: CommandsProps) {
  const words = useCommandWords();
  const { common } = useWords();
  const [text, setText] = useState('');
  const commands = useCommands(showShortcuts);
  const found = useFound(text);
  const groups = groupsFor(text, commands, { value: words.groups.found, items: found.items });
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  const aboutId = useId();
  const status = { idle: '', searching: words.searching, failed: words.failed, done: words.results(count) }[
    found.state
  ];
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      filter={null}
      autoHighlight="always"
      keepHighlight
      value={text}
      onValueChange={(value, { reason }) => reason !== 'item-press' && setText(value)}
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <SearchIcon />
        <Autocomplete.Input
          aria-label={words.label}
          aria-describedby={aboutId}
          placeholder={words.label}
          className="min-h-12 min-w-0 flex-1 bg-transparent outline-none placeholder:text-muted"
        />
        <Dialog.Close className="min-h-6 cursor-pointer rounded">
          <Kbd>Esc</Kbd>
          <span className="sr-only">{common.close}</span>
        </Dialog.Close>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">
        {count === 0 && found.state !== 'searching' && (
          <div className="grid gap-1 p-4">
            <p>{words.nothing(text.trim())}</p>
            <p className="text-muted">{words.hint}</p>
          </div>
        )}
        <Autocomplete.List className="p-2">
          {(group: CommandGroup) => (
            <Autocomplete.Group key={group.value} items={group.items}>
              <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-sm text-muted">
                {group.value}
              </Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(command: Command) => (
                  <Autocomplete.Item
                    key={command.value}
                    value={command}
                    onClick={() => onChoose(command)}
                    className="flex min-h-9 scroll-my-2 cursor-pointer items-center gap-3 rounded-lg px-2 py-1 data-highlighted:bg-accent-soft"
                  >
                    <span className="min-w-0 flex-1 truncate">{command.label}</span>
                    {command.about !== undefined && (
                      <span className="max-w-[50%] truncate text-sm text-muted">{command.about}</span>
                    )}
                    {command.keys !== undefined && (
                      <span aria-hidden className="flex gap-1 max-sm:hidden">
                        {command.keys.split(' ').map((key) => (
                          <Kbd key={key}>{key}</Kbd>
                        ))}
                      </span>
                    )}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </div>
      <div className="flex flex-wrap justify-between gap-x-4 border-t border-line px-4 py-2 text-sm text-muted">
        <span id={aboutId}>{words.about}</span>
        <Autocomplete.Status>{status}</Autocomplete.Status>
      </div>
    </Autocomplete.Root>
  );
}

/** Found things come last, because they arrive last: the place of the others must not change under the user's hand. */
function groupsFor(typed: string, commands: CommandGroup[], found: CommandGroup): CommandGroup[] {
  const text = typed.trim();
  const matching = commands.map(({ value, items }) => ({
    value,
    items: text === '' ? items : items.filter(({ label }) => matchesText(label, text)),
  }));
  return [...matching, found].filter(({ items }) => items.length > 0);
}
