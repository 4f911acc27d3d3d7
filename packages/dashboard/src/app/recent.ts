/** The pages of single things that were open last, for the palette. This browser keeps them until the sign-out. */
import { useEffect } from 'react';

export interface RecentPage {
  /** Below the project, with the id: `contacts/0193…`. */
  path: string;
  title: string;
}

const MAX_PAGES = 8;
const PREFIX = 'recent ';
const THING =
  /\/projects\/([^/]+)\/((?:contacts|campaigns|templates|segments|workflows|domains|emails)\/[\da-f]{8}-[\da-f-]{27})/;

const isPage = (value: unknown): value is RecentPage =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  'title' in value &&
  typeof value.path === 'string' &&
  typeof value.title === 'string';

export function readRecentPages(projectId: string): RecentPage[] {
  const stored: unknown = JSON.parse(localStorage.getItem(PREFIX + projectId) ?? '[]');
  return Array.isArray(stored) ? stored.filter(isPage) : [];
}

/** Remembers the open page whenever its title is known. */
export function useRecentPages(): void {
  useEffect(() => {
    const observer = new MutationObserver(() => {
      const [, projectId, path] = THING.exec(location.pathname) ?? [];
      if (projectId === undefined || path === undefined) return;
      const title = document.title.replace(/ · Sendloom$/, '');
      const others = readRecentPages(projectId).filter((page) => page.path !== path);
      localStorage.setItem(PREFIX + projectId, JSON.stringify([{ path, title }, ...others].slice(0, MAX_PAGES)));
    });
    const title = document.querySelector('title');
    if (title) observer.observe(title, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, []);
}

/** Forgets them, at the sign-out. */
export function forgetRecentPages(): void {
  for (const key of Object.keys(localStorage)) if (key.startsWith(PREFIX)) localStorage.removeItem(key);
}
