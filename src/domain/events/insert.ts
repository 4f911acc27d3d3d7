/** Storing events: the log of what happened to contacts and emails, and the start of everything that waits for it. */
import type { Queryable } from '../../db/pool.js';
import { newId } from '../../ids.js';

export interface NewEvent {
  projectId: string;
  contactId: string | null;
  emailId?: string | null;
  name: string;
  data?: Record<string, unknown>;
  /** Default: a new id. */
  id?: string;
}

/**
 * Inserts events in the caller's transaction, starts the executions that they trigger, and pokes the executions that
 * wait for them. It also wakes the relay after the commit.
 *
 * `insert_events` (src/db/functions) does all of this. Statements that insert events as a part of their work call it
 * themselves: track, send, delivery, feedback, and the end of snoozes.
 */
export async function insertEvents(tx: Queryable, events: NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ id = newId(), projectId, contactId, emailId = null, name, data = {} }) => ({
    id,
    project_id: projectId,
    contact_id: contactId,
    email_id: emailId,
    name,
    data,
  }));
  await tx.query({
    name: 'events-insert',
    text: `INSERT INTO outbox (workflow_id, action, payload, fairness_key)
           SELECT i.* FROM insert_events(ARRAY(SELECT e FROM jsonb_populate_recordset(NULL::new_event, $1::jsonb) e)) i`,
    values: [JSON.stringify(rows)],
  });
}

/** The cause of a change of a contact's subscription, stored in the event's data. */
export type SubscriptionSource =
  | 'api'
  | 'send'
  | 'track'
  | 'import'
  | 'bulk'
  | 'page'
  | 'one_click'
  | 'mailto'
  | 'bounce'
  | 'complaint'
  | 'workflow'
  | 'snooze_expired';

/** Returns the event for a change of a contact's subscription. New contacts have no such event. */
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
