/**
 * The same data in each run: ten million emails and events of several projects over four months. One project has two
 * thirds of them and a campaign of a million emails.
 */
import type { PoolClient } from 'pg';
import type { ApiContext } from '../src/context.js';
import { newId } from '../src/ids.js';
import { makeProject, type BenchProject } from './harness.js';

/** Rows per statement. */
const STEP = 100_000;
const DAYS = 120;

/** SQL: a UUID v7 of the time `at`, the same for the same text. */
const idOf = (text: string, at: string): string =>
  `overlay(overlay(overlay(md5(${text}) PLACING lpad(to_hex((extract(epoch FROM ${at}) * 1000)::bigint), 12, '0') FROM 1 FOR 12) PLACING '7' FROM 13 FOR 1) PLACING '8' FROM 17 FOR 1)::uuid`;
/** SQL: a pseudorandom number from 0 to 999, derived from `salt` and the row number `g`. */
const drawn = (salt: number): string => `((hashint8extended(g, ${salt}) & 2147483647) % 1000)`;

interface Sending {
  project: BenchProject;
  emails: number;
  campaignId: string | null;
  /** The start in days before now, and the duration in days. */
  from: number;
  takes: number;
}

async function inSteps(tx: PoolClient, count: number, sql: string, values: unknown[]): Promise<void> {
  for (let from = 1; from <= count; from += STEP)
    await tx.query(sql, [...values, from, Math.min(from + STEP - 1, count)]);
}

/** Inserts contacts whose ids follow from their numbers, older than all other rows. */
const CONTACT_ID = (number: string): string =>
  idOf(`$1::text || ${number}`, `$2::timestamptz - interval '${DAYS} days'`);

async function contacts(tx: PoolClient, project: BenchProject, now: string, count: number): Promise<void> {
  await inSteps(
    tx,
    count,
    `INSERT INTO contacts (id, project_id, email, subscribed, created_at) SELECT ${CONTACT_ID('g')}, $1::uuid, 'user' || g || '@example.test', true, $2::timestamptz - interval '${DAYS} days' FROM generate_series($3::int, $4::int) g`,
    [project.id, now],
  );
}

async function campaign(
  tx: PoolClient,
  project: BenchProject,
  now: string,
  { name, from, takes }: { name: string; from: number; takes: number },
): Promise<string> {
  const id = newId();
  await tx.query(
    `INSERT INTO campaigns (id, project_id, name, subject, body, from_email, status, audience_type, started_at, sent_at, created_at)
     SELECT $1, $2, $3, $3, '<p>Hello</p>', 'news@example.test', 'SENT', 'ALL', $4::timestamptz - $5::float8 * interval '1 day', $4::timestamptz - ($5 - $6::float8) * interval '1 day', $4::timestamptz - ($5 + 1) * interval '1 day'`,
    [id, project.id, name, now, from, takes],
  );
  return id;
}

/**
 * Inserts emails that were sent one after the other. Of a thousand, 950 are delivered, 300 opened, 60 clicked, 10
 * bounced, and 5 failed.
 */
async function send(
  tx: PoolClient,
  { project, emails, campaignId, from, takes }: Sending,
  now: string,
  contactCount: number,
): Promise<void> {
  const messageId = newId();
  await tx.query(
    `INSERT INTO messages (id, project_id, type, subject, body, from_email) VALUES ($1, $2, 'MARKETING', 'Hello', '<p>Hello</p>', 'news@example.test')`,
    [messageId, project.id],
  );
  const at = `($2::timestamptz - interval '1 day' * ($5::float8 - $6::float8 * (g - 1) / ${emails}::float8))`;
  const draw = drawn(1);
  await inSteps(
    tx,
    emails,
    `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status, attempts, created_at, sent_at, delivered_at, opened_at, clicked_at, bounced_at, bounce_type, error)
     SELECT ${idOf(`$3::text || g`, 'at')}, $1::uuid, $3::uuid, ${CONTACT_ID(`(1 + (g - 1) % ${contactCount})`)}, $4::uuid, ${campaignId ? `'CAMPAIGN'` : `'TRANSACTIONAL'`}::email_source, 'MARKETING', 'user' || (1 + (g - 1) % ${contactCount}) || '@example.test',
            CASE WHEN d < 60 THEN 'CLICKED' WHEN d < 300 THEN 'OPENED' WHEN d < 950 THEN 'DELIVERED' WHEN d < 960 THEN 'BOUNCED' WHEN d < 965 THEN 'FAILED' ELSE 'SENT' END::email_status, 1, at,
            CASE WHEN d NOT BETWEEN 960 AND 964 THEN at + interval '1 s' END, CASE WHEN d < 950 THEN at + interval '3 s' END, CASE WHEN d < 300 THEN at + interval '1 h' END, CASE WHEN d < 60 THEN at + interval '2 h' END,
            CASE WHEN d BETWEEN 950 AND 959 THEN at + interval '1 min' END, CASE WHEN d BETWEEN 950 AND 959 THEN 'permanent' END, CASE WHEN d BETWEEN 960 AND 964 THEN '550 no such user' END
       FROM (SELECT g, ${at} AS at, ${draw} AS d FROM generate_series($7::int, $8::int) g) AS row`,
    [project.id, now, messageId, campaignId, from, takes],
  );
}

