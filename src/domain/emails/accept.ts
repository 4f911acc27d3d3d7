/** Commits checked requests of `POST /v1/send` and `POST /v1/batch`. Concurrent requests share one statement and so one flush. */
import type { Context } from '../../context.js';
import { transaction, type Pool, type Queryable } from '../../db/pool.js';
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
      const kind = refusalOf(error);
      if (kind === null) throw error;
      return { kind };
    }
  };
}

/** Returns the refusal that an error of `acceptSends` stands for, of any request of the statement; null: it is a failure. */
function refusalOf(error: unknown): SendRefusal | null {
  if (isDataTooLarge(error)) return 'data_too_large';
  if (isNotSubscribed(error)) return 'unsubscribed';
  return isOverLimit(error) ? 'over_limit' : null;
}

/** Attachments need a second statement, and so a transaction of their own. */
async function acceptWithAttachments(pool: Pool, request: SendRequest): Promise<StatementResult> {
  const [result] = await retryDeadlocks(() => transaction(pool, (tx) => acceptGroup(tx, [request])));
  if (!result) throw new Error('The statement returned no result for the request');
  return result;
}

/** Accepts requests without a common contact, with their attachments. */
async function acceptGroup(tx: Queryable, requests: SendRequest[]): Promise<StatementResult[]> {
  const results = await acceptSends(tx, requests, { isNotifying: true });
  for (const [index, { projectId, message, attachments }] of requests.entries())
    if (attachments.length > 0 && results[index]?.outcome === 'accepted')
      await insertAttachments(tx, projectId, message.id, attachments);
  return results;
}

/** Ends a transaction, because one of its requests is refused. */
class Refusal extends Error {
  constructor(
    readonly index: number,
    readonly kind: SendRefusal,
  ) {
    super(kind);
  }
}

/** `index`: of the request that is refused. */
export type BatchOutcome =
  | { kind: 'accepted'; contactIds: Array<Record<string, string>> }
  | { kind: SendRefusal; index: number };

/** Accepts all requests in one transaction, or none. Requests for the same contact apply in their order. */
export async function acceptBatch(pool: Pool, requests: SendRequest[]): Promise<BatchOutcome> {
  const accept = (groups: number[][]): Promise<Array<Record<string, string>>> =>
    retryDeadlocks(() => transaction(pool, (tx) => acceptGroups(tx, requests, groups)));
  try {
    try {
      return { kind: 'accepted', contactIds: await accept(withoutCommonContacts(requests)) };
    } catch (error) {
      if (refusalOf(error) === null) throw error;
      // A statement for each request tells which one it is.
      return { kind: 'accepted', contactIds: await accept(requests.map((_, index) => [index])) };
    }
  } catch (error) {
    if (error instanceof Refusal) return { kind: error.kind, index: error.index };
    throw error;
  }
}

async function acceptGroups(
  tx: Queryable,
  requests: SendRequest[],
  groups: number[][],
): Promise<Array<Record<string, string>>> {
  const contactIds: Array<Record<string, string>> = [];
  for (const group of groups) {
    const members = group.flatMap((index) => requests[index] ?? []);
    const results = await acceptGroup(tx, members).catch((error: unknown) => {
      const kind = refusalOf(error);
      throw kind !== null && group.length === 1 ? new Refusal(group[0] ?? 0, kind) : error;
    });
    for (const [position, index] of group.entries()) {
      const result = results[position];
      if (!result) throw new Error('The statement returned no result for the request');
      if (result.outcome !== 'accepted') throw new Refusal(index, result.outcome);
      contactIds[index] = result.contactIds ?? {};
    }
  }
  return contactIds;
}

/** Returns groups of indexes: a request is in a later group than those before it that share a contact with it. */
function withoutCommonContacts(requests: SendRequest[]): number[][] {
  const nextGroups = new Map<string, number>();
  const groups: number[][] = [];
  for (const [index, { newContactIds }] of requests.entries()) {
    const group = Math.max(0, ...[...newContactIds.keys()].map((address) => nextGroups.get(address) ?? 0));
    for (const address of newContactIds.keys()) nextGroups.set(address, group + 1);
    (groups[group] ??= []).push(index);
  }
  return groups;
}
