/**
 * Lists and figures over 10,000,000 emails and events: `npx tsx bench/activity.ts [rows]`. Every response comes from the
 * warm API; the target is 200 ms. Calibration in the same run: a page of events by an index of that table, without the
 * API. Then the cost of counting and of the index of names per tracked event, and the speed of retention.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import type { PoolClient } from 'pg';
import { transaction } from '../src/db/pool.js';
import {
  expireEmails,
  expireEvents,
  type RetentionPage,
  type RetentionStep,
} from '../src/domain/maintenance/sql/retention.js';
import { trackEvents, type TrackEvent } from '../src/domain/events/sql/track.js';
import { FIRST_ID, newId } from '../src/ids.js';
import { loadActivity } from './activity-data.js';
import { perSecond, printTable } from './harness.js';
import { loadAverage, ms, formatTiming, startDataBench, time, type ScaleBench } from './segments-setup.js';

interface CursorPage {
  data: unknown[];
  cursor: string | null;
  total: number;
}

const isPage = (answer: unknown): answer is CursorPage =>
  typeof answer === 'object' && answer !== null && 'data' in answer && 'cursor' in answer;

/** Pages through a list. @returns the cursor of the page with this number, or of the last page */
async function cursorOf({ call }: ScaleBench, url: string, page: number): Promise<string> {
  let cursor = '';
  for (let number = 1; number < page; number++) {
    const answer = await call('GET', `${url}${cursor && `&cursor=${cursor}`}`);
    if (!isPage(answer)) throw new Error(`${url} did not return a list`);
    if (answer.cursor === null) break;
    cursor = answer.cursor;
  }
  return cursor;
}

async function questions(bench: ScaleBench): Promise<Record<string, string>> {
  const { ctx, project } = bench;
  const one = async (sql: string): Promise<string> =>
    (await ctx.pool.query<{ value: string }>(sql, [project.id])).rows[0]?.value ?? '';
  const contact = await one(
    `SELECT contact_id AS value FROM events WHERE project_id = $1 AND name = 'purchased' ORDER BY created_at LIMIT 1`,
  );
  const campaign = await one(
    `SELECT id AS value FROM campaigns WHERE project_id = $1 ORDER BY total_recipients DESC LIMIT 1`,
  );
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString();
  const range = `startDate=${day(60.3)}&endDate=${day(30.6)}`;
  return {
    'activity, first page': '/activity?',
    'activity, page 1,000': `/activity?limit=20&cursor=${await cursorOf(bench, '/activity?limit=20', 1000)}`,
    'activity, email.opened': '/activity?types=email.opened',
    'activity, email.opened, page 1,000': `/activity?types=email.opened&cursor=${await cursorOf(bench, '/activity?types=email.opened', 1000)}`,
    'activity, event.tracked and workflow.started': '/activity?types=event.tracked,workflow.started',
    'activity, segment.entry (none)': '/activity?types=segment.entry',
    'activity, one contact': `/activity?contactId=${contact}`,
    'activity, one contact, one type': `/activity?contactId=${contact}&types=email.clicked`,
    'activity, a month': `/activity?${range}`,
    'activity, a month, two types': `/activity?${range}&types=email.clicked,event.tracked`,
    'activity/stats': '/activity/stats',
    'activity/stats, a month': `/activity/stats?${range}`,
    'activity/recent-count, a day': '/activity/recent-count?minutes=1440',
    'activity/upcoming': '/activity/upcoming',
    'analytics/timeseries': '/analytics/timeseries',
    'analytics/timeseries, 365 days': '/analytics/timeseries?days=365',
    'analytics/top-campaigns': '/analytics/top-campaigns',
    'analytics/campaign-stats': '/analytics/campaign-stats',
    'analytics/top-events': '/analytics/top-events?days=120',
    'events/stats': '/events/stats',
    'events/stats, a month': `/events/stats?${range}`,
    'events/names': '/events/names',
    'events, first page': '/events?',
    'events of a name that is old': '/events?eventName=legacy%20import',
    'campaign stats': `/campaigns/${campaign}/stats`,
    recipients: `/campaigns/${campaign}/recipients?`,
    'recipients, page 1,000': `/campaigns/${campaign}/recipients?cursor=${await cursorOf(bench, `/campaigns/${campaign}/recipients?limit=20`, 1000)}`,
    'recipients, BOUNCED': `/campaigns/${campaign}/recipients?status=BOUNCED`,
    'recipients, DELIVERED (most)': `/campaigns/${campaign}/recipients?status=DELIVERED`,
    'recipients, PENDING (none)': `/campaigns/${campaign}/recipients?status=PENDING`,
  };
}

