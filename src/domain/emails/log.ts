/** `GET /emails` */
import type { Context } from '../../context.js';
import { decodeCursor, encodeCursor, invalidCursor, isTimestamp, type CursorPage } from '../pagination.js';
import {
  countEmails,
  orderOf,
  selectEmails,
  type EmailFilter,
  type LoggedEmail,
  type LogOrder,
  type LogPosition,
} from './sql/log.js';
import { statusDetailOf } from './get.js';
import { renderSubjects } from './subjects.js';

/** The maximum of `total`. */
export const MAX_COUNTED_EMAILS = 10_000;

export interface ListEmails extends Omit<EmailFilter, 'projectId'> {
  limit: number;
  cursor?: string;
}

export interface EmailListItem extends LoggedEmail {
  statusDetail: 'unknown' | null;
}

/** In place of the sort value in the cursor of a list that is sorted by id. */
const SORTED_BY_ID = 'email';

/**
 * Returns a page of a project's emails, newest first. An email must match all filters. `total` is 0 after the first page
 * (specification, Limits), and at most 10,000.
 *
 * @throws VALIDATION_ERROR (422, field `cursor`) for a cursor of another list or order
 */
export async function listEmails(
  ctx: Context,
  projectId: string,
  { limit, cursor, ...filters }: ListEmails,
): Promise<CursorPage<EmailListItem>> {
  const filter: EmailFilter = { ...filters, projectId };
  const order = orderOf(filter);
  const before = cursor === undefined ? undefined : readCursor(cursor, order);
  const [rows, total] = await Promise.all([
    selectEmails(ctx.pool, filter, { before, limit: limit + 1 }),
    before ? 0 : countEmails(ctx.pool, filter, MAX_COUNTED_EMAILS),
  ]);
  const page = await renderSubjects(ctx, projectId, rows.slice(0, limit));
  const data = page.map((row) => ({ ...row, statusDetail: statusDetailOf(row) }));
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor:
      hasMore && last
        ? encodeCursor({ value: order === 'id' ? SORTED_BY_ID : last.createdAt.toISOString(), id: last.id })
        : null,
    hasMore,
    total,
  };
}

function readCursor(cursor: string, order: LogOrder): LogPosition {
  const { value, id } = decodeCursor(cursor);
  if (order === 'id' ? value !== SORTED_BY_ID : !isTimestamp(value)) throw invalidCursor();
  return { id, createdAt: order === 'id' ? new Date(0) : new Date(value) };
}
