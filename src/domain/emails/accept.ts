/** Commits checked requests of `POST /v1/send`. Concurrent requests share one statement and so one flush. */
import type { Context } from '../../context.js';
import { transaction, type Pool } from '../../db/pool.js';
import { createSharedStatement } from '../../db/shared-statement.js';
import { isOverLimit } from '../billing/sql/billing.js';
import { isDataTooLarge, isNotSubscribed } from '../contacts/sql/contacts.js';
import { retryDeadlocks } from '../lock-timeout.js';
import { acceptSends, insertAttachments, type SendRequest, type StatementResult } from './sql/accept.js';

/** Why a request was not accepted; nothing of it was written. */
export type SendRefusal =
  /** Its idempotency key was used before. */
  | 'duplicate'
  | 'unverified_domain'
  /** Marketing or headless email to a suppressed address. */
  | 'suppressed'
  /** Marketing email to a contact that is not subscribed. */
  | 'unsubscribed'
  | 'data_too_large'
  /** The project's limit for transactional email does not allow so many. */
  | 'over_limit';

/** `contactIds`: the id of each contact by address. */
export type SendOutcome = { kind: 'accepted'; contactIds: Record<string, string> } | { kind: SendRefusal };

export type AcceptSend = (request: SendRequest) => Promise<SendOutcome>;

const MAX_REQUESTS_PER_STATEMENT = 64;
const MAX_STATEMENTS_IN_FLIGHT = 3;

export function createAcceptSend({ pool, wake }: Pick<Context, 'pool' | 'wake'>): AcceptSend {
  let isNotifying = false;
  /**
   * Commits requests and wakes the dispatchers: in the same statement, unless another one does, because PostgreSQL runs
   * the commits of notifying transactions one after the other.
   */
  const accept = async (requests: SendRequest[]): Promise<StatementResult[]> => {
    const isFirst = !isNotifying;
    isNotifying = true;
    try {
      return await acceptSends(pool, requests, { isNotifying: isFirst });
    } finally {
      if (isFirst) isNotifying = false;
      else wake('emails');
    }
  };
  const acceptShared = createSharedStatement<SendRequest, StatementResult>({
    max: MAX_REQUESTS_PER_STATEMENT,
    parallel: MAX_STATEMENTS_IN_FLIGHT,
    claimsOf: ({ projectId, newContactIds, idempotency }) => [
      ...[...newContactIds.keys()].map((address) => ({ name: `${projectId}/contact/${address}` })),
      ...(idempotency ? [{ name: `${projectId}/key/${idempotency.key}` }] : []),
    ],
    // Contacts are locked in the order of their addresses. Two statements can still deadlock if a contact of both is
    // deleted and re-created while they wait for each other.
    run: (requests) => retryDeadlocks(() => accept(requests)),
  });

  return async (request) => {
    try {
      const result =
        request.attachments.length === 0 ? await acceptShared(request) : await acceptWithAttachments(pool, request);
      return result.outcome === 'accepted'
        ? { kind: 'accepted', contactIds: result.contactIds ?? {} }
        : { kind: result.outcome };
    } catch (error) {
      if (isDataTooLarge(error)) return { kind: 'data_too_large' };
      if (isNotSubscribed(error)) return { kind: 'unsubscribed' };
      if (isOverLimit(error)) return { kind: 'over_limit' };
      throw error;
    }
  };
}

/** Attachments need a second statement, and so a transaction of their own. */
function acceptWithAttachments(pool: Pool, request: SendRequest): Promise<StatementResult> {
  return retryDeadlocks(() =>
    transaction(pool, async (tx) => {
      const [result] = await acceptSends(tx, [request], { isNotifying: true });
      if (!result) throw new Error('The statement returned no result for the request');
      if (result.outcome === 'accepted') {
        await insertAttachments(tx, request.projectId, request.message.id, request.attachments);
      }
      return result;
    }),
  );
}
