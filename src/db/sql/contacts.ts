/** Contact writes on the hot paths: sends, tracked events, upserts. */
import { sqlState, type Queryable } from '../pool.js';

export interface UpsertContacts {
  projectId: string;
  /** Distinct addresses, trimmed and in lower case, each with the id that it gets if it is new. */
  contacts: Array<{ id: string; email: string }>;
  set: Record<string, unknown>;
  unset: string[];
  /** undefined: known contacts stay as they are. */
  subscribed: boolean | undefined;
  /** For new contacts when `subscribed` is undefined. */
  subscribedByDefault: boolean;
}

export interface UpsertedContact {
  id: string;
  email: string;
  isNew: boolean;
  wasSubscribed: boolean;
  isSubscribed: boolean;
}

/** SQLSTATEs that upsert_contacts raises (see the migration). */
export const isDataTooLarge = (error: unknown): boolean => sqlState(error) === 'SL001';
export const isNotSubscribed = (error: unknown): boolean => sqlState(error) === 'SL002';

/** Creates or updates contacts in one statement, locked in the order of their addresses; the rules are in the migration's upsert_contacts. */
export async function upsertContacts(db: Queryable, { projectId, contacts, set, unset, subscribed, subscribedByDefault }: UpsertContacts): Promise<UpsertedContact[]> {
  const { rows } = await db.query<UpsertedContact>({
    name: 'contacts-upsert',
    text: `SELECT email, id, is_new AS "isNew", was_subscribed AS "wasSubscribed", is_subscribed AS "isSubscribed"
             FROM upsert_contacts($1::uuid, $2::uuid[], $3::text[], $4::jsonb, $5::text[], $6::boolean, $7::boolean, false)`,
    values: [projectId, contacts.map((c) => c.id), contacts.map((c) => c.email), JSON.stringify(set), unset, subscribed ?? null, subscribedByDefault],
  });
  return rows;
}
