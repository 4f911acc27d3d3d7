/** Adding a step at an outlet, or leading the outlet to another step. */
import { useState } from 'react';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { SelectField } from '../../../ui/field.js';
import { PlusIcon } from '../../../ui/icons.js';
import { Menu, type MenuAction } from '../../../ui/menu.js';
import { nameOfBranch, nameOfStep } from '../../graph/about.js';
import { useGraphWords } from '../../graph/words.js';
import {
  canLead,
  connect,
  copyOf,
  insert,
  newStep,
  stepOf,
  targetOf,
  type Graph,
  type Outlet,
  type Unplaced,
} from './graph.js';
import { ADDABLE, type StepType } from './kinds.js';
import { placeBelow } from './places.js';
import type { Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

/** Returns what adds steps to the graph, selects them, and focuses their forms. */
export function useAddStep(editor: Editor): { add: (type: StepType, at: Outlet) => void; paste: (at: Outlet) => void } {
  const graphWords = useGraphWords();
  const words = useEditorWords();
  const put = (step: Unplaced, at: Outlet): void => {
    const { graph, placed } = placeBelow(editor.graph, step, at);
    editor.apply(insert(graph, placed, at));
    editor.jumpTo(step.key);
  };
  const newKey = (): string => `new-${crypto.randomUUID()}`;
  return {
    add: (type, at) => put(newStep(type, newKey(), graphWords.types[type]), at),
    paste(at) {
      const { copied } = editor;
      if (copied) put(copyOf(copied, newKey(), words.copyName(copied.name)), at);
    },
  };
}

interface Props {
  editor: Editor;
  outlet: Outlet;
}

/** Returns what tells an outlet from others: "after Welcome, yes". */
export function usePlace({ graph }: Editor): (outlet: Outlet) => string {
  const words = useEditorWords();
  const graphWords = useGraphWords();
  return ({ from, branch }) => {
    const step = stepOf(graph, from);
    return words.place(step ? nameOfStep(step, graphWords) : '', nameOfBranch(step, branch, graphWords) ?? null);
  };
}

export function AddStep({ editor, outlet }: Props) {
  const words = useEditorWords();
  const graphWords = useGraphWords();
  const [isConnecting, setConnecting] = useState(false);
  const { add, paste } = useAddStep(editor);
  const place = usePlace(editor);
  const { graph, copied } = editor;
  const actions: MenuAction[] = [
    ...ADDABLE.map((type) => ({ label: graphWords.types[type], onSelect: () => add(type, outlet) })),
    ...(copied ? [{ label: words.pasteStep(copied.name), onSelect: () => paste(outlet) }] : []),
    { label: words.goTo, onSelect: () => setConnecting(true) },
  ];
  return (
    <>
      <Menu label={words.addAfter(place(outlet))} actions={actions}>
        <PlusIcon />
        {words.addStep}
      </Menu>
      {isConnecting && (
        <ConnectDialog
          graph={graph}
          outlet={outlet}
          onClose={() => setConnecting(false)}
          onConnect={(to) => {
            setConnecting(false);
            editor.apply(connect(graph, outlet, to));
          }}
        />
      )}
    </>
  );
}

interface ConnectProps {
  graph: Graph;
  outlet: Outlet;
  onClose: () => void;
  onConnect: (to: string) => void;
}

function ConnectDialog({ graph, outlet, onClose, onConnect }: ConnectProps) {
  const words = useEditorWords();
  const graphWords = useGraphWords();
  const options = graph.steps
    .filter(({ key }) => canLead(graph, outlet, key))
    .map((step) => ({ value: step.key, label: nameOfStep(step, graphWords) }));
  const [chosen, setChosen] = useState(targetOf(graph, outlet) ?? '');
  return (
    <Dialog title={words.goTo} isOpen onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen !== '') onConnect(chosen);
        }}
      >
        <SelectField
          label={words.connectTo}
          name="step"
          value={chosen}
          options={[{ value: '', label: words.chooseStep }, ...options]}
          onChange={setChosen}
        />
        <Button type="submit" look="primary" disabled={chosen === ''}>
          {words.goTo}
        </Button>
      </form>
    </Dialog>
  );
}
