/** Classifies the hits in the queue, stores them, and applies those of persons to their emails. */
import type { Context } from '../../context.js';
import { startLoop, type Loop } from '../../loop.js';
import { applyFeedback, type Feedback } from '../feedback/sql/feedback.js';
import { withLockTimeout } from '../lock-timeout.js';
import { classifyHit, isLocalUrl, NEARBY_MS } from './classify.js';
import {
  dequeueHits,
  enqueueHits,
  findHitsSince,
  lockEmailsOfHits,
  nextHitDueMs,
  storeHits,
  type ClassifiedHit,
  type NearbyHit,
  type QueuedHit,
} from './sql.js';

/** Hits per transaction, which takes tens of milliseconds and locks the emails meanwhile. */
const HIT_BATCH_SIZE = 500;
const POLL_INTERVAL_MS = 1000;
const MIN_WAIT_MS = 5;
/** Workers record the emails of campaigns within about a second. Until then, a hit waits, but not longer than this. */
const MAX_UNRECORDED_MS = 5000;
const UNRECORDED_DELAY_MS = 500;

/**
 * Classifies up to 500 due hits in one transaction, which writes each hit, its counters, its event, and its figure
 * once. Hits of deleted emails are dropped, and hits of emails whose sending is not recorded yet wait.
 *
 * @returns how many hits left the queue
 * @throws SERVICE_UNAVAILABLE (503) if other transactions lock the emails for seconds; the hits stay in the queue
 */
export function drainHits({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<number> {
  const local = isLocalUrl(config.PUBLIC_URL);
  return withLockTimeout(pool, async (tx) => {
    const dequeued = await dequeueHits(tx, HIT_BATCH_SIZE);
    if (dequeued.length === 0) return 0;
    const locked = await lockEmailsOfHits(tx, [...new Set(dequeued.map(({ emailId }) => emailId))]);
    const emails = new Map(locked.map((email) => [email.id, email]));
    const now = Date.now();
    const isEarly = ({ emailId, at }: QueuedHit): boolean =>
      emails.get(emailId)?.isUnrecorded === true && now - at.getTime() < MAX_UNRECORDED_MS;
    const early = dequeued.filter(isEarly);
    if (early.length > 0) {
      await enqueueHits(
        tx,
        early.map((hit) => ({ ...hit, ageMs: 0, delayMs: now - hit.at.getTime() + UNRECORDED_DELAY_MS })),
      );
    }
    const hits = dequeued.filter((hit) => !isEarly(hit));
    if (hits.length === 0) return 0;

    // Only the classification of a person's click needs nearby hits outside this batch.
    const clicks = hits.filter(({ kind, machine }) => kind === 'click' && !machine);
    const clickedIds = [...new Set(clicks.map(({ emailId }) => emailId))];
    const others =
      clicks.length === 0
        ? []
        : await findHitsSince(
            tx,
            clickedIds.flatMap((id) => emails.get(id) ?? []),
            new Date(Math.min(...clicks.map(({ at }) => at.getTime())) - NEARBY_MS),
          );
    const hitsByEmail = groupByEmail([...hits, ...others]);

    const classified = hits.flatMap((hit): ClassifiedHit[] => {
      const email = emails.get(hit.emailId);
      if (!email) return [];
      const nearby = (hitsByEmail.get(hit.emailId) ?? []).filter(
        (other) => other !== hit && Math.abs(other.at.getTime() - hit.at.getTime()) <= NEARBY_MS,
      );
      const { machine, reason } = classifyHit(hit, email, nearby, { local });
      return [{ ...hit, projectId: email.projectId, machine, reason }];
    });
    const storedIds = await storeHits(tx, classified);
    await applyFeedback(tx, classified.filter(({ id, machine }) => !machine && storedIds.has(id)).map(toFeedback));
    return hits.length;
  });
}

const toFeedback = ({ emailId, kind, url, at }: QueuedHit): Feedback =>
  kind === 'open' ? { emailId, at, kind: 'opened' } : { emailId, at, kind: 'clicked', url: url ?? '' };

function groupByEmail(hits: NearbyHit[]): Map<string, NearbyHit[]> {
  const groups = new Map<string, NearbyHit[]>();
  for (const hit of hits) {
    const group = groups.get(hit.emailId);
    if (group) group.push(hit);
    else groups.set(hit.emailId, [hit]);
  }
  return groups;
}

/** Drains the queue as hits become due. Any number of workers can run it. */
export const startHitDrain = (ctx: Context): Loop =>
  startLoop({
    everyMs: POLL_INTERVAL_MS,
    async runTurn() {
      // First, because the queue is usually empty and a transaction takes three statements.
      const dueMs = await nextHitDueMs(ctx.pool);
      if (dueMs === null) return undefined;
      if (dueMs > 0) return Math.min(POLL_INTERVAL_MS, Math.max(MIN_WAIT_MS, dueMs));
      return (await drainHits(ctx)) === 0 ? MIN_WAIT_MS : 0;
    },
    failed: (error) => ctx.log.warn({ err: error }, 'The tracking queue cannot be drained; it is retried'),
  });
