/** A project's reputation for its members, and enabling a disabled project. */
import type { ApiContext, Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { markEnabled, selectReputations, type PeriodRow, type ReputationRow } from './sql.js';
import { notFound } from '../../errors.js';
import { MEMBERS, requireRole } from '../projects/access.js';
import { levelOf, worstLevel, type Counts, type Level, type RatedPeriod } from './levels.js';

/** The counts of a period, with rates as fractions of the sent emails; 0 if none were sent. */
export interface Period extends PeriodRow {
  bounceRate: number;
  complaintRate: number;
}

export interface Security {
  projectId: string;
  /** The worst of the levels. */
  level: Level;
  disabled: boolean;
  disabledReason: string | null;
  disabledAt: Date | null;
  last24Hours: Period;
  last7Days: Period & Levels;
  allTime: Period & Levels;
  autoDisable: {
    enabled: boolean;
    /** Earlier figures do not count against the project; null if all figures count. */
    countsFrom: Date | null;
  };
}

interface Levels {
  bounceLevel: Level;
  complaintLevel: Level;
}

function toPeriod(row: PeriodRow): Period {
  const rate = (count: number): number => (row.sent === 0 ? 0 : count / row.sent);
  return { ...row, bounceRate: rate(row.bounces), complaintRate: rate(row.complaints) };
}

const toLevels = (period: RatedPeriod, counts: Counts): Levels => ({
  bounceLevel: levelOf('bounces', period, counts),
  complaintLevel: levelOf('complaints', period, counts),
});

/**
 * Returns the current reputation of a project.
 *
 * @throws PROJECT_NOT_FOUND (404, also for non-members)
 */
export async function getSecurity(ctx: ApiContext, userId: string, projectId: string): Promise<Security> {
  await requireRole(ctx, userId, projectId, MEMBERS);
  return readSecurity(ctx, projectId);
}

/**
 * Returns the current reputation of a project, for a caller who may read it.
 *
 * @throws PROJECT_NOT_FOUND (404)
 */
export async function readSecurity(ctx: Context, projectId: string): Promise<Security> {
  const [row] = await selectReputations(ctx.pool, [projectId]);
  if (!row) throw notFound('PROJECT');
  return toSecurity(ctx, row);
}

function toSecurity(
  { config }: Context,
  { projectId, disabled, disabledReason, disabledAt, last24Hours, last7Days, allTime, enabledAt }: ReputationRow,
): Security {
  const [week, all] = [toLevels('last7Days', last7Days), toLevels('allTime', allTime)];
  return {
    projectId,
    level: worstLevel([...Object.values(week), ...Object.values(all)]),
    disabled,
    disabledReason,
    disabledAt,
    last24Hours: toPeriod(last24Hours),
    last7Days: { ...toPeriod(last7Days), ...week },
    allTime: { ...toPeriod(allTime), ...all },
    autoDisable: { enabled: config.AUTO_PROJECT_DISABLE, countsFrom: enabledAt },
  };
}

/**
 * Enables a disabled project. What was cancelled stays cancelled. From now on, only later figures can disable the
 * project again: the earlier ones would do so immediately.
 */
export async function enableProject({ pool }: Context, projectId: string): Promise<void> {
  await transaction(pool, (tx) => markEnabled(tx, projectId));
}
