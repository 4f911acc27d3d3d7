/** The frame of the settings: the tabs are links, and stay when the page below them changes. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useProject } from '../../api/project.js';
import { Note } from '../../ui/badge.js';
import { Page } from '../../ui/page.js';
import { Skeleton } from '../../ui/states.js';
import { useSettingsWords } from './words.js';

const TABS = [
  ['general', '/projects/$projectId/settings'],
  ['members', '/projects/$projectId/settings/members'],
  ['keys', '/projects/$projectId/settings/keys'],
  ['billing', '/projects/$projectId/settings/billing'],
  ['tracking', '/projects/$projectId/settings/tracking'],
  ['brand', '/projects/$projectId/settings/brand'],
  ['danger', '/projects/$projectId/settings/danger'],
] as const;

export function SettingsLayout() {
  const words = useSettingsWords();
  const { project, projectId, mayManage } = useProject();
  const last = useLocation().pathname.split('/').at(-1);
  const [open] = TABS.find(([tab]) => tab === last) ?? TABS[0];
  return (
    <Page title={`${words.title}: ${words.tabs[open]}`} about={project.name}>
      <nav aria-label={words.title} className="flex flex-wrap gap-1 border-b border-line">
        {TABS.map(([tab, to]) => (
          <Link
            key={tab}
            to={to}
            params={{ projectId }}
            activeOptions={{ exact: true, includeSearch: false }}
            className="border-b-2 border-transparent px-3 py-2 text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-text"
          >
            {words.tabs[tab]}
          </Link>
        ))}
      </nav>
      {!mayManage && <Note>{words.readOnly}</Note>}
      <div className="grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-4">
        <Suspense fallback={<Skeleton />}>
          <Outlet />
        </Suspense>
      </div>
    </Page>
  );
}
