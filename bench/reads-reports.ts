/** Reads of campaign reports, the email log, and analytics, and the rows that they need. */
import type { Pool } from 'pg';
import { DIMENSIONS, foldEmailFigures } from '../src/domain/analytics/sql/email-figures.js';
import { foldLinks } from '../src/domain/campaigns/sql/links.js';
import type { Read } from './reads.js';
import type { ScaleBench } from './segments-setup.js';

const FOLD_STEP = 50_000;
const LINKS = 40;
const TEMPLATE_ID = '00000000-0000-7000-b000-000000000001';
const WORKFLOW_ID = '00000000-0000-7000-c000-000000000001';

/** Adds emails of templates and of a workflow: a quarter of the emails of campaigns, over two years. */
const SINGLE_EMAILS = `
INSERT INTO emails (id, project_id, message_id, contact_id, template_id, workflow_id, source, type, to_email, status,
                    attempts, created_at, sent_at, delivered_at, opened_at)
SELECT overlay(uuid_v7()::text PLACING substring(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), 1, 8)
               || '-' || substring(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), 9, 4) FROM 1 FOR 13)::uuid,
       $1, (SELECT id FROM messages WHERE project_id = $1 LIMIT 1), NULL,
       CASE WHEN g % 2 = 0 THEN '${TEMPLATE_ID}'::uuid END,
       CASE WHEN g % 4 = 0 THEN '${WORKFLOW_ID}'::uuid END,
       CASE WHEN g % 4 = 0 THEN 'WORKFLOW' ELSE 'TRANSACTIONAL' END::email_source, 'TRANSACTIONAL',
       'single' || g || '@' || (ARRAY['gmail.test', 'outlook.test', 'proton.test', 'work.test'])[1 + g % 4], CASE WHEN g % 3 = 0 THEN 'OPENED' ELSE 'DELIVERED' END::email_status, 1, at, at, at,
       CASE WHEN g % 3 = 0 THEN at END
  FROM (SELECT g, now() - interval '730 days' * g / $2::float8 AS at FROM generate_series(1, $2::int) g) AS row`;

/**
 * Counts the emails as the statements that send them and record their feedback do. Seven domains have nine tenths of the
 * recipients, and 500 have the others.
 */
const FIGURES = `
INSERT INTO email_deltas (project_id, minute, campaign_id, template_id, workflow_id, source, type, domain, sent, delivered,
                          opened, clicked, bounced, complained, machine_opened)
SELECT e.project_id, date_bin('1 minute', f.at, '2000-01-01T00:00:00Z'), e.campaign_id, e.template_id, e.workflow_id,
       e.source, e.type,
       CASE WHEN e.draw < 6000 THEN split_part(e.to_email, '@', -1) WHEN e.draw < 7500 THEN 'gmail.test'
            WHEN e.draw < 9000 THEN 'outlook.test' ELSE 'domain' || e.draw % 500 || '.test' END,
       sum(f.sent), sum(f.delivered), sum(f.opened), sum(f.clicked), sum(f.bounced), sum(f.complained), sum(f.machine_opened)
  FROM (SELECT e.*, (hashtext(e.id::text) & 1073741823) % 10000 AS draw FROM emails e WHERE e.project_id = $1) e
 CROSS JOIN LATERAL (VALUES
   (e.sent_at, 1, 0, 0, 0, 0, 0, 0), (e.delivered_at, 0, 1, 0, 0, 0, 0, 0), (e.opened_at, 0, 0, 1, 0, 0, 0, 0),
   (e.clicked_at, 0, 0, 0, 1, 0, 0, 0), (e.bounced_at, 0, 0, 0, 0, 1, 0, 0), (e.complained_at, 0, 0, 0, 0, 0, 1, 0),
   (CASE WHEN e.machine_opens > 0 THEN e.delivered_at END, 0, 0, 0, 0, 0, 0, 1)
 ) AS f(at, sent, delivered, opened, clicked, bounced, complained, machine_opened)
 WHERE f.at IS NOT NULL
 GROUP BY 1, 2, 3, 4, 5, 6, 7, 8`;

