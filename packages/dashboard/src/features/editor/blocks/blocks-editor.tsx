/** The block editor: TipTap over the documents of designs. */
import './blocks.css';
import type { Editor } from '@tiptap/core';
import { EditorContent, useEditor } from '@tiptap/react';
import { StarterKit } from '@tiptap/starter-kit';
import { useEffect, useImperativeHandle, useRef, useState, type CSSProperties, type Ref } from 'react';
import { Skeleton } from '../../../ui/states.js';
import { EMPTY_DESIGN, newBlockId, type Design } from '../content.js';
import { imagesOf, type ImageUpload } from '../uploads.js';
import { BlockPanel } from './block-panel.js';
import { BlockKeys, selectBlock, UniqueIds } from './commands.js';
import { nodeIndexes, settingsOf, toDesign, toDocument, type DocNode } from './document.js';
import { createNodes } from './nodes.js';
import { cleanPaste } from './paste.js';
import { createMenuKeys, SlashMenu } from './slash-menu.js';
import { Toolbar } from './toolbar.js';
import { useBlockWords } from './words.js';

export interface BlocksHandle {
  /** Selects the block of a path such as `blocks.2.columns.0.1.src`. */
  goTo: (path: string) => void;
}

interface Props {
  design: Design | null;
  onChange: (design: Design) => void;
  variables: readonly string[];
  upload: ImageUpload['upload'];
  isReadOnly: boolean;
  ref?: Ref<BlocksHandle>;
}

export function BlocksEditor({ design, onChange, variables, upload, isReadOnly, ref }: Props) {
  const words = useBlockWords();
  const [settings, setSettings] = useState(design?.settings ?? {});
  const frame = useRef<HTMLDivElement>(null);
  const [keys] = useState(createMenuKeys);
  const latest = useRef({ onChange, upload, settings });
  useEffect(() => {
    latest.current = { onChange, upload, settings };
  });
  const emit = (editor: Editor, now = latest.current.settings): void =>
    latest.current.onChange(toDesign(editor.getJSON() as DocNode, now));

  const editor = useEditor({
    editable: !isReadOnly,
    extensions: [
      StarterKit.configure({
        blockquote: false,
        bulletList: false,
        code: false,
        codeBlock: false,
        document: false,
        heading: false,
        horizontalRule: false,
        link: false,
        listItem: false,
        listKeymap: false,
        orderedList: false,
        paragraph: false,
        trailingNode: false,
      }),
      ...createNodes(words),
      BlockKeys,
      UniqueIds,
      keys.extension,
    ],
    content: toDocument(design ?? EMPTY_DESIGN),
    editorProps: {
      attributes: { 'aria-label': words.canvas, role: 'textbox', 'aria-multiline': 'true' },
      transformPastedHTML: cleanPaste,
      handlePaste: (view, event) => insertImages(imagesOf(event.clipboardData), view.state.selection.from),
      handleDrop(view, event, _slice, isMoved) {
        const place = view.posAtCoords({ left: event.clientX, top: event.clientY });
        return !isMoved && insertImages(imagesOf(event.dataTransfer), place?.pos ?? 0);
      },
    },
    onUpdate: ({ editor: current }) => emit(current),
    onFocus: ({ editor: current }) => showCaret(current, frame.current),
    onSelectionUpdate: ({ editor: current }) => showCaret(current, frame.current),
  });

  /** Inserts a block for each image, and its address when it is uploaded. */
  function insertImages(files: File[], position: number): boolean {
    if (files.length === 0 || isReadOnly) return false;
    const insert = async (file: File): Promise<void> => {
      const id = newBlockId();
      const $position = editor.state.doc.resolve(Math.min(position, editor.state.doc.content.size));
      // After the outermost block: a list or a text cannot contain it.
      const at = $position.depth === 0 ? $position.pos : $position.after(1);
      editor.commands.insertContentAt(at, { type: 'image', attrs: { id, settings: { src: '' } } });
      const src = await latest.current.upload(file);
      if (!editor.isDestroyed) setSource(editor, id, src);
    };
    for (const file of files) void insert(file);
    return true;
  }

  useImperativeHandle(ref, () => ({
    goTo(path) {
      let node = editor.state.doc;
      let position = 0;
      for (const [depth, index] of nodeIndexes(path).entries()) {
        if (index >= node.childCount) return;
        // Past the opening of the node around it.
        if (depth > 0) position += 1;
        for (let before = 0; before < index; before += 1) position += node.child(before).nodeSize;
        node = node.child(index);
      }
      if (node !== editor.state.doc) selectBlock(editor, position);
    },
  }));

  if (!editor) return <Skeleton lines={8} />;
  return (
    // While the blocks are edited, their settings stay in sight.
    <div className="group/blocks grid min-w-0 gap-3">
      {!isReadOnly && <Toolbar editor={editor} variables={variables} />}
      <div
        ref={frame}
        className="blocks-canvas relative min-w-0 rounded-lg border border-control"
        style={{ '--hint': JSON.stringify(words.hint) } as CSSProperties}
      >
        <EditorContent editor={editor} />
        <SlashMenu editor={editor} variables={variables} keys={keys} frame={frame} />
      </div>
      {!isReadOnly && (
        <BlockPanel
          editor={editor}
          settings={settings}
          onSettings={(next) => {
            setSettings(next);
            emit(editor, next);
          }}
          variables={variables}
          upload={upload}
        />
      )}
    </div>
  );
}

const CARET_MARGIN = 24;

/** Scrolls until the settings of the block, which stay at the bottom of the window, do not cover the caret. */
function showCaret(editor: Editor, frame: HTMLElement | null): void {
  requestAnimationFrame(() => {
    const panel = frame?.nextElementSibling;
    if (editor.isDestroyed || !panel || !editor.view.hasFocus()) return;
    const { bottom } = editor.view.coordsAtPos(editor.state.selection.to);
    const covered = bottom + CARET_MARGIN - panel.getBoundingClientRect().top;
    if (covered > 0) window.scrollBy(0, covered);
  });
}

/** Sets the address of an uploaded image; removes its block if the upload failed. */
function setSource(editor: Editor, id: string, src: string | null): void {
  const { tr, doc } = editor.state;
  doc.descendants((node, position) => {
    if (node.attrs.id !== id) return;
    if (src === null) tr.delete(position, position + node.nodeSize);
    else tr.setNodeAttribute(position, 'settings', { ...settingsOf(node.attrs), src });
  });
  editor.view.dispatch(tr);
}
