/**
 * Pages of a project's emails by any filter. Each filter has an index, and combined filters use the index of the most
 * selective one. Emails of campaigns are read campaign by campaign, because the index of a campaign's emails costs sending
 * nothing.
 */
import type { Queryable } from '../../../db/pool.js';
import { EmailSource, EmailStatus, EmailType } from '../../../generated/prisma/enums.js';
import { lowestId } from '../../../ids.js';
import { UNSENT_FROM } from '../../campaigns/sql/recipients.js';
import { IS_OF_CLAIM } from './liveness.js';

export interface EmailFilter {
  projectId: string;
  status?: EmailStatus;
  source?: EmailSource;
  type?: EmailType;
  to?: string;
  campaignId?: string;
  templateId?: string;
  workflowId?: string;
  contactId?: string;
  group?: string;
  tag?: string;
  since?: Date;
  /** Exclusive. */
  until?: Date;
}

/** A page is sorted by id, or by time if the list has no filter except a range of time. Both are the order of creation. */
export type LogOrder = 'id' | 'time';

export interface LogPosition {
  id: string;
  createdAt: Date;
}

const FILTERS = [
  'status',
  'source',
  'type',
  'to',
  'campaignId',
  'templateId',
  'workflowId',
  'contactId',
  'group',
  'tag',
] as const;

export const orderOf = (filter: EmailFilter): LogOrder =>
  FILTERS.every((name) => filter[name] === undefined) ? 'time' : 'id';

/** Ids are created by several clocks, and their times differ from `created_at` by less than this. */
const MAX_CLOCK_DIFFERENCE_MS = 3_600_000;
const STAGES = Object.values(EmailStatus).filter((status) => status !== 'SENT');

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

/** A statement for emails `e` with the parameters of a filter. */
class LogStatement {
  readonly values: unknown[] = [];
  readonly projectId: string;
  readonly limit: string;
  /** Conditions on the id and the time. */
  readonly range: string;
  private readonly filter: EmailFilter;
  private readonly before: LogPosition | undefined;

  constructor(filter: EmailFilter, before: LogPosition | undefined, limit: number) {
    this.filter = filter;
    this.before = before;
    this.projectId = this.add(filter.projectId);
    this.limit = this.add(limit);
    this.range = this.rangeOf(before);
  }

  add(value: unknown): string {
    return `$${this.values.push(value)}`;
  }

  private rangeOf(before: LogPosition | undefined): string {
    const { since, until } = this.filter;
    const conditions = ['true'];
    if (since) conditions.push(`e.created_at >= ${this.add(since.toISOString())}`);
    if (until) conditions.push(`e.created_at < ${this.add(until.toISOString())}`);
    if (orderOf(this.filter) === 'time') {
      if (before)
        conditions.push(`(e.created_at, e.id) < (${this.add(before.createdAt.toISOString())}, ${this.add(before.id)})`);
      return conditions.join(' AND ');
    }
    return [...conditions, this.idRange('e.id', before)].join(' AND ');
  }

  /** Conditions on the id of an email. Those of times only narrow the range of an index. */
  private idRange(column: string, before: LogPosition | undefined): string {
    const { since, until } = this.filter;
    const conditions = ['true'];
    if (before) conditions.push(`${column} < ${this.add(before.id)}`);
    if (since) conditions.push(`${column} >= ${this.add(lowestId(later(since, -MAX_CLOCK_DIFFERENCE_MS)))}`);
    if (until) conditions.push(`${column} < ${this.add(lowestId(later(until, MAX_CLOCK_DIFFERENCE_MS)))}`);
    return conditions.join(' AND ');
  }

  /** The conditions on the rows `t` of a tag. */
  ofTag(tag: string): string {
    return `t.project_id = ${this.projectId} AND t.tag = ${this.add(tag)} AND ${this.idRange('t.email_id', this.before)}`;
  }

  /** The conditions on the emails of the project's campaigns, without those on the campaign, the stage, and the project. */
  ofCampaign(): string {
    const { source, type } = this.filter;
    const conditions = [this.range];
    if (source) conditions.push(`e.source = '${source}'`);
    if (type) conditions.push(`e.type = '${type}'`);
    return conditions.join(' AND ');
  }

