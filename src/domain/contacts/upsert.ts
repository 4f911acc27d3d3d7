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

export interface UpsertContact {
  /** Trimmed and in lower case. */
  email: string;
  /** undefined: true for a new contact, a known one stays as it is. */
  subscribed?: boolean;
  data?: DataInput;
}

export type UpsertedContactView = Contact & { _meta: { isNew: boolean; isUpdate: boolean } };

/**
 * Creates the contact of an address, or updates it: `data` is merged by its rules, and a real flip of the subscription
 * writes its event in the same transaction. Parallel calls for one address create one contact.
 *
 * @throws VALIDATION_ERROR (422, field `data`) when the contact's data would grow past 100 keys or 64 KiB
 */
export async function upsertContact(
  { pool }: Context,
  projectId: string,
  { email, subscribed, data }: UpsertContact,
): Promise<UpsertedContactView> {
  const { set, unset } = readContactData(data);
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
    if (!contact) throw new Error('A contact that this transaction holds is gone');
    return { ...contact, _meta: { isNew, isUpdate: !isNew } };
  });
}

/**
 * A contact that is deleted between the insert, which sees it, and the update, which waits for it, leaves no row: then
 * it is to be created.
 */
async function upsertOne(tx: PoolClient, upsert: UpsertContacts): Promise<UpsertedContact> {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const [contact] = await upsertContacts(tx, upsert).catch((error: unknown) => {
      throw isDataTooLarge(error) ? dataTooLarge() : error;
    });
    if (contact) return contact;
  }
  throw conflict('This contact is being deleted and created again by other requests; try again.');
}
