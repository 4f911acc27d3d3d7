/** Members of static segments, by their addresses. */
import type { PoolClient } from 'pg';
import type { Context } from '../../context.js';
import { transaction } from '../../db/pool.js';
import { upsertContacts } from '../contacts/sql/contacts.js';
import { insertEvents } from '../events/insert.js';
import { deleteList } from './sql/lists.js';
import { addMembers, lockContactsByEmail, removeMembers } from './sql/members.js';
import { addRechecks } from './sql/rechecks.js';
import { countMembers, lockSegment, setMemberCount, type SegmentRow } from './sql/segments.js';
import { badRequest, notFound } from '../../errors.js';
import { isId, newId } from '../../ids.js';
import { membershipEvents } from './compute.js';

export interface AddMembers {
  /** Trimmed and in lower case. */
  emails: string[];
  /** Whether to create contacts for addresses that have none. */
  createMissing: boolean;
  /** The subscription of created contacts; existing contacts stay as they are. */
  subscribed: boolean;
}

export interface AddedMembers {
  /** Contacts that were not members before, including created ones. */
  added: number;
  /** Contacts that were created. */
  created: number;
  /** Addresses without a contact. */
  notFound: string[];
}

/**
 * Adds contacts to a static segment.
 *
 * @throws SEGMENT_NOT_FOUND (404), BAD_REQUEST (400, the segment is dynamic)
 */
export function addSegmentMembers(
  { pool }: Context,
  projectId: string,
  id: string,
  { emails, createMissing, subscribed }: AddMembers,
): Promise<AddedMembers> {
  return transaction(pool, async (tx) => {
    const segment = await lockStatic(tx, projectId, id);
    const wanted = [...new Set(emails)];
    let contacts = await lockContactsByEmail(tx, projectId, wanted);
    let created = 0;
    if (createMissing && contacts.length < wanted.length) {
      const known = new Set(contacts.map(({ email }) => email));
      const missing = wanted.filter((email) => !known.has(email)).map((email) => ({ id: newId(), email }));
      const upserted = await upsertContacts(tx, {
        projectId,
        contacts: missing,
        set: {},
        unset: [],
        subscribed: undefined,
        subscribedByDefault: subscribed,
      });
      created = upserted.filter(({ isNew }) => isNew).length;
      contacts = await lockContactsByEmail(tx, projectId, wanted);
    }
    const found = new Set(contacts.map(({ email }) => email));
    const added = await addMembers(
      tx,
      projectId,
      id,
      contacts.map((contact) => contact.id),
    );
    if (segment.trackMembership) await insertEvents(tx, membershipEvents(segment, 'entry', added));
    await addRechecks(tx, projectId, added);
    await saveChange(tx, id, added);
    return { added: added.length, created, notFound: wanted.filter((email) => !found.has(email)) };
  });
}

/**
 * Removes contacts from a static segment. Addresses that are not members are ignored.
 *
 * @throws SEGMENT_NOT_FOUND (404), BAD_REQUEST (400, the segment is dynamic)
 */
export function removeSegmentMembers(
  { pool }: Context,
  projectId: string,
  id: string,
  emails: string[],
): Promise<{ removed: number }> {
  return transaction(pool, async (tx) => {
    const segment = await lockStatic(tx, projectId, id);
    const contacts = await lockContactsByEmail(tx, projectId, [...new Set(emails)]);
    const removed = await removeMembers(
      tx,
      id,
      contacts.map((contact) => contact.id),
    );
    if (segment.trackMembership) await insertEvents(tx, membershipEvents(segment, 'exit', removed));
    await addRechecks(tx, projectId, removed);
    await saveChange(tx, id, removed);
    return { removed: removed.length };
  });
}

/** Stores the new count of a locked segment, and deletes its list if members have changed. */
async function saveChange(tx: PoolClient, id: string, changed: string[]): Promise<void> {
  await setMemberCount(tx, id, await countMembers(tx, id));
  if (changed.length > 0) await deleteList(tx, id);
}

/** Locks a static segment, so that concurrent calls count its members one after the other. */
async function lockStatic(tx: PoolClient, projectId: string, id: string): Promise<SegmentRow> {
  const segment = isId(id) ? await lockSegment(tx, projectId, id) : undefined;
  if (!segment) throw notFound('SEGMENT');
  if (segment.type !== 'STATIC')
    throw badRequest(
      'The condition of a dynamic segment determines its members. Only members of static segments can be added or removed.',
    );
  return segment;
}
