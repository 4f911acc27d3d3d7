import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { textOf } from '../../routing/search.js';

const segmentsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/segments',
  component: lazyRouteComponent(() => import('./list.js'), 'SegmentsPage'),
});

const newSegmentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/segments/new',
  component: lazyRouteComponent(() => import('./editor.js'), 'NewSegmentPage'),
});

const segmentRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/segments/$segmentId',
  // `contactId` is the contact of the question why it is in the segment.
  validateSearch: (search): { contactId?: string | undefined } => ({ contactId: textOf(search.contactId) }),
  component: lazyRouteComponent(() => import('./editor.js'), 'SegmentPage'),
});

export const segmentRoutes = [segmentsRoute, newSegmentRoute, segmentRoute] as const;