  /** All conditions. */
  all(): string {
    const { status, source, type, to, campaignId, templateId, workflowId, contactId, group, tag } = this.filter;
    const isOfProject = `e.project_id = ${this.projectId}`;
    // Without statistics of projects, PostgreSQL expects fewer such emails than a page counts, and would read and sort all
    // emails of the template or workflow. The condition of a CASE has an estimate of one half.
    const isOfParent = contactId === undefined && to === undefined && (templateId ?? workflowId) !== undefined;
    const conditions = [isOfParent ? `CASE WHEN ${isOfProject} THEN true ELSE false END` : isOfProject, this.range];
    if (status) conditions.push(`e.status = '${status}'`);
    if (source) conditions.push(`e.source = '${source}'`);
    if (type) conditions.push(`e.type = '${type}'`);
    if (to !== undefined) conditions.push(`e.to_email = ${this.add(to)}`);
    if (campaignId) conditions.push(`e.campaign_id = ${this.add(campaignId)}`);
    if (templateId) conditions.push(is('e.template_id', this.add(templateId)));
    if (workflowId) conditions.push(is('e.workflow_id', this.add(workflowId)));
    if (contactId) conditions.push(`e.contact_id = ${this.add(contactId)}`);
    if (group !== undefined) conditions.push(is('e.send_group', this.add(group)));
    if (tag !== undefined) conditions.push(`${this.add(tag)} = ANY (e.tags)`);
    return conditions.join(' AND ');
  }
}

/**
 * A condition on a column that an index has before the id. PostgreSQL would treat an equality as a constant, and could
 * then read all emails by id instead.
 */
const is = (column: string, value: string): string => `${column} BETWEEN ${value} AND ${value}`;

/** Returns a query for (id, created_at) of a page. `s.limit` limits each part, too. */
function candidates(s: LogStatement, filter: EmailFilter): string {
  const { to, campaignId, templateId, workflowId, contactId, group, tag } = filter;
  const isByKind =
    [contactId, to, templateId, workflowId, group, tag].every((one) => one === undefined) && orderOf(filter) === 'id';
  if (campaignId && isByKind) return ofCampaigns(s, filter, `c.id = ${s.add(campaignId)}`);
  // PostgreSQL rejects parameters that a statement does not use.
  const all = isByKind ? '' : s.all();
  // OFFSET 0 makes the planner read the emails of the contact, and not those of the project.
  if (contactId)
    return `SELECT e.id, e.created_at FROM (SELECT * FROM emails WHERE contact_id = ${s.add(contactId)} OFFSET 0) e WHERE ${all}`;
  if (to !== undefined) {
    const address = s.add(to);
    return `
SELECT e.id, e.created_at
  FROM (SELECT id FROM contacts WHERE project_id = ${s.projectId} AND email = ${address}
        UNION SELECT contact_id FROM former_addresses WHERE project_id = ${s.projectId} AND email = ${address}) c
 CROSS JOIN LATERAL (SELECT * FROM emails WHERE contact_id = c.id OFFSET 0) e
 WHERE ${all}
UNION ALL
SELECT e.id, e.created_at
  FROM (SELECT * FROM emails WHERE project_id = ${s.projectId} AND to_email = ${address} AND contact_id IS NULL OFFSET 0) e
 WHERE ${all}`;
  }
  if (group !== undefined)
    return `(SELECT e.id, e.created_at FROM emails e WHERE ${all} ORDER BY e.send_group DESC, e.id DESC LIMIT ${s.limit})`;
  if (tag !== undefined)
    return `(SELECT e.id, e.created_at
       FROM email_tags t CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = t.email_id LIMIT 1) e
      WHERE ${s.ofTag(tag)} AND ${all} ORDER BY t.email_id DESC LIMIT ${s.limit})`;
  const parent = templateId ? 'template_id' : workflowId ? 'workflow_id' : undefined;
  if (parent) return hasRareStages(filter) ? ofParentByStage(s, filter, parent, all) : ofParent(s, parent, all);
  if (orderOf(filter) === 'time')
    return `(SELECT e.id, e.created_at FROM emails e WHERE ${all} ORDER BY e.created_at DESC, e.id DESC LIMIT ${s.limit})`;
  const parts = [withoutCampaign(s, filter)];
  if (filter.source === undefined || filter.source === 'CAMPAIGN')
    parts.push(ofCampaigns(s, filter, filter.type ? `c.type = '${filter.type}'` : 'true'));
  return parts.join(`
UNION ALL`);
}

type Parent = 'template_id' | 'workflow_id';

const ofParent = (s: LogStatement, parent: Parent, all: string): string =>
  `(SELECT e.id, e.created_at FROM emails e WHERE ${all} ORDER BY e.${parent} DESC, e.id DESC LIMIT ${s.limit})`;

/** The most emails with a status that are read to find those of a template or a workflow. */
const MAX_RARE = 2000;

/** Whether a status has a stage, and a parent's emails have no campaign. */
const hasRareStages = ({ status, campaignId }: EmailFilter): boolean =>
  status !== undefined && status !== 'SENT' && status !== 'PENDING' && campaignId === undefined;

