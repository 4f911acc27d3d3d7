/** The edited graph as the canvas shows it. */
import { useMemo } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { useSpeech } from '../../../words/words.js';
import { useSegmentNames } from '../../conditions/fields.js';
import { useConditionWords } from '../../conditions/words.js';
import { namesSegments, toGraph } from '../../graph/about.js';
import type { GraphStep, GraphTransition } from '../../graph/model.js';
import { useGraphWords } from '../../graph/words.js';
import type { DraftStep, Graph, Outlet } from './graph.js';
import { outletsOf } from './kinds.js';
import { isPlaced } from './places.js';

type Problem = Schemas['WorkflowProblem'];

/** The canvas knows a transition by where it leaves: each outlet has at most one. */
export const idOfOutlet = ({ from, branch }: Outlet): string => JSON.stringify([from, branch]);

export function useShownGraph(
  graph: Graph,
  problemsOf: ReadonlyMap<string, readonly Problem[]>,
): { steps: GraphStep[]; transitions: GraphTransition[]; byKey: ReadonlyMap<string, GraphStep> } {
  const words = useGraphWords();
  const conditions = useConditionWords();
  const { language } = useSpeech();
  const segments = useSegmentNames(namesSegments(graph.steps));
  return useMemo(() => {
    const shown = toGraph(
      {
        steps: graph.steps.map(({ key, ...step }) => ({ ...step, id: key, workflowId: '' })),
        transitions: graph.edges.map((edge, priority) => ({
          id: idOfOutlet(edge),
          workflowId: '',
          priority,
          fromStepId: edge.from,
          toStepId: edge.to,
          branch: edge.branch,
        })),
      },
      { graph: words, conditions, language, segments },
    );
    const drafts = new Map(graph.steps.map((step) => [step.key, step]));
    const hasPlaces = isPlaced(graph);
    const steps = shown.steps.map(({ position, ...step }): GraphStep => {
      const problem = problemsOf.get(step.id)?.find(({ level }) => level !== 'info')?.message;
      const draft = drafts.get(step.id);
      return {
        ...step,
        ...(hasPlaces && position && { position }),
        ...(problem !== undefined && { problem }),
        ...(draft && { branches: branchesOf(draft) }),
      };
    });
    return { ...shown, steps, byKey: new Map(steps.map((step) => [step.id, step])) };
  }, [graph, problemsOf, words, conditions, language, segments]);
}

/** In a WAIT_FOR_EVENT, a transition without a branch means the same as `event`. */
const branchesOf = (step: DraftStep): Array<string | null> =>
  outletsOf(step).map((branch) => branch ?? (step.type === 'WAIT_FOR_EVENT' ? 'event' : null));
