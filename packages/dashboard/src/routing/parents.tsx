/** The routes above all others. Each feature adds its own below `projectRoute`, in its routes.tsx. */
import { createRootRoute, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { Suspense } from 'react';
import { NotFound } from '../app/not-found.js';
import { Shell } from '../app/shell.js';
import { loadAccount, loadProjects, SessionGuard } from '../features/accounts/session.js';

export const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: requireAccount,
  component: SignedIn,
});

/** Leads to the sign-in page, and back afterwards. */
async function requireAccount({ location }: { location: { href: string } }): Promise<void> {
  if (!(await loadAccount())) throw redirect({ to: '/auth/login', search: { next: location.href } });
  // The next page needs them, and shows the error if they cannot be read.
  loadProjects().catch(() => undefined);
}

/** A page for signed-in users, which asks for the password in place when the session ends. */
function SignedIn() {
  return (
    <Suspense>
      <Outlet />
      <SessionGuard />
    </Suspense>
  );
}

/** The pages of a project. The id in the path lets each tab show a project of its own. */
export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/$projectId',
  component: Shell,
});
