/**
 * Which workers live. Each writes a heartbeat; what a silent one was sending is settled by the others, by the policy of
 * AMBIGUOUS_SEND.
 */
import type { Context } from '../../context.js';
import { createPool } from '../../db/pool.js';
import { retryUntilAvailable } from '../../db/wait-for-database.js';
import { endHeartbeat, heartbeat, releaseUnknownClaims, settleAmbiguous } from './sql/delivery.js';

/** A worker that misses so many heartbeats counts as dead. */
const MAX_MISSED_HEARTBEATS = 5;
/** Heartbeats in a row before others are judged; the first is written at the start. */
const SURE = 3;
/**
 * Likewise after a heartbeat that failed, when the database may have been gone for everybody: long enough for the
 * others' next ones, a failing connection's 5 s included.
 */
const SURE_AFTER_FAILURE = 5;

export interface Liveness {
  stop: () => Promise<void>;
}

/**
 * Starts the heartbeat of a worker and its watch over the others.
 *
 * A watch that couldn't write its own last heartbeats judges nobody: after an outage of the database every worker looks
 * dead for a moment.
 */
export async function startLiveness(
  ctx: Context,
  workerId: string,
  held: Set<string>,
  signal?: AbortSignal,
): Promise<Liveness> {
  // A connection of its own: a worker whose others are all in use is busy, and not dead.
  const pool = createPool({
    databaseUrl: ctx.config.DATABASE_URL,
    max: 1,
    name: 'sendloom-liveness',
    onError: (error) => ctx.log.warn({ err: error }, 'The connection of the heartbeat was lost'),
  });
  const heartbeatMs = ctx.config.WORKER_HEARTBEAT_MS;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let left = SURE - 1;
  let beating: Promise<void> = Promise.resolve();

  const beat = async (): Promise<void> => {
    try {
      await heartbeat(pool, workerId);
      if (--left > 0) return;
      await releaseUnknownClaims(pool, workerId, [...held]);
      const ambiguous = await settleAmbiguous(pool, {
        workerId,
        silentSeconds: (MAX_MISSED_HEARTBEATS * heartbeatMs) / 1000,
        policy: ctx.config.AMBIGUOUS_SEND,
      });
      if (ambiguous > 0) {
        ctx.log.warn(
          { emails: ambiguous, policy: ctx.config.AMBIGUOUS_SEND },
          'A worker died while it handed emails over; they were settled by the policy',
        );
        ctx.wake('emails');
      }
    } catch (error) {
      left = SURE_AFTER_FAILURE;
      ctx.log.warn({ err: error }, 'The heartbeat failed');
    }
  };
  const schedule = (): void => {
    timer = setTimeout(() => {
      beating = beat().then(() => {
        if (!stopped) schedule();
      });
    }, heartbeatMs);
  };

  // Before anything is claimed: a worker without a row counts as dead.
  await retryUntilAvailable(() => heartbeat(pool, workerId), {
    databaseUrl: ctx.config.DATABASE_URL,
    log: ctx.log,
    signal,
  });
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await beating;
      await endHeartbeat(pool, workerId).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'The heartbeat could not be ended'),
      );
      await pool.end();
    },
  };
}
