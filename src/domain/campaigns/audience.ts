/** Whom a campaign reaches. */
import type { Context } from '../../context.js';
import type { Queryable } from '../../db/pool.js';
import type { Predicate } from '../../db/predicate.js';
import { countAudience, type AudienceTypeName } from './sql/campaigns.js';
import { contactsWhere, type ContactClause } from '../conditions/sql/conditions.js';
import type { EmailTypeName } from '../emails/sql/emails.js';
import { selectSegmentConditions } from '../segments/sql/segments.js';
import { unsuppressed } from '../suppressions/sql.js';
import { wideQuery } from '../../db/wide-query.js';
import { notFound, validationError } from '../../errors.js';
import { resolveStored } from '../conditions/resolve.js';
import { readAudienceCondition } from '../conditions/validate.js';

export interface Audience {
  projectId: string;
  audienceType: AudienceTypeName;
  segmentId: string | null;
  /** A condition tree, with FILTERED. */
  audienceCondition: unknown;
}

/**
 * The contacts that a campaign reaches at `now`: of its audience all with TRANSACTIONAL, otherwise the subscribed ones
 * (contract, section 5) whose address is not suppressed.
 *
 * @throws SEGMENT_NOT_FOUND (404) when the campaign's segment is gone; BAD_REQUEST (400) when a condition names one
 * that is
 */
export async function campaignAudience(
  db: Queryable,
  { type, ...audience }: Audience & { type: EmailTypeName },
  now?: Date,
): Promise<ContactClause> {
  const matched = await audiencePredicate(db, audience, now);
  if (type === 'TRANSACTIONAL') return contactsWhere(audience.projectId, matched);
  return unsuppressed(contactsWhere(audience.projectId, { kind: 'all', of: [{ kind: 'subscribed' }, matched] }));
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

/** Whom an audience reaches now. */
export interface AudiencePreview {
  matched: number;
  /** How many of them are not subscribed. */
  unsubscribed: number;
  /** How many of them a campaign of this type would be sent to. */
  willSend: number;
}

/**
 * Counts an audience before anything is sent to it, by the rules of sending.
 *
 * @throws VALIDATION_ERROR (422) for a condition that breaks a rule, or what the audience type needs and is missing;
 * SEGMENT_NOT_FOUND (404); BAD_REQUEST (400) when the condition names a segment that isn't there
 */
export async function previewAudience(
  { pool }: Context,
  projectId: string,
  { audienceType, segmentId, audienceCondition, type }: AudienceInput,
): Promise<AudiencePreview> {
  const required = audienceType === 'SEGMENT' ? segmentId : audienceType === 'FILTERED' ? audienceCondition : true;
  const field = audienceType === 'SEGMENT' ? 'segmentId' : 'audienceCondition';
  if (required === undefined || required === null)
    throw validationError([{ field, message: `Required when audienceType is ${audienceType}`, code: 'required' }]);
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