const COUNTERS = `
UPDATE campaigns c
   SET total_recipients = n.total, sent_count = n.sent, delivered_count = n.delivered, opened_count = n.opened,
       clicked_count = n.clicked, bounced_count = n.bounced, complained_count = n.complained, failed_count = n.total - n.sent,
       snapshot_done = true
  FROM (SELECT campaign_id, count(*) AS total, count(sent_at) AS sent, count(delivered_at) AS delivered,
               count(opened_at) AS opened, count(clicked_at) AS clicked, count(bounced_at) AS bounced,
               count(complained_at) AS complained
          FROM emails WHERE project_id = $1 GROUP BY campaign_id) n
 WHERE c.id = n.campaign_id`;

/** Each person who clicked has clicked one of the links. */
const CLICKS = `
WITH click AS (
  SELECT project_id, campaign_id, id AS email_id, clicked_at AS at,
         'https://shop.test/' || (hashtext(id::text) & 65535) % $2::int AS url
    FROM emails WHERE project_id = $1 AND campaign_id IS NOT NULL AND clicked_at IS NOT NULL
), person AS (
  INSERT INTO campaign_clicks (project_id, campaign_id, link_id, email_id)
  SELECT project_id, campaign_id, md5(E'\\n' || url)::uuid, email_id FROM click ON CONFLICT DO NOTHING
)
INSERT INTO link_deltas (project_id, campaign_id, url, people, clicks, first_at, last_at)
SELECT project_id, campaign_id, url, count(*), count(*), min(at), max(at) FROM click GROUP BY 1, 2, 3`;

const TABLES = [
  'email_quarters',
  'email_hours',
  'email_days',
  'campaign_minutes',
  'campaign_links',
  'campaign_clicks',
  'emails',
];

async function prepare(pool: Pool, projectId: string): Promise<void> {
  const { rows } = await pool.query<{ found: boolean; emails: number }>(
    `SELECT EXISTS (SELECT FROM email_quarters WHERE project_id = $1) AS found,
            (SELECT count(*) FROM emails WHERE project_id = $1) AS emails`,
    [projectId],
  );
  const [state] = rows;
  if (!state || state.found) return;
  await pool.query(SINGLE_EMAILS, [projectId, Math.ceil(state.emails / 4)]);
  await pool.query(FIGURES, [projectId]);
  await pool.query(CLICKS, [projectId, LINKS]);
  await pool.query(COUNTERS, [projectId]);
  while ((await foldEmailFigures(pool, FOLD_STEP)) > 0);
  while ((await foldLinks(pool, FOLD_STEP)) > 0);
  for (const table of TABLES) await pool.query(`VACUUM ANALYZE ${table}`);
}

const totalOf = (response: unknown): string =>
  typeof response === 'object' && response !== null && 'total' in response ? String(response.total) : '';
const lengthOf = (response: unknown): string => (Array.isArray(response) ? String(response.length) : '');

