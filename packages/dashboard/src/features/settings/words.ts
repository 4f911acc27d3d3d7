import { createWords } from '../../words/create.js';
import { de } from './words-de.js';
import { en } from './words-en.js';

export const useSettingsWords = createWords({ en, de });
