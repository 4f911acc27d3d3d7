/** Saves edits a moment after the last one, with the ETag of the version that was edited. */
import { useBlocker } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { statusOf } from '../../api/query.js';
import { diffFields } from './content.js';

const PAUSE_MS = 900;
const PRECONDITION_FAILED = 412;

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed' | 'conflict';

export interface Saved<Fields> {
  fields: Fields;
  etag: string | null;
}

interface Options<Fields> {
  /** What the server has. Another object starts again with it. */
  stored: Saved<Fields>;
  /** Saves the changed fields. Resolves to the new ETag, and rejects with the API's error. */
  save: (change: Partial<Fields>, etag: string | null) => Promise<string | null>;
  /** Reads the version of the other editor after a conflict. */
  load: () => Promise<Saved<Fields>>;
}

export interface Autosave<Fields> {
  fields: Fields;
  change: (change: Partial<Fields>) => void;
  state: SaveState;
  /** Why the last attempt failed. */
  error: unknown;
  /** The version of the other editor, in a conflict. */
  theirs: Saved<Fields> | null;
  /** Saves immediately. Resolves to whether everything is saved. */
  flush: () => Promise<boolean>;
  /** Ends a conflict: saves the own version over theirs. */
  keepMine: () => Promise<boolean>;
  /** Ends a conflict: continues with their version. */
  takeTheirs: () => void;
  /** Continues with what the server has now, such as a restored version. */
  adopt: (saved: Saved<Fields>) => void;
  /** Changes whenever the fields were replaced from outside, as a key for editors. */
  revision: number;
  etag: string | null;
}

/** What outlives a rendering. */
interface Latest<Fields> {
  options: Options<Fields>;
  fields: Fields;
  /** What the server has. */
  base: Saved<Fields>;
  running: Promise<boolean> | null;
  timer: ReturnType<typeof setTimeout> | number;
  /** Whether a conflict waits for the user. */
  isBlocked: boolean;
}

export function useAutosave<Fields extends object>(options: Options<Fields>): Autosave<Fields> {
  const { stored } = options;
  const [fields, setFields] = useState(stored.fields);
  const [state, setState] = useState<SaveState>('saved');
  const [error, setError] = useState<unknown>(null);
  const [theirs, setTheirs] = useState<Saved<Fields> | null>(null);
  const [revision, setRevision] = useState(0);
  const [etag, setEtag] = useState(stored.etag);
  // What runs later needs the latest values, not those of the rendering that started it.
  const latest = useRef<Latest<Fields>>({ options, fields, base: stored, running: null, timer: 0, isBlocked: false });
  useEffect(() => {
    latest.current.options = options;
  });

  const saveOnce = useCallback(async (): Promise<boolean> => {
    const now = latest.current;
    const sent = now.fields;
    const change = diffFields(now.base.fields, sent);
    if (Object.keys(change).length === 0) {
      setState('saved');
      return true;
    }
    setState('saving');
    try {
      const fresh = await now.options.save(change, now.base.etag);
      now.base = { fields: { ...now.base.fields, ...change }, etag: fresh };
      setEtag(fresh);
      setError(null);
      setState(now.fields === sent ? 'saved' : 'unsaved');
      return true;
    } catch (problem) {
      if (statusOf(problem) !== PRECONDITION_FAILED) {
        setError(problem);
        setState('failed');
        return false;
      }
      now.isBlocked = true;
      setTheirs(await now.options.load().catch(() => null));
      setState('conflict');
      return false;
    }
  }, []);

  const flush = useCallback(async (): Promise<boolean> => {
    const now = latest.current;
    clearTimeout(now.timer);
    while (now.running) await now.running;
    if (now.isBlocked) return false;
    const saveAll = async (): Promise<boolean> => {
      while (await saveOnce()) if (isSaved(now.base.fields, now.fields)) return true;
      return false;
    };
    now.running = saveAll().finally(() => (now.running = null));
    return now.running;
  }, [saveOnce]);

  const change = useCallback(
    (part: Partial<Fields>): void => {
      const now = latest.current;
      now.fields = { ...now.fields, ...part };
      setFields(now.fields);
      setState((before) => (before === 'conflict' ? before : 'unsaved'));
      clearTimeout(now.timer);
      now.timer = setTimeout(() => void flush(), PAUSE_MS);
    },
    [flush],
  );

  useEffect(() => {
    const now = latest.current;
    return () => clearTimeout(now.timer);
  }, []);

  const adopt = useCallback((saved: Saved<Fields>): void => {
    Object.assign(latest.current, { base: saved, fields: saved.fields, isBlocked: false });
    setFields(saved.fields);
    setEtag(saved.etag);
    setTheirs(null);
    setError(null);
    setState('saved');
    setRevision((count) => count + 1);
  }, []);

  const keepMine = useCallback(async (): Promise<boolean> => {
    const now = latest.current;
    const other = theirs ?? (await now.options.load());
    // All own fields, not only the changed ones: the own version is what the user has seen.
    Object.assign(now, { base: other, isBlocked: false });
    setTheirs(null);
    return flush();
  }, [theirs, flush]);

  const takeTheirs = useCallback((): void => {
    if (theirs) adopt(theirs);
  }, [theirs, adopt]);

  return {
    fields,
    change,
    state,
    error,
    theirs,
    flush,
    keepMine,
    takeTheirs,
    adopt,
    revision,
    etag,
  };
}

const isSaved = (base: object, fields: object): boolean => Object.keys(diffFields(base, fields)).length === 0;

/** Saves before the user leaves the page, and asks if that fails. Pass the result to `<LeaveQuestion>`. */
export function useSaveOnLeave({ state, flush }: Pick<Autosave<object>, 'state' | 'flush'>) {
  return useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      if (current.pathname === next.pathname || state === 'saved') return false;
      return !(await flush());
    },
    enableBeforeUnload: () => state !== 'saved',
    withResolver: true,
  });
}
