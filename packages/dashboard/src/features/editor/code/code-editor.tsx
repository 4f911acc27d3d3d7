/** The HTML of an email, in CodeMirror. */
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';
import type { Problem } from '../content.js';
import { imagesOf, type ImageUpload } from '../uploads.js';
import { createExtensions, positionOf, showProblems } from './setup.js';

export interface CodeHandle {
  /** Puts the cursor at a place, both from 1. */
  goTo: (line: number, column?: number) => void;
  insert: (text: string) => void;
}

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  problems: readonly Problem[];
  variables: readonly string[];
  upload: ImageUpload['upload'];
  isReadOnly: boolean;
  ref?: Ref<CodeHandle>;
}

export function CodeEditor({ label, value, problems, isReadOnly, ref, ...callbacks }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(callbacks);
  useEffect(() => {
    latest.current = callbacks;
  });
  const initial = useRef(value);

  useEffect(() => {
    if (!place.current) return;
    const insertImages = async (files: File[], position: number): Promise<void> => {
      for (const file of files) {
        const url = await latest.current.upload(file);
        if (url !== null) insertAt(view.current, `<img src="${url}" alt="" style="max-width:100%">`, position);
      }
    };
    const created = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: initial.current,
        extensions: createExtensions({
          label,
          isReadOnly,
          variables: () => latest.current.variables,
          onChange: (text) => latest.current.onChange(text),
          onFiles(data, position) {
            const files = imagesOf(data);
            if (files.length === 0 || isReadOnly) return false;
            void insertImages(files, position);
            return true;
          },
        }),
      }),
    });
    view.current = created;
    return () => {
      // The next one begins with what this one had.
      initial.current = created.state.doc.toString();
      created.destroy();
      view.current = null;
    };
  }, [label, isReadOnly]);

  useEffect(() => {
    if (view.current) view.current.dispatch(showProblems(view.current.state, problems));
  }, [problems]);

  useImperativeHandle(ref, () => ({
    goTo(line, column) {
      if (!view.current) return;
      const anchor = positionOf(view.current.state.doc, line, column);
      view.current.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
      view.current.focus();
    },
    insert(text) {
      insertAt(view.current, text, view.current?.state.selection.main.from ?? 0);
      view.current?.focus();
    },
  }));

  return <div ref={place} className="min-w-0 overflow-hidden rounded-lg border border-control" />;
}

function insertAt(view: EditorView | null, insert: string, position: number): void {
  if (!view) return;
  const from = Math.min(position, view.state.doc.length);
  view.dispatch({ changes: { from, insert }, selection: { anchor: from + insert.length } });
}
