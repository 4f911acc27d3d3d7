/** The rate limit of a project: reserves tokens of its bucket, which all workers share, and spends them locally. */
import type { Queryable } from '../../db/pool.js';
import type { Log } from '../../log.js';
import { takeTokens } from '../emails/sql/delivery.js';

export interface Allowance {
  /** Takes a token. If there is none, reserves more and calls `onRefill`. */
  spend: () => boolean;
  stop: () => void;
}

export interface AllowanceOptions {
  pool: Queryable;
  log: Log;
  projectId: string;
  perSecond: number;
  onRefill: () => void;
}

/** A reservation covers this part of a second. */
const RESERVED_SECONDS = 0.25;
const MIN_PAUSE_MS = 50;

export const UNLIMITED: Allowance = { spend: () => true, stop: () => undefined };

export function createAllowance({ pool, log, projectId, perSecond, onRefill }: AllowanceOptions): Allowance {
  const reservation = Math.max(1, Math.round(perSecond * RESERVED_SECONDS));
  const pauseMs = Math.max(MIN_PAUSE_MS, 1000 / perSecond);
  let tokens = 0;
  let isRefilling = false;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  const refill = async (): Promise<void> => {
    try {
      tokens += await takeTokens(pool, projectId, reservation, perSecond);
    } catch (error) {
      log.warn({ err: error, projectId }, 'Tokens of the rate limit could not be reserved; retrying');
    }
    if (isStopped) return;
    if (tokens === 0) {
      timer = setTimeout(() => void refill(), pauseMs);
      return;
    }
    isRefilling = false;
    onRefill();
  };

  return {
    spend() {
      if (tokens > 0) {
        tokens--;
        return true;
      }
      if (!isRefilling && !isStopped) {
        isRefilling = true;
        void refill();
      }
      return false;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
