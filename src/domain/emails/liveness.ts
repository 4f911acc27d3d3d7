/** Heartbeats of workers. The others settle the emails of a worker without a heartbeat by the policy AMBIGUOUS_SEND. */
import type { Context } from '../../context.js';
import { createPool } from '../../db/pool.js';
import { retryUntilAvailable } from '../../db/wait-for-database.js';
import { endHeartbeat, heartbeat, releaseUnknownClaims, settleAmbiguous } from './sql/liveness.js';

/** The number of missed heartbeats after which a worker counts as dead. */
const MAX_MISSED_HEARTBEATS = 5;
/** The number of own heartbeats before a worker settles others. The first one is written at the start. */
const MIN_HEARTBEATS_TO_SETTLE = 3;
/**
 * The same after a failed heartbeat: the database may have been unavailable for all workers. Long enough for the next
 * heartbeats of the others, including the 5 s of a failing connection.
 */
const MIN_HEARTBEATS_AFTER_FAILURE = 5;

/** A claim whose reply the worker does not have is released after this time. Until then, the reply can still arrive. */
const UNKNOWN_CLAIM_MS = 30_000;

export interface Liveness {
  /** Call it when nothing is claimed and everything is recorded. */
  stop: () => Promise<void>;
}

/**
 * Starts the heartbeat of a worker and its watch over the others.
 *
 * A worker whose own last heartbeats failed does not settle others: after an outage of the database, all workers seem
 * dead for a moment.
 *
 * @param claims the claims that the worker knows, by id
 */
export async function startLiveness(
  ctx: Context,
  workerId: string,
  claims: ReadonlyMap<string, unknown>,
  signal?: AbortSignal,
): Promise<Liveness> {
  // A separate connection, so that a worker with all other connections in use does not seem dead.
  const pool = createPool({
    databaseUrl: ctx.config.DATABASE_URL,
    max: 1,
    name: 'sendloom-liveness',
    onError: (error) => ctx.log.warn({ err: error }, 'The connection of the heartbeat was lost'),
  });
  const heartbeatMs = ctx.config.WORKER_HEARTBEAT_MS;
  // By then, the claim is not valid any more, even if its reply arrives (dispatcher.ts).
  const unknownMs = Math.max(UNKNOWN_CLAIM_MS, MAX_MISSED_HEARTBEATS * heartbeatMs);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let left = MIN_HEARTBEATS_TO_SETTLE - 1;
  let beating: Promise<void> = Promise.resolve();

  const beat = async (): Promise<void> => {
    try {
      const now = await heartbeat(pool, workerId);
      if (--left > 0) return;
      await releaseUnknownClaims(pool, workerId, [...claims.keys()], new Date(now.getTime() - unknownMs));
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
      left = MIN_HEARTBEATS_AFTER_FAILURE;
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
      try {
        // Claims whose reply was lost. The others would take them for those of a dead worker.
        const now = await heartbeat(pool, workerId);
        await releaseUnknownClaims(pool, workerId, [...claims.keys()], now);
        await endHeartbeat(pool, workerId);
      } catch (error) {
        ctx.log.warn({ err: error }, 'The heartbeat could not be ended');
      }
      await pool.end();
    },
  };
}
