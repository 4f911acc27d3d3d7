/**
 * Shortcuts of one key, or of two keys in a row (`g c`). A page adds its own with `useShortcut` while it is shown. They
 * do nothing while the user types or a dialog is open, and users can turn them off (WCAG 2.1.4).
 */
import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react';

export interface Shortcut {
  /** The value of `KeyboardEvent.key`, or two with a space between them. */
  keys: string;
  label: string;
  run: () => void;
}

/** The shortcut that creates something in the list of a page. */
const CREATE_KEY = 'c';
/** The second key follows the first one within this time. */
const MAX_PAUSE_MS = 1500;
const STORAGE_KEY = 'shortcuts';
const TYPING =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, ' +
  '[contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox], [role=menu], [role=listbox]';

const registered = new Set<Shortcut>();
let requestedPath: string | null = null;

/** Adds shortcuts while the component is shown. Keep the list stable with useMemo. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    for (const shortcut of shortcuts) registered.add(shortcut);
    const create = shortcuts.find(({ keys }) => keys === CREATE_KEY);
    if (create && requestedPath !== null && location.pathname.endsWith(requestedPath)) {
      requestedPath = null;
      create.run();
    }
    return () => {
      for (const shortcut of shortcuts) registered.delete(shortcut);
    };
  }, [shortcuts]);
}

/** Adds a shortcut while the component is shown. */
export function useShortcut(keys: string, label: string, run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useShortcuts(useMemo(() => [{ keys, label, run: () => latest.current() }], [keys, label]));
}

/** Adds the shortcut that creates something in the list of a page. The palette uses it too. */
export const useCreateShortcut = (label: string, create: () => void): void => useShortcut(CREATE_KEY, label, create);

/** Creates something on the page of this path as soon as the page has added its shortcut. */
export function requestCreate(path: string): void {
  requestedPath = path;
  if (!location.pathname.endsWith(path)) return;
  requestedPath = null;
  find(CREATE_KEY)?.run();
}

/** Returns the shortcuts of the open page and of the application. */
export const listShortcuts = (): Shortcut[] => [...registered];

/** The shortcut that was added last comes first. */
const find = (keys: string): Shortcut | undefined => [...registered].findLast((one) => one.keys === keys);

const isOn = (): boolean => localStorage.getItem(STORAGE_KEY) !== 'off';
const observers = new Set<() => void>();

const observe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => void observers.delete(observer);
};

/** Returns whether the shortcuts without Ctrl or ⌘ are on, and what changes that in this browser. */
export function useShortcutSetting(): [isOn: boolean, set: (isOn: boolean) => void] {
  const set = (on: boolean): void => {
    localStorage.setItem(STORAGE_KEY, on ? 'on' : 'off');
    for (const observer of observers) observer();
  };
  return [useSyncExternalStore(observe, isOn), set];
}

export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.platform);
export const PALETTE_KEYS = IS_MAC ? '⌘K' : 'Ctrl K';

const isPaletteKey = ({ key, metaKey, ctrlKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'k' && (IS_MAC ? metaKey : ctrlKey) && !altKey && !shiftKey;

const isTyping = (target: EventTarget | null): boolean => target instanceof Element && target.closest(TYPING) !== null;

/** A message in the corner is a dialog too, but not a modal one. */
const isDialogOpen = (): boolean =>
  document.querySelector(':is([role=dialog], [role=alertdialog]):not([aria-modal=false])') !== null;

/** Listens to the keyboard while the component is shown. */
export function useShortcutKeys(openPalette: () => void): void {
  useEffect(() => {
    let first: { key: string; time: number } | null = null;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      if (isPaletteKey(event)) {
        event.preventDefault();
        if (!isDialogOpen()) openPalette();
        return;
      }
      const isLetter = /^\p{L}$/u.test(event.key);
      const isModified = event.ctrlKey || event.metaKey || event.altKey || (isLetter && event.shiftKey);
      if (isModified || event.key === 'Shift') return;
      const before = first && event.timeStamp - first.time < MAX_PAUSE_MS ? first.key : null;
      first = null;
      if (!isOn() || isTyping(event.target) || isDialogOpen()) return;
      const key = event.key.toLowerCase();
      const found = find(before === null ? key : `${before} ${key}`);
      if (found) {
        event.preventDefault();
        found.run();
      } else if (listShortcuts().some(({ keys }) => keys.startsWith(`${key} `))) {
        first = { key, time: event.timeStamp };
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [openPalette]);
}
