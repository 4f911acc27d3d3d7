import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';

const homeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./page.js'), 'HomePage'),
});

export const homeRoutes = [homeRoute] as const;
