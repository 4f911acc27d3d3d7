import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { textOf } from '../../routing/search.js';

const eventsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/events',
  // `name` is the event whose details are shown.
  validateSearch: (search): { name?: string | undefined } => ({ name: textOf(search.name) }),
  component: lazyRouteComponent(() => import('./page.js'), 'EventsPage'),
});

export const eventRoutes = [eventsRoute] as const;
