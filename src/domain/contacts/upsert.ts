/** `POST /contacts`: a contact by its address. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { findContact } from './sql/rows.js';
import { isDataTooLarge, upsertContacts, type UpsertContacts, type UpsertedContact } from './sql/contacts.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import { conflict } from '../../errors.js';
import { newId } from '../../ids.js';
import { dataTooLarge, readContactData, type DataInput } from './data.js';
import type { Contact } from './get.js';
import { withTimezone } from './timezone.js';

export interface UpsertContact {
  /** Trimmed and in lower case. */
  email: string;
  /** undefined: a new contact is subscribed, an existing one does not change. */
  subscribed?: boolean;
  data?: DataInput;
  /** null removes it. */
  timezone?: string | null;
}

export type UpsertedContactView = Contact & { _meta: { isNew: boolean; isUpdate: boolean } };

/**
 * Creates or updates the contact with an address. `data` is merged. A change of the subscription writes its event in the
 * same transaction. Concurrent calls for one address create one contact.
 *
 * @throws VALIDATION_ERROR (422: `data` over 100 keys or 64 KiB, an unknown `timezone`)
 */
export async function upsertContact(
  { pool }: Context,
  projectId: string,
  { email, subscribed, data, timezone }: UpsertContact,
): Promise<UpsertedContactView> {
  const { set, unset } = withTimezone(readContactData(data), timezone);
  return transaction(pool, async (tx) => {
    const { id, isNew, wasSubscribed, isSubscribed } = await upsertOne(tx, {
      projectId,
      contacts: [{ id: newId(), email }],
      set,
      unset,
      subscribed,
      subscribedByDefault: true,
    });
    if (!isNew && wasSubscribed !== isSubscribed)
      await insertEvents(tx, [subscriptionEvent(projectId, id, isSubscribed, 'api')]);
    const contact = await findContact(tx, projectId, id);
    if (!contact) throw new Error('A locked contact does not exist.');
    return { ...contact, _meta: { isNew, isUpdate: !isNew } };
  });
}

/**
 * Retries if the contact is deleted between the insert, which found it, and the update, which waited for the deletion.
 */
async function upsertOne(tx: PoolClient, upsert: UpsertContacts): Promise<UpsertedContact> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const [contact] = await upsertContacts(tx, upsert).catch((error: unknown) => {
      throw isDataTooLarge(error) ? dataTooLarge() : error;
    });
    if (contact) return contact;
  }
  throw conflict('Other requests are deleting and creating this contact. Try again.');
}
