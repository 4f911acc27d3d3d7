import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from 'vitest';
import { setSentences, translateMessage } from '../../../packages/dashboard/src/words/api-messages.js';
import { messages } from '../../../packages/dashboard/src/words/de-messages.js';
import { en } from '../../../packages/dashboard/src/words/en.js';

/** The source of the server, without the line breaks of long texts, and the texts of zod. */
function readSources(): string {
  const folder = new URL('../../../src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.startsWith('generated'),
  );
  const zod = createRequire(import.meta.url).resolve('zod/v4/locales/en.js');
  return [...files.map((name) => readFileSync(new URL(name, folder), 'utf8')), readFileSync(zod, 'utf8')]
    .join('\n')
    .replace(/['`] \+\s+['`]/g, '');
}

/** Texts of these forms are put together from parts. */
const COMPOSED =
  /^(?:Too (?:small|big)|Invalid|[A-Z][a-z]+ not found$|The (?:subject|body|sender|audience) is missing|No contact has|is required|The receiver (?:refused|closed|is unreachable))/;

describe('the sentences of the API in the language of the application', () => {
  afterEach(() => setSentences({}));

  test('a translated sentence is one that the server writes', () => {
    const sources = readSources();
    const unknown = Object.keys({ ...messages, ...en.apiSentences })
      .filter((english) => !COMPOSED.test(english))
      .filter((english) => !english.split(/\{\d\}/).every((part) => sources.includes(part)));
    expect(unknown).toEqual([]);
  });

  test('a translation has the values of its original', () => {
    for (const [english, german] of Object.entries(messages)) {
      const values = new Set(german.match(/\{\d\}/g));
      for (const value of values) expect(english).toContain(value);
    }
  });

  test('values are kept, and the more exact sentence wins', () => {
    setSentences(messages);
    expect(translateMessage('The domain a.test is already in this project.')).toBe(
      'Die Domain a.test gehört bereits zu diesem Projekt.',
    );
    expect(translateMessage('Too small: expected string to have >=1 characters')).toBe('Darf nicht leer sein.');
    expect(translateMessage('Too small: expected string to have >=8 characters')).toBe('Braucht mindestens 8 Zeichen.');
    expect(translateMessage('A campaign with the status SENT cannot be changed.')).toBe(
      'Im Status SENT ist dies mit einer Kampagne nicht möglich.',
    );
  });

  test('a message in a message is translated too', () => {
    setSentences(messages);
    expect(translateMessage('The step "Mail": Template "Welcome": The template does not exist.')).toBe(
      'Schritt "Mail": Vorlage "Welcome": Die Vorlage gibt es nicht.',
    );
    expect(translateMessage('The column "Points" must contain a number')).toBe(
      'Spalte „Points“: Muss eine Zahl enthalten.',
    );
  });

  test('an unknown sentence stays as it is, also if it looks like a key or a pattern', () => {
    setSentences(messages);
    for (const text of ['The disk is on fire.', 'constructor', '(.*) $& {0}', ''])
      expect(translateMessage(text)).toBe(text);
    expect(translateMessage('The domain $& {1} is already in this project.')).toBe(
      'Die Domain $& {1} gehört bereits zu diesem Projekt.',
    );
  });
});
