import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf, textOf } from '../../routing/search.js';
import { EXECUTION_STATUSES, type ExecutionFilters } from './filters.js';

const workflowsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/workflows',
  validateSearch: (search): { search?: string | undefined } => ({ search: textOf(search.search) }),
  component: lazyRouteComponent(() => import('./list.js'), 'WorkflowsPage'),
});

const newWorkflowRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/workflows/new',
  component: lazyRouteComponent(() => import('./list.js'), 'NewWorkflowPage'),
});

const workflowRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/workflows/$workflowId',
  validateSearch: (search): ExecutionFilters => ({
    status: oneOf(EXECUTION_STATUSES, search.status),
    search: textOf(search.search),
  }),
  component: lazyRouteComponent(() => import('./detail.js'), 'WorkflowPage'),
});

export const workflowRoutes = [workflowsRoute, newWorkflowRoute, workflowRoute] as const;
