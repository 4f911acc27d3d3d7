/**
 * Reads of a campaign with variants, and of campaigns at the reader's local time in 12 time zones, of which all or half of the
 * emails wait: `npx tsx bench/waves-reads.ts [emails]`, by default 1,000,000 for each campaign. Prints the median and the fastest
 * of several requests. No page of the table is all visible, as while a campaign is sent.
 *
 * `BENCH_DATA_DIR=<folder>` keeps the database for the next run.
 */
import { Pool } from 'pg';
import { foldFigures } from '../src/domain/analytics/sql/figures.js';
import { newId } from '../src/ids.js';
import { addContacts, makeProject, printTable } from './harness.js';
import { formatTiming, loadAverage, startDataBench, time } from './segments-setup.js';

const EMAILS = Number(process.argv[2] ?? 1_000_000);
const ZONES = 12;
/** The number of waves that are sent. */
const SENT_ZONES = { variants: ZONES, 'all scheduled': 0, 'half sent': ZONES / 2 };
type Kind = keyof typeof SENT_ZONES;
const KINDS: Kind[] = ['variants', 'all scheduled', 'half sent'];

async function insertCampaign(pool: Pool, projectId: string, kind: Kind): Promise<void> {
  const [id, messageId] = [newId(), newId()];
  const isSplit = kind === 'variants';
  const variants = ['a', 'b'].map((variant) => ({ id: variant, subject: variant, weight: 50 }));
  await pool.query(
    `WITH message AS (
       INSERT INTO messages (id, project_id, type, subject, body, from_email)
       VALUES ($4, $2, 'MARKETING', 'News', '<p>Hello</p>', 'news@example.test'))
     INSERT INTO campaigns (id, project_id, name, subject, body, from_email, audience_type, status, started_at, message_id,
                            total_recipients, snapshot_done, variants, test)
     VALUES ($1, $2, $3, 'News', '<p>Hello</p>', 'news@example.test', 'ALL', 'SENDING', now(), $4, $5, true, $6, $7)`,
    [
      id,
      projectId,
      kind,
      messageId,
      EMAILS,
      isSplit ? JSON.stringify(variants) : null,
      isSplit ? { share: 100, metric: 'clicks', after: 4, decide: 'auto' } : null,
    ],
  );
  if (isSplit)
    await pool.query(
      `INSERT INTO campaign_variants (project_id, campaign_id, id, position, weight, message_id)
       SELECT $1, $2, id, position, 50, $3 FROM unnest('{a,b}'::text[]) WITH ORDINALITY AS v(id, position)`,
      [projectId, id, messageId],
    );
  else
    await pool.query(
      `INSERT INTO campaign_waves (project_id, campaign_id, due_at, zones, total)
       SELECT $1, $2, date_trunc('day', now()) + zone * interval '1 hour', '{UTC}', $4 / $3 FROM generate_series(0, $3::int - 1) zone`,
      [projectId, id, ZONES, EMAILS],
    );
  // Of a thousand sent emails, 950 are delivered, 300 opened, 60 clicked, and 5 failed.
  await pool.query(
    `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status, attempts, variant,
                         scheduled_for, next_attempt_at, created_at, sent_at, delivered_at, opened_at, clicked_at, opens, clicks)
     SELECT campaign_email_id($2, (extract(epoch FROM now()) * 1000)::bigint, n::int), $1, $3, id, $2, 'CAMPAIGN', 'MARKETING', email,
            CASE WHEN NOT is_sent THEN 'SCHEDULED' WHEN d < 60 THEN 'CLICKED' WHEN d < 300 THEN 'OPENED' WHEN d < 950 THEN 'DELIVERED'
                 WHEN d < 995 THEN 'SENT' ELSE 'FAILED' END::email_status, is_sent::int,
            CASE WHEN $4 THEN CASE WHEN n % 2 = 0 THEN 'a' ELSE 'b' END END, CASE WHEN NOT $4 THEN due END,
            CASE WHEN is_sent THEN '9999-12-31' ELSE due END, now(), CASE WHEN is_sent AND d < 995 THEN now() END,
            CASE WHEN is_sent AND d < 950 THEN now() END, CASE WHEN is_sent AND d < 300 THEN now() END,
            CASE WHEN is_sent AND d < 60 THEN now() END, (is_sent AND d < 300)::int, (is_sent AND d < 60)::int
       FROM (SELECT id, email, n, (hashint8extended(n, 1) & 2147483647) % 1000 AS d, n % ${ZONES} < $5 AS is_sent,
                    date_trunc('day', now()) + n % ${ZONES} * interval '1 hour' AS due
               FROM (SELECT id, email, row_number() OVER (ORDER BY id) AS n FROM contacts WHERE project_id = $1) c) r
      ORDER BY n`,
    [projectId, id, messageId, isSplit, SENT_ZONES[kind]],
  );
}

