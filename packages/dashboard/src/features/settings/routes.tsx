/** The settings of a project: one route per tab. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { projectRoute } from '../../routing/parents.js';
import { oneOf } from '../../routing/search.js';

const settingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./layout.js'), 'SettingsLayout'),
});

const generalRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./general.js'), 'GeneralPage'),
});
const membersRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('./members.js'), 'MembersPage'),
});
const keysRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/keys',
  component: lazyRouteComponent(() => import('./keys.js'), 'KeysPage'),
});

const CHECKOUTS = ['success', 'cancelled'] as const;

interface BillingSearch {
  /** How the checkout ended, when the payment provider leads back. */
  checkout?: (typeof CHECKOUTS)[number] | undefined;
}
const readBilling = (search: Record<string, unknown>): BillingSearch => ({
  checkout: oneOf(CHECKOUTS, search.checkout),
});

const billingRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/billing',
  validateSearch: readBilling,
  component: lazyRouteComponent(() => import('./billing.js'), 'BillingPage'),
});
const trackingRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/tracking',
  component: lazyRouteComponent(() => import('./tracking.js'), 'TrackingPage'),
});
const brandRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/brand',
  component: lazyRouteComponent(() => import('./brand.js'), 'BrandPage'),
});
const dangerRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: '/danger',
  component: lazyRouteComponent(() => import('./danger.js'), 'DangerPage'),
});

/** The page that links of the server name: in emails about limits, and after a checkout. */
const billingLinkRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/billing',
  validateSearch: readBilling,
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/projects/$projectId/settings/billing', params, search });
  },
});

export const settingsRoutes = [
  settingsRoute.addChildren([
    generalRoute,
    membersRoute,
    keysRoute,
    billingRoute,
    trackingRoute,
    brandRoute,
    dangerRoute,
  ]),
  billingLinkRoute,
] as const;
