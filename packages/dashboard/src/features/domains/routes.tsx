import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';

const domainsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/domains',
  component: lazyRouteComponent(() => import('./list.js'), 'DomainsPage'),
});

const domainRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/domains/$domainId',
  component: lazyRouteComponent(() => import('./detail.js'), 'DomainPage'),
});

export const domainRoutes = [domainsRoute, domainRoute] as const;
