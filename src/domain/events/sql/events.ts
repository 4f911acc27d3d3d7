/** Writing events: the log of what happened to contacts and emails. */
import { newId } from '../../../ids.js';
import type { Queryable } from '../../../db/pool.js';

export interface NewEvent {
  projectId: string;
  contactId: string | null;
  emailId?: string | null;
  name: string;
  data?: Record<string, unknown>;
  /** Made here when not given. */
  id?: string;
}

/**
 * Appends events in the caller's transaction. What an event starts and wakes is decided by the table's trigger
 * (migration 20261121140000_workflows), whoever writes it.
 */
export async function insertEvents(tx: Queryable, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await tx.query({
    name: 'events-insert',
    // Not the time at which the transaction began: one that waited for another one's contact comes behind it.
    text: `INSERT INTO events (id, project_id, contact_id, email_id, name, data, created_at)
           SELECT e.*, (SELECT clock_timestamp()) FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::jsonb[]) AS e`,
    values: [
      events.map((event) => event.id ?? newId()),
      events.map((event) => event.projectId),
      events.map((event) => event.contactId),
      events.map((event) => event.emailId ?? null),
      events.map((event) => event.name),
      events.map((event) => JSON.stringify(event.data ?? {})),
    ],
  });
}

/** What made a contact's subscription flip; kept in the event's data. */
export type SubscriptionSource =
  | 'api'
  | 'send'
  | 'track'
  | 'import'
  | 'bulk'
  | 'page'
  | 'one_click'
  | 'bounce'
  | 'complaint'
  | 'workflow'
  | 'snooze_expired';

/** The event of a real flip; new contacts have none. */
export const subscriptionEvent = (
  projectId: string,
  contactId: string,
  subscribed: boolean,
  source: SubscriptionSource,
  extra: Record<string, unknown> = {},
): NewEvent => ({
  projectId,
  contactId,
  name: subscribed ? 'contact.subscribed' : 'contact.unsubscribed',
  data: { source, ...extra },
});
