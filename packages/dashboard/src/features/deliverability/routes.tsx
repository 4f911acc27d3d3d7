import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';

const deliverabilityRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/deliverability',
  component: lazyRouteComponent(() => import('./page.js'), 'DeliverabilityPage'),
});

export const deliverabilityRoutes = [deliverabilityRoute] as const;
