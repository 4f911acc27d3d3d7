/** The menu that opens at the cursor: `/` for blocks, `{{` for variables. */
import { Extension, type Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { blockType } from './document.js';
import { insertBlock, insertBlocks, insertVariable } from './commands.js';
import { useSavedBlocks } from './saved-blocks.js';
import { INSERTED } from './toolbar.js';
import { useBlockWords } from './words.js';

/** Receives a key. Returns whether it used the key. */
type Receiver = (key: string) => boolean;

export interface MenuKeys {
  extension: Extension;
  /** Sets what receives the keys while a menu is open; null without one. */
  setReceiver: (receiver: Receiver | null) => void;
}

const KEYS = ['ArrowUp', 'ArrowDown', 'Enter', 'Escape'];

/** Gives the keys of the menu to it, before the editor uses them. */
export function createMenuKeys(): MenuKeys {
  let current: Receiver | null = null;
  return {
    setReceiver(receiver) {
      current = receiver;
    },
    extension: Extension.create({
      name: 'menuKeys',
      priority: 1000,
      addKeyboardShortcuts: () => Object.fromEntries(KEYS.map((key) => [key, () => current?.(key) ?? false])),
    }),
  };
}

interface Entry {
  label: string;
  insert: () => void;
}

interface Props {
  editor: Editor;
  variables: readonly string[];
  keys: MenuKeys;
  /** The positioned element around the editor. */
  frame: RefObject<HTMLDivElement | null>;
}

/** Returns what the user has typed for a menu before the cursor. */
function readTrigger({ state }: Editor): { kind: 'block' | 'variable'; typed: string; length: number } | null {
  const { $from, empty } = state.selection;
  if (!empty || !$from.parent.isTextblock) return null;
  const before = $from.parent.textBetween(0, $from.parentOffset, '\n', ' ');
  const slash = /^\/([\p{L}\d -]*)$/u.exec(before);
  if (slash) return { kind: 'block', typed: slash[1] ?? '', length: slash[0].length };
  const braces = /\{\{\s*([\p{L}\p{N}_.]*)$/u.exec(before);
  return braces ? { kind: 'variable', typed: braces[1] ?? '', length: braces[0].length } : null;
}

export function SlashMenu({ editor, variables, keys, frame }: Props) {
  const words = useBlockWords();
  const { data: saved } = useSavedBlocks();
  const [selected, setSelected] = useState(0);
  const [closedAt, setClosedAt] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const trigger = useEditorState({
    editor,
    selector: ({ editor: current }) => {
      const found = current.isEditable ? readTrigger(current) : null;
      return found && { ...found, at: current.state.selection.from };
    },
  });
  const key = trigger ? `${trigger.at - trigger.length} ${trigger.kind}` : null;
  const remove = (): void => {
    if (trigger)
      editor
        .chain()
        .focus()
        .deleteRange({ from: trigger.at - trigger.length, to: trigger.at })
        .run();
  };
  const all: Entry[] =
    trigger?.kind === 'variable'
      ? variables.map((name) => ({ label: name, insert: () => insertVariable(editor, name) }))
      : [
          ...INSERTED.map((name) => ({
            label: words.names[blockType(name)] ?? name,
            insert: () => insertBlock(editor, name),
          })),
          ...(saved?.data ?? []).map(({ name, blocks }) => ({
            label: name,
            insert: () => insertBlocks(editor, blocks),
          })),
        ];
  const typed = trigger?.typed.trim().toLowerCase() ?? '';
  const entries = all.filter(({ label }) => label.toLowerCase().includes(typed));
  const isOpen = trigger !== null && key !== closedAt && entries.length > 0;
  const current = Math.min(selected, entries.length - 1);
  const choose = (entry: Entry | undefined): void => {
    remove();
    entry?.insert();
    setSelected(0);
  };

  useEffect(() => {
    if (!isOpen) return keys.setReceiver(null);
    keys.setReceiver((pressed) => {
      if (pressed === 'Escape') setClosedAt(key);
      else if (pressed === 'Enter') choose(entries[current]);
      else setSelected((current + (pressed === 'ArrowDown' ? 1 : entries.length - 1)) % entries.length);
      return true;
    });
  });
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' });
  }, [current]);

  const at = isOpen ? trigger.at : null;
  useLayoutEffect(() => {
    if (at === null || !list.current || !frame.current) return;
    const { top, left } = placeOf(editor, at, frame.current);
    list.current.style.top = `${top}px`;
    list.current.style.left = `${left}px`;
  }, [at, editor, frame]);

  if (!isOpen) return null;
  return (
    <div
      ref={list}
      role="listbox"
      aria-label={words.addTitle}
      className="absolute z-10 max-h-64 w-56 overflow-y-auto rounded-lg border border-line bg-surface py-1 text-text shadow-lg"
    >
      {entries.map((entry, index) => (
        <div
          key={index}
          role="option"
          tabIndex={-1}
          aria-selected={index === current}
          // The editor keeps the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            choose(entry);
          }}
          className="cursor-pointer px-3 py-1.5 aria-selected:bg-accent-soft aria-selected:text-accent"
        >
          {entry.label}
        </div>
      ))}
    </div>
  );
}

function placeOf(editor: Editor, position: number, frame: HTMLElement): { top: number; left: number } {
  const [caret, box] = [editor.view.coordsAtPos(position), frame.getBoundingClientRect()];
  return { top: caret.bottom - box.top + 4, left: Math.max(0, Math.min(caret.left - box.left, box.width - 224)) };
}
