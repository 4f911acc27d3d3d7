/** All pages. Those of a project are below `/projects/$projectId`; each is a chunk that loads on intent. */
import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { ownAccountRoutes } from '../features/account/routes.js';
import { accountRoutes } from '../features/accounts/routes.js';
import { loadAccount, loadProjects } from '../features/accounts/session.js';
import { activityRoutes } from '../features/activity/routes.js';
import { campaignRoutes } from '../features/campaigns/routes.js';
import { contactRoutes } from '../features/contacts/routes.js';
import { deliverabilityRoutes } from '../features/deliverability/routes.js';
import { domainRoutes } from '../features/domains/routes.js';
import { emailRoutes } from '../features/emails/routes.js';
import { eventRoutes } from '../features/events/routes.js';
import { fieldRoutes } from '../features/fields/routes.js';
import { homeRoutes } from '../features/home/routes.js';
import { jobRoutes } from '../features/jobs/routes.js';
import { newProjectRoute } from '../features/projects/routes.js';
import { segmentRoutes } from '../features/segments/routes.js';
import { settingsRoutes } from '../features/settings/routes.js';
import { suppressionRoutes } from '../features/suppressions/routes.js';
import { webhookRoutes } from '../features/webhooks/routes.js';
import { templateRoutes } from '../features/templates/routes.js';
import { workflowRoutes } from '../features/workflows/routes.js';
import { projectRoute, rootRoute, signedInRoute } from '../routing/parents.js';
import { lastProjectId } from './last-project.js';

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    if (!(await loadAccount())) throw redirect({ to: '/auth/login' });
    const projects = await loadProjects();
    const project = projects.find(({ id }) => id === lastProjectId()) ?? projects[0];
    if (!project) throw redirect({ to: '/projects/new' });
    throw redirect({ to: '/projects/$projectId', params: { projectId: project.id } });
  },
});

const projectRoutes = projectRoute.addChildren([
  // In the order of the navigation.
  ...homeRoutes,
  ...activityRoutes,
  ...contactRoutes,
  ...fieldRoutes,
  ...segmentRoutes,
  ...eventRoutes,
  ...emailRoutes,
  ...domainRoutes,
  ...deliverabilityRoutes,
  ...suppressionRoutes,
  ...webhookRoutes,
  ...campaignRoutes,
  ...jobRoutes,
  ...templateRoutes,
  ...workflowRoutes,
  ...settingsRoutes,
  ...ownAccountRoutes,
]);

const routeTree = rootRoute.addChildren([
  startRoute,
  ...accountRoutes,
  signedInRoute.addChildren([newProjectRoute, projectRoutes]),
]);

export const router = createRouter({
  routeTree,
  basepath: '/app',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

/**
 * Loads the code of the first page while the account is read. The router reports what cannot be loaded.
 *
 * It also takes the answers that index.html preloads, on the pages for signed-out users, too: otherwise, the first reads
 * after the sign-in would get those from before it.
 */
export function loadFirstPage(): void {
  for (const read of [loadAccount, loadProjects]) read().catch(() => undefined);
  const [routes] = router.getMatchedRoutes(router.latestLocation.pathname);
  for (const route of routes) router.loadRouteChunk(route)?.catch(() => undefined);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
