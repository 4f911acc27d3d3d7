/**
 * The dispatcher: hands over every email that belongs to no campaign. The email row is the queue; no Temporal workflow
 * is spent on one mail.
 */
import type { Context } from '../../context.js';
import { claimDue, nextDueAt, takeTokens, settle, type ClaimedEmail, type DeliveryResult } from './sql/delivery.js';
import { startLoop, type Loop } from '../../loop.js';
import { pump, type PumpTools } from './pump.js';

/** A look at the queue without a wake-up, in milliseconds. */
const POLL = 1000;

/** A stop claims nothing more, and finishes what is under way. */
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

  /** Gives back what a project's bucket doesn't grant. */
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

  /** A retry or a throttled email may be due before the next poll. */
  const untilDue = async (): Promise<number> => {
    const at = await nextDueAt(ctx.pool);
    return at ? Math.min(POLL, Math.max(5, at.getTime() - Date.now())) : POLL;
  };

  const loop = startLoop({
    everyMs: POLL,
    async look(signal) {
      const { reason, pausedMs } = await pump(tools, { claim, signal, reserve: 0, listen: (tell) => (poke = tell) });
      if (reason === 'outage') return pausedMs;
      return reason === 'drained' ? untilDue() : undefined;
    },
    failed: (error) => tools.log.warn({ err: error }, 'The dispatcher can not look at its queue'),
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
