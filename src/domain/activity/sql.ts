/**
 * The feed: events, starts of executions, and sent campaigns, merged by (time, id). Each source returns at most one
 * page through an index in the page's order, so the cost does not depend on how far the caller has paged.
 */
import type { Queryable } from '../../db/pool.js';
import { nameClauses, type EventChoice } from '../events/sql/choice.js';
import { countStoredEvents, dayClauses, splitRange, timeClauses, type TimeRange } from '../events/sql/days.js';

export interface ActivityFilter extends TimeRange {
  projectId: string;
  /** null selects no events. */
  events: EventChoice | null;
  /** Whether the feed includes starts of executions. */
  executions: boolean;
  /** Whether the feed includes sent campaigns. They have no contact, so a contact's feed has none. */
  campaigns: boolean;
  contactId?: string;
}

export interface ActivityPage extends ActivityFilter {
  /** The page starts after this position (newest first). */
  after?: { at: string; id: string };
  limit: number;
}

/** An activity with its details. Fields that its source does not have are null. */
export interface ActivityRow {
  source: 'event' | 'execution' | 'campaign';
  id: string;
  at: Date;
  contactId: string | null;
  contactEmail: string | null;
  eventName: string | null;
  eventData: Record<string, unknown> | null;
  emailId: string | null;
  emailSource: string | null;
  subject: string | null;
  workflowId: string | null;
  workflowName: string | null;
  campaignName: string | null;
  recipients: number | null;
}

/** A source as SELECT of source, id and at, in the page's order. */
type Source = (page: ActivityPage, values: unknown[]) => string;

const allOf = (...clauses: string[]): string => clauses.join(' AND ');

/** SQL: the rows of a source after the position, in the range, and of the contact; `t` is the table. */
function clauses({ after, contactId, ...range }: ActivityPage, time: string, values: unknown[]): string[] {
  return [
    ...timeClauses(`t.${time}`, range, values),
    ...(after ? [`(t.${time}, t.id) < ($${values.push(after.at)}::timestamptz, $${values.push(after.id)}::uuid)`] : []),
    ...(contactId === undefined ? [] : [`t.contact_id = $${values.push(contactId)}`]),
  ];
}

const events: Source = (page, values) => {
  if (!page.events) return '';
  const rows = (extra: string[]): string =>
    `SELECT 'event' AS source, t.id, t.created_at AS at FROM events t
       WHERE ${allOf('t.project_id = $1', ...extra, ...clauses(page, 'created_at', values))}
       ORDER BY t.created_at DESC, t.id DESC LIMIT $2`;
  if (page.events.by !== 'name') return rows(nameClauses(page.events, 't.name', values));
  // Each name by itself: one list of names would be read in the order of time, with everything that lies between.
  return `SELECT r.* FROM unnest($${values.push(page.events.names)}::text[]) AS n(name)
            CROSS JOIN LATERAL (${rows(['t.name = n.name'])}) AS r`;
};

const executions: Source = (page, values) => {
  if (!page.executions) return '';
  const rows = (extra: string[]): string =>
    `SELECT 'execution' AS source, t.id, t.started_at AS at FROM workflow_executions t
       WHERE ${allOf('t.project_id = $1', ...extra, ...clauses(page, 'started_at', values))}
       ORDER BY t.started_at DESC, t.id DESC LIMIT $2`;
  // A contact has few; those of a project are in the order of time for each workflow.
  return page.contactId === undefined
    ? `SELECT r.* FROM workflows w CROSS JOIN LATERAL (${rows(['t.workflow_id = w.id'])}) AS r WHERE w.project_id = $1`
    : rows([]);
};

const hasCampaigns = ({ campaigns, contactId }: ActivityFilter): boolean => campaigns && contactId === undefined;

const campaigns: Source = (page, values) =>
  hasCampaigns(page)
    ? `SELECT 'campaign' AS source, t.id, t.sent_at AS at FROM campaigns t
         WHERE ${allOf('t.project_id = $1', 't.sent_at IS NOT NULL', ...clauses(page, 'sent_at', values))}
         ORDER BY t.sent_at DESC, t.id DESC LIMIT $2`
    : '';