/**
 * The emails of a template or a workflow with a status. If few emails of the project have the status, these are read, and
 * otherwise those of the parent. PostgreSQL runs only one of the two parts.
 */
function ofParentByStage(s: LogStatement, filter: EmailFilter, parent: Parent, all: string): string {
  const isRare = `(SELECT count(*) FROM rare) <= ${MAX_RARE}`;
  return `(
WITH rare AS MATERIALIZED (
  SELECT r.id FROM (${withoutCampaign(s, filter, `${MAX_RARE + 1}`)}) r LIMIT ${MAX_RARE + 1}
)
SELECT e.id, e.created_at
  FROM rare CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = rare.id LIMIT 1) e WHERE ${isRare} AND ${all}
UNION ALL
(SELECT e.id, e.created_at FROM emails e
  WHERE NOT ${isRare} AND ${all} ORDER BY e.${parent} DESC, e.id DESC LIMIT ${s.limit}))`;
}

/** The emails in flight without a campaign. No index of emails has them. */
function inFlight(s: LogStatement, { source, type }: EmailFilter): string {
  const kinds = [source && `e.source = '${source}'`, type && `e.type = '${type}'`].filter(Boolean);
  return `
SELECT e.id, e.created_at
  FROM email_claims c CROSS JOIN unnest(c.email_ids) AS claimed(id)
 CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = claimed.id LIMIT 1) e
 WHERE ${[IS_OF_CLAIM, 'e.campaign_id IS NULL', `e.project_id = ${s.projectId}`, s.range, ...kinds].join(' AND ')}`;
}

/** The emails without a campaign: a lookup for each combination of source, type, and stage. */
function withoutCampaign(s: LogStatement, filter: EmailFilter, limit = s.limit): string {
  const { status, source, type } = filter;
  if (status === 'SENDING') return inFlight(s, filter);
  const ofStage = (stage: string): string => `
    (SELECT e.id, e.created_at FROM emails e
      WHERE e.project_id = ${s.projectId} AND e.campaign_id IS NULL AND e.source = s.source AND e.type = t.type
        AND ${stage} AND ${s.range}
      ORDER BY e.stage DESC, e.id DESC LIMIT ${limit})`;
  // Emails in flight have no stage, either.
  const unstaged = status === 'SENT' ? `e.stage IS NULL AND e.status = 'SENT'` : 'e.stage IS NULL';
  const stages = (status ? [status] : Object.values(EmailStatus)).map((one) =>
    one === 'SENT' ? unstaged : is('e.stage', `'${one}'::email_status`),
  );
  return `
SELECT e.id, e.created_at
  FROM unnest(${s.add(source ? [source] : Object.values(EmailSource))}::email_source[]) AS s(source)
 CROSS JOIN unnest(${s.add(type ? [type] : Object.values(EmailType))}::email_type[]) AS t(type)
 CROSS JOIN LATERAL (${stages.map(ofStage).join(' UNION ALL')}) e`;
}

const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`;
/** The id of the campaign `c` from which on emails without a stage are PENDING. Only unfinished campaigns have chunks. */
const UNSENT = `CASE WHEN c.status IN ('SENDING', 'CANCELLED') THEN (${UNSENT_FROM.replaceAll('$1', 'c.id')}) ELSE ${LAST_ID} END`;

/** The emails of campaigns: a lookup for each campaign and stage. */
function ofCampaigns(s: LogStatement, filter: EmailFilter, which: string): string {
  // Conditions that the campaign and the stage imply would let PostgreSQL combine indexes and sort, instead of reading the
  // last emails of one index.
  const all = s.ofCampaign();
  const page = `${all} ORDER BY e.stage DESC, e.id DESC LIMIT ${s.limit}`;
  const ofStage = (stage: EmailStatus): string =>
    `(SELECT e.id, e.created_at FROM emails e WHERE e.campaign_id = c.id AND ${is('e.stage', `'${stage}'::email_status`)} AND ${page})`;
  const unstaged = (bound: string): string =>
    `(SELECT e.id, e.created_at FROM emails e WHERE e.campaign_id = c.id AND e.stage IS NULL AND ${bound} AND ${page})`;
  const parts: Record<'SENT' | 'PENDING', string[]> = {
    SENT: [unstaged(`e.id < u.id AND e.status = 'SENT'`)],
    PENDING: [
      ofStage('PENDING'),
      unstaged(`e.id >= u.id AND e.status = 'PENDING'`),
      waiting(`e.status = 'PENDING' AND ${all}`),
    ],
  };
  const { status } = filter;
  const selected =
    status === undefined
      ? [unstaged('true'), ...STAGES.map(ofStage)]
      : status === 'SENT' || status === 'PENDING'
        ? parts[status]
        : [ofStage(status)];
  return `
