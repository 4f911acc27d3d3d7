/** Contact writes on the hot paths: sends, tracked events, upserts. */
import { sqlState } from '../../../db/errors.js';
import type { Queryable } from '../../../db/pool.js';

export interface UpsertContacts {
  projectId: string;
  /** Distinct addresses, trimmed and in lower case, with the ids for new contacts. */
  contacts: Array<{ id: string; email: string }>;
  set: Record<string, unknown>;
  unset: string[];
  /** undefined: existing contacts do not change. */
  subscribed: boolean | undefined;
  /** The subscription of new contacts if `subscribed` is undefined. */
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

/**
 * Creates or updates contacts in one statement, locked in the order of their addresses; the rules are in the
 * migration's upsert_contacts.
 */
export async function upsertContacts(
  db: Queryable,
  { projectId, contacts, set, unset, subscribed, subscribedByDefault }: UpsertContacts,
): Promise<UpsertedContact[]> {
  const { rows } = await db.query<UpsertedContact>({
    name: 'contacts-upsert',
    text: `SELECT u.email, u.id, u.is_new AS "isNew", u.was_subscribed AS "wasSubscribed", u.is_subscribed AS "isSubscribed"
             FROM (SELECT array_agg(t.id) AS ids, array_agg(t.email) AS emails, count(*)::int AS n FROM unnest($2::uuid[], $3::text[]) AS t(id, email)) AS c,
                  LATERAL upsert_contacts(array_fill($1::uuid, ARRAY[n]), ids, emails, array_fill($4::jsonb, ARRAY[n]), array_fill($5::jsonb, ARRAY[n]),
                                          array_fill($6::boolean, ARRAY[n]), array_fill(false, ARRAY[n]), $7::boolean) AS u`,
    values: [
      projectId,
      contacts.map((c) => c.id),
      contacts.map((c) => c.email),
      JSON.stringify(set),
      unset.length > 0 ? JSON.stringify(unset) : null,
      subscribed ?? null,
      subscribedByDefault,
    ],
  });
  return rows;
}
