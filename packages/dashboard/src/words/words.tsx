/** The language of the application: the user's choice, or the browser's. Each language is a chunk of its own. */
import { createContext, use, useEffect, useState, type ReactNode } from 'react';
import { setSentences } from './api-messages.js';
import { en, type Words } from './en.js';

const LANGUAGES = {
  en: async () => en,
  de: async () => (await import('./de.js')).de,
};
export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', de: 'Deutsch' };

const STORAGE_KEY = 'language';

const isLanguage = (value: string | null | undefined): value is Language => value != null && value in LANGUAGES;

function readLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY);
  if (isLanguage(stored)) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => isLanguage(tag)) ?? 'en';
}

interface Speech {
  words: Words;
  language: Language;
  setLanguage: (language: Language) => void;
}

const SpeechContext = createContext<Speech | null>(null);

export function WordsProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(readLanguage);
  const [words, setWords] = useState<Words | null>(language === 'en' ? en : null);
  useEffect(() => {
    let isCurrent = true;
    document.documentElement.lang = language;
    void LANGUAGES[language]().then((loaded) => {
      if (!isCurrent) return;
      setSentences(loaded.apiSentences);
      setWords(loaded);
    });
    return () => void (isCurrent = false);
  }, [language]);
  if (!words) return null;
  const choose = (next: Language): void => {
    localStorage.setItem(STORAGE_KEY, next);
    setLanguage(next);
  };
  return <SpeechContext value={{ words, language, setLanguage: choose }}>{children}</SpeechContext>;
}

export function useSpeech(): Speech {
  const speech = use(SpeechContext);
  if (!speech) throw new Error('A component outside of WordsProvider uses words.');
  return speech;
}

export const useWords = (): Words => useSpeech().words;
