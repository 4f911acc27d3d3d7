/** A project's reputation as its members see it. */
import type { Context } from '../../context.js';
import { selectReputations, type PeriodRow, type ReputationRow } from './sql.js';
import { notFound } from '../../errors.js';
import { MEMBERS, requireRole } from '../projects/access.js';
import { levelOf, worst, type Counts, type JudgedPeriod, type Level } from './levels.js';

/** Counts of a period, with rates as fractions of what was sent; 0 when nothing was. */
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
    /** What came before is not counted against the project; null: everything is. */
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

const toLevels = (period: JudgedPeriod, counts: Counts): Levels => ({
  bounceLevel: levelOf('bounces', period, counts),
  complaintLevel: levelOf('complaints', period, counts),
});

/**
 * The reputation of a project as of now, for each of its members.
 *
 * @throws PROJECT_NOT_FOUND (404) for anybody else
 */
export async function getSecurity(ctx: Context, userId: string, projectId: string): Promise<Security> {
  await requireRole(ctx, userId, projectId, MEMBERS);
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
    level: worst([...Object.values(week), ...Object.values(all)]),
    disabled,
    disabledReason,
    disabledAt,
    last24Hours: toPeriod(last24Hours),
    last7Days: { ...toPeriod(last7Days), ...week },
    allTime: { ...toPeriod(allTime), ...all },
    autoDisable: { enabled: config.AUTO_PROJECT_DISABLE, countsFrom: enabledAt },
  };
}
