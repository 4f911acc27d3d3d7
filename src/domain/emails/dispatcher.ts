/** The dispatcher hands over every email that belongs to no campaign. The email rows are the queue. */
import type { Context } from '../../context.js';
import { claimDue, nextDueAt, takeTokens, settle, type ClaimedEmail, type DeliveryResult } from './sql/delivery.js';
import { startLoop, type Loop } from '../../loop.js';
import { pump, type PumpTools } from './pump.js';

/** How often the queue is read without a wake-up. */
const POLL_INTERVAL_MS = 1000;

/** Starts the dispatcher. Stopping it finishes the emails in flight and claims no more. */
export function startDispatcher(ctx: Context, tools: PumpTools): Loop {
  const perSecond = ctx.config.SEND_RATE_PER_SECOND;
  let poke: () => void = () => undefined;

  const claim = async (limit: number, results: DeliveryResult[]): Promise<ClaimedEmail[]> => {
    const { workerId } = tools;
    const first = await claimDue(ctx.pool, { workerId, limit, results, automation: false });
    const rest =
      first.length < limit
        ? await claimDue(ctx.pool, { workerId, limit: limit - first.length, results: [], automation: true })
        : [];
    const emails = [...first, ...rest];
    return perSecond > 0 ? throttle(emails) : emails;
  };

  /** Releases the emails for which a project's token bucket grants no token. */
  const throttle = async (emails: ClaimedEmail[]): Promise<ClaimedEmail[]> => {
    const granted: ClaimedEmail[] = [];
    for (const [projectId, mine] of groupByProject(emails)) {
      const count = await takeTokens(ctx.pool, projectId, mine.length, perSecond);
      granted.push(...mine.slice(0, count));
      const back = mine.slice(count);
      if (back.length > 0) {
        await settle(
          ctx.pool,
          tools.workerId,
          back.map(({ id }) => ({
            id,
            status: 'PENDING',
            error: null,
            response: null,
            retryMs: Math.max(50, 1000 / perSecond),
            untried: true,
          })),
        );
      }
    }
    return granted;
  };

  /** Returns the wait until the next email is due, in milliseconds, at most POLL_INTERVAL_MS. */
  const waitUntilDue = async (): Promise<number> => {
    const dueAt = await nextDueAt(ctx.pool);
    return dueAt ? Math.min(POLL_INTERVAL_MS, Math.max(5, dueAt.getTime() - Date.now())) : POLL_INTERVAL_MS;
  };

  const loop = startLoop({
    everyMs: POLL_INTERVAL_MS,
    async runTurn(signal) {
      const { reason, pausedMs } = await pump(tools, { claim, signal, reserve: 0, listen: (tell) => (poke = tell) });
      if (reason === 'outage') return pausedMs;
      return reason === 'drained' ? waitUntilDue() : undefined;
    },
    failed: (error) => tools.log.warn({ err: error }, 'The dispatcher failed to read its queue'),
  });
  return {
    wake() {
      loop.wake();
      poke();
    },
    stop: loop.stop,
  };
}

function groupByProject(emails: ClaimedEmail[]): Map<string, ClaimedEmail[]> {
  const groups = new Map<string, ClaimedEmail[]>();
  for (const email of emails) groups.set(email.projectId, [...(groups.get(email.projectId) ?? []), email]);
  return groups;
}
