/** The state of the editor: the versions of the graph, what is selected, its problems, and saving. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../../../../client/src/index.js';
import { useProject } from '../../../api/project.js';
import { resultOf, statusOf } from '../../../api/query.js';
import { versionOf, type Versioned } from '../../../api/versioned.js';
import { notify } from '../../../ui/toast.js';
import { translateMessage } from '../../../words/api-messages.js';
import { change, readGraph, toBody, type DraftStep, type Graph } from './graph.js';
import { begin, edit, redo, undo, withEvent, withSavedIds, type History } from './history.js';
import { useEditorWords } from './words.js';

type Workflow = Schemas['Workflow'];
type Problem = Schemas['WorkflowProblem'];

/** The pause after the last key before the graph is validated. */
const PAUSE_MS = 500;

export interface Editor {
  graph: Graph;
  /** Another number after each undo and redo: forms then begin with the values of the graph. */
  revision: number;
  selected: string | null;
  select: (key: string | null) => void;
  /** Selects a step, whose form then takes the focus. */
  jumpTo: (key: string) => void;
  /** The last jump, until something else is selected. Each one is another object. */
  jump: { key: string } | null;
  /** @param topic see `edit` in history.ts */
  apply: (graph: Graph, topic?: string | null) => void;
  changeStep: (key: string, values: Partial<Omit<DraftStep, 'key' | 'type'>>, topic: string | null) => void;
  canUndo: boolean;
  canRedo: boolean;
  undo: () => void;
  redo: () => void;
  /** Of the graph as it was at the last pause, in the language of the application. */
  problems: readonly Problem[];
  /** The key of the step of a problem. */
  stepOfProblem: (problem: Problem) => string | undefined;
  isChanged: boolean;
  isSaving: boolean;
  saveError: unknown;
  /** @param version the version to replace: an ETag, or `*` for any */
  save: (version?: string) => void;
  /** Saves over the version that was read. @returns the new version @throws the API's error, which is also `saveError` */
  saveNow: () => Promise<string>;
  etag: string;
  adoptVersion: (etag: string) => void;
  /** Takes over the event that the settings have saved. */
  adoptEvent: (eventName: string) => void;
  /** The step that `copy` has remembered. */
  copied: DraftStep | null;
  copy: (step: DraftStep) => void;
}

/** What the API says about the config of a step: its place, and what is wrong there. */
const CONFIG_PROBLEM = /^The step ".*" has an invalid config: (?:config\.)?(\S+) (.+)\.$/s;

/** Returns a message for people who do not know the names of the API. The page shows the step and the field. */
function messageOf({ code, message }: Problem, words: ReturnType<typeof useEditorWords>): string {
  if (code === 'missing_template') return words.missingTemplate;
  const [, field, about] = CONFIG_PROBLEM.exec(message) ?? [];
  if (field === undefined || about === undefined) return translateMessage(message);
  return about === 'is missing' ? words.missingValue : `${field}: ${translateMessage(about)}`;
}

