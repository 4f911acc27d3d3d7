/** Commits accepted requests, those that come at the same time in one statement. */
import { transaction, type Pool } from '../../db/pool.js';
import { createSharedStatement } from '../../db/shared-statement.js';
import { acceptSends, insertAttachments, type AcceptedSend, type AcceptSend, type NewAttachment } from '../../db/sql/send.js';
import { retryingDeadlocks } from '../give-way.js';

export type Accept = (request: AcceptSend, attachments: NewAttachment[]) => Promise<AcceptedSend>;

/** Requests of one statement at most. */
const TOGETHER = 64;
const PARALLEL = 3;

export function createAccept(pool: Pool): Accept {
  const together = createSharedStatement<AcceptSend, AcceptedSend>({
    max: TOGETHER,
    parallel: PARALLEL,
    claimsOf: ({ projectId, contacts, idempotency }) => [
      ...contacts.map(({ email }) => ({ name: `${projectId}/contact/${email}` })),
      ...(idempotency ? [{ name: `${projectId}/key/${idempotency.key}` }] : []),
    ],
    // A deadlock needs two statements with several contacts in common, one of which is deleted in between and created anew by one of them while the other
    // holds the rest: only then are contacts not locked in the order of their addresses.
    run: (requests) => retryingDeadlocks(() => acceptSends(pool, requests)),
  });

  return async (request, attachments) => {
    if (attachments.length === 0) return together(request);
    return retryingDeadlocks(() =>
      transaction(pool, async (tx) => {
        const [accepted] = await acceptSends(tx, [request]);
        if (!accepted) throw new Error('A request was neither accepted nor refused');
        if (accepted.accepted) await insertAttachments(tx, request.projectId, request.message.id, attachments);
        return accepted;
      }),
    );
  };
}
