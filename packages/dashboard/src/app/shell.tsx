/** The frame of a project's pages: header, navigation, and the page. */
import { getRouteApi, Link, Outlet, useNavigate, type LinkProps } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { ProjectProvider } from '../api/project.js';
import { StreamProvider } from '../api/stream.js';
import { signOut, useAccount, useProjects } from '../features/accounts/session.js';
import { Note } from '../ui/badge.js';
import { Button } from '../ui/button.js';
import { MenuIcon } from '../ui/icons.js';
import { Skeleton } from '../ui/states.js';
import { Toasts } from '../ui/toast.js';
import { useWords } from '../words/words.js';
import { CommandBar } from './command-bar.js';
import { ConnectionBanner } from './connection-banner.js';
import { JobIndicator } from './job-indicator.js';
import { storeLastProject } from './last-project.js';
import { NAVIGATION, NAVIGATION_GROUPS, type NavigationEntry } from './navigation.js';
import { NotFound } from './not-found.js';
import { LanguageSelect, ThemeSelect } from './preferences.js';

const projectRoute = getRouteApi('/signed-in/projects/$projectId');

export function Shell() {
  const { common, projects } = useWords();
  const { projectId } = projectRoute.useParams();
  const project = useProjects().find(({ id }) => id === projectId);
  const isKnown = project !== undefined;
  // The navigation of a phone.
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => {
    if (isKnown) storeLastProject(projectId);
  }, [isKnown, projectId]);
  if (!project) return <NotFound />;
  return (
    // The key: nothing of a project's pages is left in another project's.
    <ProjectProvider key={projectId} project={project}>
      <StreamProvider>
        <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr]">
          <a href="#content" className="fixed -top-16 z-50 bg-accent px-3 py-2 text-on-accent focus:top-0">
            {common.skipToContent}
          </a>
          <Header projectId={projectId} isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen(!isMenuOpen)} />
          <div className="grid grid-cols-[minmax(0,1fr)] grid-rows-[auto_1fr] md:grid-cols-[13rem_minmax(0,1fr)] md:grid-rows-1">
            <Navigation projectId={projectId} isMenuOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
            <main id="content" tabIndex={-1} className="grid grid-cols-[minmax(0,1fr)] content-start gap-4 p-4 md:p-6">
              <ConnectionBanner />
              {project.disabled && (
                <Note tone="warning">
                  <strong>{projects.disabledTitle}.</strong> {project.disabledReason}
                </Note>
              )}
              <Suspense fallback={<Skeleton />}>
                <Outlet />
              </Suspense>
            </main>
          </div>
        </div>
        <Toasts />
      </StreamProvider>
    </ProjectProvider>
  );
}

interface HeaderProps {
  projectId: string;
  isMenuOpen: boolean;
  onMenu: () => void;
}

/** One row, also on a phone: there, the navigation has what does not fit. */
function Header({ projectId, isMenuOpen, onMenu }: HeaderProps) {
  const { projects, nav } = useWords();
  const account = useAccount();
  const known = useProjects();
  const navigate = useNavigate();
  return (
    <header className="sticky top-0 z-20 flex items-center gap-2 border-b border-line bg-surface px-2 py-2 sm:gap-3 sm:px-4 md:flex-wrap">
      <Button
        look="quiet"
        className="min-w-9 px-1.5! md:hidden"
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
        onClick={onMenu}
      >
        <MenuIcon />
        <span className="sr-only">{nav.menu}</span>
      </Button>
      <Link to="/projects/$projectId" params={{ projectId }} className="flex shrink-0 items-center gap-2 font-semibold">
        <img src="/app/icon.svg" alt="" width={24} height={24} />
        <span className="max-sm:sr-only">Sendloom</span>
      </Link>
      <select
        aria-label={projects.switcher}
        className="min-h-9 max-w-48 min-w-0 rounded-lg border max-md:flex-1 border-control bg-surface px-2"
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
      <div className="ms-auto flex items-center gap-1.5 max-md:shrink-0 sm:gap-2 md:flex-wrap">
        <JobIndicator />
        <CommandBar projectId={projectId} />
        <span className="hidden text-muted xl:inline">{account.email}</span>
        <span className="contents max-md:hidden">
          <Preferences />
        </span>
      </div>
    </header>
  );
}

/** The language, the appearance, and the sign-out. */
function Preferences() {
  const { accounts } = useWords();
  const navigate = useNavigate();
  const leave = async (): Promise<void> => {
    await signOut();
    await navigate({ to: '/auth/login' });
  };
  return (
    <>
      <LanguageSelect />
      <ThemeSelect />
      <Button look="quiet" onClick={() => void leave()}>
        {accounts.signOut}
      </Button>
    </>
  );
}

interface NavigationProps {
  projectId: string;
  isMenuOpen: boolean;
  onClose: () => void;
}

function Navigation({ projectId, isMenuOpen, onClose }: NavigationProps) {
  const { nav, navGroups } = useWords();
  return (
    <nav
      id="navigation"
      aria-label={nav.label}
      className={`border-line p-2 max-md:border-b md:block md:border-e md:p-3 ${isMenuOpen ? 'block' : 'hidden'}`}
    >
      <div
        className="sticky top-16 grid gap-4 md:-m-2 md:max-h-[calc(100dvh-4.5rem)] md:overflow-y-auto md:p-2"
        onClick={onClose}
        role="presentation"
      >
        {NAVIGATION_GROUPS.map((group) => {
          const entries = NAVIGATION.filter((entry) => entry.group === group);
          if (entries.length === 0) return null;
          return (
            <div key={group}>
              {group && <div className="px-3 pb-1 text-sm text-muted">{navGroups[group]}</div>}
              <ul className="grid gap-0.5">
                {entries.map((entry) => (
                  <li key={entry.name}>
                    <NavigationLink entry={entry} projectId={projectId} />
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </div>
      {isMenuOpen && (
        <div className="mt-3 flex flex-wrap items-center gap-2 border-t border-line px-3 pt-3 md:hidden">
          <Preferences />
        </div>
      )}
    </nav>
  );
}

function NavigationLink({ entry: { name, to, icon: Icon }, projectId }: { entry: NavigationEntry; projectId: string }) {
  const { nav } = useWords();
  return (
    <Link
      {...({ to, params: { projectId } } as LinkProps)}
      activeOptions={{ exact: name === 'home' }}
      className="flex items-center gap-2.5 rounded-lg px-3 py-1.5 hover:bg-raised aria-[current=page]:bg-raised aria-[current=page]:font-semibold"
    >
      <Icon />
      {nav[name]}
    </Link>
  );
}