/** Inserts the events of the emails, each at its time. */
async function feedback(tx: PoolClient): Promise<void> {
  const kinds = {
    sent: `'email.sent'`,
    delivered: `'email.delivered'`,
    opened: `'email.opened'`,
    clicked: `'email.clicked'`,
    bounced: `'email.bounced'`,
  };
  for (const [kind, name] of Object.entries(kinds)) {
    await tx.query(
      `INSERT INTO events (id, project_id, contact_id, email_id, name, data, created_at)
       SELECT ${idOf(`${name} || e.id`, `e.${kind}_at`)}, e.project_id, e.contact_id, e.id, ${name}, jsonb_build_object('campaignId', e.campaign_id), e.${kind}_at FROM emails e WHERE e.${kind}_at IS NOT NULL ORDER BY e.${kind}_at`,
    );
  }
}

const NAMES = [
  'page viewed',
  'page viewed',
  'page viewed',
  'page viewed',
  'logged in',
  'logged in',
  'cart filled',
  'cart left',
  'purchased',
  'searched',
  'shared',
  'trial begun',
];

/** Inserts tracked events. The oldest hundredth has a name that later events do not have. */
async function track(
  tx: PoolClient,
  project: BenchProject,
  now: string,
  count: number,
  contactCount: number,
): Promise<void> {
  const at = `($2::timestamptz - interval '${DAYS} days' * (1 - g / ${count + 1}::float8))`;
  await inSteps(
    tx,
    count,
    `INSERT INTO events (id, project_id, contact_id, name, data, created_at)
     SELECT ${idOf(`'track' || $1::text || g`, 'at')}, $1::uuid, ${CONTACT_ID(`(1 + (hashint8extended(g, 7) & 2147483647) % ${contactCount})`)},
            CASE WHEN g <= ${Math.floor(count / 100)} THEN 'legacy import' ELSE (ARRAY['${NAMES.join(`','`)}'])[1 + ${drawn(2)} % ${NAMES.length}] END, '{"page":"/pricing","value":12}', at
       FROM (SELECT g, ${at} AS at FROM generate_series($3::int, $4::int) g) AS row`,
    [project.id, now],
  );
}

async function executions(tx: PoolClient, project: BenchProject, now: string, count: number): Promise<void> {
  const workflowId = newId();
  await tx.query(
    `INSERT INTO workflows (id, project_id, name, event_name, enabled, allow_reentry) VALUES ($1, $2, 'Welcome', 'trial begun', true, true)`,
    [workflowId, project.id],
  );
  const at = `($2::timestamptz - interval '${DAYS} days' * (1 - g / ${count + 1}::float8))`;
  await inSteps(
    tx,
    count,
    `INSERT INTO workflow_executions (id, project_id, workflow_id, contact_id, status, started_at, completed_at, wake_at)
     SELECT ${idOf(`'x' || $1::text || g`, 'at')}, $1::uuid, $3::uuid, ${CONTACT_ID('g')}, CASE WHEN g % 10 = 0 THEN 'WAITING' ELSE 'COMPLETED' END::execution_status, at, CASE WHEN g % 10 > 0 THEN at + interval '1 h' END,
            CASE WHEN g % 10 = 0 THEN $2::timestamptz + g * interval '1 minute' END
       FROM (SELECT g, ${at} AS at FROM generate_series($4::int, $5::int) g) AS row`,
    [project.id, now, workflowId],
  );
}