export function useEditor({ data: workflow, etag: firstEtag }: Versioned<Workflow>): Editor {
  const words = useEditorWords();
  const { api, cache } = useProject();
  const id = workflow.id;
  const [history, setHistory] = useState<History>(() => begin(readGraph(workflow)));
  const [savedIds, setSavedIds] = useState<ReadonlySet<string>>(() => new Set(workflow.steps.map((step) => step.id)));
  const [savedGraph, setSavedGraph] = useState<Graph>(history.present);
  const [etag, setEtag] = useState(firstEtag);
  const [selected, setSelected] = useState<string | null>(null);
  const [revision, setRevision] = useState(0);
  const [jump, setJump] = useState<Editor['jump']>(null);
  const [copied, copy] = useState<DraftStep | null>(null);
  const graph = history.present;

  const body = useMemo(() => toBody(graph, savedIds), [graph, savedIds]);
  const isChanged = useMemo(
    () => JSON.stringify(body) !== JSON.stringify(toBody(savedGraph, savedIds)),
    [body, savedGraph, savedIds],
  );
  const settled = useSettled(body);
  const { data: validation } = useQuery({
    queryKey: ['post', '/workflows/{id}/validate', id, settled],
    queryFn: async ({ signal }) =>
      resultOf(await api.POST('/workflows/{id}/validate', { params: { path: { id } }, body: settled, signal })),
    placeholderData: (before) => before,
  });
  const problems = useMemo(
    () => (validation?.problems ?? []).map((problem) => ({ ...problem, message: messageOf(problem, words) })),
    [validation, words],
  );

  const save = useMutation({
    mutationFn: async (version: string) => {
      const ids = version === '*' ? await readStepIds() : savedIds;
      const answer = versionOf(
        await api.PUT('/workflows/{id}/graph', {
          params: { path: { id }, header: { 'If-Match': version } },
          body: toBody(graph, ids),
        }),
      );
      return { sent: graph, answer };
    },
    async onSuccess({ sent, answer: { data, etag: next } }) {
      const { keys, ...saved } = data;
      setHistory((now) => withSavedIds(now, keys));
      setSavedIds(new Set(saved.steps.map((step) => step.id)));
      setSavedGraph(withSavedIds(begin(sent), keys).present);
      setSelected((key) => (key === null ? null : (keys[key] ?? key)));
      setEtag(next);
      notify(words.saved);
      cache.setQueryData(['get', '/workflows/{id}', id, 'version'], { data: saved, etag: next });
      await cache.invalidateQueries({ queryKey: ['get', '/workflows/{id}'], refetchType: 'none' });
    },
  });

  /** Someone else may have deleted steps, which are then saved as new ones. */
  const readStepIds = async (): Promise<ReadonlySet<string>> => {
    const { steps } = resultOf(await api.GET('/workflows/{id}', { params: { path: { id } } }));
    return new Set(steps.map((step) => step.id));
  };

  const apply = useCallback(
    (next: Graph, topic: string | null = null): void => setHistory((now) => edit(now, next, topic)),
    [],
  );
  const changeStep: Editor['changeStep'] = useCallback(
    (key, values, topic) =>
      setHistory((now) => edit(now, change(now.present, key, values), topic === null ? null : `${key} ${topic}`)),
    [],
  );
  const step = (to: (history: History) => History) => (): void => {
    setHistory(to);
    setRevision((before) => before + 1);
  };

  return {
    graph,
    revision,
    selected,
    select(key) {
      setSelected(key);
      setJump(null);
    },
    jump,
    jumpTo(key) {
      setSelected(key);
      setJump({ key });
    },
    apply,
    changeStep,
    canUndo: history.past.length > 0,
    canRedo: history.future.length > 0,
    undo: step(undo),
    redo: step(redo),
    problems,
    stepOfProblem: ({ stepId, key }) => stepId ?? key,
    isChanged,
    isSaving: save.isPending,
    saveError: save.error,
    save: (version = etag) => save.mutate(version),
    saveNow: async () => (await save.mutateAsync(etag)).answer.etag,
    etag,
    adoptVersion: setEtag,
    adoptEvent(eventName) {
      setHistory((now) => withEvent(now, eventName));
      setSavedGraph((saved) => withEvent(begin(saved), eventName).present);
    },
    copied,
    copy,
  };
}

/** Whether a save failed because someone else saved first. */
export const isConflict = (error: unknown): boolean => statusOf(error) === 412;

function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** Returns the messages of a step's fields by their paths below the step: `config.amount`. */
export function errorsOfStep(graph: Graph, problems: readonly Problem[], key: string): Record<string, string> {
  const index = graph.steps.findIndex((step) => step.key === key);
  return Object.fromEntries(
    problems.flatMap(({ path, message }) => {
      const prefix = `steps.${index}.`;
      return path?.startsWith(prefix) ? [[path.slice(prefix.length), message]] : [];
    }),
  );
}
