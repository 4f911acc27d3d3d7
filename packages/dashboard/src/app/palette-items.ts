/** What the palette offers: the open page's actions, pages, things to create, found things, and projects. */
import { keepPreviousData } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import type { Schemas } from '../../../client/src/index.js';
import { useProject } from '../api/project.js';
import { signOut, useProjects } from '../features/accounts/session.js';
import { useWords } from '../words/words.js';
import { useCommandWords } from './command-words.js';
import { GO_KEYS, NAVIGATION } from './navigation.js';
import { readRecentPages } from './recent.js';
import { requestCreate } from './shortcuts.js';

export interface Command {
  /** Unique in the palette. */
  value: string;
  label: string;
  /** What kind of thing it is, or what else is known about it. */
  about?: string | undefined;
  keys?: string | undefined;
  run: () => void;
}

export interface CommandGroup {
  value: string;
  items: Command[];
}

/** What the search finds while typing. */
interface Found {
  items: Command[];
  state: 'idle' | 'searching' | 'done' | 'failed';
}

const PAUSE_MS = 150;
const MAX_HITS = 20;
const MAX_RECENT = 5;

const CREATABLE = [
  'campaigns',
  'templates',
  'workflows',
  'contacts',
  'segments',
  'domains',
  'suppressions',
  'webhooks',
] as const;

/** Ignores case and accents. */
const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether a label contains all words of the text. */
export const matchesText = (label: string, text: string): boolean =>
  fold(text)
    .split(/\s+/)
    .every((word) => fold(label).includes(word));

/** Returns the text once the user pauses. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

const pathOf = ({ kind, id }: Schemas['SearchHit']): string => `${kind}s/${id}`;

/** Searches the project. The request for an earlier text is aborted. */
export function useFound(typed: string): Found {
  const { $api, projectId } = useProject();
  const { kinds } = useCommandWords();
  const navigate = useNavigate();
  const text = typed.trim();
  const q = usePaused(text);
  const { data, error, isFetching } = $api.useQuery(
    'get',
    '/search',
    { params: { query: { q, limit: MAX_HITS } } },
    { enabled: q !== '', placeholderData: keepPreviousData },
  );
  const items = useMemo(
    () =>
      (data?.data ?? []).map((hit) => ({
        value: `${hit.kind} ${hit.id}`,
        label: hit.title,
        about: [kinds[hit.kind], hit.subtitle].filter(Boolean).join(' · '),
        run: () => void navigate({ to: `/projects/${projectId}/${pathOf(hit)}` }),
      })),
    [data, kinds, navigate, projectId],
  );
  if (text === '') return { items: [], state: 'idle' };
  if (isFetching || q !== text) return { items, state: 'searching' };
  return error ? { items: [], state: 'failed' } : { items, state: 'done' };
}

/** Returns the commands that do not depend on what is typed. */
export function useCommands(showShortcuts: () => void): CommandGroup[] {
  const words = useCommandWords();
  const { nav } = useWords();
  const { projectId } = useProject();
  const projects = useProjects();
  const navigate = useNavigate();
  // The page under the palette does not change while the palette is open.
  const [page] = useState(readPageActions);
  const [recent] = useState(() => readRecentPages(projectId));
  return useMemo(() => {
    const open = (path: string): void => void navigate({ to: path });
    const inProject = (path: string): string => `/projects/${projectId}/${path}`;
    const isNamed = (name: string): name is keyof typeof nav => name in nav;
    return [
      {
        value: words.groups.recent,
        items: recent
          .filter(({ path }) => !location.pathname.endsWith(path))
          .slice(0, MAX_RECENT)
          .map(({ path, title }) => {
            const section = path.split('/')[0] ?? '';
            return {
              value: `recent ${path}`,
              label: title,
              about: isNamed(section) ? nav[section] : undefined,
              run: () => open(inProject(path)),
            };
          }),
      },
      { value: words.groups.page, items: page },
      {
        value: words.groups.create,
        items: [
          ...CREATABLE.map((name) => ({
            value: `create ${name}`,
            label: words.create[name],
            run() {
              const path = `/projects/${projectId}/${name}`;
              requestCreate(path);
              open(path);
            },
          })),
          { value: 'import', label: words.import, run: () => open(inProject('contacts/import')) },
        ],
      },
      {
        value: words.groups.pages,
        items: NAVIGATION.map(({ name, to }) => ({
          value: `page ${name}`,
          label: nav[name],
          keys: GO_KEYS[name] && `g ${GO_KEYS[name]}`,
          run: () => open(String(to).replace('$projectId', projectId)),
        })),
      },
      {
        value: words.groups.projects,
        items: [
          ...projects
            .filter(({ id }) => id !== projectId)
            .map(({ id, name }) => ({ value: `project ${id}`, label: name, run: () => open(`/projects/${id}`) })),
          { value: 'new project', label: words.newProject, run: () => open('/projects/new') },
        ],
      },
      {
        value: words.groups.other,
        items: [
          { value: 'shortcuts', label: words.shortcuts, keys: '?', run: showShortcuts },
          { value: 'reference', label: words.reference, run: () => void window.open('/docs', '_blank', 'noopener') },
          {
            value: 'sign out',
            label: words.signOut,
            run: () => void signOut().then(async () => navigate({ to: '/auth/login' })),
          },
        ],
      },
    ];
  }, [words, nav, projectId, projects, navigate, page, recent, showShortcuts]);
}

/** Returns the actions at the head of the open page, such as those on a campaign. */
function readPageActions(): Command[] {
  const found = document.querySelectorAll<HTMLElement>('[data-page-actions] :is(button:not(:disabled), a[href])');
  return [...found].flatMap((element, index) => {
    const label = element.getAttribute('aria-label') ?? element.textContent.trim();
    return label === '' ? [] : [{ value: `action ${index}`, label, run: () => element.click() }];
  });
}
