/** The list of a workflow's steps. It says the same as the graph, and takes the same steps and figures. */
import type { ReactNode } from 'react';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { useFormat } from '../../words/format.js';
import { FiguresProvider, useStepFigures, useTransitionFigures, type GraphFigures } from './figures.js';
import type { GraphStep, GraphTransition } from './model.js';
import { inOrder } from './order.js';
import { STEP_ICONS } from './step-icons.js';
import { useGraphWords } from './words.js';

interface Props {
  /** The accessible name. */
  label: string;
  steps: readonly GraphStep[];
  transitions: readonly GraphTransition[];
  figures?: GraphFigures;
  selectedId?: string | null;
  /** Adds a button to each step. */
  onSelect?: (stepId: string) => void;
}

export function GraphList({ label, steps, transitions, figures, selectedId = null, onSelect }: Props) {
  const words = useGraphWords();
  const names = new Map(steps.map(({ id, name }) => [id, name]));
  return (
    <FiguresProvider value={figures ?? null}>
      <ol aria-label={label} className="grid gap-2">
        {inOrder(steps, transitions).map((step) => {
          const next = transitions.filter(({ fromStepId }) => fromStepId === step.id);
          const Icon = STEP_ICONS[step.type];
          const isSelected = step.id === selectedId;
          return (
            <li
              key={step.id}
              className={`grid gap-x-4 gap-y-1 rounded-lg border p-3 sm:grid-cols-[minmax(0,1fr)_auto] ${isSelected ? 'border-accent bg-accent-soft' : 'border-line'}`}
            >
              <div className="grid min-w-0 content-start gap-1">
                <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
                  <Icon />
                  <strong className="break-words">{step.name}</strong>
                  {step.name !== words.types[step.type] && (
                    <span className={isSelected ? '' : 'text-muted'}>{words.types[step.type]}</span>
                  )}
                  <Waiting stepId={step.id} />
                </span>
                {step.about !== undefined && step.about !== '' && <span className="break-words">{step.about}</span>}
                {step.problem !== undefined && <span className="text-danger">{step.problem}</span>}
                <Passed stepId={step.id} isSelected={isSelected} />
                {next.length === 0 ? (
                  <span className={isSelected ? '' : 'text-muted'}>{words.ends}</span>
                ) : (
                  <ul className="grid gap-0.5">
                    {next.map((transition) => (
                      <Transition
                        key={transition.id}
                        transition={transition}
                        to={names.get(transition.toStepId) ?? ''}
                      />
                    ))}
                  </ul>
                )}
              </div>
              {onSelect && (
                <div>
                  <Button aria-pressed={isSelected} onClick={() => onSelect(step.id)}>
                    {words.contactsHere}
                    <span className="sr-only">: {step.name}</span>
                  </Button>
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </FiguresProvider>
  );
}

function Waiting({ stepId }: { stepId: string }) {
  const words = useGraphWords();
  const format = useFormat();
  const waiting = useStepFigures(stepId)?.waiting ?? 0;
  return waiting === 0 ? null : <Badge tone="accent">{words.waiting(format.number(waiting))}</Badge>;
}

function Passed({ stepId, isSelected }: { stepId: string; isSelected: boolean }): ReactNode {
  const words = useGraphWords();
  const format = useFormat();
  const figures = useStepFigures(stepId);
  if (!figures) return null;
  const { completed, skipped, failed } = figures;
  return (
    <span className={`flex flex-wrap gap-x-3 tabular-nums ${isSelected ? '' : 'text-muted'}`}>
      <span>{words.passed(format.number(completed))}</span>
      {failed > 0 && <span className="font-medium text-danger">{words.failed(format.number(failed))}</span>}
      {skipped > 0 && <span>{words.skipped(format.number(skipped))}</span>}
    </span>
  );
}

function Transition({ transition: { id, label }, to }: { transition: GraphTransition; to: string }) {
  const words = useGraphWords();
  const format = useFormat();
  const figures = useTransitionFigures(id);
  const figure = figures && [
    ...(figures.share === null ? [] : [format.percent(figures.share)]),
    format.number(figures.passed),
  ];
  return (
    <li className="break-words">
      <span aria-hidden>→ </span>
      {label === undefined ? words.leadsTo(to) : words.leadsToOn(label, to)}
      {figure && <span className="tabular-nums"> ({figure.join(' · ')})</span>}
    </li>
  );
}