export async function reportReads({ ctx, project }: ScaleBench): Promise<Read[]> {
  await prepare(ctx.pool, project.id);
  const { rows } = await ctx.pool.query<{ id: string; contactId: string | null; to: string }>(
    `SELECT c.id, e.contact_id AS "contactId", e.to_email AS "to"
       FROM campaigns c CROSS JOIN LATERAL (SELECT * FROM emails WHERE campaign_id = c.id LIMIT 1) e
      WHERE c.project_id = $1 ORDER BY c.total_recipients DESC, c.id LIMIT 1`,
    [project.id],
  );
  const [largest] = rows;
  if (!largest) return [];
  const day = (ago: number): string => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
  const get = (name: string, url: string, limitMs: number, show = totalOf): Read => ({
    name,
    method: 'GET',
    url,
    limitMs,
    show,
  });
  const recipients = (query: string) =>
    get(`recipients: ${query}`, `/campaigns/${largest.id}/recipients?${query}`, 200);
  const emails = (query: string) => get(`emails: ${query || 'all'}`, `/emails?${query}`, 150);
  const deeds = ['opened', 'clicked', 'not_opened', 'not_clicked', 'bounced', 'complained', 'failed', 'unknown'];
  const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'];
  const analytics = (asked: Record<string, string | number | undefined>): Read => {
    const query = Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    return get(`analytics: ${query.join(' ')}`, `/analytics/timeseries?${query.join('&')}`, 300, lengthOf);
  };
  return [
    get('campaign: links', `/campaigns/${largest.id}/links`, 200),
    ...['minute', 'hour', 'day'].map((interval) =>
      get(
        `campaign: by ${interval}`,
        `/campaigns/${largest.id}/timeseries?interval=${interval}&timezone=Asia/Kolkata`,
        200,
        lengthOf,
      ),
    ),
    ...[...deeds, 'unsubscribed', 'cancelled'].map((did) => recipients(`did=${did}`)),
    recipients(`url=${encodeURIComponent('https://shop.test/7')}`),
    recipients('url=https%3A%2F%2Fshop.test%2F7&did=opened'),
    recipients('search=er99999'),
    recipients('search=user1234'),
    recipients('search=example'),
    recipients('search=no-such-address'),
    get('campaign: failures', `/campaigns/${largest.id}/failures`, 200),
    emails(''),
    ...['PENDING', 'SENT', 'OPENED', 'BOUNCED', 'FAILED', 'CANCELLED'].map((status) => emails(`status=${status}`)),
    ...['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST'].map((source) => emails(`source=${source}`)),
    ...['MARKETING', 'HEADLESS', 'TRANSACTIONAL'].map((type) => emails(`type=${type}`)),
    emails(`to=${encodeURIComponent(largest.to)}`),
    emails('to=single7@work.test'),
    emails(`campaignId=${largest.id}`),
    emails(`templateId=${TEMPLATE_ID}`),
    emails(`workflowId=${WORKFLOW_ID}`),
    emails(`contactId=${largest.contactId ?? ''}`),
    emails(`since=${day(70)}&until=${day(60)}`),
    emails(`until=${day(720)}`),
    emails(`since=${day(-1)}`),
    emails(`status=OPENED&source=CAMPAIGN&since=${day(70)}`),
    emails(`status=BOUNCED&until=${day(135)}`),
    emails(`status=COMPLAINED&type=MARKETING`),
    emails(`status=FAILED&source=TRANSACTIONAL`),
    emails(`type=MARKETING&source=TRANSACTIONAL`),
    emails(`templateId=${TEMPLATE_ID}&until=${day(720)}`),
    emails(`templateId=${TEMPLATE_ID}&status=BOUNCED`),
    emails(`workflowId=${WORKFLOW_ID}&since=${day(7)}`),
    emails(`campaignId=${largest.id}&status=FAILED`),
    emails(`campaignId=${largest.id}&contactId=${largest.contactId ?? ''}`),
    emails(`to=absent@example.test`),
    emails('tag=receipts'),
    emails('group=receipts'),
    ...zones.flatMap((timezone) =>
      [undefined, ...DIMENSIONS].map((groupBy) => analytics({ days: 365, timezone, groupBy })),
    ),
    ...[undefined, ...DIMENSIONS].map((groupBy) =>
      analytics({ days: 365, timezone: 'Asia/Kolkata', groupBy, compare: 'previous' }),
    ),
    ...zones.flatMap((timezone) =>
      [undefined, ...DIMENSIONS].map((groupBy) =>
        analytics({ days: 31, interval: 'hour', timezone, groupBy, compare: 'previous' }),
      ),
    ),
    get('analytics: contacts of a year', '/analytics/contacts?days=365&timezone=Asia/Kolkata', 300, lengthOf),
    get('events: all', '/events?limit=50', 200),
    get('activity: all', '/activity?limit=50', 200),
    get('activity: of a contact', `/activity?contactId=${largest.contactId ?? ''}`, 200),
    get('events: a rare old name', '/events?eventName=legacy', 200),
    get('events: an unknown name', '/events?eventName=never', 200),
    get('events of a contact', `/events/contact/${largest.contactId ?? ''}`, 200),
  ];
}
