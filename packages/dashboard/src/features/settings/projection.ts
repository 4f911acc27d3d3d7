/** When a monthly limit is used up at the pace of the month so far. */

/** The first hours of a month say nothing about its pace. */
const MIN_ELAPSED_MS = 6 * 3_600_000;

interface Usage {
  limit: number | null;
  usage: number;
  periodStart: string;
  periodEnd: string;
  now: number;
}

/** Returns the projected time of exhaustion; null without a limit, or if the limit lasts until the end of the month. */
export function exhaustionOf({ limit, usage, periodStart, periodEnd, now }: Usage): string | null {
  const elapsedMs = Math.max(now - Date.parse(periodStart), MIN_ELAPSED_MS);
  if (limit === null || usage === 0 || usage >= limit) return null;
  const time = now + ((limit - usage) * elapsedMs) / usage;
  return time < Date.parse(periodEnd) ? new Date(time).toISOString() : null;
}
