import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';

/** The kinds of entries that the page filters by, each with its types in the API. */
export const KINDS = {
  email: [
    'email.sent',
    'email.delivered',
    'email.opened',
    'email.clicked',
    'email.bounced',
    'email.complained',
    'email.failed',
    'email.received',
  ],
  event: ['event.tracked'],
  contact: ['contact.subscribed', 'contact.unsubscribed', 'segment.entry', 'segment.exit'],
  campaign: ['campaign.sent'],
  workflow: ['workflow.started'],
} as const;
export type Kind = keyof typeof KINDS;
export const KIND_NAMES = ['email', 'event', 'contact', 'campaign', 'workflow'] as const satisfies Kind[];

export interface ActivityFilters {
  kind?: Kind | undefined;
  contactId?: string | undefined;
  /** Days, `2026-11-23`. */
  since?: string | undefined;
  until?: string | undefined;
}

const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/activity',
  validateSearch: (search): ActivityFilters => ({
    kind: oneOf(KIND_NAMES, search.kind),
    contactId: textOf(search.contactId),
    since: textOf(search.since),
    until: textOf(search.until),
  }),
  component: lazyRouteComponent(() => import('./page.js'), 'ActivityPage'),
});

export const activityRoutes = [activityRoute] as const;
