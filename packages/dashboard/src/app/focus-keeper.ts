/** Keeps the focus near its place when the focused control leaves the page: after a deletion, or when a button becomes another one. */

const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex]';
/** Dialogs give the focus back, and pages give it to their heading, before it counts as lost. */
const GRACE_MS = 60;

interface Place {
  element: Element;
  path: string;
  /** What has the focus after the element has left: the next control, or the one before it. */
  neighbor?: HTMLElement | undefined;
}

/** Watches the focus on all pages. On a touch screen, a moved focus would open the keyboard. */
export function keepFocus(): void {
  // The last focused control of the page, and of a dialog or a menu above it.
  const places: { page?: Place; above?: Place } = {};
  let isTouch = false;
  let timer = 0;
  document.addEventListener('pointerdown', ({ pointerType }) => (isTouch = pointerType === 'touch'), true);
  document.addEventListener('keydown', () => (isTouch = false), true);
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return;
    const place = { element: target, path: location.pathname };
    if (document.getElementById('root')?.contains(target)) {
      places.page = place;
      delete places.above;
    } else places.above = place;
  });
  // Someone who leaves a control for the page, such as by a click at nothing, does not want it back. A microtask runs
  // after the change that took a control away, and before the next key, which may open a dialog.
  document.addEventListener('focusout', ({ target, relatedTarget }) => {
    if (relatedTarget !== null || places.page?.element !== target) return;
    queueMicrotask(() => {
      const element = places.page?.element;
      if (document.activeElement !== document.body || !(element instanceof HTMLElement)) return;
      if (isFocusable(element)) delete places.page;
    });
  });
  const restore = (): void => {
    if (isTouch || document.activeElement !== document.body) return;
    for (const place of [places.above, places.page]) {
      if (place?.path !== location.pathname) continue;
      // A page that has loaded replaces the heading.
      if (place.element.matches('h1'))
        return document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
      const target = [place.element, place.neighbor].find((one) => one instanceof HTMLElement && isFocusable(one));
      if (target instanceof HTMLElement) return target.focus();
    }
  };
  new MutationObserver((records) => {
    const gone = [places.page, places.above].filter((place) => place && !place.element.isConnected);
    if (gone.length === 0) return;
    for (const place of gone)
      if (place && !place.neighbor?.isConnected) place.neighbor = findNeighbor(place.element, records);
    clearTimeout(timer);
    timer = window.setTimeout(restore, GRACE_MS);
  }).observe(document.body, { childList: true, subtree: true });
}

const isFocusable = (element: HTMLElement): boolean =>
  element.isConnected &&
  element.tabIndex >= 0 &&
  !element.matches(':disabled') &&
  !element.closest('[inert], [aria-hidden=true]') &&
  element.checkVisibility({ visibilityProperty: true });

/** Returns the control next to where an element was, in the smallest part of the page that has one. */
function findNeighbor(element: Element, records: MutationRecord[]): HTMLElement | undefined {
  const removal = records.findLast(
    ({ target, removedNodes }) => target.isConnected && [...removedNodes].some((node) => node.contains(element)),
  );
  if (!removal) return undefined;
  const { target, previousSibling } = removal;
  const isAfter = (control: Node): boolean => {
    const [start, wanted] = previousSibling?.isConnected
      ? [previousSibling, Node.DOCUMENT_POSITION_FOLLOWING]
      : [target, Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY];
    return (start.compareDocumentPosition(control) & wanted) !== 0 && !previousSibling?.contains(control);
  };
  for (let part = target instanceof Element ? target : null; part; part = part.parentElement) {
    if (part === document.body) return undefined;
    const controls = [...part.querySelectorAll<HTMLElement>(FOCUSABLE)].filter(isFocusable);
    const neighbor = controls.find(isAfter) ?? controls.at(-1);
    if (neighbor) return neighbor;
  }
  return undefined;
}
