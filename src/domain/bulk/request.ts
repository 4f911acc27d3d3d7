/** `POST /contacts/bulk` and `POST /contacts/bulk-*`. */
import type { Context } from '../../context.js';
import { transaction, type Queryable } from '../../db/pool.js';
import { badRequest, notFound, validationError, type FieldError } from '../../errors.js';
import { resolveContactQuery, type ContactQuery } from '../contact-queries/set.js';
import { readContactData } from '../contacts/data.js';
import { selectSegments } from '../segments/sql/segments.js';
import { storeIds } from './sql/contacts.js';
import { insertJob } from '../jobs/sql.js';
import { enqueue } from '../../db/outbox.js';
import { isId, newId } from '../../ids.js';
import { jobStart } from '../jobs/intents.js';
import type { BulkOperation, BulkParams } from './params.js';

/**
 * Queues a bulk job. Its row and the start of its workflow are committed together. Duplicate ids, compared
 * case-insensitively, are skipped.
 *
 * @param createdBy the user of the session; null for a key
 * @returns the job's id
 */
export async function requestBulk(
  { pool, wake }: Context,
  projectId: string,
  operation: BulkOperation,
  contactIds: string[],
  createdBy: string | null = null,
): Promise<string> {
  const job = { jobId: newId(), projectId };
  const distinct = [...new Set(contactIds.map((id) => (isId(id) ? id.toLowerCase() : id)))];
  const params: BulkParams = { operation, contactIds: distinct, requested: contactIds.length };
  await transaction(pool, async (tx) => {
    await insertJob(tx, {
      ...job,
      kind: 'BULK',
      operation,
      createdBy,
      params: { ...params },
      total: distinct.length,
      skippedCount: contactIds.length - distinct.length,
    });
    await enqueue(tx, [jobStart(job, 'BULK')]);
  });
  wake('outbox');
  return job.jobId;
}

/** A change of many contacts: of given ones or of those that match a query. */
export interface BulkChange {
  operation: BulkOperation;
  /** Required for `set`. */
  data?: Record<string, unknown>;
  /** Required for `addToSegment` and `removeFromSegment`. */
  segmentId?: string;
  /** Either these contacts, or those of `query`. */
  contactIds?: string[];
  query?: ContactQuery;
  /** Contacts that stay unchanged. */
  except: string[];
}

/**
 * Queues a bulk job. The contacts of a query are those that match it when the job begins.
 *
 * @param createdBy the user of the session; null for a key
 * @returns the job's id
 * @throws VALIDATION_ERROR (422) for parts that the operation does not have or needs; SEGMENT_NOT_FOUND (404);
 * BAD_REQUEST (400) for a dynamic segment; the errors of resolveContactQuery
 */
export async function requestBulkChange(
  { pool, wake }: Context,
  projectId: string,
  change: BulkChange,
  createdBy: string | null,
): Promise<string> {
  const { operation, data, segmentId, contactIds, query, except } = change;
  requireParts(change);
  const changes = data && readChanges(data);
  if (segmentId !== undefined) await requireStaticSegment(pool, projectId, segmentId);
  if (query) await resolveContactQuery(pool, projectId, query, 'query');
  const job = { jobId: newId(), projectId };
  const excluded = new Set(lowerCase(except));
  const ids = contactIds && lowerCase(contactIds).filter((id) => !excluded.has(id));
  const distinct = ids && [...new Set(ids)];
  const params: BulkParams = {
    operation,
    data: changes,
    segmentId,
    ...(ids ? { requested: ids.length } : { query, except: [...excluded] }),
  };
  await transaction(pool, async (tx) => {
    await insertJob(tx, {
      ...job,
      kind: 'BULK',
      operation,
      createdBy,
      params: { ...params },
      total: distinct?.length,
      skippedCount: ids && distinct ? ids.length - distinct.length : 0,
    });
    if (distinct) await storeIds(tx, job, distinct);
    await enqueue(tx, [jobStart(job, 'BULK')]);
  });
  wake('outbox');
  return job.jobId;
}

const lowerCase = (ids: string[]): string[] => ids.map((id) => id.toLowerCase());

const SEGMENT_OPERATIONS: ReadonlySet<BulkOperation> = new Set(['addToSegment', 'removeFromSegment']);

/** Rejects missing parts, and parts that would have no effect. */
function requireParts({ operation, data, segmentId, contactIds, query }: BulkChange): void {
  const errors: FieldError[] = [];
  const check = (field: string, isGiven: boolean, isNeeded: boolean): void => {
    if (isNeeded && !isGiven) errors.push({ field, message: 'Required', code: 'required' });
    if (!isNeeded && isGiven) errors.push({ field, message: `is not a part of ${operation}`, code: 'custom' });
  };
  check('data', data !== undefined, operation === 'set');
  check('segmentId', segmentId !== undefined, SEGMENT_OPERATIONS.has(operation));
  if ((contactIds === undefined) === (query === undefined))
    errors.push({ field: 'contactIds', message: 'Give either `contactIds` or `query`', code: 'custom' });
  if (errors.length > 0) throw validationError(errors);
}

/** Returns contact data without names that contacts cannot have. @throws VALIDATION_ERROR (422) if nothing remains */
function readChanges(data: Record<string, unknown>): Record<string, unknown> {
  const { set, unset } = readContactData(data);
  const changes = { ...set, ...Object.fromEntries(unset.map((name) => [name, null])) };
  if (Object.keys(changes).length > 0) return changes;
  throw validationError([{ field: 'data', message: 'must set or remove at least one field', code: 'too_small' }]);
}

async function requireStaticSegment(db: Queryable, projectId: string, id: string): Promise<void> {
  const [segment] = isId(id) ? await selectSegments(db, projectId, id) : [];
  if (!segment) throw notFound('SEGMENT');
  if (segment.type !== 'STATIC')
    throw badRequest('The condition of a dynamic segment determines its members. Only static segments can be changed.');
}
