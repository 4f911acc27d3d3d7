import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';

/** The kinds of entries that the page filters by, each with its types in the API. */
export const KINDS = {
  email: [
    'email.scheduled',
    'email.cancelled',
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

/** One type of entries. */
export type ActivityType = (typeof KINDS)[Kind][number];
const TYPE_NAMES = KIND_NAMES.flatMap((kind): readonly ActivityType[] => KINDS[kind]);

/** Returns the types that a value of the filter stands for. */
export const typesOf = (value: Kind | ActivityType): readonly ActivityType[] =>
  isKind(value) ? KINDS[value] : [value];

const isKind = (value: string): value is Kind => Object.hasOwn(KINDS, value);

export interface ActivityFilters {
  /** A kind, or one of its types. */
  kind?: Kind | ActivityType | undefined;
  contactId?: string | undefined;
  /** Days in the project's zone, `2026-11-23`. */
  since?: string | undefined;
  until?: string | undefined;
}

const activityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/activity',
  validateSearch: (search): ActivityFilters => ({
    kind: oneOf([...KIND_NAMES, ...TYPE_NAMES], search.kind),
    contactId: textOf(search.contactId),
    since: textOf(search.since),
    until: textOf(search.until),
  }),
  component: lazyRouteComponent(() => import('./page.js'), 'ActivityPage'),
});

export const activityRoutes = [activityRoute] as const;
