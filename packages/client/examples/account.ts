/** The account of the logged-in user, and the search of a project. */
import { unwrap, type SendloomClient } from '../src/index.js';

/** Finds contacts and content by name, address, or id. */
export async function findAnything(sendloom: SendloomClient, q: string) {
  const { data } = unwrap(await sendloom.GET('/search', { params: { query: { q, limit: 10 } } }));
  return data.map(({ kind, title }) => `${kind} ${title}`);
}
