/**
 * Commits accepted requests. Requests that come at the same time share one statement and one flush: alone a request costs what it did, in a crowd a
 * fraction of it.
 */
import { createBatcher } from '../../db/batcher.js';
import { isDatabaseUnavailable, transaction, type Pool } from '../../db/pool.js';
import { acceptSends, insertAttachments, type AcceptedSend, type AcceptSend, type NewAttachment } from '../../db/sql/send.js';
import { retryingDeadlocks } from '../give-way.js';

export type Accept = (request: AcceptSend, attachments: NewAttachment[]) => Promise<AcceptedSend>;

type Outcome = { accepted: AcceptedSend } | { error: unknown };

/** Requests of one statement at most. */
const TOGETHER = 64;
const PARALLEL = 3;

export function createAccept(pool: Pool): Accept {
  const together = createBatcher<AcceptSend, Outcome>({ max: TOGETHER, parallel: PARALLEL, run: (requests) => acceptAll(pool, requests) });

  return async (request, attachments) => {
    if (attachments.length > 0) {
      return retryingDeadlocks(() =>
        transaction(pool, async (tx) => {
          const [accepted] = await acceptSends(tx, [request]);
          if (!accepted) throw new Error('A request was neither accepted nor refused');
          if (accepted.accepted) await insertAttachments(tx, request.projectId, request.message.id, attachments);
          return accepted;
        }),
      );
    }
    const outcome = await together(request);
    if ('error' in outcome) throw outcome.error;
    return outcome.accepted;
  };
}

async function acceptAll(pool: Pool, requests: AcceptSend[]): Promise<Outcome[]> {
  const outcomes = new Map<AcceptSend, Outcome>();
  for (let left = requests; left.length > 0; ) {
    const { round, later } = withoutTwins(left);
    const results = await acceptRound(pool, round);
    round.forEach((request, index) => outcomes.set(request, results[index] ?? { error: new Error('A request was neither accepted nor refused') }));
    left = later;
  }
  return requests.map((request) => outcomes.get(request) ?? { error: new Error('A request was forgotten') });
}

/** Two requests for one contact, or with one idempotency key, have an order: the second goes into the next statement. */
function withoutTwins(requests: AcceptSend[]): { round: AcceptSend[]; later: AcceptSend[] } {
  const taken = new Set<string>();
  const round: AcceptSend[] = [];
  const later: AcceptSend[] = [];
  for (const request of requests) {
    const { projectId, contacts, idempotency } = request;
    const names = contacts.map(({ email }) => `${projectId}/contact/${email}`);
    if (idempotency) names.push(`${projectId}/key/${idempotency.key}`);
    if (names.some((name) => taken.has(name))) later.push(request);
    else round.push(request);
    for (const name of names) taken.add(name);
  }
  return { round, later };
}

/**
 * One that is refused by the database must not take the others with it: then each goes by itself.
 *
 * A deadlock needs two requests with several contacts in common, one of which is deleted in between and created anew by one of them while the other
 * holds the rest: only then are contacts not locked in the order of their addresses.
 */
async function acceptRound(pool: Pool, requests: AcceptSend[]): Promise<Outcome[]> {
  try {
    return (await retryingDeadlocks(() => acceptSends(pool, requests))).map((accepted) => ({ accepted }));
  } catch (error) {
    if (requests.length === 1 || isDatabaseUnavailable(error)) return requests.map(() => ({ error }));
    const outcomes: Outcome[] = [];
    for (const request of requests) outcomes.push(...(await acceptRound(pool, [request])));
    return outcomes;
  }
}
