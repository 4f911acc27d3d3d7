/** The graph that is edited with a pointer, or with the keys of its parts. */
import { useMemo, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { Dialog } from '../../../ui/dialog.js';
import { GraphCanvas } from '../../graph/canvas.js';
import type { GraphEditing, GraphStep, GraphTransition } from '../../graph/model.js';
import { useGraphWords } from '../../graph/words.js';
import { AddStep, useAddStep } from './add-step.js';
import { canLead, connect, remove, targetOf, type Outlet } from './graph.js';
import { ADDABLE, outletsOf } from './kinds.js';
import { isPlaced, move, withoutPlaces } from './places.js';
import { idOfOutlet } from './shown.js';
import type { Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

interface Props {
  editor: Editor;
  steps: readonly GraphStep[];
  transitions: readonly GraphTransition[];
}

export function GraphView({ editor, steps, transitions }: Props) {
  const words = useEditorWords();
  const graphWords = useGraphWords();
  const [insertAt, setInsertAt] = useState<Outlet | null>(null);
  const { add, paste } = useAddStep(editor);
  const { graph, apply, copied } = editor;
  const editing = useMemo((): GraphEditing => {
    const outletOf = (transitionId: string): Outlet | undefined =>
      graph.edges.find((edge) => idOfOutlet(edge) === transitionId);
    return {
      onMove: (key, to, shown) => apply(move(graph, key, to, shown), `place of ${key}`),
      onConnect(from, to, branch) {
        if (canLead(graph, { from, branch }, to)) apply(connect(graph, { from, branch }, to));
      },
      onInsert: (id) => setInsertAt(outletOf(id) ?? null),
      onRemove({ kind, id }) {
        const outlet = kind === 'transition' ? outletOf(id) : undefined;
        apply(outlet ? connect(graph, outlet, null) : remove(graph, id));
      },
    };
  }, [graph, apply]);
  const choose = (action: (at: Outlet) => void) => (): void => {
    if (insertAt) action(insertAt);
    setInsertAt(null);
  };
  const selected = graph.steps.find(({ key }) => key === editor.selected);
  const open = (selected ? outletsOf(selected) : [])
    .map((branch): Outlet => ({ from: selected?.key ?? '', branch }))
    .filter((outlet) => targetOf(graph, outlet) === undefined);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-2">
      <div className="flex flex-wrap gap-2">
        {open.map((outlet) => (
          <AddStep key={outlet.branch ?? ''} editor={editor} outlet={outlet} />
        ))}
        {isPlaced(graph) && <Button onClick={() => apply(withoutPlaces(graph))}>{words.arrange}</Button>}
      </div>
      <GraphCanvas
        label={words.steps}
        steps={steps}
        transitions={transitions}
        selectedId={editor.selected}
        onSelect={(key) => editor.select(key === editor.selected ? null : key)}
        editing={editing}
      />
      <Dialog title={words.addStep} isOpen={insertAt !== null} onClose={() => setInsertAt(null)}>
        <div className="grid gap-2">
          {ADDABLE.map((type) => (
            <Button key={type} onClick={choose((at) => add(type, at))}>
              {graphWords.types[type]}
            </Button>
          ))}
          {copied && <Button onClick={choose(paste)}>{words.pasteStep(copied.name)}</Button>}
        </div>
      </Dialog>
    </div>
  );
}
