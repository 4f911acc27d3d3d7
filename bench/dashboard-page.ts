/** A signed-in browser for `bench/dashboard.ts`, and what it measures inside of pages. */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { z } from 'zod';
import { newId } from '../src/ids.js';
import type { ScaleBench } from './segments-setup.js';

/** A row of the result. */
export interface Figure {
  figure: string;
  value: number;
  limit?: number;
  unit?: string;
  note?: string;
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
export const worst = (values: number[]): string => `slowest of ${values.length}: ${Math.round(Math.max(...values))}`;

/** Waits until the page has no requests and long tasks, except the stream. */
export const untilQuiet = (tab: Tab): Promise<unknown> =>
  until(
    tab,
    `performance.now() - Math.max(
      ...performance.getEntriesByType('resource').map(({ responseEnd }) => responseEnd),
      ...record.longTasks.map(({ startTime, duration }) => startTime + duration),
    ) > ${QUIET_MS}`,
  );

/** Lighthouse's slow 4G: 1.6 Mbit/s down, 750 kbit/s up, and a round trip of 150 ms. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const SLOW_CPU = 4;
const TIMEOUT_MS = 60_000;
/** Without requests and long tasks for this long, a page has loaded. */
const QUIET_MS = 1500;
const VIEWPORT = { width: 1280, height: 900 };

/**
 * Runs in each document: records long tasks, shifts of the layout, interactions, and when the heading and the first row
 * were painted.
 */
const RECORDER = `
  window.record = { longTasks: [], shift: 0, interactions: {}, firstRow: null, heading: null };
  const observe = (type, add, more) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({ type, buffered: true, ...more });
  observe('longtask', ({ startTime, duration }) => record.longTasks.push({ startTime, duration }));
  observe('layout-shift', ({ value, hadRecentInput }) => { if (!hadRecentInput) record.shift += value; });
  observe('event', ({ interactionId, duration }) => {
    if (interactionId) record.interactions[interactionId] = Math.max(record.interactions[interactionId] ?? 0, duration);
  }, { durationThreshold: 16 });
  const watch = (selector, name) => new MutationObserver((_, observer) => {
    if (!document.querySelector(selector)) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { record[name] = performance.now(); }));
  }).observe(document, { childList: true, subtree: true });
  watch('[data-rank="0"] [role=gridcell]:nth-child(2)', 'firstRow');
  watch('h1', 'heading');
`;

const Recorded = z.object({
  longTasks: z.array(z.object({ startTime: z.number(), duration: z.number() })),
  shift: z.number(),
  interactions: z.record(z.string(), z.number()),
  firstRow: z.number().nullable(),
  heading: z.number().nullable(),
});
export type Recorded = z.infer<typeof Recorded>;

export interface Tab {
  page: Page;
  cdp: CDPSession;
  /** Opens a page of the project: `/contacts`. */
  open: (path: string) => Promise<void>;
  read: () => Promise<Recorded>;
  close: () => Promise<void>;
}

export interface Visitor {
  /** Opens a tab in a browser without a cache, or in `tab`'s browser with what that has cached. */
  tab: (options?: { isSlow?: boolean; like?: Tab }) => Promise<Tab>;
}

/** Signs a user up and gives them the project. */
export async function createVisitor(bench: ScaleBench, browser: Browser, origin: string): Promise<Visitor> {
  const response = await fetch(`${origin}/auth/signup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `${newId()}@bench.test`, password: 'correct horse battery staple' }),
  });
  const { id: userId } = z.object({ id: z.string() }).parse(await response.json());
  const token = /\btoken=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
  const projectId = bench.project.id;
  await bench.ctx.prisma.membership.create({ data: { userId, projectId, role: 'ADMIN' } });

  return {
    async tab({ isSlow = false, like } = {}) {
      const context = like?.page.context() ?? (await browser.newContext({ locale: 'en-US', viewport: VIEWPORT }));
      context.setDefaultTimeout(TIMEOUT_MS);
      await context.addCookies([{ name: 'token', value: token, url: origin, httpOnly: true, sameSite: 'Lax' }]);
      const page = await context.newPage();
      await page.addInitScript(RECORDER);
      const cdp = await context.newCDPSession(page);
      await cdp.send('Network.enable');
      if (isSlow) {
        await cdp.send('Network.emulateNetworkConditions', SLOW_4G);
        await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU });
      }
      return {
        page,
        cdp,
        open: async (path) => void (await page.goto(`${origin}/app/projects/${projectId}${path}`)),
        read: async () => Recorded.parse(await page.evaluate('record')),
        close: async () => (like ? page.close() : context.close()),
      };
    },
  };
}

/** Throttles the processor alone. */
export const slowDown = async ({ cdp }: Tab): Promise<void> =>
  void (await cdp.send('Emulation.setCPUThrottlingRate', { rate: SLOW_CPU }));

export const evaluateNumber = async ({ page }: Tab, script: string): Promise<number> =>
  z.number().parse(await page.evaluate(script));

/** Waits until an expression is true in the page. The policy of the pages forbids Playwright's own way. */
export const until = ({ page }: Tab, expression: string): Promise<unknown> =>
  page.evaluate(
    `new Promise((resolve) => {
      const look = () => { if (${expression}) resolve(); else setTimeout(look, 50); };
      look();
    })`,
  );

/** A fixed amount of work in a page, in milliseconds: the calibration of all figures of a browser. */
export const calibrate = (tab: Tab): Promise<number> =>
  evaluateNumber(
    tab,
    `(() => {
      const started = performance.now();
      const list = Array.from({ length: 200000 }, (_, index) => ({ index, name: 'name ' + (index * 7919) % 200000 }));
      list.sort((a, b) => (a.name < b.name ? -1 : 1));
      return JSON.stringify(list).length && performance.now() - started;
    })()`,
  );

/** The end of the response to the first request of an address that ends so, in milliseconds since the navigation. */
export const responseEnd = (tab: Tab, ending: string): Promise<number> =>
  evaluateNumber(
    tab,
    `performance.getEntriesByType('resource').find(({ name }) => name.endsWith(${JSON.stringify(ending)})).responseEnd`,
  );

const FRAMES = `(() => {
  window.frames_ = [];
  const next = (at) => { frames_.push(at); if (!window.stopFrames) requestAnimationFrame(next); };
  window.stopFrames = false;
  requestAnimationFrame(next);
})()`;

export interface Frames {
  count: number;
  longestMs: number;
  over32: number;
}

const SERIES = 3;
const WHEEL_TURNS = 240;
const WHEEL_PIXELS = 120;

/**
 * Turns the wheel over the middle of the page, and returns how long its frames took.
 *
 * @returns the best of several series, because other programs interrupt frames too
 */
export async function scrollByWheel(tab: Tab): Promise<Frames> {
  const series: Frames[] = [];
  for (let number = 0; number < SERIES; number++) series.push(await scrollOnce(tab));
  const [best = { count: 0, longestMs: 0, over32: 0 }] = series.toSorted((a, b) => a.longestMs - b.longestMs);
  return best;
}

async function scrollOnce(tab: Tab): Promise<Frames> {
  await tab.page.mouse.move(VIEWPORT.width / 2, VIEWPORT.height * 0.7);
  return framesDuring(tab, async () => {
    for (let turn = 0; turn < WHEEL_TURNS; turn++) await tab.page.mouse.wheel(0, WHEEL_PIXELS);
  });
}

/** The frames while something is done. */
export async function framesDuring({ page }: Tab, work: () => Promise<void>): Promise<Frames> {
  await page.evaluate(FRAMES);
  await work();
  const times = z.array(z.number()).parse(await page.evaluate('(window.stopFrames = true, frames_)'));
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
  return { count: gaps.length, longestMs: Math.max(0, ...gaps), over32: gaps.filter((gap) => gap > 32).length };
}

/** Scrolls the table to a share of its height. @returns milliseconds until all rows in sight are shown */
export const jumpTo = (tab: Tab, share: number): Promise<number> =>
  evaluateNumber(
    tab,
    `new Promise((resolve) => {
      const grid = document.querySelector('[role=grid]');
      const before = grid.querySelector('[data-rank]').id;
      const started = performance.now();
      grid.scrollTop = (grid.scrollHeight - grid.clientHeight) * ${share};
      const look = () => {
        const rows = [...grid.querySelectorAll('[data-rank]')];
        const isShown = rows.every((row) => row.childElementCount > 1) && rows[0].id !== before;
        if (isShown) resolve(performance.now() - started);
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    })`,
  );

export const countRows = (tab: Tab): Promise<number> =>
  evaluateNumber(tab, `document.querySelectorAll('[role=grid] [role=row]').length`);

/** The heap in megabytes after a collection of garbage. */
export async function readHeap({ cdp }: Tab): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  return usedSize / 1024 / 1024;
}