/** Writes the rows that triggers and folds would have written. */
const FIGURES = [
  `INSERT INTO event_days (project_id, day, name, count) SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, name, count(*) FROM events GROUP BY 1, 2, 3`,
  `INSERT INTO project_days (project_id, day, sent, delivered, opened, clicked, bounced, hard_bounced)
   SELECT project_id, (sent_at AT TIME ZONE 'UTC')::date, count(*), count(delivered_at), count(opened_at), count(clicked_at), count(bounced_at), count(bounced_at) FROM emails WHERE sent_at IS NOT NULL GROUP BY 1, 2`,
  `INSERT INTO stat_deltas (project_id, day, workflows_started) SELECT project_id, (started_at AT TIME ZONE 'UTC')::date, count(*) FROM workflow_executions GROUP BY 1, 2`,
  `UPDATE campaigns c SET total_recipients = e.total, sent_count = e.sent, delivered_count = e.delivered, opened_count = e.opened, clicked_count = e.clicked, bounced_count = e.bounced, failed_count = e.total - e.sent
     FROM (SELECT campaign_id, count(*) AS total, count(sent_at) AS sent, count(delivered_at) AS delivered, count(opened_at) AS opened, count(clicked_at) AS clicked, count(bounced_at) AS bounced FROM emails WHERE campaign_id IS NOT NULL GROUP BY 1) e
    WHERE c.id = e.campaign_id`,
];

/** Loads about `rows` emails and events, without triggers and foreign keys. @returns the large project */
export async function loadActivity(ctx: ApiContext, rows: number): Promise<BenchProject> {
  const begun = performance.now();
  const tx = await ctx.pool.connect();
  try {
    await tx.query(`SET session_replication_role = replica`);
    await tx.query(`SET work_mem = '256MB'`);
    const now = new Date().toISOString();
    const big = await makeProject(ctx);
    const share = rows / 10_000_000;
    const people = Math.round(1_000_000 * share);
    await contacts(tx, big, now, people);
    await send(
      tx,
      {
        project: big,
        emails: people,
        campaignId: await campaign(tx, big, now, { name: 'To all contacts', from: 20, takes: 0.5 }),
        from: 20,
        takes: 0.5,
      },
      now,
      people,
    );
    for (let n = 1; n <= 15; n++) {
      const when = { from: 7 * n + 1, takes: 0.1 };
      await send(
        tx,
        {
          project: big,
          emails: Math.round(30_000 * share),
          campaignId: await campaign(tx, big, now, { name: `Weekly ${n}`, ...when }),
          ...when,
        },
        now,
        people,
      );
    }
    await send(
      tx,
      { project: big, emails: Math.round(300_000 * share), campaignId: null, from: DAYS, takes: DAYS },
      now,
      people,
    );
    await track(tx, big, now, Math.round(1_000_000 * share), people);
    await executions(tx, big, now, Math.round(200_000 * share));
    for (let n = 0; n < 5; n++) {
      const project = await makeProject(ctx);
      const some = Math.round(50_000 * share);
      await contacts(tx, project, now, some);
      await send(tx, { project, emails: 3 * some, campaignId: null, from: DAYS, takes: DAYS }, now, some);
      await track(tx, project, now, 3 * some, some);
    }
    await feedback(tx);
    for (const sql of FIGURES) await tx.query(sql);
    await tx.query(`RESET session_replication_role`);
    await tx.query(`RESET work_mem`);
    await tx.query('VACUUM ANALYZE');
    const { rows: counts } = await tx.query<{ table: string; count: number }>(
      `SELECT 'emails' AS table, count(*) AS count FROM emails UNION ALL SELECT 'events', count(*) FROM events UNION ALL SELECT 'events of the big project', count(*) FROM events WHERE project_id = $1`,
      [big.id],
    );
    console.log(
      `${counts.map(({ table, count }) => `${count} ${table}`).join(', ')} in ${Math.round((performance.now() - begun) / 1000)} s`,
    );
    return big;
  } finally {
    tx.release();
  }
}
