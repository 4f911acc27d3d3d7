/** The list view: all that the graph can do, without a pointer (WCAG 2.5.7). The form of a step opens under it. */
import { useId, useMemo } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { Badge } from '../../../ui/badge.js';
import { Button } from '../../../ui/button.js';
import { DownIcon, NextIcon } from '../../../ui/icons.js';
import { nameOfBranch, nameOfStep } from '../../graph/about.js';
import type { GraphStep } from '../../graph/model.js';
import { STEP_ICONS } from '../../graph/step-icons.js';
import { useGraphWords } from '../../graph/words.js';
import { AddStep, usePlace } from './add-step.js';
import { connect } from './graph.js';
import { outlineOf, type OutlineList, type OutlineStep } from './outline.js';
import { FocusedForm } from './focused-form.js';
import type { Editor } from './use-editor.js';
import { useEditorWords } from './words.js';

interface Props {
  editor: Editor;
  shown: ReadonlyMap<string, GraphStep>;
  problemsOf: ReadonlyMap<string, ReadonlyArray<Schemas['WorkflowProblem']>>;
}

export function ListView(props: Props) {
  const words = useEditorWords();
  const { graph } = props.editor;
  const { list, unreachable } = useMemo(() => outlineOf(graph), [graph]);
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-6">
      <Steps list={list} label={words.steps} {...props} />
      {unreachable.length > 0 && (
        <section className="grid gap-2" aria-label={words.unreachable}>
          <h3 className="font-semibold">{words.unreachable}</h3>
          <p className="text-muted">{words.unreachableAbout}</p>
          {unreachable.map((part) => (
            <Steps key={part.steps[0]?.step.key} list={part} label={words.unreachable} {...props} />
          ))}
        </section>
      )}
    </div>
  );
}

function Steps({ list: { steps, end }, label, ...props }: Props & { list: OutlineList; label: string }) {
  return (
    <div className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      {steps.length > 0 && (
        <ol aria-label={label} className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
          {steps.map((item, index) => (
            <Step key={item.step.key} item={item} hasNext={index < steps.length - 1} {...props} />
          ))}
        </ol>
      )}
      {end && <End end={end} {...props} />}
    </div>
  );
}

function Step({ item: { step, branches }, hasNext, ...props }: Props & { item: OutlineStep; hasNext: boolean }) {
  const { editor, shown, problemsOf } = props;
  const graphWords = useGraphWords();
  const words = useEditorWords();
  const place = usePlace(editor);
  const formId = useId();
  const isOpen = editor.selected === step.key;
  const Icon = STEP_ICONS[step.type];
  const about = shown.get(step.key)?.about ?? '';
  const problems = (problemsOf.get(step.key) ?? []).filter(({ level }) => level !== 'info');
  return (
    <li className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2">
      <div
        className={`grid grid-cols-[minmax(0,1fr)] rounded-lg border bg-surface ${isOpen ? 'border-accent' : 'border-line'}`}
      >
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={isOpen ? formId : undefined}
          onClick={() => editor.select(isOpen ? null : step.key)}
          className="flex min-h-11 cursor-pointer flex-wrap items-center gap-x-2 gap-y-1 rounded-lg px-3 py-2 text-start hover:bg-raised"
        >
          <Icon />
          <strong className="break-words">{nameOfStep(step, graphWords)}</strong>
          {nameOfStep(step, graphWords) !== graphWords.types[step.type] && (
            <span className="text-muted">{graphWords.types[step.type]}</span>
          )}
          {about !== '' && <span className="min-w-0 break-words">{about}</span>}
          {problems.length > 0 && (
            <Badge tone={problems.some(({ level }) => level === 'error') ? 'danger' : 'warning'}>
              {words.problemCount(problems.length)}
            </Badge>
          )}
          <span className="ms-auto">{isOpen ? <DownIcon /> : <NextIcon />}</span>
        </button>
        {isOpen && (
          <div id={formId} className="border-t border-line p-3">
            <FocusedForm editor={editor} />
          </div>
        )}
      </div>
      {branches.map(({ outlet, list }) => (
        <section
          key={outlet.branch ?? ''}
          aria-label={place(outlet)}
          className="ms-3 grid min-w-0 grid-cols-[minmax(0,1fr)] gap-2 border-s-2 border-line ps-3 sm:ms-6"
        >
          <p className="font-medium">{nameOfBranch(step, outlet.branch, graphWords) ?? words.otherwise}</p>
          {list.steps.length > 0 && (
            <div>
              <AddStep editor={editor} outlet={outlet} />
            </div>
          )}
          <Steps list={list} label={place(outlet)} {...props} />
        </section>
      ))}
      {hasNext && branches.length === 0 && (
        <div>
          <AddStep editor={editor} outlet={{ from: step.key, branch: null }} />
        </div>
      )}
    </li>
  );
}

function End({ end: { outlet, to }, editor }: Pick<Props, 'editor'> & { end: NonNullable<OutlineList['end']> }) {
  const words = useEditorWords();
  const graphWords = useGraphWords();
  return (
    <div className="flex flex-wrap items-center gap-2 text-muted">
      <span>{to ? words.continuesAt(nameOfStep(to, graphWords)) : words.ends}</span>
      <AddStep editor={editor} outlet={outlet} />
      {to && (
        <Button look="quiet" onClick={() => editor.apply(connect(editor.graph, outlet, null))}>
          {words.disconnect}
        </Button>
      )}
    </div>
  );
}
