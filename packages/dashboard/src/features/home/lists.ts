/** The lists of what figures count. */
import type { LinkProps } from '@tanstack/react-router';
import { startOfDay } from '../../words/zones.js';
import type { Figure, GroupBy } from './view.js';

interface Range {
  /** Days in the project's zone, `2026-11-23`. */
  since: string | undefined;
  until: string | undefined;
}

/** The entries of the activity that belong to a figure. */
const TYPES = {
  sent: 'email.sent',
  delivered: 'email.delivered',
  opens: 'email.opened',
  clicks: 'email.clicked',
  bounces: 'email.bounced',
  complaints: 'email.complained',
  subscribed: 'contact.subscribed',
  unsubscribed: 'contact.unsubscribed',
  unsubscribes: 'contact.unsubscribed',
} as const satisfies Record<Figure | 'subscribed' | 'unsubscribed', string>;

/**
 * The figures whose lists have another number: an email with two clicked links counts once and has two entries, and
 * contacts also unsubscribe without an email.
 */
export const hasOtherList = (figure: Figure): figure is 'clicks' | 'unsubscribes' =>
  figure === 'clicks' || figure === 'unsubscribes';

/** Returns the link to the entries of a figure. */
export const listOf = (figure: keyof typeof TYPES, projectId: string, range: Range): LinkProps => ({
  to: '/projects/$projectId/activity',
  params: { projectId },
  search: { ...range, kind: TYPES[figure] },
});

/** Returns the link to the contacts that were created since a day. */
export const createdSince = (date: string, zone: string, projectId: string): LinkProps => ({
  to: '/projects/$projectId/contacts',
  params: { projectId },
  search: {
    where: {
      logic: 'AND',
      groups: [{ filters: [{ field: 'createdAt', operator: 'greaterThanOrEqual', value: startOfDay(date, zone) }] }],
    },
  },
});

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
