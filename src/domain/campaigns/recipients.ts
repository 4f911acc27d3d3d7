/** `GET /campaigns/:id/recipients` */
import type { ApiContext, Context } from '../../context.js';
import { figuresOfCampaigns } from '../analytics/sql/figures.js';
import {
  countFilteredRecipients,
  findContactsLike,
  selectFilteredRecipients,
  type AddressSearch,
  type Deed,
  type RecipientFilter,
} from './sql/recipient-filters.js';
import { countCampaignRest } from './sql/campaigns.js';
import { countRecipients, selectRecipients, type RecipientRow } from './sql/recipients.js';
import type { Campaign } from '../../generated/prisma/client.js';
import type { EmailStatus } from '../../generated/prisma/enums.js';
import { decodeCursor, encodeCursor, invalidCursor, likePattern, type CursorPage } from '../pagination.js';
import { requireCampaign } from './manage.js';

/** A constant in place of the sort value in the cursor, because this list is sorted by id only. */
const SORTED_BY_ID = 'recipient';
/** Up to this number of matching contacts, their emails are looked up. Otherwise, the recipients are searched in order. */
const MAX_FOUND_CONTACTS = 10_000;
/** The maximum of a counted total: combined filters are counted one by one. */
export const MAX_COUNTED = 10_000;
/** The same for a search with more matching contacts. */
const MAX_COUNTED_IN_ORDER = 1000;
/** A total of rows that retention has left is counted completely. */
const UNLIMITED = 2_147_483_647;

export interface ListRecipients {
  limit: number;
  cursor?: string;
  /** The current status: a recipient who clicked is CLICKED and not OPENED. */
  status?: EmailStatus;
  /** Matches the figure of the same name: `opened` has every recipient who opened the email. */
  did?: Deed;
  /** Recipients who clicked a link to this URL. */
  url?: string;
  /** A part of the address. */
  search?: string;
}

/**
 * Returns a page of a campaign's recipients in the order of the snapshot, with the state of each email. The list is empty
 * until sending begins. `total` is 0 after the first page (specification, Limits), and at most 10,000 if filters are
 * combined.
 *
 * @throws CAMPAIGN_NOT_FOUND (404); VALIDATION_ERROR (422, field `cursor`) for a cursor of another list
 */
export async function listRecipients(
  ctx: ApiContext,
  projectId: string,
  campaignId: string,
  { limit, cursor, status, did, url, search }: ListRecipients,
): Promise<CursorPage<RecipientRow>> {
  const after = cursor === undefined ? undefined : readCursor(cursor);
  const campaign = await requireCampaign(ctx, projectId, campaignId);
  const text = search?.trim().toLowerCase();
  const filter: RecipientFilter = {
    projectId,
    campaignId,
    status,
    did,
    url,
    search: text ? await searchAddress(ctx, projectId, text) : undefined,
  };
  const isFiltered = did !== undefined || url !== undefined || filter.search !== undefined;
  const [rows, total] = await Promise.all([
    isFiltered
      ? selectFilteredRecipients(ctx.pool, filter, { after, limit: limit + 1 })
      : selectRecipients(ctx.pool, { campaignId, status, after, limit: limit + 1 }),
    after ? 0 : isFiltered ? countFiltered(ctx, campaign, filter) : count(ctx, campaign, status),
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

async function searchAddress({ pool, surveys }: Context, projectId: string, text: string): Promise<AddressSearch> {
  const pattern = likePattern(text);
  const project = { projectId, size: await surveys.sizeOf(projectId) };
  return { pattern, contactIds: await findContactsLike(pool, project, pattern, MAX_FOUND_CONTACTS) };
}

/** Uses the snapshot's total, unless a status is given or retention has deleted emails. */
async function count(
  { pool }: Context,
  { id, totalRecipients, emailsExpired }: Campaign,
  status: EmailStatus | undefined,
): Promise<number> {
  return status === undefined && !emailsExpired ? totalRecipients : countRecipients(pool, id, status);
}

/** Uses the figures of the campaign if `did` is the only filter. */
async function countFiltered(ctx: Context, campaign: Campaign, filter: RecipientFilter): Promise<number> {
  const { did, url, status, search } = filter;
  const isDeedOnly = did !== undefined && url === undefined && status === undefined && search === undefined;
  if (isDeedOnly && !campaign.emailsExpired) return countDeed(ctx, campaign, did);
  const isInOrder = search !== undefined && search.contactIds === null && url === undefined;
  const max = isDeedOnly ? UNLIMITED : isInOrder ? MAX_COUNTED_IN_ORDER : MAX_COUNTED;
  return countFilteredRecipients(ctx.pool, filter, max);
}

async function countDeed({ pool }: Context, { id, projectId }: Campaign, did: Deed): Promise<number> {
  const figures = (await figuresOfCampaigns(pool, projectId, [id])).get(id);
  if (!figures) return 0;
  switch (did) {
    case 'opened':
      return figures.openedCount;
    case 'clicked':
      return figures.clickedCount;
    case 'not_opened':
      return Math.max(0, figures.sentCount - figures.openedCount);
    case 'not_clicked':
      return Math.max(0, figures.sentCount - figures.clickedCount);
    case 'bounced':
      return figures.bouncedCount;
    case 'complained':
      return figures.complainedCount;
    case 'failed':
      return (await countCampaignRest(pool, id)).failedCount;
    case 'unknown':
      return (await countCampaignRest(pool, id)).unknownCount;
    case 'unsubscribed':
      return (await countCampaignRest(pool, id)).unsubscribedCount;
    case 'cancelled':
      return (await countCampaignRest(pool, id)).cancelledCount;
  }
}

function readCursor(cursor: string): string {
  const { value, id } = decodeCursor(cursor);
  if (value !== SORTED_BY_ID) throw invalidCursor();
  return id;
}
