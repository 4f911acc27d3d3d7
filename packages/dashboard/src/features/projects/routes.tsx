import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../routing/parents.js';

export const newProjectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/new',
  component: lazyRouteComponent(() => import('./new.js'), 'NewProjectPage'),
});
