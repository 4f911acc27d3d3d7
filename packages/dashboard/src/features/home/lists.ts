/** The list of the emails or activities that a figure counts. */
import type { LinkProps } from '@tanstack/react-router';
import type { Figure, GroupBy } from './view.js';

interface Range {
  /** Days, `2026-11-23`. */
  since: string | undefined;
  until: string | undefined;
}

const STATUSES: Partial<Record<Figure, 'BOUNCED' | 'COMPLAINED'>> = { bounces: 'BOUNCED', complaints: 'COMPLAINED' };

/**
 * Returns the link to the list of a figure: the emails; or the activity, for what an email's latest status does not
 * tell, because an email that was clicked is no longer listed as opened.
 */
export function listOf(figure: Figure, projectId: string, range: Range): LinkProps {
  const status = STATUSES[figure];
  const params = { projectId };
  if (figure === 'sent' || status !== undefined)
    return { to: '/projects/$projectId/emails', params, search: { ...range, status } };
  const kind = figure === 'unsubscribes' ? ('contact' as const) : ('email' as const);
  return { to: '/projects/$projectId/activity', params, search: { ...range, kind } };
}

const FILTERS = {
  source: 'source',
  type: 'type',
  campaign: 'campaignId',
  template: 'templateId',
  workflow: 'workflowId',
  recipientDomain: null,
} as const satisfies Record<GroupBy, string | null>;

/** Returns the link to the emails of a group; null if the log has no filter for it. */
export function emailsOf(groupBy: GroupBy, key: string | null, projectId: string, range: Range): LinkProps | null {
  const filter = FILTERS[groupBy];
  if (filter === null || key === null) return null;
  return { to: '/projects/$projectId/emails', params: { projectId }, search: { ...range, [filter]: key } };
}
