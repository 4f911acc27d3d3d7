/** Rates a project's reputation by its figures (contract, section 2, "Security"). Pure. */

export const LEVELS = ['healthy', 'warning', 'critical'] as const;
export type Level = (typeof LEVELS)[number];
export type Fault = 'bounces' | 'complaints';
/** The periods that have a level. */
export type RatedPeriod = 'last7Days' | 'allTime';

export interface Counts {
  /** Emails that a mail server has accepted. */
  sent: number;
  /** Permanent bounces. */
  bounces: number;
  complaints: number;
}

/** The lowest rates of each level, per 100,000 emails. Whole numbers make comparisons exact. */
export const THRESHOLDS: Record<Fault, Record<RatedPeriod, { warning: number; critical: number }>> = {
  bounces: { last7Days: { warning: 5000, critical: 10_000 }, allTime: { warning: 4000, critical: 8000 } },
  complaints: { last7Days: { warning: 75, critical: 150 }, allTime: { warning: 30, critical: 120 } },
};
export const THRESHOLD_BASE = 100_000;

/** A rate of fewer emails has no level. */
export const MIN_EMAILS = 100;
/** Fewer bounces or complaints have no level, at any rate. */
export const MIN_COUNTS: Record<Fault, { warning: number; critical: number }> = {
  bounces: { warning: 5, critical: 10 },
  complaints: { warning: 3, critical: 5 },
};

/** Returns the level of one fault in one period. */
export function levelOf(fault: Fault, period: RatedPeriod, counts: Counts): Level {
  const { sent, [fault]: count } = counts;
  if (sent < MIN_EMAILS) return 'healthy';
  const threshold = THRESHOLDS[fault][period];
  const minimum = MIN_COUNTS[fault];
  const reaches = (level: 'warning' | 'critical'): boolean =>
    count >= minimum[level] && count * THRESHOLD_BASE >= threshold[level] * sent;
  if (reaches('critical')) return 'critical';
  return reaches('warning') ? 'warning' : 'healthy';
}

export const worstLevel = (levels: readonly Level[]): Level =>
  LEVELS.findLast((level) => levels.includes(level)) ?? 'healthy';

/** Describes the critical fault in a sentence for the project's members; null if there is none. */
export function describeCriticalFault(counts: Record<RatedPeriod, Counts>): string | null {
  for (const period of ['last7Days', 'allTime'] as const) {
    for (const fault of ['complaints', 'bounces'] as const) {
      if (levelOf(fault, period, counts[period]) === 'critical') return describeFault(fault, period, counts[period]);
    }
  }
  return null;
}

const FAULT_WORDS: Record<Fault, string> = {
  bounces: 'bounced permanently',
  complaints: 'were reported as spam',
};
const PERIOD_WORDS: Record<RatedPeriod, string> = { last7Days: 'of the last 7 days', allTime: 'of all time' };

function describeFault(fault: Fault, period: RatedPeriod, counts: Counts): string {
  const percent = (part: number): string => `${Number(((100 * part) / THRESHOLD_BASE).toPrecision(3))} %`;
  const rate = percent((counts[fault] * THRESHOLD_BASE) / counts.sent);
  const limit = percent(THRESHOLDS[fault][period].critical);
  const share = `${counts[fault]} of ${counts.sent} emails ${PERIOD_WORDS[period]} ${FAULT_WORDS[fault]} (${rate})`;
  return `${share}. The limit is ${limit}.`;
}
