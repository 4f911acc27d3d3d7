/**
 * The dashboard in Chromium, with 1,000,000 contacts: `npx tsx bench/dashboard.ts [contacts] [part]`. Builds the
 * dashboard, and serves it from an API in this process.
 *
 * Each figure has its limit. The figures of a browser depend on the machine, so the same run times a fixed amount of
 * work in a page and the frames of an empty page. "Slow" is slow 4G and a processor that is 4 times slower.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { buildDashboard } from '../scripts/build.mjs';
import { launchChromium } from '../test/helpers/chromium.js';
import {
  calibrate,
  createVisitor,
  median,
  scrollByWheel,
  slowDown,
  until,
  untilQuiet,
  worst,
  type Figure,
  type Tab,
  type Visitor,
} from './dashboard-page.js';
import { openGraph } from './dashboard-graph.js';
import { measureContacts, measureCounts } from './dashboard-contacts.js';
import { makeProject, printTable } from './harness.js';
import { loadData, vacuumData } from './segments-data.js';
import { loadAverage, startDataBench, type ScaleBench } from './segments-setup.js';

const [contacts = '1000000', part = ''] = process.argv.slice(2);

const RUNS = 5;
const IDLE_MS = 30_000;
const GRAPH_STEPS = 100;

/** From the start of the navigation until the heading is painted and the last long task of the loading has ended. */
async function measureLoad(tab: Tab, path: string): Promise<{ interactive: number; shift: number; longest: number }> {
  await tab.open(path);
  await until(tab, 'record.heading !== null');
  await untilQuiet(tab);
  const { heading, longTasks, shift } = await tab.read();
  const ends = longTasks.map(({ startTime, duration }) => startTime + duration);
  return {
    interactive: Math.max(heading ?? 0, ...ends),
    shift,
    longest: Math.max(0, ...longTasks.map(({ duration }) => duration)),
  };
}

/** The start page without and with a cache, on slow 4G and on a fast network. */
async function measureStart(visitor: Visitor): Promise<Figure[]> {
  const [cold, warm, local, shifts]: number[][] = [[], [], [], []];
  for (let run = 0; run < RUNS; run++) {
    const first = await visitor.tab({ isSlow: true });
    const load = await measureLoad(first, '');
    cold?.push(load.interactive);
    shifts?.push(load.shift);
    const second = await visitor.tab({ isSlow: true, like: first });
    warm?.push((await measureLoad(second, '')).interactive);
    await first.close();
    const near = await visitor.tab();
    await slowDown(near);
    local?.push((await measureLoad(near, '')).interactive);
    await near.close();
  }
  return [
    {
      figure: 'start page interactive, slow, without a cache',
      value: median(cold ?? []),
      limit: 3500,
      note: worst(cold ?? []),
    },
    {
      figure: 'start page interactive, slow, with a cache',
      value: median(warm ?? []),
      limit: 1200,
      note: worst(warm ?? []),
    },
    {
      figure: 'start page interactive, slow processor',
      value: median(local ?? []),
      limit: 1000,
      note: worst(local ?? []),
    },
    { figure: 'shift of its layout', value: Math.max(...(shifts ?? [])), limit: 0.02, unit: '' },
  ];
}

/** The delay of what a user does in the pages, and the long tasks after the first page, at a processor that is slow. */
async function measureInteractions(visitor: Visitor): Promise<Figure[]> {
  const tab = await visitor.tab();
  const { page } = tab;
  await slowDown(tab);
  await tab.open('');
  await untilQuiet(tab);
  const { longTasks: before } = await tab.read();
  for (const name of ['Contacts', 'Segments', 'Emails', 'Campaigns', 'Templates', 'Workflows', 'Contacts']) {
    await page.getByRole('link', { name, exact: true }).first().click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  }
  await page.getByRole('grid').getByRole('row').nth(2).waitFor();
  await page.getByRole('grid').focus();
  for (let press = 0; press < 10; press++) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('PageDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Home');
  await page.getByRole('searchbox').first().pressSequentially('anna', { delay: 60 });
  await page.getByLabel('Status').selectOption('subscribed');
  await untilQuiet(tab);
  const { interactions, longTasks, shift } = await tab.read();
  const delays = Object.values(interactions).toSorted((a, b) => a - b);
  const later = longTasks.slice(before.length).map(({ duration }) => duration);
  await tab.close();
  return [
    {
      figure: 'delay of interactions, 95th percentile, slow processor',
      value: delays[Math.floor(delays.length * 0.95)] ?? 0,
      limit: 100,
      note: `${delays.length} interactions, slowest ${delays.at(-1)}`,
    },
    { figure: 'longest task after the first page, slow processor', value: Math.max(0, ...later), limit: 150 },
    { figure: 'shift of the layout of these pages', value: shift, limit: 0.02, unit: '' },
  ];
}

