import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { dayOf, oneOf, textOf } from '../../routing/search.js';
import { EXECUTION_STATUSES, STEP_VIEWS, type StepView, type WorkflowView } from './filters.js';

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
  validateSearch: (search): WorkflowView => ({
    status: oneOf(EXECUTION_STATUSES, search.status),
    search: textOf(search.search),
    step: textOf(search.step),
    view: oneOf(STEP_VIEWS, search.view),
    from: dayOf(search.from),
    to: dayOf(search.to),
  }),
  component: lazyRouteComponent(() => import('./detail.js'), 'WorkflowPage'),
});

const executionRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/workflows/$workflowId/executions/$executionId',
  // The chosen step.
  validateSearch: (search): { step?: string | undefined } => ({ step: textOf(search.step) }),
  component: lazyRouteComponent(() => import('./execution/page.js'), 'ExecutionPage'),
});

const editorRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/workflows/$workflowId/edit',
  validateSearch: (search): { view?: StepView | undefined } => ({ view: oneOf(STEP_VIEWS, search.view) }),
  component: lazyRouteComponent(() => import('./editor/page.js'), 'WorkflowEditorPage'),
});

export const workflowRoutes = [workflowsRoute, newWorkflowRoute, workflowRoute, editorRoute, executionRoute] as const;
