/** Commits accepted requests, those that come at the same time in one statement. */
import { transaction, type Pool } from '../../db/pool.js';
import { createSharedStatement } from '../../db/shared-statement.js';
import { isOverLimit } from '../billing/sql/billing.js';
import {
  acceptSends,
  insertAttachments,
  type AcceptedSend,
  type AcceptSend,
  type NewAttachment,
} from './sql/accept.js';
import { createForecast, fit, type Forecast } from '../billing/room.js';
import { retryingDeadlocks } from '../give-way.js';

/** `over limit`: the project's limit for transactional mail does not allow so many; nothing was written. */
export type Accept = (request: AcceptSend, attachments: NewAttachment[]) => Promise<AcceptedSend | 'over limit'>;

/** `later`: its round had no room for it beside the others. */
type Outcome = AcceptedSend | 'over limit' | 'later';

/** Requests of one statement at most. */
const TOGETHER = 64;
const PARALLEL = 3;

/**
 * Accepts those of the requests whose projects have room for them, in one statement.
 *
 * This spares a blocked project's neighbours a statement that the database refuses as a whole. What holds is the
 * database's own count, at the end of that statement (migration 20261121165000_billing): of what others accept
 * meanwhile nothing is known here.
 */
async function acceptWithin(pool: Pool, forecast: Forecast, requests: AcceptSend[]): Promise<Outcome[]> {
  const room = await forecast([...new Set(requests.flatMap(({ projectId, limited }) => (limited ? [projectId] : [])))]);
  const verdicts = fit(
    requests.map(({ projectId, emails }) => ({ projectId, count: emails.length })),
    room,
  );
  const going = requests.filter((_, index) => verdicts[index] === 'go');
  const accepted = new Map<AcceptSend, AcceptedSend>();
  if (going.length > 0) {
    // A deadlock needs two statements with several contacts in common, one of which is deleted in between and created
    // anew by one of them while the other holds the rest: only then are contacts not locked in the order of their
    // addresses.
    const results = await retryingDeadlocks(() => acceptSends(pool, going));
    going.forEach((request, index) => {
      const result = results[index];
      if (result) accepted.set(request, result);
    });
  }
  return requests.map(
    (request, index) => accepted.get(request) ?? (verdicts[index] === 'later' ? 'later' : 'over limit'),
  );
}

/** What the database refuses for a limit, as an answer. */
async function orOverLimit<T>(work: Promise<T>): Promise<T | 'over limit'> {
  try {
    return await work;
  } catch (error) {
    if (isOverLimit(error)) return 'over limit';
    throw error;
  }
}

export function createAccept(pool: Pool): Accept {
  const forecast = createForecast(pool);
  const together = createSharedStatement<AcceptSend, Outcome>({
    max: TOGETHER,
    parallel: PARALLEL,
    claimsOf: ({ projectId, contacts, idempotency }) => [
      ...contacts.map(({ email }) => ({ name: `${projectId}/contact/${email}` })),
      ...(idempotency ? [{ name: `${projectId}/key/${idempotency.key}` }] : []),
    ],
    run: (requests) => acceptWithin(pool, forecast, requests),
  });

  return async (request, attachments) => {
    if (attachments.length === 0) {
      let outcome: Outcome = 'later';
      // Each time another request took the room, so this ends.
      while (outcome === 'later') outcome = await orOverLimit(together(request));
      return outcome;
    }
    return orOverLimit(
      retryingDeadlocks(() =>
        transaction(pool, async (tx) => {
          const [accepted] = await acceptSends(tx, [request]);
          if (!accepted) throw new Error('A request was neither accepted nor refused');
          if (accepted.accepted) await insertAttachments(tx, request.projectId, request.message.id, attachments);
          return accepted;
        }),
      ),
    );
  };
}
