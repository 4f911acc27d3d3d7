/** Figures of a workflow that follow the project's stream. */
import { keepPreviousData } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { Schemas, StreamMessage } from '../../../../client/src/index.js';
import { useProject } from '../../api/project.js';
import { useStream } from '../../api/stream.js';
import { rangeOfDays } from '../../words/zones.js';
import { createFigures, type GraphFigures } from '../graph/figures.js';
import type { WorkflowView } from './filters.js';

/** While executions move, everything except the numbers of the stream is read at most this often. */
const READ_EVERY_MS = 3000;

interface LiveFigures {
  figures: GraphFigures;
  /** The figures of all executions; undefined while they load. */
  totals: Schemas['WorkflowStats']['executions'] | undefined;
  error: unknown;
}

/** Returns the figures of a period. The stream changes how many executions are at each step, and causes the rest to be read. */
export function useLiveFigures(
  { id, transitions }: Schemas['Workflow'],
  { from, to }: Pick<WorkflowView, 'from' | 'to'>,
): LiveFigures {
  const { $api, cache, project } = useProject();
  const [figures] = useState(createFigures);
  const { first, last } = rangeOfDays({ since: from, until: to }, project.timezone);
  const query = { ...(first !== undefined && { from: first }), ...(last !== undefined && { to: last }) };
  const { data, error } = $api.useQuery(
    'get',
    '/workflows/{id}/stats',
    { params: { path: { id }, query } },
    { placeholderData: keepPreviousData },
  );
  useEffect(() => {
    if (data) figures.set(data, transitions);
  }, [figures, data, transitions]);
  const read = useCallback(() => {
    void cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}/stats'] });
    // The rows of a reader who is further down stay as they are.
    void cache.invalidateQueries({
      queryKey: ['get', '/workflows/{id}/executions'],
      predicate: ({ state }) => isFirstPage(state.data),
    });
  }, [cache]);
  const readSoon = useAtMostEvery(READ_EVERY_MS, read);
  useWorkflowStream(
    id,
    useCallback((waiting) => (waiting === null || figures.setWaiting(waiting)) && readSoon(), [figures, readSoon]),
  );
  return { figures, totals: data?.executions, error };
}

const isFirstPage = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'pages' in data && Array.isArray(data.pages) && data.pages.length <= 1;

type Waiting = Schemas['WorkflowFigures']['steps'];

/**
 * Calls back when executions of a workflow start or move, with how many are at each step; null if that is not known,
 * because an execution started and may have ended before the stream could count it.
 */
export function useWorkflowStream(workflowId: string, onChange: (waiting: Waiting | null) => unknown): void {
  useStream(
    `workflow:${workflowId}`,
    useCallback(({ data }: StreamMessage<`workflow:${string}`>) => void onChange(data.steps), [onChange]),
  );
  useStream(
    'activity',
    useCallback(
      ({ data }: StreamMessage<'activity'>) => {
        if (data.type === 'workflow.started' && data.metadata.workflowId === workflowId) onChange(null);
      },
      [workflowId, onChange],
    ),
  );
}

/** Returns a function that calls `run` soon, and at most once per interval. Keep `run` stable with useCallback. */
export function useAtMostEvery(intervalMs: number, run: () => void): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lastAt = useRef(0);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    clearTimeout(timer.current);
    const delay = Math.max(0, lastAt.current + intervalMs - Date.now());
    timer.current = setTimeout(() => {
      lastAt.current = Date.now();
      run();
    }, delay);
  }, [intervalMs, run]);
}
