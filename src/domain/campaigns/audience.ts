/** The audience of a campaign. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { countAudience, isLargerThan, type AudienceTypeName } from './sql/campaigns.js';
import { MIN_RECIPIENTS } from './variants.js';
import { contactsWhere, type ClauseUse, type ContactClause } from '../conditions/sql/conditions.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { selectSegmentConditions } from '../segments/sql/segments.js';
import { unsuppressed } from '../suppressions/sql.js';
import { wideQuery } from '../../db/wide-query.js';
import { ApiError, notFound, validationError } from '../../errors.js';
import { resolveStored } from '../conditions/resolve.js';
import { readAudienceCondition } from '../conditions/validate.js';

export interface Audience {
  projectId: string;
  audienceType: AudienceTypeName;
  segmentId: string | null;
  /** A condition tree, if FILTERED. */
  audienceCondition: unknown;
}

/**
 * Returns the contacts that a campaign reaches at `now`: its whole audience if TRANSACTIONAL, otherwise the subscribed
 * contacts (contract, section 5) whose address is not suppressed.
 *
 * @throws SEGMENT_NOT_FOUND (404) if the campaign's segment was deleted; BAD_REQUEST (400) if its condition references a
 * deleted segment
 */
export async function campaignAudience(
  db: Queryable,
  { type, ...audience }: Audience & { type: EmailTypeName },
  { now, use }: { now?: Date; use?: ClauseUse } = {},
): Promise<ContactClause> {
  const matched = await audiencePredicate(db, audience, now);
  if (type === 'TRANSACTIONAL') return contactsWhere(audience.projectId, matched, use);
  return unsuppressed(contactsWhere(audience.projectId, { kind: 'all', of: [{ kind: 'subscribed' }, matched] }, use));
}

/** @throws TEST_TOO_SMALL (422) for an audience with fewer contacts than a test needs, see `minAudience` */
export async function requireMinAudience(db: Queryable, audience: ContactClause, contacts: number): Promise<void> {
  if (contacts === 0 || (await isLargerThan(db, audience, contacts - 1))) return;
  throw new ApiError(
    'TEST_TOO_SMALL',
    `Each variant needs at least ${MIN_RECIPIENTS} recipients, so the audience needs ${contacts} contacts.`,
    { details: { contacts } },
  );
}

async function audiencePredicate(
  db: Queryable,
  { projectId, audienceType, segmentId, audienceCondition }: Audience,
  now?: Date,
): Promise<Predicate> {
  switch (audienceType) {
    case 'ALL':
      return { kind: 'all', of: [] };
    case 'FILTERED':
      return resolveStored(db, audienceCondition, { projectId, now });
    case 'SEGMENT': {
      const [segment] = segmentId === null ? [] : await selectSegmentConditions(db, projectId, [segmentId]);
      if (!segment) throw notFound('SEGMENT');
      return segment.type === 'STATIC'
        ? { kind: 'member', segmentId: segment.id }
        : resolveStored(db, segment.condition, { projectId, now });
    }
  }
}

export interface AudienceInput {
  audienceType: AudienceTypeName;
  segmentId?: string | null;
  audienceCondition?: unknown;
  type: EmailTypeName;
}

/** The size of an audience now. */
export interface AudiencePreview {
  matched: number;
  /** The number of contacts that are not subscribed. */
  unsubscribed: number;
  /** The number of contacts that a campaign of this type would be sent to. */
  willSend: number;
}

/**
 * Counts an audience by the rules of sending.
 *
 * @throws VALIDATION_ERROR (422) for an invalid condition or a missing field; SEGMENT_NOT_FOUND (404); BAD_REQUEST (400)
 * if the condition references a segment that does not exist
 */
export async function previewAudience(
  { pool }: Context,
  projectId: string,
  { audienceType, segmentId, audienceCondition, type }: AudienceInput,
): Promise<AudiencePreview> {
  const required = audienceType === 'SEGMENT' ? segmentId : audienceType === 'FILTERED' ? audienceCondition : true;
  const field = audienceType === 'SEGMENT' ? 'segmentId' : 'audienceCondition';
  if (required === undefined || required === null)
    throw validationError([{ field, message: `is required if audienceType is ${audienceType}`, code: 'required' }]);
  if (audienceType === 'FILTERED') {
    const { errors } = readAudienceCondition(audienceCondition, 'audienceCondition');
    if (errors.length > 0) throw validationError(errors);
  }
  return wideQuery(pool, async (tx) => {
    const predicate = await audiencePredicate(tx, {
      projectId,
      audienceType,
      segmentId: segmentId ?? null,
      audienceCondition,
    });
    const { matched, unsubscribed, mailable } = await countAudience(tx, contactsWhere(projectId, predicate));
    return { matched, unsubscribed, willSend: type === 'TRANSACTIONAL' ? matched : mailable };
  });
}