/** The details of the activities of `page` (source, id, at). */
const SELECT_DETAILS = `
     SELECT p.source, p.id, p.at, c.id AS "contactId", c.email AS "contactEmail", e.name AS "eventName",
            e.data AS "eventData", e.email_id AS "emailId", mail.source AS "emailSource", m.subject,
            w.id AS "workflowId", w.name AS "workflowName", k.name AS "campaignName", k.total_recipients AS recipients
       FROM page p
       LEFT JOIN events e ON p.source = 'event' AND e.id = p.id
       LEFT JOIN workflow_executions x ON p.source = 'execution' AND x.id = p.id
       LEFT JOIN campaigns k ON p.source = 'campaign' AND k.id = p.id
       LEFT JOIN contacts c ON c.id = coalesce(e.contact_id, x.contact_id)
       LEFT JOIN workflows w ON w.id = x.workflow_id
       LEFT JOIN emails mail ON mail.id = e.email_id
       LEFT JOIN messages m ON m.id = mail.message_id`;

/** Up to `limit` activities, newest first. */
export async function selectActivity(db: Queryable, page: ActivityPage): Promise<ActivityRow[]> {
  const values: unknown[] = [page.projectId, page.limit];
  const sources = [events, executions, campaigns].map((source) => source(page, values)).filter((sql) => sql !== '');
  if (sources.length === 0) return [];
  const { rows } = await db.query<ActivityRow>(
    `WITH page AS MATERIALIZED (
       SELECT source, id, at FROM (${sources.map((sql) => `(${sql})`).join(' UNION ALL ')}) AS merged
         ORDER BY at DESC, id DESC LIMIT $2
     )
     ${SELECT_DETAILS}
      ORDER BY p.at DESC, p.id DESC`,
    values,
  );
  return rows;
}

/** An activity by its source, without details. */
export interface ActivityRef {
  source: ActivityRow['source'];
  id: string;
  at: Date;
}

/** Returns the details of activities, oldest first, except those that were deleted in the meantime. */
export async function selectActivityDetails(db: Queryable, refs: readonly ActivityRef[]): Promise<ActivityRow[]> {
  if (refs.length === 0) return [];
  const { rows } = await db.query<ActivityRow>({
    name: 'activity-details',
    text: `WITH page AS MATERIALIZED (
             SELECT * FROM unnest($1::text[], $2::uuid[], $3::timestamptz[]) AS p(source, id, at)
           )
           ${SELECT_DETAILS}
            WHERE coalesce(e.id, x.id, k.id) IS NOT NULL
            ORDER BY p.at, p.id`,
    values: [refs.map(({ source }) => source), refs.map(({ id }) => id), refs.map(({ at }) => at)],
  });
  return rows;
}

/** How many activities there are. */
export async function countActivity(db: Queryable, filter: ActivityFilter): Promise<number> {
  const chosen = filter.events ? await countChosen(db, filter, filter.events) : 0;
  const begun = filter.executions ? await countExecutions(db, filter) : 0;
  return chosen + begun + (hasCampaigns(filter) ? await countCampaigns(db, filter) : 0);
}

function countChosen(
  db: Queryable,
  { projectId, contactId, from, until }: ActivityFilter,
  choice: EventChoice,
): Promise<number> {
  if (contactId === undefined) return countStoredEvents(db, projectId, choice, { from, until });
  const values: unknown[] = [projectId, contactId];
  const range = timeClauses('created_at', { from, until }, values);
  const chosen = nameClauses(choice, 'name', values);
  const where = allOf('project_id = $1', 'contact_id = $2', ...range, ...chosen);
  return count(db, `SELECT count(*) FROM events WHERE ${where}`, values);
}

