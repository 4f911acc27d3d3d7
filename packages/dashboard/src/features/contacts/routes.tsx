import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { textOf } from '../../routing/search.js';
import { readContactView } from './view.js';

const contactsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/contacts',
  validateSearch: readContactView,
  component: lazyRouteComponent(() => import('./page.js'), 'ContactsPage'),
});

const importRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/contacts/import',
  // `jobId` is the import, or its test, whose progress is shown.
  validateSearch: (search): { jobId?: string | undefined } => ({ jobId: textOf(search.jobId) }),
  component: lazyRouteComponent(() => import('./import/page.js'), 'ImportPage'),
});

const contactRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/contacts/$contactId',
  component: lazyRouteComponent(() => import('./detail.js'), 'ContactPage'),
});

export const contactRoutes = [contactsRoute, importRoute, contactRoute] as const;
