/** The pages before the sign-in. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../routing/parents.js';
import { pathOf, textOf } from '../../routing/search.js';

const pages = () => import('./pages.js');

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/login',
  // `error` and `provider` are those of a failed sign-in with a provider, `next` is the page that required the sign-in.
  validateSearch: (search): { error?: string; provider?: string; next?: string } => ({
    error: textOf(search.error),
    provider: textOf(search.provider),
    next: pathOf(search.next),
  }),
  component: lazyRouteComponent(pages, 'LoginPage'),
});
const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/signup',
  component: lazyRouteComponent(pages, 'SignupPage'),
});
const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/forgot-password',
  component: lazyRouteComponent(pages, 'ForgotPage'),
});
const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/reset-password',
  validateSearch: (search): { token?: string } => ({ token: textOf(search.token) }),
  component: lazyRouteComponent(pages, 'ResetPage'),
});
const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/verify-email',
  validateSearch: (search): { token?: string } => ({ token: textOf(search.token) }),
  component: lazyRouteComponent(pages, 'VerifyPage'),
});

export const accountRoutes = [loginRoute, signupRoute, forgotRoute, resetRoute, verifyRoute] as const;
