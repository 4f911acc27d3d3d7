/** The list of contacts and the count of a condition, for `bench/dashboard.ts`. */
import {
  countRows,
  evaluateNumber,
  jumpTo,
  median,
  readHeap,
  responseEnd,
  scrollByWheel,
  until,
  untilQuiet,
  worst,
  type Figure,
  type Visitor,
} from './dashboard-page.js';

const RUNS = 5;
const READ_PAGES = 100;
const PAGE_SIZE = 100;

/** First rows after their response, scrolling, the number of rows, the heap, and jumps, in the list of contacts. */
export async function measureContacts(visitor: Visitor): Promise<Figure[]> {
  const firstRows: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const tab = await visitor.tab();
    await tab.open('/contacts');
    await until(tab, 'record.firstRow !== null');
    const { firstRow } = await tab.read();
    firstRows.push((firstRow ?? 0) - (await responseEnd(tab, '/contacts/query')));
    await tab.close();
  }
  const tab = await visitor.tab();
  await tab.open('/contacts');
  await until(tab, 'record.firstRow !== null');
  await untilQuiet(tab);
  const frames = await scrollByWheel(tab);
  const total = await evaluateNumber(tab, `Number(document.querySelector('[role=grid]').ariaRowCount) - 1`);
  const reads: number[] = [];
  for (let page = 0; page < READ_PAGES; page++) reads.push(await jumpTo(tab, ((page + 0.2) * PAGE_SIZE) / total));
  const heap = await readHeap(tab);
  const jumps: number[] = [];
  for (const share of [0.5, 0.25, 0.75, 0.51, 0.9]) jumps.push(await jumpTo(tab, share));
  const rows = await countRows(tab);
  await tab.close();
  return [
    { figure: 'first rows after the response', value: median(firstRows), limit: 200, note: worst(firstRows) },
    {
      figure: 'longest frame while scrolling',
      value: frames.longestMs,
      limit: 32,
      note: `${frames.over32} of ${frames.count} over 32 ms`,
    },
    { figure: 'rows in the document', value: rows, limit: 60, unit: '' },
    { figure: 'the next 100 rows', value: median(reads), note: worst(reads) },
    { figure: `heap after ${READ_PAGES * PAGE_SIZE} rows`, value: heap, limit: 60, unit: 'MB' },
    { figure: 'jump to the middle', value: jumps[0] ?? 0, limit: 400 },
    { figure: 'jumps elsewhere', value: median(jumps.slice(1)), limit: 400, note: worst(jumps.slice(1)) },
  ];
}

/** Counts of a condition after the last key. */
export async function measureCounts(visitor: Visitor): Promise<Figure[]> {
  const tab = await visitor.tab();
  const { page } = tab;
  await tab.open('/segments/new');
  await page.getByLabel('Filter 1: Field', { exact: true }).fill('company');
  await page.getByRole('option', { name: 'company', exact: true }).click();
  await page.getByLabel('Filter 1: Comparison').selectOption('contains');
  const value = page.getByLabel('Filter 1: Value');
  await page.evaluate(`addEventListener('keydown', ({ timeStamp }) => { record.lastKey = timeStamp; }, true)`);
  const times: number[] = [];
  for (const text of ['Steel', 'Foods 1', 'Media', 'Labs 77', 'Robotics']) {
    await value.fill('');
    await value.pressSequentially(text, { delay: 40 });
    times.push(
      await evaluateNumber(
        tab,
        `new Promise((resolve) => {
          const look = () => {
            const status = [...document.querySelectorAll('[role=status]')].find((one) => /contacts? match/.test(one.textContent));
            if (status && !status.classList.contains('text-muted') && status.textContent !== record.counted) {
              record.counted = status.textContent;
              resolve(performance.now() - record.lastKey);
            } else requestAnimationFrame(look);
          };
          look();
        })`,
      ),
    );
  }
  await tab.close();
  return [{ figure: 'count after the last key', value: median(times), limit: 1000, note: worst(times) }];
}
