/** The form of the selected step, and its focus. */
import { useEffect, useRef } from 'react';
import { stepOf } from './graph.js';
import { StepForm } from './step-form.js';
import type { Editor } from './use-editor.js';

/** After a jump, it takes the focus at its first error, or at its first field. */
export function FocusedForm({ editor }: { editor: Editor }) {
  const frame = useRef<HTMLDivElement>(null);
  const { selected, jump } = editor;
  useEffect(() => {
    // Opening a step with its button leaves the focus there.
    if (!jump) return;
    const field =
      frame.current?.querySelector<HTMLElement>('[aria-invalid="true"]') ??
      frame.current?.querySelector<HTMLElement>('input, select, textarea');
    field?.focus();
    field?.scrollIntoView({ block: 'nearest' });
  }, [jump]);
  const step = selected === null ? undefined : stepOf(editor.graph, selected);
  return <div ref={frame}>{step && <StepForm key={step.key} editor={editor} step={step} />}</div>;
}
