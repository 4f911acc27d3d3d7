/** `GET /activity`, `/activity/recent-count` and `/activity/upcoming`. */
import type { Context } from '../../context.js';
import {
  countActivity,
  selectActivity,
  selectUpcoming,
  type ActivityFilter,
  type ActivityRow,
  type UpcomingRow,
} from './sql.js';
import { renderSubjects } from '../emails/subjects.js';
import { kindOfEvent } from '../events/sql/choice.js';
import type { TimeRange } from '../events/sql/days.js';
import { selectEventNames } from '../events/sql/list.js';
import { isId } from '../../ids.js';
import { decodeCursor, encodeCursor, invalidCursor, isTimestamp, type CursorPage } from '../pagination.js';
import { decodePosition } from './live-position.js';
import { chooseEvents, type ActivityType } from './types.js';

export interface Activity {
  /** The event's, the execution's or the campaign's. */
  id: string;
  type: string;
  /** When the service recorded it. */
  timestamp: Date;
  contactId: string | null;
  contactEmail: string | null;
  metadata: Record<string, unknown>;
}

export interface ListActivity extends TimeRange {
  limit: number;
  cursor?: string;
  /** undefined: all. */
  types?: readonly ActivityType[];
  contactId?: string;
}

/**
 * Returns one page of the feed, newest first. `total` is counted on the first page only, and is 0 on later pages
 * (specification, Limits).
 *
 * Pages neither repeat nor omit entries with equal times, because the order is (timestamp, id). An unknown contact has
 * no activity.
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) if the cursor is not from this list
 */
export async function listActivity(
  ctx: Context,
  projectId: string,
  { limit, cursor, types, contactId, from, until }: ListActivity,
): Promise<CursorPage<Activity>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  if (contactId !== undefined && !isId(contactId)) return { data: [], cursor: null, hasMore: false, total: 0 };
  const filter: ActivityFilter = {
    projectId,
    contactId,
    from,
    until,
    events: await chooseEvents(types, (count) => selectEventNames(ctx.pool, projectId, count)),
    executions: types?.includes('workflow.started') ?? true,
    campaigns: types?.includes('campaign.sent') ?? true,
  };
  // One extra entry shows whether there is another page.
  const [rows, total] = await Promise.all([
    selectActivity(ctx.pool, { ...filter, after, limit: limit + 1 }),
    after ? 0 : countActivity(ctx.pool, filter),
  ]);
  const page = await showSubjects(ctx, projectId, rows.slice(0, limit));
  const last = page.at(-1);
  const hasMore = rows.length > limit;
  return {
    data: page.map(toActivity),
    cursor: hasMore && last ? encodeCursor({ value: last.at.toISOString(), id: last.id }) : null,
    hasMore,
    total,
  };
}

/** Reads a cursor of this list, or the id of a message of the live feed. */
function readCursor(cursor: string): { at: string; id: string } {
  const live = decodePosition(cursor);
  if (live) return live.place;
  const { value, id } = decodeCursor(cursor);
  if (!isTimestamp(value)) throw invalidCursor();
  return { at: value, id };
}

/** Returns the entries with the subjects of their emails as recipients see them. */
export async function showSubjects(
  ctx: Pick<Context, 'pool' | 'config'>,
  projectId: string,
  rows: ActivityRow[],
): Promise<ActivityRow[]> {
  const emails = rows.flatMap(({ emailId, subject }) => (emailId === null ? [] : [{ id: emailId, subject }]));
  const subjects = new Map((await renderSubjects(ctx, projectId, emails)).map(({ id, subject }) => [id, subject]));
  return rows.map((row) => (row.emailId === null ? row : { ...row, subject: subjects.get(row.emailId) ?? null }));
}

/** Returns an entry of the feed. */
export const toActivity = (row: ActivityRow): Activity => ({
  id: row.id,
  type: typeOf(row),
  timestamp: row.at,
  contactId: row.contactId,
  contactEmail: row.contactEmail,
  metadata: metadataOf(row),
});

function typeOf({ source, eventName }: ActivityRow): string {
  if (source === 'execution') return 'workflow.started';
  return source === 'campaign' ? 'campaign.sent' : kindOfEvent(eventName ?? '');
}

function metadataOf(row: ActivityRow): Record<string, unknown> {
  if (row.source === 'execution')
    return { executionId: row.id, workflowId: row.workflowId, workflowName: row.workflowName };
  if (row.source === 'campaign')
    return { campaignId: row.id, campaignName: row.campaignName, totalRecipients: row.recipients };
  const { timestamp, ...data } = row.eventData ?? {};
  if (!row.eventName?.startsWith('email.')) return { eventName: row.eventName, data: row.eventData ?? {} };
  // Feedback about an email carries the time at which it happened.
  return {
    emailId: row.emailId,
    subject: row.subject,
    source: row.emailSource,
    campaignId: null,
    templateId: null,
    ...data,
    occurredAt: timestamp ?? row.at,
  };
}

/** Counts the activities of the last minutes. */
export async function countRecentActivity(
  { pool }: Context,
  projectId: string,
  minutes: number,
): Promise<{ count: number; minutes: number }> {
  const from = new Date(Date.now() - minutes * 60_000);
  return {
    count: await countActivity(pool, { projectId, from, events: { by: 'all' }, executions: true, campaigns: true }),
    minutes,
  };
}

const DAY = 24 * 3600 * 1000;

/**
 * Returns the scheduled campaigns and waiting executions of the next days, the soonest first. Overdue ones are
 * included.
 */
export async function listUpcoming(
  { pool }: Context,
  projectId: string,
  { limit, daysAhead }: { limit: number; daysAhead: number },
): Promise<Activity[]> {
  return (await selectUpcoming(pool, projectId, { until: new Date(Date.now() + daysAhead * DAY), limit })).map(
    toUpcoming,
  );
}

const toUpcoming = ({
  source,
  id,
  at,
  contactId,
  contactEmail,
  campaignName,
  subject,
  workflowId,
  workflowName,
  stepType,
  stepName,
  waitingFor,
}: UpcomingRow): Activity => ({
  id,
  type: source === 'campaign' ? 'campaign.scheduled' : 'workflow.waiting',
  timestamp: at,
  contactId,
  contactEmail,
  metadata:
    source === 'campaign'
      ? { campaignId: id, campaignName, subject }
      : { executionId: id, workflowId, workflowName, stepType, stepName, waitingFor },
});
