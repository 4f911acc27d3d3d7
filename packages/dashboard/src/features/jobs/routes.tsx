import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';

export const KINDS = ['import', 'export', 'bulk', 'replay'] as const;
export const STATES = ['waiting', 'active', 'completed', 'failed', 'cancelled'] as const;

export interface JobFilters {
  /** The id of the open job. */
  job?: string | undefined;
  kind?: (typeof KINDS)[number] | undefined;
  state?: (typeof STATES)[number] | undefined;
}

const jobsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/jobs',
  validateSearch: (search): JobFilters => ({
    kind: oneOf(KINDS, search.kind),
    state: oneOf(STATES, search.state),
    job: textOf(search.job),
  }),
  component: lazyRouteComponent(() => import('./page.js'), 'JobsPage'),
});

export const jobRoutes = [jobsRoute] as const;
