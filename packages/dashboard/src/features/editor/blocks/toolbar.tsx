/** The formatting of the selected text, undo and redo, and the menus that add blocks and variables. */
import type { Editor } from '@tiptap/core';
import { useEditorState } from '@tiptap/react';
import { useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { TextField } from '../../../ui/field.js';
import { readForm } from '../../../ui/form.js';
import { LinkIcon, PlusIcon, RedoIcon, UndoIcon } from '../../../ui/icons.js';
import { Menu } from '../../../ui/menu.js';
import { useWords } from '../../../words/words.js';
import { blockType } from './document.js';
import { insertBlock, insertVariable } from './commands.js';
import { completeLink, isLink } from './rules.js';
import { SavedBlocksDialog } from './saved-blocks.js';
import { useBlockWords } from './words.js';

/** The nodes of the menus, in their order. */
export const INSERTED = [
  'paragraph',
  'heading',
  'button',
  'image',
  'columns',
  'list',
  'divider',
  'spacer',
  'conditional',
  'social',
  'html',
  'footer',
] as const;

const MARKS = ['bold', 'italic', 'underline', 'strike'] as const;
const LETTERS = {
  bold: <b>B</b>,
  italic: <i>I</i>,
  underline: <u>U</u>,
  strike: <s>S</s>,
};
const DEFAULT_COLOR = '#1f4fd8';

export function Toolbar({ editor, variables }: { editor: Editor; variables: readonly string[] }) {
  const words = useBlockWords();
  const [isLinking, setLinking] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  const state = useEditorState({
    editor,
    selector: ({ editor: current }) => ({
      active: MARKS.filter((mark) => current.isActive(mark)).join(' '),
      isLink: current.isActive('link'),
      color: String(current.getAttributes('color').color ?? ''),
      canUndo: current.can().undo(),
      canRedo: current.can().redo(),
    }),
  });
  const setColor = (color: string): void => void editor.chain().focus().setMark('color', { color }).run();
  return (
    <div
      role="toolbar"
      aria-label={words.toolbar}
      className="sticky top-14 z-10 flex flex-wrap items-center gap-1 bg-surface py-1 max-sm:static"
    >
      <Menu
        actions={INSERTED.map((name) => ({
          label: words.names[blockType(name)] ?? name,
          onSelect: () => insertBlock(editor, name),
        }))}
      >
        <PlusIcon />
        {words.add}
      </Menu>
      <Button onClick={() => setChoosing(true)}>{words.saved.title}</Button>
      <Menu actions={variables.map((name) => ({ label: name, onSelect: () => insertVariable(editor, name) }))}>
        {words.variable}
      </Menu>
      {MARKS.map((mark) => (
        <Tool
          key={mark}
          label={words.marks[mark]}
          isPressed={state.active.split(' ').includes(mark)}
          onClick={() => editor.chain().focus().toggleMark(mark).run()}
        >
          {LETTERS[mark]}
        </Tool>
      ))}
      <Tool label={words.link} isPressed={state.isLink} onClick={() => setLinking(true)}>
        <LinkIcon />
      </Tool>
      <input
        type="color"
        aria-label={words.color}
        title={words.color}
        value={/^#[\da-f]{6}$/i.test(state.color) ? state.color : DEFAULT_COLOR}
        onChange={({ target }) => setColor(target.value)}
        className="size-9 cursor-pointer rounded-lg border border-control bg-surface p-1"
      />
      {state.color !== '' && (
        <Button look="quiet" onClick={() => editor.chain().focus().unsetMark('color').run()}>
          {words.noColor}
        </Button>
      )}
      <Tool label={words.undo} isDisabled={!state.canUndo} onClick={() => editor.chain().focus().undo().run()}>
        <UndoIcon />
      </Tool>
      <Tool label={words.redo} isDisabled={!state.canRedo} onClick={() => editor.chain().focus().redo().run()}>
        <RedoIcon />
      </Tool>
      <Dialog title={words.linkTitle} isOpen={isLinking} onClose={() => setLinking(false)}>
        <LinkForm editor={editor} onClose={() => setLinking(false)} />
      </Dialog>
      <SavedBlocksDialog editor={editor} isOpen={isChoosing} onClose={() => setChoosing(false)} />
    </div>
  );
}

interface ToolProps {
  label: string;
  isPressed?: boolean;
  isDisabled?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Tool({ label, isPressed, isDisabled = false, onClick, children }: ToolProps) {
  return (
    <Button
      look="quiet"
      aria-label={label}
      title={label}
      aria-pressed={isPressed}
      disabled={isDisabled}
      onClick={onClick}
      className="min-w-9 px-2 aria-pressed:bg-accent-soft aria-pressed:text-accent"
    >
      {children}
    </Button>
  );
}

function LinkForm({ editor, onClose }: { editor: Editor; onClose: () => void }) {
  const words = useBlockWords();
  const { common } = useWords();
  const [error, setError] = useState<string>();
  const { href = '', label = null } = editor.getAttributes('link');
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    const form = readForm(event);
    const link = completeLink(form.href ?? '');
    if (!isLink(link) || link === '') return setError(words.invalid);
    const attributes = { href: link, label: form.label === '' ? null : form.label };
    const chain = editor.chain().focus().extendMarkRange('link');
    if (editor.state.selection.empty && !editor.isActive('link'))
      chain.insertContent({ type: 'text', text: link, marks: [{ type: 'link', attrs: attributes }] }).run();
    else chain.setMark('link', attributes).run();
    onClose();
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField label={words.linkUrl} name="href" defaultValue={String(href)} error={error} autoComplete="off" />
      <TextField label={words.fields.label} name="label" defaultValue={String(label ?? '')} autoComplete="off" />
      <div className="flex flex-wrap justify-end gap-2">
        {href !== '' && (
          <Button
            onClick={() => {
              editor.chain().focus().extendMarkRange('link').unsetMark('link').run();
              onClose();
            }}
          >
            {words.removeLink}
          </Button>
        )}
        <Button type="submit" look="primary">
          {common.save}
        </Button>
      </div>
    </form>
  );
}
