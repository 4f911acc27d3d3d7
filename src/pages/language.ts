/** The languages of the public pages. */
import { de } from './words/de.js';
import { en } from './words/en.js';
import { es } from './words/es.js';
import { fr } from './words/fr.js';
import { it } from './words/it.js';
import { nl } from './words/nl.js';
import { pt } from './words/pt.js';
import type { Words } from './words/words.js';

const WORDS = { en, de, fr, es, it, nl, pt } satisfies Record<string, Words>;
export type Language = keyof typeof WORDS;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(WORDS, tag);

const known = (tag: string): Language | undefined => {
  const primary = tag.trim().toLowerCase().split(/[-_;]/)[0] ?? '';
  return isLanguage(primary) ? primary : undefined;
};

/** Returns the language of a tag (`de`, `pt-BR`), or English if there is no translation. */
export const languageOf = (tag: string): Language => known(tag) ?? 'en';

/** Returns the first translated language of an Accept-Language header, for pages without a project. */
export const acceptedLanguage = (header: string | undefined): Language =>
  header
    ?.split(',')
    .map(known)
    .find((language) => language !== undefined) ?? 'en';

export const wordsOf = (language: Language): Words => WORDS[language];

/** Formats a date in a language. The day is in UTC because the reader's time zone is unknown. */
export const writeDay = (language: Language, date: Date): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(date);
