/** Judges the hits that wait in the queue: keeps each with its verdict, and says of the emails what people did. */
import type { Context } from '../../context.js';
import { applyFeedback } from '../feedback/sql/feedback.js';
import {
  keepHits,
  lockEmailsOfHits,
  neighboursOf,
  nextHitDueMs,
  takeHits,
  type JudgedHit,
  type Neighbour,
  type QueuedHit,
} from './sql.js';
import { startLoop, type Loop } from '../../loop.js';
import { givingWay } from '../give-way.js';
import { judgeHit, NEIGHBOURHOOD } from './judge.js';
import { isLocal } from './local.js';

/** Hits of one transaction at most: some tens of milliseconds, during which its emails are locked. */
const TOGETHER = 500;
/** A look at the queue without a wake-up, in milliseconds. */
const POLL = 1000;

/**
 * Judges up to 500 due hits in one transaction: the hit, its counters, its event and its figure are there together,
 * once. Hits of emails that are gone are dropped.
 *
 * @returns how many were taken
 * @throws SERVICE_UNAVAILABLE (503) when the emails are held by others for seconds; the hits stay in the queue
 */
export function judgeHits({ pool, config }: Pick<Context, 'pool' | 'config'>): Promise<number> {
  const local = isLocal(config.PUBLIC_URL);
  return givingWay(pool, async (tx) => {
    const taken = await takeHits(tx, TOGETHER);
    if (taken.length === 0) return 0;
    const emails = new Map(
      (await lockEmailsOfHits(tx, [...new Set(taken.map(({ emailId }) => emailId))])).map((email) => [email.id, email]),
    );
    const clicked = taken.filter(({ kind, machine }) => kind === 'click' && !machine);
    const since = new Date(Math.min(...clicked.map(({ at }) => at.getTime())) - NEIGHBOURHOOD);
    const elsewhere =
      clicked.length === 0
        ? []
        : await neighboursOf(
            tx,
            [...new Set(clicked.map(({ emailId }) => emailId))].flatMap((id) => emails.get(id) ?? []),
            since,
          );
    const besides = groupByEmail([...taken, ...elsewhere]);

    const judged = taken.flatMap((hit): JudgedHit[] => {
      const email = emails.get(hit.emailId);
      if (!email) return [];
      const beside = (besides.get(hit.emailId) ?? []).filter(
        (other) => other !== hit && Math.abs(other.at.getTime() - hit.at.getTime()) <= NEIGHBOURHOOD,
      );
      const { machine, reason } = judgeHit(hit, email, beside, { local });
      return [{ ...hit, projectId: email.projectId, machine, reason }];
    });
    const kept = await keepHits(tx, judged);
    await applyFeedback(
      tx,
      judged.flatMap((hit) => (hit.machine || !kept.has(hit.id) ? [] : [toFeedback(hit)])),
    );
    return taken.length;
  });
}

const toFeedback = ({ emailId, kind, url, at }: QueuedHit) =>
  kind === 'open'
    ? { emailId, at, kind: 'opened' as const }
    : { emailId, at, kind: 'clicked' as const, url: url ?? '' };

function groupByEmail(hits: Neighbour[]): Map<string, Neighbour[]> {
  const groups = new Map<string, Neighbour[]>();
  for (const hit of hits) {
    const group = groups.get(hit.emailId);
    if (group) group.push(hit);
    else groups.set(hit.emailId, [hit]);
  }
  return groups;
}

/** Judges hits as they fall due. Any number of workers do so side by side. */
export const startHitDrain = (ctx: Context): Loop =>
  startLoop({
    everyMs: POLL,
    async look() {
      if ((await judgeHits(ctx)) === TOGETHER) return 0;
      const dueMs = await nextHitDueMs(ctx.pool);
      return dueMs === null ? undefined : Math.min(POLL, Math.max(5, dueMs));
    },
    failed: (error) => ctx.log.warn({ err: error }, 'Hits of tracking links can not be judged now'),
  });
