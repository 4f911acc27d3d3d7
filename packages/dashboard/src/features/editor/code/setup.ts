/** The parts of CodeMirror that the code editor has: HTML with the template language, its variables, and problems. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { html, htmlLanguage } from '@codemirror/lang-html';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { EditorState, type Extension, type Text, type TransactionSpec } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  MatchDecorator,
  ViewPlugin,
  type DecorationSet,
  type ViewUpdate,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Problem } from '../content.js';

const STYLE = HighlightStyle.define([
  { tag: [tags.tagName, tags.angleBracket], color: 'var(--color-accent)' },
  { tag: tags.attributeName, color: 'var(--color-second)' },
  { tag: [tags.attributeValue, tags.string], color: 'var(--color-success)' },
  { tag: tags.comment, color: 'var(--color-muted)' },
  { tag: [tags.keyword, tags.propertyName], color: 'var(--color-second)' },
  { tag: [tags.number, tags.color, tags.bool], color: 'var(--color-warning)' },
]);

const THEME = EditorView.theme({
  '&': { backgroundColor: 'var(--color-surface)', color: 'var(--color-text)', fontSize: '14px' },
  '&.cm-focused': { outline: '3px solid var(--color-focus)', outlineOffset: '2px' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--color-text)', minHeight: '24rem' },
  '.cm-scroller': { maxHeight: '70vh', overflow: 'auto' },
  '.cm-gutters': { backgroundColor: 'var(--color-raised)', color: 'var(--color-muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--color-raised) 60%, transparent)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--color-text)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--color-accent-soft) !important',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--color-surface)',
    color: 'var(--color-text)',
    border: '1px solid var(--color-line)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--color-accent)',
    color: 'var(--color-on-accent)',
  },
  '.cm-template': {
    backgroundColor: 'var(--color-accent-soft)',
    borderRadius: '3px',
    fontWeight: '600',
    '&, & *': { color: 'var(--color-accent) !important' },
  },
});

const templates = new MatchDecorator({
  regexp: /\{\{[^\n]*?\}\}|\{%[^\n]*?%\}/g,
  decoration: Decoration.mark({ class: 'cm-template' }),
});

/** Marks what the template language reads. */
const highlightTemplates = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;
    constructor(view: EditorView) {
      this.marks = templates.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.marks = templates.updateDeco(update, this.marks);
    }
  },
  { decorations: ({ marks }) => marks },
);

const completeVariables =
  (variables: () => readonly string[]) =>
  (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(/\{\{\s*[^{}\n]*/);
    if (!typed) return null;
    const name = /[^{\s][^{}\n]*$/.exec(typed.text)?.[0] ?? '';
    const isClosed = /^\s*\}\}/.test(context.state.sliceDoc(context.pos, context.pos + 10));
    return {
      from: context.pos - name.length,
      options: variables().map((variable) => ({
        label: variable,
        type: 'variable',
        // Before the elements, which Ctrl+Space offers at any place.
        boost: 99,
        apply: `${typed.text.endsWith('{{') ? ' ' : ''}${variable}${isClosed ? '' : ' }}'}`,
      })),
      validFor: /^[^{}\n]*$/,
    };
  };

interface SetupOptions {
  label: string;
  isReadOnly: boolean;
  variables: () => readonly string[];
  onChange: (text: string) => void;
  /** Receives pasted or dropped files, and where to insert what they become. Returns whether it uses them. */
  onFiles: (data: DataTransfer | null, position: number) => boolean;
}

export function createExtensions({ label, isReadOnly, variables, onChange, onFiles }: SetupOptions): Extension {
  const receive = (data: DataTransfer | null, event: Event, position: number): boolean => {
    if (!onFiles(data, position)) return false;
    event.preventDefault();
    return true;
  };
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    html(),
    htmlLanguage.data.of({ autocomplete: completeVariables(variables) }),
    syntaxHighlighting(STYLE),
    highlightTemplates,
    THEME,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ 'aria-label': label }),
    EditorState.readOnly.of(isReadOnly),
    // Tab leaves the editor, as everywhere on the page.
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.updateListener.of(({ docChanged, state }) => docChanged && onChange(state.doc.toString())),
    EditorView.domEventHandlers({
      paste: (event, view) => receive(event.clipboardData, event, view.state.selection.main.from),
      drop: (event, view) =>
        receive(event.dataTransfer, event, view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? 0),
    }),
  ];
}

/** Shows the problems that have a place in the text. */
export const showProblems = (state: EditorState, problems: readonly Problem[]): TransactionSpec =>
  setDiagnostics(
    state,
    problems.flatMap(({ path, line, column, level, message }): Diagnostic[] => {
      if (path !== 'body' || line === undefined) return [];
      const from = positionOf(state.doc, line, column);
      return [{ from, to: Math.min(from + 1, state.doc.lineAt(from).to), severity: level, message }];
    }),
  );

/** Returns the offset of a line and a column, both from 1. The text may have changed since the server read it. */
export function positionOf(doc: Text, line: number, column = 1): number {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.min(from + Math.max(0, column - 1), to);
}
