/** `GET /campaigns/:id/recipients` */
import type { Context } from '../../context.js';
import { countRecipients, selectRecipients, type RecipientRow } from './sql/recipients.js';
import type { Campaign } from '../../generated/prisma/client.js';
import type { EmailStatus } from '../../generated/prisma/enums.js';
import { decodeCursor, encodeCursor, invalidCursor, type CursorPage } from '../pagination.js';
import { requireCampaign } from './manage.js';

/** A constant in place of the sort value in the cursor, because this list is sorted by id only. */
const SORTED_BY_ID = 'recipient';

export interface ListRecipients {
  limit: number;
  cursor?: string;
  /** The current status: a recipient who clicked is CLICKED and not OPENED. */
  status?: EmailStatus;
}

/**
 * Returns a page of a campaign's recipients in the order of the snapshot, with the state of each email. The list is empty
 * until sending begins. `total` is 0 after the first page (specification, Limits).
 *
 * @throws CAMPAIGN_NOT_FOUND (404); VALIDATION_ERROR (422, field `cursor`) for a cursor of another list
 */
export async function listRecipients(
  ctx: Context,
  projectId: string,
  campaignId: string,
  { limit, cursor, status }: ListRecipients,
): Promise<CursorPage<RecipientRow>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const campaign = await requireCampaign(ctx, projectId, campaignId);
  const [rows, total] = await Promise.all([
    selectRecipients(ctx.pool, { campaignId, status, after, limit: limit + 1 }),
    after ? 0 : count(ctx, campaign, status),
  ]);
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return {
    data,
    cursor: hasMore && last ? encodeCursor({ value: SORTED_BY_ID, id: last.emailId }) : null,
    hasMore,
    total,
  };
}

/** Uses the snapshot's total, unless a status is given or retention has deleted emails. */
async function count(
  { pool }: Context,
  { id, totalRecipients, emailsExpired }: Campaign,
  status: EmailStatus | undefined,
): Promise<number> {
  return status === undefined && !emailsExpired ? totalRecipients : countRecipients(pool, id, status);
}

function readCursor(cursor: string): string {
  const { value, id } = decodeCursor(cursor);
  if (value !== SORTED_BY_ID) throw invalidCursor();
  return id;
}
