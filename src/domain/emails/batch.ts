/** `POST /v1/batch`: several requests of `POST /v1/send` in one (research, ahead.md, section 3.5). */
import type { Context } from '../../context.js';
import { ApiError, validationError, type FieldError } from '../../errors.js';
import {
  BATCH_OF_ITEMS,
  idempotencyKeyReused,
  isOfBatchOfItems,
  keyOfBatchItem,
  preferReusedKey,
} from '../idempotency/idempotency.js';
import { claimKey, findClaimedKey } from '../idempotency/sql.js';
import { templateLoader } from '../templates/use.js';
import { acceptBatch, type AcceptSend } from './accept.js';
import {
  checkSend,
  rejection,
  sendTransactional,
  toResult,
  type SendInput,
  type SendProject,
  type SendResult,
} from './send.js';
import type { SendRequest } from './sql/accept.js';

/** all: every request is accepted, or none. each: every request has a result of its own. */
export const BATCH_MODES = ['all', 'each'] as const;

const ENDPOINT = 'POST /v1/batch' as const;

/**
 * Accepts all requests in one transaction.
 *
 * @returns the results in the order of the requests
 * @throws the errors of sendTransactional, of the first request that is refused, with its place in `details.index`; of invalid
 * requests, all errors, with fields such as `emails.0.subject`. No email is sent then.
 */
export async function sendAll(
  ctx: Context,
  project: SendProject,
  inputs: SendInput[],
  idempotencyKey: string | null,
): Promise<SendResult[]> {
  try {
    const timestamp = new Date().toISOString();
    const requests = await checkAll(ctx, project, inputs, timestamp);
    const [first] = requests;
    if (first && idempotencyKey !== null)
      first.idempotency = {
        key: idempotencyKey,
        request: ENDPOINT,
        response: {
          batch: requests.map(({ recipients, copyRecipients }) =>
            [...recipients, ...copyRecipients].map(({ emailId }) => emailId),
          ),
          timestamp,
        },
        ttlHours: ctx.config.IDEMPOTENCY_TTL_HOURS,
      };
    const outcome = await acceptBatch(ctx.pool, requests);
    if (outcome.kind === 'accepted')
      return requests.map((request, index) => toResult(request, outcome.contactIds[index] ?? {}, timestamp));
    const refused = requests[outcome.index];
    if (!refused) throw new Error('The refused request is not in the batch');
    const error = await rejection(ctx, refused, outcome.kind);
    throw outcome.kind === 'duplicate' ? error : atIndex(error, outcome.index);
  } catch (error) {
    throw await preferReusedKey(ctx.pool, project.id, idempotencyKey, error);
  }
}

/**
 * Accepts each request for itself. With a key, a repeat accepts those that were not accepted before; the others have the
 * error IDEMPOTENCY_KEY_REUSED (409) with their first result.
 *
 * @param inputs an error in place of each request that breaks the schema; it is returned in its place
 * @returns the result or the error of each request, in their order
 * @throws IDEMPOTENCY_KEY_REUSED (409) if another request than such a batch used the key
 */
export async function sendEach(
  ctx: Context,
  acceptSend: AcceptSend,
  project: SendProject,
  inputs: Array<SendInput | ApiError>,
  idempotencyKey: string | null,
): Promise<Array<SendResult | ApiError>> {
  if (idempotencyKey !== null) {
    const claimed = await findClaimedKey(ctx.pool, project.id, idempotencyKey);
    if (claimed && !isOfBatchOfItems(claimed)) throw await idempotencyKeyReused(ctx.pool, project.id, idempotencyKey);
  }
  const loadTemplate = templateLoader(ctx, project.id);
  const results = await Promise.all(
    inputs.map(async (input, index) => {
      if (input instanceof ApiError) return input;
      const key = idempotencyKey === null ? null : keyOfBatchItem(idempotencyKey, index);
      const options = { loadTemplate, endpoint: ENDPOINT };
      return sendTransactional(ctx, acceptSend, project, input, key, options).catch((error: unknown) => {
        if (error instanceof ApiError) return error;
        throw error;
      });
    }),
  );
  const isAccepted = results.some(
    (result) => !(result instanceof ApiError) || result.code === 'IDEMPOTENCY_KEY_REUSED',
  );
  // Refuses the key for other requests from now on.
  if (idempotencyKey !== null && isAccepted)
    await claimKey(ctx.pool, project.id, {
      key: idempotencyKey,
      request: ENDPOINT,
      response: BATCH_OF_ITEMS,
      ttlHours: ctx.config.IDEMPOTENCY_TTL_HOURS,
    });
  return results;
}

async function checkAll(
  ctx: Context,
  project: SendProject,
  inputs: SendInput[],
  timestamp: string,
): Promise<SendRequest[]> {
  const requests: SendRequest[] = [];
  const errors: FieldError[] = [];
  const loadTemplate = templateLoader(ctx, project.id);
  const checks = await Promise.allSettled(
    inputs.map((input) => checkSend(ctx, project, input, { key: null, timestamp, loadTemplate, endpoint: ENDPOINT })),
  );
  for (const [index, check] of checks.entries()) {
    if (check.status === 'fulfilled') requests.push(check.value);
    else if (!(check.reason instanceof ApiError)) throw check.reason;
    else if (!check.reason.errors) throw atIndex(check.reason, index);
    else errors.push(...check.reason.errors.map((error) => ({ ...error, field: `emails.${index}.${error.field}` })));
  }
  if (errors.length > 0) throw validationError(errors);
  return requests;
}

/** Names the request that an error is about. */
const atIndex = (error: ApiError, index: number): ApiError =>
  new ApiError(error.code, `emails.${index}: ${error.message}`, {
    status: error.status,
    suggestion: error.suggestion,
    retryAfter: error.retryAfter,
    details: { ...error.details, index },
  });
