/** All pages. Signed-in pages are below `/projects/$projectId`; each is a chunk that loads on intent. */
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { Suspense } from 'react';
import { loadAccount, loadProjects, SessionGuard } from '../features/accounts/session.js';
import { NotFound } from './not-found.js';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** A path of this application. Another origin (`//host`) would make the sign-in page an open redirect. */
const pathOf = (value: unknown): string | undefined => (/^\/(?![/\\])/.test(String(value)) ? textOf(value) : undefined);

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: async () => {
    if (!(await loadAccount())) throw redirect({ to: '/auth/login' });
    const [first] = await loadProjects();
    if (!first) throw redirect({ to: '/projects/new' });
    const last = localStorage.getItem('project');
    const known = (await loadProjects()).find(({ id }) => id === last) ?? first;
    throw redirect({ to: '/projects/$projectId', params: { projectId: known.id } });
  },
});

const accountPages = () => import('../features/accounts/pages.js');

const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/login',
  // `error` and `provider` are those of a failed sign-in with a provider, `next` is the page that required the sign-in.
  validateSearch: (search): { error?: string; provider?: string; next?: string } => ({
    error: textOf(search.error),
    provider: textOf(search.provider),
    next: pathOf(search.next),
  }),
  component: lazyRouteComponent(accountPages, 'LoginPage'),
});
const signupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/signup',
  component: lazyRouteComponent(accountPages, 'SignupPage'),
});
const forgotRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/forgot-password',
  component: lazyRouteComponent(accountPages, 'ForgotPage'),
});
const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/reset-password',
  validateSearch: (search): { token?: string } => ({ token: textOf(search.token) }),
  component: lazyRouteComponent(accountPages, 'ResetPage'),
});
const verifyRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/auth/verify-email',
  validateSearch: (search): { token?: string } => ({ token: textOf(search.token) }),
  component: lazyRouteComponent(accountPages, 'VerifyPage'),
});

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: requireAccount,
  component: SignedIn,
});

/** A page for signed-in users, which asks for the password in place when the session ends. */
function SignedIn() {
  return (
    <Suspense>
      <Outlet />
      <SessionGuard />
    </Suspense>
  );
}

const newProjectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/new',
  component: lazyRouteComponent(() => import('../features/projects/new.js'), 'NewProjectPage'),
});

const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/$projectId',
  beforeLoad: ({ params }) => localStorage.setItem('project', params.projectId),
  component: lazyRouteComponent(() => import('./shell.js'), 'Shell'),
});
const homeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  component: lazyRouteComponent(() => import('../features/home/page.js'), 'HomePage'),
});

/** Leads to the sign-in page, and back afterwards. */
async function requireAccount({ location }: { location: { href: string } }): Promise<void> {
  if (!(await loadAccount())) throw redirect({ to: '/auth/login', search: { next: location.href } });
}

const routeTree = rootRoute.addChildren([
  startRoute,
  loginRoute,
  signupRoute,
  forgotRoute,
  resetRoute,
  verifyRoute,
  signedInRoute.addChildren([newProjectRoute, projectRoute.addChildren([homeRoute])]),
]);

export const router = createRouter({ routeTree, basepath: '/app', defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