/** Of whole days as they are rolled up, of the rest of the range by each workflow's index. */
async function countExecutions(db: Queryable, { projectId, contactId, from, until }: ActivityFilter): Promise<number> {
  const values: unknown[] = [projectId];
  if (contactId !== undefined) {
    const ofContact = `contact_id = $${values.push(contactId)}`;
    return count(
      db,
      `SELECT count(*) FROM workflow_executions
         WHERE ${allOf('project_id = $1', ofContact, ...timeClauses('started_at', { from, until }, values))}`,
      values,
    );
  }
  const { days, edges } = splitRange({ from, until });
  const range = days ? allOf('project_id = $1', ...dayClauses(days, values)) : '';
  const parts = [
    ...(days
      ? ['project_days', 'stat_deltas'].map(
          (table) => `SELECT workflows_started - workflows_gone AS count FROM ${table} WHERE ${range}`,
        )
      : []),
    ...edges.map((edge) => {
      const where = allOf('t.project_id = $1', 't.workflow_id = w.id', ...timeClauses('t.started_at', edge, values));
      return `SELECT e.count FROM workflows w
                CROSS JOIN LATERAL (SELECT count(*) FROM workflow_executions t WHERE ${where}) AS e
               WHERE w.project_id = $1`;
    }),
  ];
  return parts.length === 0
    ? 0
    : count(db, `SELECT coalesce(sum(count), 0)::bigint FROM (${parts.join(' UNION ALL ')}) AS part`, values);
}

function countCampaigns(db: Queryable, { projectId, from, until }: ActivityFilter): Promise<number> {
  const values: unknown[] = [projectId];
  return count(
    db,
    `SELECT count(*) FROM campaigns
       WHERE ${allOf('project_id = $1', 'sent_at IS NOT NULL', ...timeClauses('sent_at', { from, until }, values))}`,
    values,
  );
}

async function count(db: Queryable, sql: string, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`SELECT (${sql}) AS count`, values);
  return rows[0]?.count ?? 0;
}

/** Something that is going to happen. */
export interface UpcomingRow {
  source: 'campaign' | 'execution';
  id: string;
  at: Date;
  contactId: string | null;
  contactEmail: string | null;
  campaignName: string | null;
  subject: string | null;
  workflowId: string | null;
  workflowName: string | null;
  stepType: string | null;
  stepName: string | null;
  /** For a wait: the event that can end it earlier. */
  waitingFor: string | null;
}

/**
 * Scheduled campaigns and executions that sleep or wait until a time, up to `until`, the soonest first; those that are
 * late too.
 */
export async function selectUpcoming(
  db: Queryable,
  projectId: string,
  { until, limit }: { until: Date; limit: number },
): Promise<UpcomingRow[]> {
  const { rows } = await db.query<UpcomingRow>({
    name: 'activity-upcoming',
    text: `WITH page AS MATERIALIZED (
             SELECT * FROM (
               (SELECT 'campaign' AS source, id, scheduled_for AS at FROM campaigns
                 WHERE project_id = $1 AND status = 'SCHEDULED' AND scheduled_for <= $2
                 ORDER BY scheduled_for, id LIMIT $3)
               UNION ALL
               (SELECT 'execution', id, wake_at FROM workflow_executions
                 WHERE project_id = $1 AND status = 'WAITING' AND wake_at <= $2 ORDER BY wake_at, id LIMIT $3)
             ) AS merged ORDER BY at, id LIMIT $3
           )
           SELECT p.source, p.id, p.at, c.id AS "contactId", c.email AS "contactEmail", k.name AS "campaignName",
                  k.subject, w.id AS "workflowId", w.name AS "workflowName",
                  s.step_type AS "stepType", s.step_name AS "stepName", x.waiting_for AS "waitingFor"
             FROM page p
             LEFT JOIN campaigns k ON p.source = 'campaign' AND k.id = p.id
             LEFT JOIN workflow_executions x ON p.source = 'execution' AND x.id = p.id
             LEFT JOIN step_executions s ON s.id = x.step_execution_id
             LEFT JOIN workflows w ON w.id = x.workflow_id
             LEFT JOIN contacts c ON c.id = x.contact_id
            ORDER BY p.at, p.id`,
    values: [projectId, until.toISOString(), limit],
  });
  return rows;
}
