/** The choice of language and appearance. */
import { useState } from 'react';
import { LANGUAGE_NAMES, useSpeech, type Language } from '../words/words.js';
import { applyTheme, readTheme, THEMES, type Theme } from './theme.js';

const SELECT = 'min-h-9 rounded-lg border border-control bg-surface px-2 text-text';

export function LanguageSelect() {
  const { language, setLanguage } = useSpeech();
  return (
    <select
      aria-label="Language · Sprache"
      className={SELECT}
      value={language}
      onChange={(event) => {
        const chosen = LANGUAGES.find((one) => one === event.target.value);
        if (chosen) setLanguage(chosen);
      }}
    >
      {LANGUAGES.map((one) => (
        <option key={one} value={one}>
          {LANGUAGE_NAMES[one]}
        </option>
      ))}
    </select>
  );
}

const LANGUAGES: Language[] = ['en', 'de'];

export function ThemeSelect() {
  const { words } = useSpeech();
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <select
      aria-label={words.theme.label}
      className={SELECT}
      value={theme}
      onChange={(event) => {
        const chosen = THEMES.find((one) => one === event.target.value);
        if (!chosen) return;
        applyTheme(chosen);
        setTheme(chosen);
      }}
    >
      {THEMES.map((one) => (
        <option key={one} value={one}>
          {words.theme[one]}
        </option>
      ))}
    </select>
  );
}
