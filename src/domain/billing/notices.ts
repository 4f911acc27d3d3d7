/** Emails to a project's owner and admins about a limit that is nearly or fully used: each once a month. */
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { managersOf, takeNotices, type DueNotice } from './sql/billing.js';
import { platformBody, queuePlatformEmail, type PlatformEmail } from '../platform/emails.js';
import { CATEGORY } from './limits.js';

/** Projects per transaction. */
const TOGETHER = 100;

const text = (title: string, end: string): string =>
  platformBody(title, [
    'The project {{ project }} has sent {{ usage }} of the {{ limit }} {{ category }} emails that its limit allows this month.',
    end,
  ]);

/** By percent of the limit. */
const MAILS: Record<DueNotice['level'], Pick<PlatformEmail, 'subject' | 'body'>> = {
  80: {
    subject: '{{ project }} has used 80 % of its limit of {{ category }} emails',
    body: text(
      'A limit is nearly reached',
      'At the limit nothing more of this kind is sent until the next month. You can raise it:',
    ),
  },
  100: {
    subject: '{{ project }} has reached its limit of {{ category }} emails',
    body: text(
      'A limit is reached',
      'Nothing more of this kind is sent until the next month. You can raise the limit:',
    ),
  },
};

/**
 * Writes the due notices. Each is committed together with its mark in usage_notices, so only one worker writes it.
 */
export async function sendUsageNotices(ctx: Context): Promise<void> {
  while ((await sendSome(ctx)) > 0);
}

/** @returns the number of due notices */
async function sendSome(ctx: Context): Promise<number> {
  const due = await transaction(ctx.pool, async (tx) => {
    const notices = await takeNotices(tx, TOGETHER);
    for (const { projectId, projectName, source, level, limit, usage } of notices) {
      const variables = {
        project: projectName,
        category: source.toLowerCase(),
        limit,
        usage,
        link: `${ctx.config.DASHBOARD_URL}/projects/${projectId}/billing`,
      };
      for (const to of await managersOf(tx, projectId))
        await queuePlatformEmail(tx, ctx.config, { to, ...MAILS[level], variables });
    }
    return notices;
  });
  for (const { projectId, source, level, limit, usage } of due) {
    ctx.log.warn(
      { projectId, category: CATEGORY[source], level, limit, usage },
      "A project has used most of its month's limit, or all of it",
    );
  }
  if (due.length > 0) ctx.wake('emails');
  return due.length;
}
