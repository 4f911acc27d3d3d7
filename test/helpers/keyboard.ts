/** What someone without a pointer meets on a page of the dashboard. */
import type { Page } from 'playwright-core';

const MAX_STOPS = 250;
const MARK_MS = 100;
const MARK_TRIES = 10;

interface Stop {
  /** The element's number on the page, or -1 for the page itself. */
  id: number;
  name: string;
  problem: string | null;
}

/** Numbers the controls that Tab should reach, and focuses what is before them. Of radio buttons, Tab reaches one. */
const NUMBER_CONTROLS = `(async () => {
  const dialog = document.querySelector('[role=dialog], [role=alertdialog]');
  // A dialog that opens takes the focus to one of its controls.
  while (dialog && !dialog.contains(document.activeElement)) await new Promise((resolve) => setTimeout(resolve, 20));
  const controls = [...(dialog ?? document).querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  window.controls = controls.filter((control) => control.tabIndex >= 0 && !control.matches(':disabled, [type=radio]') &&
    control.checkVisibility({ visibilityProperty: true }) && !control.closest('[inert], iframe, .ProseMirror'));
  window.nameOf = (element) =>
    element.tagName.toLowerCase() + ' "' +
    (element.getAttribute('aria-label') ?? element.labels?.[0]?.innerText ?? (element.innerText || element.title) ?? '').trim().slice(0, 40) + '"';
  getSelection().removeAllRanges();
  const start = dialog ?? document.body;
  start.tabIndex = -1;
  start.focus();
  if (!dialog) start.removeAttribute('tabindex');
})()`;

/**
 * Describes the focused element. Its label or an ancestor can show the focus for it. No style applies to a frame whose
 * content has the focus.
 */
const READ_STOP = `(async () => {
  // A dialog keeps the focus in the next frame: a faster Tab would leave it.
  if (document.querySelector('[role=dialog], [role=alertdialog]'))
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const element = document.activeElement;
  if (!element || element === document.body) return { id: -1, name: 'page', problem: null };
  const { left, right, top, bottom } = element.getBoundingClientRect();
  const x = (Math.max(0, left) + Math.min(innerWidth, right)) / 2;
  const y = (Math.max(0, top) + Math.min(innerHeight, bottom)) / 2;
  const shows = [element, ...(element.labels ?? []), element.parentElement, element.parentElement?.parentElement].filter(Boolean);
  const isMarked = shows.some((one) => {
    const style = getComputedStyle(one);
    return (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) || /rgb.* 0px 0px 0px [1-9]/.test(style.boxShadow);
  });
  const hit = document.elementFromPoint(x, y);
  const isOnTop = hit && shows.some((one) => one.contains(hit) || hit.contains(one));
  const problem =
    right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight ? 'out of sight' :
    !isOnTop ? 'covered by ' + nameOf(hit ?? document.body) + ' ' + (hit?.className ?? '') :
    !isMarked && element.tagName !== 'IFRAME' ? 'no mark of the focus' : null;
  return { id: controls.indexOf(element), name: nameOf(element), problem };
})()`;

/** Some marks appear a moment after the focus, later on a busy machine. */
async function readStop(page: Page): Promise<Stop> {
  let stop = await page.evaluate<Stop>(READ_STOP);
  for (let tries = 0; stop.problem !== null && tries < MARK_TRIES; tries++) {
    await page.waitForTimeout(MARK_MS);
    stop = await page.evaluate<Stop>(READ_STOP);
  }
  return stop;
}

/** Presses Tab through a page. @returns controls that are not reached, and stops whose focus cannot be seen */
export async function findKeyboardProblems(page: Page): Promise<string[]> {
  await page.evaluate(NUMBER_CONTROLS);
  const problems: string[] = [];
  const reached = new Set<number>();
  let last = -1;
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const { id, name, problem } = await readStop(page);
    if (id === -1 && name === 'page') break;
    // A field of a date has several stops.
    if (reached.has(id) && id !== last) break;
    last = id;
    if (id >= 0) reached.add(id);
    if (problem) problems.push(`${name}: ${problem}`);
  }
  const missed = await page.evaluate<string[]>(
    `controls.filter((control, id) => control.isConnected && !${JSON.stringify([...reached])}.includes(id)).map(nameOf)`,
  );
  return [...problems, ...missed.map((name) => `${name}: not reached`)];
}
