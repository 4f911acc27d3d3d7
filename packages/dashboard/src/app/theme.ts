/** The appearance: that of the system, or the user's choice. index.html applies it before the first paint. */
export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'theme';

export const readTheme = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? 'system';

export function applyTheme(theme: Theme): void {
  localStorage.setItem(STORAGE_KEY, theme);
  document.documentElement.dataset.theme = theme;
}