/** Counts the emails as the statements that send them and record their feedback do. */
const COUNT = `
INSERT INTO stat_deltas (project_id, campaign_id, variant, wave, day, recipients, sent, delivered, opened, clicked)
SELECT project_id, campaign_id, variant, scheduled_for, now(), count(*), count(sent_at), count(delivered_at), count(opened_at),
       count(clicked_at)
  FROM emails WHERE project_id = $1 GROUP BY 1, 2, 3, 4`;

/** One contact in twenty has the event. */
const EVENTS = `
INSERT INTO events (id, project_id, contact_id, name)
SELECT uuid_v7(), project_id, id, 'bought' FROM contacts WHERE project_id = $1 AND hashtext(id::text) % 20 = 0`;

const { ctx, project, call, stop } = await startDataBench(async (context) => {
  const { pool } = context;
  const own = await makeProject(context);
  await pool.query('ALTER TABLE emails SET (autovacuum_enabled = false)');
  // Without triggers, loading takes half as long.
  const loader = new Pool({
    connectionString: context.config.DATABASE_URL,
    max: 1,
    options: '-c session_replication_role=replica',
  });
  await addContacts({ ...context, pool: loader }, own.id, EMAILS);
  await pool.query('VACUUM ANALYZE contacts');
  for (const kind of KINDS) await insertCampaign(loader, own.id, kind);
  await loader.end();
  await pool.query(COUNT, [own.id]);
  await pool.query(EVENTS, [own.id]);
  while ((await foldFigures(pool, 5000)) > 0);
  for (const table of ['emails', 'events']) await pool.query(`ANALYZE ${table}`);
  return own;
});
try {
  const { rows: campaigns } = await ctx.pool.query<{ id: string; name: Kind }>(
    'SELECT id, name FROM campaigns WHERE project_id = $1 ORDER BY id',
    [project.id],
  );
  const rows: Array<Record<string, string>> = [];
  const read = async (campaign: string, url: string): Promise<void> => {
    rows.push({ campaign, read: url, 'median (best), ms': formatTiming(await time(() => call('GET', url))) });
  };
  for (const { id, name } of campaigns) {
    for (const path of [
      '',
      '/stats',
      '/waves',
      '/timeseries?interval=minute',
      '/failures',
      '/links',
      '/recipients?did=opened',
    ])
      await read(name, `/campaigns/${id}${path}`);
    if (name !== 'variants') continue;
    await ctx.pool.query(`UPDATE campaigns SET test = test || '{"metric": "event:bought"}' WHERE id = $1`, [id]);
    await read('variants, by an event', `/campaigns/${id}/stats`);
  }
  printTable(
    rows.map(({ read: url = '', ...row }) => ({ ...row, read: url.replace(/^\/campaigns\/[^/?]+/, '') || 'campaign' })),
  );
  console.log(loadAverage());
} finally {
  await stop();
}
process.exit(0);
