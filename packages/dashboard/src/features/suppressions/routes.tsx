import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';

export const REASONS = ['complaint', 'bounce', 'manual'] as const;

export interface SuppressionFilters {
  search?: string | undefined;
  reason?: (typeof REASONS)[number] | undefined;
}

const suppressionsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/suppressions',
  validateSearch: (search): SuppressionFilters => ({
    search: textOf(search.search),
    reason: oneOf(REASONS, search.reason),
  }),
  component: lazyRouteComponent(() => import('./page.js'), 'SuppressionsPage'),
});

export const suppressionRoutes = [suppressionsRoute] as const;
