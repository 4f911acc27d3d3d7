/** The operations of bulk jobs on some contacts, in the caller's transaction. */
import type { PoolClient } from 'pg';
import { readContactData } from '../contacts/data.js';
import { removeContacts } from '../contacts/delete.js';
import { mergeData, setSubscriptions } from '../contacts/sql/bulk.js';
import { insertEvents, subscriptionEvent } from '../events/insert.js';
import { JobFault } from '../jobs/close.js';
import { joinStaticSegment, leaveStaticSegment } from '../segments/join.js';
import { lockContacts } from '../segments/sql/members.js';
import { suppressContacts, unsuppressContacts } from '../suppressions/bulk-sql.js';
import type { BulkOperation, BulkParams } from './params.js';

const DATA_TOO_LARGE = "The contact's data would have more than 100 keys or 64 KiB";

/** The existing contacts, by what happened to them. */
export interface Outcome {
  done: string[];
  /** Contacts that already were as requested. */
  skipped: string[];
  /** Contacts that stayed unchanged, with the reason. */
  failed?: Array<{ contactId: string; error: string }>;
}

type Operation = (tx: PoolClient, projectId: string, ids: string[], params: BulkParams) => Promise<Outcome>;

export const OPERATIONS: Record<BulkOperation, Operation> = {
  subscribe: (tx, projectId, ids) => setSubscribed(tx, projectId, ids, true),
  unsubscribe: (tx, projectId, ids) => setSubscribed(tx, projectId, ids, false),
  delete: async (tx, projectId, ids) => ({ done: await removeContacts(tx, projectId, ids), skipped: [] }),
  set: setData,
  addToSegment: (tx, projectId, ids, params) => changeSegment(tx, projectId, ids, params, joinStaticSegment),
  removeFromSegment: (tx, projectId, ids, params) => changeSegment(tx, projectId, ids, params, leaveStaticSegment),
  suppress: async (tx, projectId, ids) => byChange(await suppressContacts(tx, projectId, ids)),
  unsuppress: async (tx, projectId, ids) => byChange(await unsuppressContacts(tx, projectId, ids)),
};

const byChange = (contacts: Array<{ id: string; changed: boolean }>): Outcome => ({
  done: contacts.filter(({ changed }) => changed).map(({ id }) => id),
  skipped: contacts.filter(({ changed }) => !changed).map(({ id }) => id),
});

async function setSubscribed(tx: PoolClient, projectId: string, ids: string[], subscribed: boolean): Promise<Outcome> {
  const contacts = await setSubscriptions(tx, projectId, ids, subscribed);
  await insertEvents(
    tx,
    contacts.filter(({ flipped }) => flipped).map(({ id }) => subscriptionEvent(projectId, id, subscribed, 'bulk')),
  );
  return byChange(contacts);
}

async function setData(tx: PoolClient, projectId: string, ids: string[], { data }: BulkParams): Promise<Outcome> {
  const contacts = await mergeData(tx, projectId, ids, readContactData(data));
  return {
    ...byChange(contacts.filter(({ fits }) => fits)),
    failed: contacts.filter(({ fits }) => !fits).map(({ id }) => ({ contactId: id, error: DATA_TOO_LARGE })),
  };
}

/** @throws JobFault if the segment no longer exists or is no longer static */
async function changeSegment(
  tx: PoolClient,
  projectId: string,
  ids: string[],
  { segmentId = '' }: BulkParams,
  change: typeof leaveStaticSegment,
): Promise<Outcome> {
  // Contacts first, like every other writer of memberships: two orders could deadlock.
  const existing = await lockContacts(tx, projectId, ids);
  const changed = await change(tx, projectId, segmentId, [...existing]);
  if (changed === null) throw new JobFault('The segment no longer exists or is no longer static.');
  const done = new Set(changed);
  return { done: changed, skipped: [...existing].filter((id) => !done.has(id)) };
}
