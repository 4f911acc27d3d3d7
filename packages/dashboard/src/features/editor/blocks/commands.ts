/** Finds and changes the blocks of a document. */
import { Extension, type Editor } from '@tiptap/core';
import { closeHistory } from '@tiptap/pm/history';
import { Fragment, type Node } from '@tiptap/pm/model';
import { NodeSelection, Plugin, Selection, TextSelection, type EditorState, type Transaction } from '@tiptap/pm/state';
import { newBlockId, type Block } from '../content.js';
import { settingsOf, toNode, type BlockSettings, type DocNode } from './document.js';
import { createNode } from './nodes.js';

export interface FoundBlock {
  node: Node;
  /** Where the node begins in the document. */
  position: number;
}

const isBlock = (node: Node): boolean => 'settings' in node.attrs;

/** Returns the blocks around the selection, from the outside to the inside. The last one is the selected block. */
export function findBlocks({ selection }: EditorState): FoundBlock[] {
  const found: FoundBlock[] = [];
  const { $from } = selection;
  for (let depth = 1; depth <= $from.depth; depth += 1)
    if (isBlock($from.node(depth))) found.push({ node: $from.node(depth), position: $from.before(depth) });
  if (selection instanceof NodeSelection && isBlock(selection.node))
    found.push({ node: selection.node, position: selection.from });
  return found;
}

/** Returns the variable that is selected on its own. */
export const findVariable = ({ selection }: EditorState): FoundBlock | null =>
  selection instanceof NodeSelection && selection.node.type.name === 'variable'
    ? { node: selection.node, position: selection.from }
    : null;

export function selectBlock(editor: Editor, position: number): void {
  editor.view.dispatch(editor.state.tr.setSelection(NodeSelection.create(editor.state.doc, position)).scrollIntoView());
  editor.view.focus();
}

/** Changes settings of a block. Undefined and null remove one. */
export function changeSettings(editor: Editor, position: number, change: BlockSettings): void {
  const node = editor.state.doc.nodeAt(position);
  if (!node) return;
  const settings = Object.fromEntries(
    Object.entries({ ...settingsOf(node.attrs), ...change }).filter(
      ([, value]) => value !== undefined && value !== null,
    ),
  );
  const { tr } = editor.state;
  const isSelected = editor.state.selection instanceof NodeSelection && editor.state.selection.from === position;
  tr.setNodeMarkup(position, null, { ...node.attrs, settings });
  if (isSelected) tr.setSelection(NodeSelection.create(tr.doc, position));
  editor.view.dispatch(tr);
}

/** Applies a change of blocks that is undone without those before it. Otherwise quick changes of neighbors are undone together. */
function applyStep({ view }: Editor, tr: Transaction): void {
  view.dispatch(closeHistory(tr));
}

/** Inserts a block after the selected one, or instead of an empty paragraph. */
export const insertBlock = (editor: Editor, name: string): void => insertNodes(editor, [createNode(name)]);

/** Inserts copies of blocks after the selected one, or instead of an empty paragraph. */
export const insertBlocks = (editor: Editor, blocks: readonly Block[]): void => insertNodes(editor, blocks.map(toNode));

function insertNodes(editor: Editor, json: readonly DocNode[]): void {
  const { state } = editor;
  const nodes = json.map((one) => state.schema.nodeFromJSON(one));
  const [first] = nodes;
  if (!first) return;
  const blocks = findBlocks(state).reverse();
  const { tr } = state;
  const place = blocks.find(({ position }) => {
    const $position = state.doc.resolve(position);
    const index = $position.index();
    return nodes.every(({ type }) => $position.parent.canReplaceWith(index, index, type));
  });
  const at = place ? place.position + place.node.nodeSize : state.doc.content.size;
  const isReplaced = place !== undefined && place.node.type.name === 'paragraph' && place.node.content.size === 0;
  const from = isReplaced ? place.position : at;
  tr.replaceWith(from, at, nodes);
  const inside = Selection.findFrom(tr.doc.resolve(from + 1), 1, true);
  const isText = inside !== null && inside.from < from + first.nodeSize;
  tr.setSelection(isText ? inside : NodeSelection.create(tr.doc, from));
  applyStep(editor, tr.scrollIntoView());
  editor.view.focus();
}

/** Moves a block past its neighbor; at the edge, out of the columns or the condition around it. */
export function moveBlock(editor: Editor, { node, position }: FoundBlock, direction: -1 | 1): void {
  const { tr, doc } = editor.state;
  const $position = doc.resolve(position);
  const index = $position.index();
  const { parent } = $position;
  const sibling = parent.maybeChild(index + direction);
  let target: number;
  if (sibling) target = direction < 0 ? position - sibling.nodeSize : position + sibling.nodeSize;
  else {
    const depth = outerDepth($position.depth, (at) => isBlock($position.node(at)));
    if (depth === 0) return;
    const outside = direction < 0 ? $position.before(depth) : $position.after(depth);
    // The container keeps a place for the cursor.
    if (parent.childCount === 1) tr.replaceWith(position, position + node.nodeSize, emptyParagraph(editor));
    else tr.delete(position, position + node.nodeSize);
    target = tr.mapping.map(outside, direction);
    tr.insert(target, node).setSelection(NodeSelection.create(tr.doc, target));
    applyStep(editor, tr.scrollIntoView());
    return;
  }
  tr.delete(position, position + node.nodeSize).insert(target, node);
  tr.setSelection(NodeSelection.create(tr.doc, target));
  applyStep(editor, tr.scrollIntoView());
}

