import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { textOf } from '../../routing/search.js';

const fieldsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/fields',
  // `field` is the open one, such as `data.plan`.
  validateSearch: (search): { field?: string | undefined } => ({ field: textOf(search.field) }),
  component: lazyRouteComponent(() => import('./page.js'), 'FieldsPage'),
});

export const fieldRoutes = [fieldsRoute] as const;
