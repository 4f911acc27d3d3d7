import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';

const accountRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./page.js'), 'AccountPage'),
});

export const ownAccountRoutes = [accountRoute] as const;
