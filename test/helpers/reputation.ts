/** Figures of projects, as feedback appends them, and the check of their reputation. */
import type { LightMyRequestResponse } from 'fastify';
import type { ApiContext } from '../../src/context.js';
import { foldFigures } from '../../src/domain/analytics/sql/figures.js';
import { watchReputation } from '../../src/domain/reputation/watch.js';
import type { TestApi, TestProject } from './api.js';
import { newUser, type TestUser } from './session.js';

export interface FigureSpec {
  sent?: number;
  /** Permanent bounces. */
  bounces?: number;
  transient?: number;
  complaints?: number;
  /** UTC days before today that it happened on; default today. */
  daysAgo?: number;
  /** Hours before now that it was recorded at; default now. */
  hoursAgo?: number;
}

export async function addFigures(
  { pool }: ApiContext,
  projectId: string,
  { sent = 0, bounces = 0, transient = 0, complaints = 0, daysAgo = 0, hoursAgo = 0 }: FigureSpec,
): Promise<void> {
  await pool.query(
    `INSERT INTO stat_deltas (project_id, day, sent, bounced, hard_bounced, complained, created_at)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date - $6::int, $2, $3::int + $4::int, $3, $5, now() - make_interval(hours => $7))`,
    [projectId, sent, bounces, transient, complaints, daysAgo, hoursAgo],
  );
}

export const fold = async ({ pool }: ApiContext): Promise<void> => {
  while ((await foldFigures(pool, 5000)) > 0);
};

export const stateOf = ({ prisma }: ApiContext, id: string) =>
  prisma.project.findUniqueOrThrow({
    where: { id },
    select: { disabled: true, disabledReason: true, disabledAt: true },
  });

/** The minimum of emails and bounces for the level CRITICAL. */
export const CRITICAL: FigureSpec = { sent: 100, bounces: 10 };

export function reputationHelpers(api: TestApi) {
  return {
    /** Checks the reputations, as a worker does every few seconds. */
    look: () => watchReputation(api.ctx),
    isDisabled: async (id: string): Promise<boolean> => (await stateOf(api.ctx, id)).disabled,
    /** The number of changed projects that are not checked yet. */
    suspects: () => api.ctx.prisma.reputationSuspect.count(),
    memberOf: async ({ id }: TestProject, role: 'OWNER' | 'ADMIN' | 'MEMBER' = 'OWNER'): Promise<TestUser> => {
      const user = await newUser(api);
      await api.ctx.prisma.membership.create({ data: { projectId: id, userId: user.id, role } });
      return user;
    },
    enable: (
      user: TestUser,
      { id }: TestProject,
      body: unknown = { disabled: false },
    ): Promise<LightMyRequestResponse> => user.call('PATCH', `/users/@me/projects/${id}`, body),
  };
}
