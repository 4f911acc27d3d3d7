import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';
import { SOURCES, STATUSES, TYPES, type EmailFilters } from './filters.js';

const emailsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/emails',
  validateSearch: (search): EmailFilters => ({
    status: oneOf(STATUSES, search.status),
    source: oneOf(SOURCES, search.source),
    type: oneOf(TYPES, search.type),
    to: textOf(search.to),
    since: textOf(search.since),
    until: textOf(search.until),
    campaignId: textOf(search.campaignId),
    templateId: textOf(search.templateId),
    workflowId: textOf(search.workflowId),
    contactId: textOf(search.contactId),
    group: textOf(search.group),
    tag: textOf(search.tag),
  }),
  component: lazyRouteComponent(() => import('./list.js'), 'EmailsPage'),
});

const emailRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/emails/$emailId',
  component: lazyRouteComponent(() => import('./detail.js'), 'EmailPage'),
});

export const emailRoutes = [emailsRoute, emailRoute] as const;
