/** The frame of a project's pages: header, navigation, and the page. */
import { getRouteApi, Link, Outlet, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { signOut, useAccount, useProjects } from '../features/accounts/session.js';
import { Button } from '../ui/button.js';
import { Skeleton } from '../ui/states.js';
import { useWords } from '../words/words.js';
import { LanguageSelect, ThemeSelect } from './preferences.js';

const projectRoute = getRouteApi('/signed-in/projects/$projectId');

export function Shell() {
  const { common, nav, projects, accounts } = useWords();
  const { projectId } = projectRoute.useParams();
  const account = useAccount();
  const known = useProjects();
  const navigate = useNavigate();
  const project = known.find(({ id }) => id === projectId);
  const leave = async (): Promise<void> => {
    await signOut();
    await navigate({ to: '/auth/login' });
  };
  return (
    <div className="grid min-h-dvh grid-rows-[auto_1fr]">
      <a href="#content" className="absolute -top-16 z-10 bg-accent px-3 py-2 text-on-accent focus:top-0">
        {common.skipToContent}
      </a>
      <header className="sticky top-0 flex flex-wrap items-center gap-3 border-b border-line bg-surface px-4 py-2">
        <Link to="/projects/$projectId" params={{ projectId }} className="flex items-center gap-2 font-semibold">
          <img src="/app/icon.svg" alt="" width={24} height={24} />
          Sendloom
        </Link>
        <select
          aria-label={projects.switcher}
          className="min-h-9 max-w-48 rounded-lg border border-control bg-surface px-2"
          value={projectId}
          onChange={({ target: { value } }) =>
            void (value === ''
              ? navigate({ to: '/projects/new' })
              : navigate({ to: '/projects/$projectId', params: { projectId: value } }))
          }
        >
          {known.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          <option value="">{projects.create}…</option>
        </select>
        <div className="ms-auto flex flex-wrap items-center gap-2">
          <span className="hidden text-muted sm:inline">{account.email}</span>
          <LanguageSelect />
          <ThemeSelect />
          <Button look="quiet" onClick={() => void leave()}>
            {accounts.signOut}
          </Button>
        </div>
      </header>
      <div className="grid md:grid-cols-[13rem_1fr]">
        <nav aria-label={nav.label} className="border-line p-3 max-md:border-b md:border-e">
          <ul className="flex gap-1 overflow-x-auto md:grid">
            <li>
              <Link
                to="/projects/$projectId"
                params={{ projectId }}
                activeOptions={{ exact: true }}
                className="block rounded-lg px-3 py-1.5 hover:bg-raised aria-[current=page]:bg-raised aria-[current=page]:font-semibold"
              >
                {nav.home}
              </Link>
            </li>
          </ul>
        </nav>
        <main id="content" tabIndex={-1} className="grid content-start gap-4 p-4 md:p-6">
          {project?.disabled && (
            <div role="status" className="rounded-lg bg-warning-soft p-3 text-warning">
              <strong>{projects.disabledTitle}.</strong> {project.disabledReason}
            </div>
          )}
          <Suspense fallback={<Skeleton />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
    </div>
  );
}
