/** `POST /contacts/lookup`. */
import type { Context } from '../../context.js';
import { findContactEmails } from './sql/fields.js';
import { isAddress, normalizeAddress } from '../../address.js';

export interface Lookup {
  found: string[];
  notFound: string[];
}

/** Splits addresses by whether they are contacts: normalized, without duplicates, in the order of the request. */
export async function lookupContacts({ pool }: Context, projectId: string, emails: string[]): Promise<Lookup> {
  const wanted = [...new Set(emails.map(normalizeAddress))];
  const known = new Set(await findContactEmails(pool, projectId, wanted.filter(isAddress)));
  return { found: wanted.filter((email) => known.has(email)), notFound: wanted.filter((email) => !known.has(email)) };
}