async function answers(bench: ScaleBench): Promise<void> {
  const { ctx, project, call } = bench;
  const page = await time(() =>
    ctx.pool.query('SELECT * FROM events WHERE project_id = $1 ORDER BY created_at DESC, id DESC LIMIT 21', [
      project.id,
    ]),
  );
  console.log(`Calibration, a page of events by the index, median (best) in ms: ${formatTiming(page)}`);
  const table: Array<Record<string, string | number>> = [];
  for (const [question, url] of Object.entries(await questions(bench))) {
    const answer = await call('GET', url);
    const took = await time(() => call('GET', url));
    table.push({
      question,
      'ms, median (best)': formatTiming(took),
      'of the calibration': (took.median / page.median).toFixed(1),
      total: isPage(answer) ? answer.total : '',
      aim: took.median < 200 ? 'met' : 'MISSED',
    });
  }
  printTable(table);
}

const EVENTS_PER_STATEMENT = 64;
const STATEMENTS = 150;
/** The parts that each variant drops before it tracks. The rollback restores them. */
const WITHOUT: Record<string, string[]> = {
  'as it is': [],
  'without counting': ['ALTER TABLE events DISABLE TRIGGER events_count'],
  'without counting and the index of names': [
    'ALTER TABLE events DISABLE TRIGGER events_count',
    'DROP INDEX events_project_id_name_created_at_id_idx',
  ],
};

/**
 * Tracks in transactions that are rolled back. That measures the processor time, without the flush of each commit.
 */
async function tracking({ ctx, project }: ScaleBench): Promise<void> {
  const { rows } = await ctx.pool.query<{ email: string }>(
    'SELECT email FROM contacts WHERE project_id = $1 ORDER BY hashtext(email) LIMIT $2',
    [project.id, EVENTS_PER_STATEMENT * STATEMENTS],
  );
  const best: Record<string, number> = {};
  const undone = new Error('undone');
  for (let round = 0; round < 5; round++) {
    for (const [variant, changes] of Object.entries(WITHOUT)) {
      await transaction(ctx.pool, async (tx) => {
        for (const change of changes) await tx.query(change);
        const begun = performance.now();
        for (let n = 0; n < STATEMENTS; n++) {
          const tracks = rows
            .slice(n * EVENTS_PER_STATEMENT, (n + 1) * EVENTS_PER_STATEMENT)
            .map(({ email }, index): TrackEvent => ({
              projectId: project.id,
              contact: { id: newId(), email },
              set: {},
              unset: [],
              subscribed: undefined,
              isPublic: true,
              event: { id: newId(), name: index % 2 ? 'page viewed' : 'purchased', data: { page: '/pricing' } },
              idempotency: null,
            }));
          await trackEvents(tx, tracks);
        }
        best[variant] = Math.min(best[variant] ?? Infinity, performance.now() - begun);
        throw undone;
      }).catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    }
  }
  const fastest = best['without counting and the index of names'] ?? 0;
  printTable(
    Object.entries(best).map(([variant, took]) => ({
      tracking: variant,
      'events per second': perSecond(EVENTS_PER_STATEMENT * STATEMENTS, took),
      'µs each': ms((took * 1000) / (EVENTS_PER_STATEMENT * STATEMENTS)),
      'of the last': (took / fastest).toFixed(3),
    })),
  );
}

/** Measures a page of retention, in transactions that are rolled back. */
async function retention({ ctx }: ScaleBench): Promise<void> {
  const undone = new Error('undone');
  const page: RetentionPage = { before: new Date(), after: FIRST_ID, limit: 2000 };
  const run = async (
    pages: number,
    step: (tx: PoolClient, page: RetentionPage) => Promise<RetentionStep>,
  ): Promise<number> => {
    let deleted = 0;
    await transaction(ctx.pool, async (tx) => {
      let after: string | null = FIRST_ID;
      for (let n = 0; n < pages && after !== null; n++) {
        const done: RetentionStep = await step(tx, { ...page, after });
        deleted += done.deleted;
        after = done.upTo;
      }
      throw undone;
    }).catch((error: unknown) => {
      if (error !== undone) throw error;
    });
    return deleted;
  };
  const table: Array<Record<string, string | number>> = [];
  for (const [what, step] of Object.entries({ events: expireEvents, emails: expireEmails })) {
    const begun = performance.now();
    const deleted = await run(20, step);
    table.push({ retention: what, deleted, 'per second': perSecond(deleted, performance.now() - begun) });
  }
  printTable(table);
}

const [rows = 10_000_000] = process.argv.slice(2).map(Number);
const bench = await startDataBench((ctx) => loadActivity(ctx, rows));
try {
  console.log(loadAverage());
  await answers(bench);
  await tracking(bench);
  await retention(bench);
  console.log(loadAverage());
} finally {
  await bench.stop();
}
process.exit(0);