/** Requests of an open page in 30 s. */
async function measureIdle(visitor: Visitor): Promise<Figure[]> {
  const figures: Figure[] = [];
  const pages = ['', '/contacts', '/campaigns', '/workflows', '/activity'];
  const tabs = await Promise.all(pages.map(async (path) => ({ path, tab: await visitor.tab() })));
  for (const { path, tab } of tabs) {
    await tab.open(path);
    await untilQuiet(tab);
  }
  const requests: string[] = [];
  for (const { tab } of tabs) tab.page.on('request', (request) => requests.push(request.url()));
  await sleep(IDLE_MS);
  figures.push({
    figure: `requests of ${pages.length} idle pages in ${IDLE_MS / 1000} s`,
    value: requests.length,
    limit: 0,
    unit: '',
    note: requests.join(' ').slice(0, 200),
  });
  for (const { tab } of tabs) await tab.close();
  return figures;
}

async function measureGraph(bench: ScaleBench, visitor: Visitor): Promise<Figure[]> {
  const { layoutMs, shownMs, drag } = await openGraph(bench, await visitor.tab(), GRAPH_STEPS);
  return [
    { figure: `layout of ${GRAPH_STEPS} steps, in the page`, value: layoutMs, limit: 150 },
    { figure: `a workflow of ${GRAPH_STEPS} steps is shown after the response`, value: shownMs },
    {
      figure: 'longest frame while a step is dragged, slow processor',
      value: drag.longestMs,
      limit: 32,
      note: `${drag.over32} of ${drag.count} over 32 ms`,
    },
  ];
}

async function measureCalibrations(visitor: Visitor): Promise<Figure[]> {
  const tab = await visitor.tab();
  await tab.page.setContent('<div style="height: 100000px">Empty</div>');
  const work = await calibrate(tab);
  const { longestMs, over32, count } = await scrollByWheel(tab);
  await slowDown(tab);
  const slow = await calibrate(tab);
  await tab.close();
  return [
    { figure: 'calibration: fixed work in a page', value: work },
    { figure: 'calibration: fixed work, slow processor', value: slow },
    {
      figure: 'calibration: longest frame of an empty page',
      value: longestMs,
      note: `${over32} of ${count} over 32 ms`,
    },
  ];
}

function print(figures: Figure[]): void {
  printTable(
    figures.map(({ figure, value, limit, unit = 'ms', note }) => ({
      figure,
      value: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`,
      limit: limit ?? '',
      within: limit === undefined ? '' : value <= limit ? 'yes' : 'no',
      note: note ?? '',
    })),
  );
}

async function measureAll(bench: ScaleBench, browser: Browser): Promise<void> {
  const visitor = await createVisitor(bench, browser, await bench.listen());
  console.log(loadAverage());
  const parts = {
    calibration: () => measureCalibrations(visitor),
    contacts: () => measureContacts(visitor),
    count: () => measureCounts(visitor),
    start: () => measureStart(visitor),
    interactions: () => measureInteractions(visitor),
    graph: () => measureGraph(bench, visitor),
    idle: () => measureIdle(visitor),
  };
  for (const [name, measure] of Object.entries(parts)) if (name.includes(part)) print(await measure());
  console.log(loadAverage());
}

await buildDashboard();
const bench = await startDataBench(async (ctx) => {
  const started = performance.now();
  const project = await makeProject(ctx);
  await loadData(ctx.pool, project.id, { contacts: Number(contacts), events: 0 });
  await vacuumData(ctx.pool);
  console.log(`${contacts} contacts in ${Math.round((performance.now() - started) / 1000)} s`);
  return project;
});
const browser = await launchChromium();
try {
  await measureAll(bench, browser);
} finally {
  await browser.close();
  await bench.stop();
}
process.exit(0);
