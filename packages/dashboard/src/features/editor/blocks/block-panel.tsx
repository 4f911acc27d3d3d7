/** The selected block: what can be done with it, and its settings. Next to it, the settings of the whole email. */
import type { Editor } from '@tiptap/core';
import { NodeSelection } from '@tiptap/pm/state';
import { useEditorState } from '@tiptap/react';
import { useState } from 'react';
import { FONTS } from '../../../../../email-blocks/src/constants.js';
import { Button } from '../../../ui/button.js';
import { SelectField } from '../../../ui/field.js';
import { BookmarkIcon, CopyIcon, DownIcon, MoreIcon, TrashIcon, UpIcon } from '../../../ui/icons.js';
import { Tabs } from '../../../ui/tabs.js';
import type { Block, Design } from '../content.js';
import type { ImageUpload } from '../uploads.js';
import { BlockFields, optionsOf } from './block-fields.js';
import {
  changeSettings,
  deleteBlock,
  duplicateBlock,
  findBlocks,
  findVariable,
  moveBlock,
  selectBlock,
  startDrag,
} from './commands.js';
import { blockType, settingsOf, toBlock } from './document.js';
import { CheckedText, ColorInput, NumberInput } from './inputs.js';
import { SaveBlockDialog } from './saved-blocks.js';
import { SpecialFields } from './special-fields.js';
import { useBlockWords } from './words.js';

type Settings = NonNullable<Design['settings']>;

interface Props {
  editor: Editor;
  settings: Settings;
  onSettings: (settings: Settings) => void;
  variables: readonly string[];
  upload: ImageUpload['upload'];
}

const GRID = 'grid items-start gap-3 sm:grid-cols-2';

export function BlockPanel({ editor, settings, onSettings, variables, upload }: Props) {
  const words = useBlockWords();
  return (
    <section
      aria-label={words.selected}
      // The same height with and without the focus: a button below would move away from the pointer that presses it.
      className="bottom-0 z-10 max-h-[34vh] overflow-y-auto rounded-lg border border-line bg-surface p-3 group-focus-within/blocks:sticky group-focus-within/blocks:shadow-lg"
    >
      <Tabs
        label={words.selected}
        tabs={[
          {
            id: 'block',
            label: words.settings,
            content: <SelectedBlock editor={editor} variables={variables} upload={upload} />,
          },
          { id: 'email', label: words.email, content: <EmailSettings settings={settings} onChange={onSettings} /> },
        ]}
      />
    </section>
  );
}

function SelectedBlock({ editor, variables, upload }: Pick<Props, 'editor' | 'variables' | 'upload'>) {
  const words = useBlockWords();
  const { blocks, variable } = useEditorState({
    editor,
    selector: ({ editor: { state } }) => ({ blocks: findBlocks(state), variable: findVariable(state) }),
  });
  const [saving, setSaving] = useState<Block | null>(null);
  const block = blocks.at(-1);
  if (!block) return null;
  const name = (type: string): string => words.names[blockType(type)] ?? type;
  const tools = [
    { label: words.up, icon: <UpIcon />, run: () => moveBlock(editor, block, -1) },
    { label: words.down, icon: <DownIcon />, run: () => moveBlock(editor, block, 1) },
    { label: words.duplicate, icon: <CopyIcon />, run: () => duplicateBlock(editor, block) },
    { label: words.saved.save, icon: <BookmarkIcon />, run: () => setSaving(toBlock(block.node.toJSON())) },
    { label: words.remove, icon: <TrashIcon />, run: () => deleteBlock(editor, block) },
  ];
  return (
    <>
      <div className="flex flex-wrap items-center gap-1">
        {blocks.map(({ node, position }) => (
          <Button key={position} look="quiet" className="px-2" onClick={() => selectBlock(editor, position)}>
            {name(node.type.name)}
          </Button>
        ))}
        <span className="ms-auto flex flex-wrap gap-1">
          {/* Dragging has the buttons and keys next to it as its other way. */}
          <span
            draggable
            title={words.drag}
            className="grid size-9 cursor-grab place-content-center rounded-lg hover:bg-raised"
            onDragStart={(event) => {
              event.dataTransfer.setData('text/html', '<p></p>');
              event.dataTransfer.effectAllowed = 'move';
              startDrag(editor, block);
            }}
          >
            <MoreIcon />
          </span>
          {tools.map(({ label, icon, run }) => (
            <Button key={label} look="quiet" className="min-w-9 px-2" aria-label={label} title={label} onClick={run}>
              {icon}
            </Button>
          ))}
        </span>
      </div>
      <SaveBlockDialog block={saving} onClose={() => setSaving(null)} />
      <div className={GRID}>
        {variable && (
          <CheckedText
            label={`${words.variable} ${String(variable.node.attrs.name)}: ${words.fields.fallback}`}
            name="fallback"
            value={String(variable.node.attrs.fallback ?? '')}
            onChange={(fallback) => {
              const { tr } = editor.state;
              tr.setNodeAttribute(variable.position, 'fallback', fallback === '' ? null : fallback);
              tr.setSelection(NodeSelection.create(tr.doc, variable.position));
              editor.view.dispatch(tr);
            }}
          />
        )}
        <SpecialFields editor={editor} block={block} variables={variables} upload={upload} />
        <BlockFields
          type={block.node.type.name}
          settings={settingsOf(block.node.attrs)}
          onChange={(change) => changeSettings(editor, block.position, change)}
        />
      </div>
    </>
  );
}

const COLORS = ['pageColor', 'contentColor', 'textColor', 'linkColor'] as const;

function EmailSettings({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const words = useBlockWords();
  const { fields } = words;
  const change = (part: Record<string, unknown>): void =>
    onChange(Object.fromEntries(Object.entries({ ...settings, ...part }).filter(([, value]) => value !== undefined)));
  return (
    <div className={GRID}>
      <SelectField
        label={fields.font}
        name="font"
        value={settings.font ?? ''}
        options={[{ value: '', label: words.default }, ...FONTS.map((value) => ({ value, label: value }))]}
        onChange={(font) => change({ font: font || undefined })}
      />
      <NumberInput
        label={fields.fontSize}
        name="fontSize"
        min={12}
        max={24}
        value={settings.fontSize ?? undefined}
        onChange={(fontSize) => change({ fontSize })}
      />
      <SelectField
        label={fields.logo}
        name="logo"
        value={settings.logo ?? ''}
        options={[{ value: '', label: words.noLogo }, ...optionsOf(words.aligns)]}
        onChange={(logo) => change({ logo: logo || undefined })}
      />
      <CheckedText
        label={fields.language}
        name="language"
        value={settings.language ?? ''}
        isValid={(text) => /^(?:|[a-z]{2,3}(?:-[a-z\d]{2,8})*)$/i.test(text)}
        onChange={(language) => change({ language: language || undefined })}
      />
      {COLORS.map((name) => (
        <ColorInput
          key={name}
          label={fields[name]}
          value={settings[name] ?? undefined}
          onChange={(color) => change({ [name]: color })}
        />
      ))}
    </div>
  );
}
