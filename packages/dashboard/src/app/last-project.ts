/** The project that was open last, for the start page. Open tabs have theirs in the URL. */
const STORAGE_KEY = 'project';

export const lastProjectId = (): string | null => localStorage.getItem(STORAGE_KEY);
export const storeLastProject = (projectId: string): void => localStorage.setItem(STORAGE_KEY, projectId);
