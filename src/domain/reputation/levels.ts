/** How good a project's reputation is by its figures (contract, section 2, "Security"). Pure. */

export const LEVELS = ['healthy', 'warning', 'critical'] as const;
export type Level = (typeof LEVELS)[number];
export type Fault = 'bounces' | 'complaints';
/** The periods that have a level. */
export type JudgedPeriod = 'last7Days' | 'allTime';

export interface Counts {
  /** Emails that a mail server has taken. */
  sent: number;
  /** Of them, those that bounced for good. */
  bounces: number;
  complaints: number;
}

/**
 * Where warning and critical begin, in emails of 100,000: whole numbers, so that a rate which is exactly a threshold is
 * at it.
 */
export const THRESHOLDS: Record<Fault, Record<JudgedPeriod, { warning: number; critical: number }>> = {
  bounces: { last7Days: { warning: 5000, critical: 10_000 }, allTime: { warning: 4000, critical: 8000 } },
  complaints: { last7Days: { warning: 75, critical: 150 }, allTime: { warning: 30, critical: 120 } },
};
export const PER = 100_000;

/** Of fewer emails a rate says nothing. */
export const FEWEST_EMAILS = 100;
/** Fewer than these are bad luck, whatever the rate. */
export const FEWEST: Record<Fault, { warning: number; critical: number }> = {
  bounces: { warning: 5, critical: 10 },
  complaints: { warning: 3, critical: 5 },
};

/** The level of one fault over one period. */
export function levelOf(fault: Fault, period: JudgedPeriod, counts: Counts): Level {
  const { sent, [fault]: count } = counts;
  if (sent < FEWEST_EMAILS) return 'healthy';
  const threshold = THRESHOLDS[fault][period];
  const fewest = FEWEST[fault];
  const reaches = (level: 'warning' | 'critical'): boolean =>
    count >= fewest[level] && count * PER >= threshold[level] * sent;
  if (reaches('critical')) return 'critical';
  return reaches('warning') ? 'warning' : 'healthy';
}

export const worst = (levels: readonly Level[]): Level =>
  LEVELS.findLast((level) => levels.includes(level)) ?? 'healthy';

/** What is critical, in a sentence for the project's members; null when nothing is. */
export function whatIsCritical(counts: Record<JudgedPeriod, Counts>): string | null {
  for (const period of ['last7Days', 'allTime'] as const) {
    for (const fault of ['complaints', 'bounces'] as const) {
      if (levelOf(fault, period, counts[period]) === 'critical') return sentence(fault, period, counts[period]);
    }
  }
  return null;
}

const WORDS: Record<Fault, string> = { bounces: 'bounced for good', complaints: 'were called spam by their readers' };
const PERIODS: Record<JudgedPeriod, string> = { last7Days: 'of the last 7 days', allTime: 'in all' };

function sentence(fault: Fault, period: JudgedPeriod, counts: Counts): string {
  const percent = (part: number): string => `${Number(((100 * part) / PER).toPrecision(3))} %`;
  const rate = percent((counts[fault] * PER) / counts.sent);
  return `${counts[fault]} of ${counts.sent} emails ${PERIODS[period]} ${WORDS[fault]} (${rate}); from ${percent(THRESHOLDS[fault][period].critical)} on a project is disabled.`;
}