SELECT e.id, e.created_at
  FROM campaigns c CROSS JOIN LATERAL (SELECT ${status === 'SENT' || status === 'PENDING' ? UNSENT : LAST_ID} AS id) u
 CROSS JOIN LATERAL (${selected.join(' UNION ALL ')}) e
 WHERE c.project_id = ${s.projectId} AND ${which}`;
}

/** The PENDING emails before `u.id`: in open chunks and in retries. */
const waiting = (all: string): string => `
  (SELECT e.id, e.created_at
     FROM (SELECT e.id FROM campaign_chunks k CROSS JOIN LATERAL (
             SELECT id FROM emails WHERE id BETWEEN k.first_id AND k.last_id OFFSET 0) e
            WHERE k.campaign_id = c.id AND k.closed_at IS NULL AND k.first_id < u.id
           UNION
           SELECT m.id FROM campaign_chunks k CROSS JOIN unnest(k.members) AS m(id)
            WHERE k.campaign_id = c.id AND k.closed_at IS NULL
           UNION
           SELECT r.email_id FROM campaign_retries r WHERE r.campaign_id = c.id) w
    CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = w.id LIMIT 1) e
    WHERE e.campaign_id = c.id AND e.stage IS NULL AND e.id < u.id AND ${all})`;

export interface LoggedEmail {
  id: string;
  status: EmailStatus;
  source: EmailSource;
  type: EmailType;
  to: string;
  toName: string | null;
  from: string | null;
  subject: string | null;
  contactId: string | null;
  campaignId: string | null;
  templateId: string | null;
  workflowId: string | null;
  executionId: string | null;
  attempts: number;
  ambiguous: boolean;
  error: string | null;
  response: string | null;
  opens: number;
  clicks: number;
  machineOpens: number;
  machineClicks: number;
  bounceType: string | null;
  bounceReason: string | null;
  scheduledFor: Date | null;
  group: string | null;
  tags: string[];
  createdAt: Date;
  sentAt: Date | null;
  deliveredAt: Date | null;
  openedAt: Date | null;
  clickedAt: Date | null;
  bouncedAt: Date | null;
  complainedAt: Date | null;
}

const ORDER: Record<LogOrder, string> = { id: 'id DESC', time: 'created_at DESC, id DESC' };

/** Returns a page, newest first. */
export async function selectEmails(
  db: Queryable,
  filter: EmailFilter,
  { before, limit }: { before?: LogPosition; limit: number },
): Promise<LoggedEmail[]> {
  const s = new LogStatement(filter, before, limit);
  const order = ORDER[orderOf(filter)];
  const { rows } = await db.query<LoggedEmail>(
    `
WITH page AS MATERIALIZED (
  SELECT f.id, f.created_at FROM (${candidates(s, filter)}) f ORDER BY ${order} LIMIT ${s.limit}
)
SELECT e.id, e.status, e.source, e.type, e.to_email AS "to", e.to_name AS "toName", m.from_email AS "from", m.subject,
       e.contact_id AS "contactId", e.campaign_id AS "campaignId", e.template_id AS "templateId",
       e.workflow_id AS "workflowId", e.execution_id AS "executionId", e.attempts, e.ambiguous, e.error, e.response,
       e.opens, e.clicks, e.machine_opens AS "machineOpens", e.machine_clicks AS "machineClicks",
       e.bounce_type AS "bounceType", e.bounce_reason AS "bounceReason", e.scheduled_for AS "scheduledFor",
       e.send_group AS "group", coalesce(e.tags, '{}') AS tags, e.created_at AS "createdAt",
       e.sent_at AS "sentAt", e.delivered_at AS "deliveredAt", e.opened_at AS "openedAt", e.clicked_at AS "clickedAt",
       e.bounced_at AS "bouncedAt", e.complained_at AS "complainedAt"
  FROM page
 CROSS JOIN LATERAL (SELECT * FROM emails WHERE id = page.id LIMIT 1) e
  LEFT JOIN LATERAL (SELECT * FROM messages WHERE id = e.message_id LIMIT 1) m ON true
 ORDER BY ${orderOf(filter) === 'id' ? 'page.id DESC' : 'page.created_at DESC, page.id DESC'}`,
    s.values,
  );
  return rows;
}

/** Counts at most `limit` emails. */
export async function countEmails(db: Queryable, filter: EmailFilter, limit: number): Promise<number> {
  const s = new LogStatement(filter, undefined, limit);
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT FROM (${candidates(s, filter)}) f LIMIT ${s.limit}) found`,
    s.values,
  );
  return rows[0]?.count ?? 0;
}
