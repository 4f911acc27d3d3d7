/** Reads of contacts. */
import type { Read } from './reads.js';

export const contactReads = async (): Promise<Read[]> => [
  { name: 'contacts: list', method: 'GET', url: '/contacts', limitMs: 100 },
];
