/** The steps of a workflow with their figures, as a graph or as a list. */
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Schemas } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { Card } from '../../ui/page.js';
import { ErrorState } from '../../ui/states.js';
import { useFormat } from '../../words/format.js';
import { useSpeech } from '../../words/words.js';
import { useSegmentNames } from '../conditions/fields.js';
import { useConditionWords } from '../conditions/words.js';
import { namesSegments, toGraph } from '../graph/about.js';
import { GraphCanvas } from '../graph/canvas.js';
import { GraphList } from '../graph/list-view.js';
import type { GraphStep, GraphTransition } from '../graph/model.js';
import { useGraphWords } from '../graph/words.js';
import { STEP_VIEWS, type WorkflowView } from './filters.js';
import { useLiveFigures } from './live.js';
import { useWorkflowWords } from './words.js';

type Workflow = Schemas['Workflow'];

const route = getRouteApi('/signed-in/projects/$projectId/workflows/$workflowId');

/** Returns a workflow as the graph shows it. */
export function useGraph(workflow: Workflow): { steps: GraphStep[]; transitions: GraphTransition[] } {
  const graph = useGraphWords();
  const conditions = useConditionWords();
  const { language } = useSpeech();
  const segments = useSegmentNames(namesSegments(workflow.steps));
  return useMemo(
    () => toGraph(workflow, { graph, conditions, language, segments }),
    [workflow, graph, conditions, language, segments],
  );
}

/** A click on a step lists the contacts there, below. */
export function Steps({ workflow }: { workflow: Workflow }) {
  const words = useWorkflowWords();
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/projects/$projectId/workflows/$workflowId' });
  const change = useCallback(
    (next: WorkflowView) =>
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true, resetScroll: false }),
    [navigate],
  );
  const graph = useGraph(workflow);
  const { figures, totals, error } = useLiveFigures(workflow, search);
  const { step } = search;
  const onSelect = useCallback((id: string) => change({ step: id === step ? undefined : id }), [change, step]);
  const view = search.view ?? (matchMedia('(width < 40rem)').matches ? 'list' : 'graph');
  const parts = { ...graph, figures, selectedId: step ?? null, onSelect, label: words.steps };
  return (
    <Card
      title={words.steps}
      actions={
        <div role="group" aria-label={words.viewOfSteps} className="flex">
          {STEP_VIEWS.map((name) => (
            <Button
              key={name}
              aria-pressed={view === name}
              className="first:rounded-e-none last:rounded-s-none last:border-s-0 aria-pressed:bg-accent-soft aria-pressed:text-accent"
              onClick={() => change({ view: name })}
            >
              {words.views[name]}
            </Button>
          ))}
        </div>
      }
    >
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <Totals totals={totals} />
        <Range search={search} onChange={change} />
      </div>
      {error !== null && <ErrorState error={error} />}
      {view === 'graph' ? <GraphCanvas {...parts} /> : <GraphList {...parts} />}
    </Card>
  );
}

/** The first and the last day of the figures. */
function Range({ search: { from, to }, onChange }: { search: WorkflowView; onChange: (next: WorkflowView) => void }) {
  const words = useWorkflowWords();
  const { project } = useProject();
  const isReversed = from !== undefined && to !== undefined && to < from;
  return (
    <div className="grid gap-1">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label={words.from}
          name="from"
          type="date"
          value={from ?? ''}
          onChange={({ target: { value } }) => onChange({ from: value || undefined })}
        />
        <TextField
          label={words.to}
          name="to"
          type="date"
          value={to ?? ''}
          error={isReversed ? words.reversed : undefined}
          onChange={({ target: { value } }) => onChange({ to: value || undefined })}
        />
        {(from !== undefined || to !== undefined) && (
          <Button onClick={() => onChange({ from: undefined, to: undefined })}>{words.wholeTime}</Button>
        )}
      </div>
      <p className="text-sm text-muted">{words.zone(project.timezone)}</p>
    </div>
  );
}

type Totals = Schemas['WorkflowStats']['executions'];

function Totals({ totals }: { totals: Totals | undefined }) {
  const words = useWorkflowWords();
  const format = useFormat();
  const named: Array<[string, keyof Totals]> = [
    [words.active, 'active'],
    [words.completed, 'completed'],
    [words.exited, 'exited'],
    [words.failed, 'failed'],
    [words.canceled, 'cancelled'],
  ];
  return (
    <dl aria-label={words.executions} className="flex flex-wrap gap-x-6 gap-y-2">
      {named.map(([name, key]) => (
        <div key={key}>
          <dt className="text-sm text-muted">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{totals ? format.number(totals[key]) : '–'}</dd>
        </div>
      ))}
    </dl>
  );
}
