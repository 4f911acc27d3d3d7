import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';

export const STATUSES = ['PENDING', 'DELIVERED', 'FAILED', 'DISCARDED'] as const;

export interface DeliverySearch {
  status?: (typeof STATUSES)[number] | undefined;
  type?: string | undefined;
  /** The delivery in the panel. */
  delivery?: string | undefined;
}

const webhooksRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('./list.js'), 'WebhooksPage'),
});

const webhookRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/webhooks/$webhookId',
  validateSearch: (search): DeliverySearch => ({
    status: oneOf(STATUSES, search.status),
    type: textOf(search.type),
    delivery: textOf(search.delivery),
  }),
  component: lazyRouteComponent(() => import('./page.js'), 'WebhookPage'),
});

export const webhookRoutes = [webhooksRoute, webhookRoute] as const;
