/**
 * The reads of a dashboard in a large project: `npx tsx bench/reads.ts [contacts] [name part]`, by default 1,000,000
 * contacts, 10,000,000 events, and 2,000,000 emails, next to 40 other projects. A smaller number of contacts scales all
 * of them. Prints the median and the slowest of several requests, next to their limit.
 *
 * To add reads, add an entry to READS: a name, requests, and a limit in milliseconds.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import { printTable } from './harness.js';
import { loadReads } from './reads-data.js';
import { contactReads } from './reads-contacts.js';
import { reportReads } from './reads-reports.js';
import { workflowReads } from './reads-workflows.js';
import { searchReads } from './reads-search.js';
import { loadAverage, ms, startDataBench, type ScaleBench } from './segments-setup.js';

export interface Read {
  name: string;
  method: 'GET' | 'POST';
  url: string;
  body?: unknown;
  limitMs: number;
  /** Shows a figure of the response, such as its total. */
  show?: (response: unknown) => string;
}

/** Functions that create the reads of an area, and the rows that these need. */
const READS: Array<(bench: ScaleBench) => Promise<Read[]>> = [contactReads, reportReads, workflowReads, searchReads];

const RUNS = 5;

async function measure({ call }: ScaleBench, { name, method, url, body, limitMs, show }: Read) {
  const times: number[] = [];
  let shown = '';
  for (let run = 0; run <= RUNS; run++) {
    const begun = performance.now();
    const response = await call(method, url, body);
    times.push(performance.now() - begun);
    shown = show?.(response) ?? '';
  }
  const [first = 0, ...later] = times;
  const sorted = later.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return {
    read: name,
    'first, ms': ms(first),
    'median, ms': ms(median),
    'slowest, ms': ms(sorted.at(-1) ?? 0),
    limit: limitMs,
    within: Math.max(first, median) <= limitMs ? 'yes' : median <= limitMs ? 'not the first' : 'no',
    result: shown,
  };
}

const [contacts = '1000000', part = ''] = process.argv.slice(2);
const bench = await startDataBench((ctx) => loadReads(ctx, Number(contacts)));
try {
  console.log(loadAverage());
  const rows = [];
  for (const create of READS)
    for (const read of await create(bench)) if (read.name.includes(part)) rows.push(await measure(bench, read));
  printTable(rows);
  console.log(loadAverage());
} finally {
  await bench.stop();
}
process.exit(0);
