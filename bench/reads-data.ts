/** A large project next to 40 small ones: contacts, ten events for each, and two emails for each. */
import { Pool } from 'pg';
import type { ApiContext } from '../src/context.js';
import { newId } from '../src/ids.js';
import { makeProject, type BenchProject } from './harness.js';
import { contactIdOf, loadData } from './segments-data.js';

const EVENTS_PER_CONTACT = 10;
const EMAILS_PER_CONTACT = 2;
const CAMPAIGNS = 20;
const OTHER_PROJECTS = 40;
/** Contacts of the largest of the other projects, as a share of the large one. */
const MAX_OTHER_SHARE = 0.01;
/** Rows per statement. */
const STEP = 100_000;

/** Loads the large project, with `contacts` contacts, and the others. @returns the large project */
export async function loadReads(ctx: ApiContext, contacts: number): Promise<BenchProject> {
  const begun = performance.now();
  // Without triggers and foreign keys, loading takes half as long.
  const pool = new Pool({
    connectionString: ctx.config.DATABASE_URL,
    max: 1,
    options: '-c session_replication_role=replica',
  });
  const project = await makeProject(ctx);
  await loadTenant(pool, project.id, contacts);
  for (let number = 1; number <= OTHER_PROJECTS; number++) {
    const other = await makeProject(ctx);
    await loadTenant(pool, other.id, Math.ceil((contacts * MAX_OTHER_SHARE * number) / OTHER_PROJECTS));
  }
  // Triggers, which are off here, count the events by day.
  await pool.query(
    `INSERT INTO event_days (project_id, day, name, count)
     SELECT project_id, (created_at AT TIME ZONE 'UTC')::date, name, count(*) FROM events GROUP BY 1, 2, 3`,
  );
  await pool.end();
  for (const table of ['contacts', 'events', 'event_days', 'emails']) await ctx.pool.query(`VACUUM ANALYZE ${table}`);
  console.log(
    `${contacts} contacts and their events and emails in ${Math.round((performance.now() - begun) / 1000)} s`,
  );
  return project;
}

export async function loadTenant(
  pool: Pool,
  projectId: string,
  contacts: number,
  events = EVENTS_PER_CONTACT,
): Promise<void> {
  const now = new Date();
  await loadData(pool, projectId, { contacts, events: contacts * events }, now);
  const emails = Math.ceil((contacts * EMAILS_PER_CONTACT) / CAMPAIGNS);
  for (let number = 1; number <= CAMPAIGNS; number++)
    await loadCampaign(pool, { projectId, number, emails, contacts, now });
}

interface LoadCampaign {
  projectId: string;
  /** 1 is the oldest. */
  number: number;
  emails: number;
  contacts: number;
  now: Date;
}

/**
 * Loads a sent campaign. Of a thousand emails, 950 are delivered, 300 opened, 60 clicked, 10 bounced, and 5 failed; one of
 * the delivered ones led to a complaint.
 */
export async function loadCampaign(
  pool: Pool,
  { projectId, number, emails, contacts, now }: LoadCampaign,
): Promise<void> {
  const [campaignId, messageId] = [newId(), newId()];
  const name = `Weekly ${number}`;
  const sentAt = new Date(now.getTime() - (CAMPAIGNS - number + 1) * 7 * 86_400_000);
  await pool.query(
    `INSERT INTO campaigns (id, project_id, name, subject, body, from_email, status, audience_type, started_at, sent_at,
                            created_at)
     VALUES ($1, $2, $3, $3, '<p>Hello</p>', 'news@example.test', 'SENT', 'ALL', $4, $4, $4)`,
    [campaignId, projectId, name, sentAt],
  );
  await pool.query(
    `INSERT INTO messages (id, project_id, type, subject, body, from_email)
     VALUES ($1, $2, 'MARKETING', $3, '<p>Hello</p>', 'news@example.test')`,
    [messageId, projectId, name],
  );
  // The campaigns have different contacts, in turn, and each contact at most once.
  const contact = `(1 + ((g + ${number}::bigint * ${emails}) % ${contacts}))`;
  for (let from = 1; from <= emails; from += STEP) {
    await pool.query(
      `INSERT INTO emails (id, project_id, message_id, contact_id, campaign_id, source, type, to_email, status, attempts,
                           created_at, sent_at, delivered_at, opened_at, clicked_at, bounced_at, complained_at, bounce_type,
                           error, response, machine_opens)
       SELECT campaign_email_id($4::uuid, (extract(epoch FROM at) * 1000)::bigint, g::int), $1::uuid, $3::uuid, c.id,
              $4::uuid, 'CAMPAIGN', 'MARKETING', c.email,
              CASE WHEN d < 60 THEN 'CLICKED' WHEN d < 300 THEN 'OPENED' WHEN d < 949 THEN 'DELIVERED'
                   WHEN d = 949 THEN 'COMPLAINED' WHEN d < 960 THEN 'BOUNCED' WHEN d < 965 THEN 'FAILED' ELSE 'SENT' END::email_status, 1, at,
              CASE WHEN d NOT BETWEEN 960 AND 964 THEN at END, CASE WHEN d < 950 THEN at + interval '3 s' END,
              CASE WHEN d < 300 THEN at + interval '1 h' END, CASE WHEN d < 60 THEN at + interval '2 h' END,
              CASE WHEN d BETWEEN 950 AND 959 THEN at + interval '1 min' END,
              CASE WHEN d = 949 THEN at + interval '1 day' END,
              CASE WHEN d BETWEEN 950 AND 959 THEN 'permanent' END,
              CASE WHEN d BETWEEN 960 AND 964 THEN 'The recipient''s server rejected the email.' END,
              CASE WHEN d BETWEEN 960 AND 961 THEN '550 5.1.1 no such user' WHEN d = 962 THEN '552 5.2.2 mailbox is full'
                   WHEN d BETWEEN 963 AND 964 THEN '554 5.7.1 rejected as spam' END,
              CASE WHEN d % 3 = 0 THEN 1 ELSE 0 END
         FROM (SELECT g, ${contact} AS n, (hashint8extended(g, ${number}) & 2147483647) % 1000 AS d,
                      $5::timestamptz + g * interval '10 ms' AS at
                 FROM generate_series($6::bigint, $7::bigint) g) AS row
         JOIN contacts c ON c.id = ${contactIdOf('n', contacts)}`,
      [projectId, now, messageId, campaignId, sentAt, from, Math.min(from + STEP - 1, emails)],
    );
  }
}
