import type { MouseEvent } from 'react';

const FIELD = 'input, select, textarea';
/** The new field may follow a change of the URL. */
const WAIT_MS = 1_000;

/**
 * Focuses the last field that a click adds to a part of the page. Not on a touch screen, where the keyboard would cover it.
 *
 * @param selector the part: an ancestor of the button
 */
export function focusAdded({ currentTarget, nativeEvent }: MouseEvent<HTMLElement>, selector: string): void {
  const part = currentTarget.closest(selector);
  const isTouch = nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'touch';
  if (!part || isTouch) return;
  const known = new Set(part.querySelectorAll(FIELD));
  const observer = new MutationObserver(() => {
    const added = [...part.querySelectorAll<HTMLElement>(FIELD)].findLast(
      (field) => !known.has(field) && field.tabIndex >= 0,
    );
    if (!added) return;
    observer.disconnect();
    added.focus();
  });
  observer.observe(part, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), WAIT_MS);
}
