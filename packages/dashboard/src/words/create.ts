/** The words of a feature. They are in the feature's chunk, in all languages. */
import { useSpeech, type Language } from './words.js';

/**
 * Returns the hook that reads a feature's words. English comes first and defines the keys:
 *
 * ```ts
 * export const useContactWords = createWords({ en, de });
 * ```
 */
export const createWords =
  <FeatureWords>(words: Record<Language, FeatureWords>): (() => FeatureWords) =>
  () =>
    words[useSpeech().language];
