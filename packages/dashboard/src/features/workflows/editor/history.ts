/** The versions of a graph, for undo and redo. Pure. */
import { withIds, type Graph } from './graph.js';

export interface History {
  past: readonly Graph[];
  present: Graph;
  future: readonly Graph[];
  /** What the last edit changed. The next edit with the same topic replaces it: typing in a field is one step. */
  topic: string | null;
}

const MAX_STEPS = 200;

export const begin = (present: Graph): History => ({ past: [], present, future: [], topic: null });

/** @param topic what is edited, such as the name of a field; null for an edit that stands alone */
export function edit({ past, present, topic: last }: History, next: Graph, topic: string | null = null): History {
  const isSameTopic = topic !== null && topic === last;
  return { past: isSameTopic ? past : [...past, present].slice(-MAX_STEPS), present: next, future: [], topic };
}

export function undo(history: History): History {
  const previous = history.past.at(-1);
  if (!previous) return history;
  return {
    past: history.past.slice(0, -1),
    present: previous,
    future: [history.present, ...history.future],
    topic: null,
  };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (!next) return history;
  return { past: [...history.past, history.present], present: next, future, topic: null };
}

/** Replaces the keys of new steps by the ids that the API gave to them, in all versions. */
export const withSavedIds = ({ past, present, future }: History, ids: Readonly<Record<string, string>>): History => ({
  past: past.map((graph) => withIds(graph, ids)),
  present: withIds(present, ids),
  future: future.map((graph) => withIds(graph, ids)),
  topic: null,
});

const withTriggerEvent = ({ steps, edges }: Graph, eventName: string): Graph => ({
  steps: steps.map((step) => (step.type === 'TRIGGER' ? { ...step, config: { ...step.config, eventName } } : step)),
  edges,
});

/** Sets the event in all versions: the settings save it on their own, so undo keeps it. */
export const withEvent = ({ past, present, future, topic }: History, eventName: string): History => ({
  past: past.map((graph) => withTriggerEvent(graph, eventName)),
  present: withTriggerEvent(present, eventName),
  future: future.map((graph) => withTriggerEvent(graph, eventName)),
  topic,
});