function outerDepth(depth: number, isContainer: (depth: number) => boolean): number {
  for (let at = depth; at > 0; at -= 1) if (isContainer(at)) return at;
  return 0;
}

const emptyParagraph = ({ schema }: Editor): Node => schema.nodeFromJSON({ type: 'paragraph' });

/** Lets the editor move the block to where it is dropped. */
export function startDrag({ state, view }: Editor, { position }: FoundBlock): void {
  const selection = NodeSelection.create(state.doc, position);
  view.dispatch(state.tr.setSelection(selection));
  view.dragging = { slice: selection.content(), move: true };
}

export function duplicateBlock(editor: Editor, { node, position }: FoundBlock): void {
  const { tr } = editor.state;
  const at = position + node.nodeSize;
  tr.insert(at, node).setSelection(NodeSelection.create(tr.doc, at));
  applyStep(editor, tr.scrollIntoView());
}

export function deleteBlock(editor: Editor, { node, position }: FoundBlock): void {
  const { tr, doc } = editor.state;
  const end = position + node.nodeSize;
  if (doc.resolve(position).parent.childCount === 1) tr.replaceWith(position, end, emptyParagraph(editor));
  else tr.delete(position, end);
  tr.setSelection(Selection.near(tr.doc.resolve(Math.min(position, tr.doc.content.size)), 1));
  applyStep(editor, tr.scrollIntoView());
  editor.view.focus();
}

/** Sets the number of columns or branches. Blocks of columns that go move to the last one. */
export function resizeParts(editor: Editor, { node, position }: FoundBlock, count: number): void {
  const part = node.firstChild?.type;
  if (!part) return;
  const parts: Node[] = [];
  node.forEach((child) => void parts.push(child));
  const kept = parts.slice(0, count);
  const moved = parts.slice(count).flatMap((child) => childrenOf(child).filter(({ content }) => content.size > 0));
  const last = kept.at(-1);
  if (last && moved.length > 0) kept[kept.length - 1] = last.copy(last.content.append(Fragment.from(moved)));
  while (kept.length < count) kept.push(part.create(null, emptyParagraph(editor)));
  const { widths: _widths, ...settings } = settingsOf(node.attrs);
  const fresh = node.type.create({ ...node.attrs, settings }, kept);
  const { tr } = editor.state;
  tr.replaceWith(position, position + node.nodeSize, fresh).setSelection(NodeSelection.create(tr.doc, position));
  applyStep(editor, tr);
}

function childrenOf(node: Node): Node[] {
  const children: Node[] = [];
  node.forEach((child) => void children.push(child));
  return children;
}

export function insertVariable(editor: Editor, name: string): void {
  editor.chain().focus().insertContent({ type: 'variable', attrs: { name } }).run();
}

/** Keys of blocks: Alt with an arrow moves one, and Enter in an empty item ends a list. */
export const BlockKeys = Extension.create({
  name: 'blockKeys',
  addKeyboardShortcuts() {
    const move = (direction: -1 | 1) => (): boolean => {
      const block = findBlocks(this.editor.state).at(-1);
      if (block) moveBlock(this.editor, block, direction);
      return true;
    };
    return {
      'Alt-ArrowUp': move(-1),
      'Alt-ArrowDown': move(1),
      Enter: () => endList(this.editor),
      'Mod-Shift-d': () => {
        const block = findBlocks(this.editor.state).at(-1);
        if (block) duplicateBlock(this.editor, block);
        return true;
      },
    };
  },
});

function endList(editor: Editor): boolean {
  const { tr, selection } = editor.state;
  const { $from } = selection;
  if ($from.parent.type.name !== 'item' || $from.parent.content.size > 0) return false;
  const after = $from.after($from.depth - 1);
  tr.insert(after, emptyParagraph(editor));
  const isOnly = $from.node($from.depth - 1).childCount === 1;
  if (isOnly) tr.delete($from.before($from.depth - 1), after);
  else tr.delete($from.before(), $from.after());
  tr.setSelection(TextSelection.near(tr.doc.resolve(tr.mapping.map(after, -1) + 1)));
  editor.view.dispatch(tr.scrollIntoView());
  return true;
}

/** Gives ids to new blocks, and other ones to copies. */
export const UniqueIds = Extension.create({
  name: 'uniqueIds',
  addProseMirrorPlugins: () => [
    new Plugin({
      appendTransaction(transactions, _before, { doc, tr }) {
        if (!transactions.some(({ docChanged }) => docChanged)) return null;
        const known = new Set<unknown>();
        doc.descendants((node, position) => {
          if (!isBlock(node)) return;
          const { id } = node.attrs;
          if (id === null || id === '' || known.has(id)) tr.setNodeAttribute(position, 'id', newBlockId());
          known.add(id);
        });
        return tr.docChanged ? tr : null;
      },
    }),
  ],
});
